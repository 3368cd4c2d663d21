package dev.cairn.internal.storage;

import dev.cairn.storage.Storage;
import dev.cairn.storage.StorageProvider;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** Opens {@code file:} locations: the local file system, or a network file system that every executor mounts. */
public final class LocalStorageProvider implements StorageProvider {
    @Override
    public boolean supports(String scheme) {
        return scheme.equals(LocalStorage.SCHEME);
    }

    @Override
    public Storage open(String location, Configuration configuration) throws IOException {
        return LocalStorage.at(location);
    }
}
