package dev.cairn.internal.log;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cairn.ErrorCondition;
import dev.cairn.StoreDamagedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A JSON object of the store, read strictly: what is asked for must be there and of the right type, because a default in
 * its place could lose or repeat rows. Fields that nobody asks for are ignored, so that later versions may add some.
 */
final class JsonDocument {
    /** The newest format version that this code reads and writes. */
    static final int FORMAT = 1;

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String name;
    private final String path;
    private final JsonNode node;

    private JsonDocument(String name, String path, JsonNode node) {
        this.name = name;
        this.path = path;
        this.node = node;
    }

    static ObjectNode newObject() {
        return MAPPER.createObjectNode().put("format", FORMAT);
    }

    static ObjectNode newPart() {
        return MAPPER.createObjectNode();
    }

    static byte[] encode(ObjectNode node) {
        try {
            return (MAPPER.writeValueAsString(node) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * @param name of the object, for messages
     * @throws StoreDamagedException if the content is not a JSON object, or one of a newer format
     */
    static JsonDocument parse(String name, byte[] content) {
        requireNonNull(name, "name");
        JsonNode node;
        try {
            node = MAPPER.readTree(content);
        } catch (IOException broken) {
            throw damaged(name, "it is not JSON (" + content.length + " bytes)", broken);
        }
        if (node == null || !node.isObject()) {
            throw damaged(name, "it is not a JSON object (" + content.length + " bytes)", null);
        }
        JsonDocument document = new JsonDocument(name, "", node);
        long format = document.integer("format");
        if (format > FORMAT) {
            throw document.tooNew("has format " + format + ", and this version of Cairn reads up to format " + FORMAT);
        }
        if (format < 1) {
            throw document.damaged("field 'format' is " + format, null);
        }
        return document;
    }

    String text(String field) {
        JsonNode value = required(field);
        if (!value.isTextual()) {
            throw illTyped(field, "a string", value);
        }
        return value.textValue();
    }

    Optional<String> optionalText(String field) {
        return has(field) ? Optional.of(text(field)) : Optional.empty();
    }

    long integer(String field) {
        JsonNode value = required(field);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw illTyped(field, "an integer", value);
        }
        return value.longValue();
    }

    Optional<Long> optionalInteger(String field) {
        return has(field) ? Optional.of(integer(field)) : Optional.empty();
    }

    Instant instant(String field) {
        String text = text(field);
        try {
            return Instant.parse(text);
        } catch (DateTimeException broken) {
            throw damaged("field '" + path + field + "' is not a time: '" + text + "'", broken);
        }
    }

    /** A text field that has a meaning of its own; the reader's {@link IllegalArgumentException} means damage. */
    <T> T parsed(String field, Function<String, T> reader) {
        String text = text(field);
        try {
            return reader.apply(text);
        } catch (IllegalArgumentException broken) {
            throw damaged("field '" + path + field + "' cannot be read: " + broken.getMessage(), broken);
        }
    }

    JsonDocument part(String field) {
        JsonNode value = required(field);
        if (!value.isObject()) {
            throw illTyped(field, "an object", value);
        }
        return new JsonDocument(name, path + field + ".", value);
    }

    Optional<JsonDocument> optionalPart(String field) {
        return has(field) ? Optional.of(part(field)) : Optional.empty();
    }

    List<JsonDocument> parts(String field) {
        List<JsonDocument> parts = new ArrayList<>();
        for (JsonNode element : array(field)) {
            if (!element.isObject()) {
                throw illTyped(field, "an array of objects", element);
            }
            parts.add(new JsonDocument(name, path + field + "[" + parts.size() + "].", element));
        }
        return parts;
    }

    List<Long> integers(String field) {
        List<Long> integers = new ArrayList<>();
        for (JsonNode element : array(field)) {
            if (!element.isIntegralNumber() || !element.canConvertToLong()) {
                throw illTyped(field, "an array of integers", element);
            }
            integers.add(element.longValue());
        }
        return integers;
    }

    private JsonNode array(String field) {
        JsonNode value = required(field);
        if (!value.isArray()) {
            throw illTyped(field, "an array", value);
        }
        return value;
    }

    private boolean has(String field) {
        return node.hasNonNull(field);
    }

    private JsonNode required(String field) {
        JsonNode value = node.get(field);
        if (value == null || value.isNull()) {
            throw damaged("field '" + path + field + "' is missing", null);
        }
        return value;
    }

    private StoreDamagedException illTyped(String field, String wanted, JsonNode found) {
        return damaged(
                "field '" + path + field + "' must be " + wanted + " and is " + abbreviate(found.toString()), null);
    }

    private static String abbreviate(String text) {
        return text.length() <= 60 ? text : text.substring(0, 57) + "...";
    }

    StoreDamagedException damaged(String problem, Throwable cause) {
        return damaged(name, problem, cause);
    }

    StoreDamagedException tooNew(String problem) {
        return new StoreDamagedException(
                ErrorCondition.STORE_TOO_NEW,
                "Object " + name + " " + problem + ". A newer version of Cairn wrote it. Use that version, or a later"
                        + " one, with this store.");
    }

    private static StoreDamagedException damaged(String name, String problem, Throwable cause) {
        return new StoreDamagedException(
                ErrorCondition.STORE_DAMAGED,
                "Object " + name + " is damaged: " + problem
                        + ". Objects of a store are written once and never changed,"
                        + " so something else changed this one. Restore it from a copy; do not delete it.",
                cause);
    }
}
