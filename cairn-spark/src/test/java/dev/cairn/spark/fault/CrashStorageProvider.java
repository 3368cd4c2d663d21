package dev.cairn.spark.fault;

import dev.cairn.internal.storage.LocalStorage;
import dev.cairn.storage.Storage;
import dev.cairn.storage.StorageProvider;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** Opens {@code crash:} locations. */
public final class CrashStorageProvider implements StorageProvider {
    @Override
    public boolean supports(String scheme) {
        return scheme.equals(CrashPoints.SCHEME);
    }

    @Override
    public Storage open(String location, Configuration configuration) throws IOException {
        return new CrashStorage(LocalStorage.at("file" + location.substring(CrashPoints.SCHEME.length())));
    }
}
