package dev.cairn.internal.file;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.Committable;
import dev.cairn.store.KeyDigest;
import dev.cairn.store.Sealing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** Placeholder with the final signature; reads a bare JSON document instead of the real file format. */
public final class CheckpointFileReader {
    private CheckpointFileReader() {}

    public static Checkpoint readCheckpoint(InputFile file, CheckpointId id, Sealing sealing) throws IOException {
        try (SeekableInputStream in = file.newStream()) {
            JsonNode json = new ObjectMapper().readTree(in.readAllBytes());
            List<Committable> committables = new ArrayList<>();
            json.get("committables")
                    .forEach(node -> committables.add(new Committable(
                            node.get("kind").textValue(), 1, node.get("body").textValue())));
            return new Checkpoint(
                    id,
                    sealing,
                    0,
                    json.get("nonce").textValue(),
                    json.get("rows").longValue(),
                    0,
                    KeyDigest.ZERO,
                    committables,
                    List.of());
        }
    }
}
