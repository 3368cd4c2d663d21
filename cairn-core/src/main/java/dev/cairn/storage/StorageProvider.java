package dev.cairn.storage;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/**
 * Opens storages of one or more URI schemes; found by {@link java.util.ServiceLoader}. A provider exists for a scheme
 * only if create-if-absent is atomic there: every implementation passes {@code CheckpointStoreContract}.
 */
public interface StorageProvider {
    /**
     * @param scheme of the location, lower case, for example {@code file}, {@code s3a}
     * @return whether this provider opens such locations
     */
    boolean supports(String scheme);

    /**
     * @param location of the root, absolute, with its scheme. It need not exist, and opening creates nothing.
     * @param configuration Hadoop's, with endpoints and credentials
     * @throws dev.cairn.RefusedException if the place cannot hold a store: it is a file, or it lacks atomic creation
     * @throws IOException if the storage did not answer
     */
    Storage open(String location, Configuration configuration) throws IOException;
}
