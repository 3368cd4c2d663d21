package dev.cairn.internal.file;

import static java.util.Objects.requireNonNull;

import dev.cairn.key.KeySchema;
import dev.cairn.store.Checkpoint;
import java.io.IOException;
import java.util.Map;
import org.apache.parquet.io.PositionOutputStream;

/**
 * Writes a checkpoint's file: its keys in row groups as they come, then its committables and ranges, then the footer.
 * The object is published, or aborted after any exception, by the caller. Not thread-safe.
 */
public final class CheckpointFileWriter {
    private final KeysFileWriter keys;

    public CheckpointFileWriter(PositionOutputStream target, KeySchema schema) throws IOException {
        this.keys = new KeysFileWriter(requireNonNull(target, "target"), schema);
    }

    /** Writes the rows as a row group and clears the columns. Does nothing without rows. */
    public void write(KeyColumns columns) throws IOException {
        keys.write(columns);
    }

    /** Bytes written. */
    public long bytes() throws IOException {
        return keys.bytes();
    }

    /**
     * Completes the file.
     *
     * @throws IllegalArgumentException if the checkpoint says another number of rows than were written
     */
    public void finish(Checkpoint checkpoint) throws IOException {
        if (checkpoint.rowsAdmitted() != keys.rows()) {
            throw new IllegalArgumentException("checkpoint " + checkpoint.id() + " says it has "
                    + checkpoint.rowsAdmitted() + " keys, but " + keys.rows() + " were written");
        }
        keys.finish(
                CheckpointJson.block(checkpoint), Map.of(FileFormat.CHECKPOINT, CheckpointJson.document(checkpoint)));
    }
}
