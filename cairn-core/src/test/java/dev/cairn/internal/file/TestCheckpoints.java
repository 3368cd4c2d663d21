package dev.cairn.internal.file;

import dev.cairn.key.KeySchema;
import dev.cairn.key.Keys;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.PendingObject.Publication;
import dev.cairn.storage.Storage;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.Committable;
import dev.cairn.store.KeyDigest;
import dev.cairn.store.Range;
import dev.cairn.store.Sealing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Writes and reads files of keys for tests. */
public final class TestCheckpoints {
    private TestCheckpoints() {}

    public static Checkpoint checkpoint(
            CheckpointId id, Sealing sealing, int rows, List<Committable> committables, List<Range> ranges) {
        return new Checkpoint(
                id, sealing, 3, "nonce-1", rows, 5, new KeyDigest(0x0123456789abcdefL, -2), committables, ranges);
    }

    public static Checkpoint write(
            Storage storage, CheckpointId id, Sealing sealing, KeySchema schema, List<List<Object>> keys) {
        Checkpoint checkpoint = checkpoint(id, sealing, keys.size(), List.of(), List.of());
        write(storage, checkpoint, schema, keys, Integer.MAX_VALUE);
        return checkpoint;
    }

    /** @param rowsPerGroup after how many rows a row group ends */
    public static void write(
            Storage storage, Checkpoint checkpoint, KeySchema schema, List<List<Object>> keys, int rowsPerGroup) {
        try {
            PendingObject object =
                    storage.create(CheckpointFileReader.objectName(checkpoint.id(), checkpoint.sealing()));
            CheckpointFileWriter writer = new CheckpointFileWriter(object.stream(), schema);
            KeyColumns columns = new KeyColumns(schema);
            for (List<Object> key : keys) {
                Keys.put(columns, key);
                columns.accept();
                if (columns.rows() >= rowsPerGroup) {
                    writer.write(columns);
                }
            }
            writer.write(columns);
            writer.finish(checkpoint);
            publish(object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void writeKeys(Storage storage, String object, KeySchema schema, List<List<Object>> keys) {
        try {
            PendingObject pending = storage.create(object);
            KeysFileWriter writer = new KeysFileWriter(pending.stream(), schema);
            KeyColumns columns = new KeyColumns(schema);
            for (List<Object> key : keys) {
                Keys.put(columns, key);
                columns.accept();
            }
            writer.write(columns);
            writer.finish();
            publish(pending);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void publish(PendingObject object) throws IOException {
        if (object.publish() != Publication.PUBLISHED) {
            throw new IllegalStateException("the name is taken");
        }
    }

    public static List<List<Object>> readKeys(Storage storage, CheckpointId id, Sealing sealing, KeySchema schema) {
        try (KeysFileReader reader = KeysFileReader.openCheckpoint(
                storage.open(CheckpointFileReader.objectName(id, sealing)), schema, id, sealing)) {
            List<List<Object>> keys = new ArrayList<>();
            while (reader.next()) {
                keys.add(reader.values());
            }
            return keys;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
