package dev.cairn.storage;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** Opens storages by location. */
public final class Storages {
    private Storages() {}

    public static Storage open(String location, Configuration configuration) throws IOException {
        throw new UnsupportedOperationException();
    }
}
