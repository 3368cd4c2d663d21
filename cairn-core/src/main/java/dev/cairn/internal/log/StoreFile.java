package dev.cairn.internal.log;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cairn.store.Writer;
import java.time.Instant;
import java.util.UUID;

/**
 * The content of {@code store.json}.
 *
 * @param id the store's identity in catalogs, for ever
 * @param location where the store lies; another place means that it was copied or moved
 * @param created when, by the creator's clock; for people
 * @param writer who created the store
 */
public record StoreFile(UUID id, String location, Instant created, Writer writer) {
    public StoreFile {
        requireNonNull(id, "id");
        requireNonNull(location, "location");
        requireNonNull(created, "created");
        requireNonNull(writer, "writer");
    }

    public byte[] encode() {
        ObjectNode json = JsonDocument.newObject();
        json.put("id", id.toString());
        json.put("location", location);
        json.put("created", created.toString());
        json.set("writer", LogJson.writer(writer));
        return JsonDocument.encode(json);
    }

    /**
     * @param name of the object, with the store's location, for messages
     * @throws dev.cairn.StoreDamagedException if it cannot be read
     */
    public static StoreFile decode(String name, byte[] content) {
        JsonDocument json = JsonDocument.parse(name, content);
        return new StoreFile(
                json.parsed("id", UUID::fromString),
                json.text("location"),
                json.instant("created"),
                LogJson.writer(json.part("writer")));
    }
}
