package dev.cairn.spark.internal.sink;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.function.LongPredicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes staging directories of this store's runs of which nothing is left to publish. */
final class StagingCleaner {
    private static final Logger LOG = LoggerFactory.getLogger(StagingCleaner.class);

    private final FileLayout layout;
    private final Configuration configuration;

    StagingCleaner(FileLayout layout, Configuration configuration) {
        this.layout = layout;
        this.configuration = configuration;
    }

    /** After a commit: everything that was sealed by then is published. */
    void removeUpTo(long run) {
        removeIf(candidate -> candidate <= run);
    }

    /** Failing to clean harms nobody: what is left is invisible, and the next run tries again. */
    void removeIf(LongPredicate runs) {
        Path staging = layout.staging();
        try {
            FileSystem fileSystem = staging.getFileSystem(configuration);
            FileStatus[] directories;
            try {
                directories = fileSystem.listStatus(staging);
            } catch (FileNotFoundException absent) {
                return;
            }
            for (FileStatus directory : directories) {
                String name = directory.getPath().getName();
                if (name.matches("\\d{1,18}") && runs.test(Long.parseLong(name))) {
                    fileSystem.delete(directory.getPath(), true);
                }
            }
            if (fileSystem.listStatus(staging).length == 0) {
                fileSystem.delete(staging, false);
            }
        } catch (IOException e) {
            LOG.warn("Could not remove leftovers in {}; the next run will", staging, e);
        }
    }
}
