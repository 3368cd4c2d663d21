package dev.cairn.spark.internal.sink;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import org.apache.hadoop.fs.Path;

/**
 * Forces files and directories of the local file system to disk: Hadoop's local file system does not, and a sealed
 * checkpoint must not name output that a power failure takes away. Other file systems are durable when a file is closed.
 */
final class FileDurability {
    private FileDurability() {}

    static void force(Path path) throws IOException {
        if (!"file".equals(path.toUri().getScheme())) {
            return;
        }
        try (FileChannel channel = FileChannel.open(Paths.get(path.toUri().getPath()), StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
