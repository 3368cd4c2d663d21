package dev.cairn.internal.file;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cairn.ErrorCondition;
import dev.cairn.StoreDamagedException;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.Committable;
import dev.cairn.store.KeyDigest;
import dev.cairn.store.Range;
import dev.cairn.store.Sealing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The JSON in a checkpoint's file. Read strictly: every field is required and of its type; fields that are not known
 * are passed over, so that a format version can add some.
 */
final class CheckpointJson {
    private static final JsonMapper MAPPER = mapper();

    private CheckpointJson() {}

    private static JsonMapper mapper() {
        JsonMapper mapper = JsonMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
        // A committable's body has no length that is wrong.
        mapper.getFactory()
                .setStreamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(Integer.MAX_VALUE)
                        .build());
        return mapper;
    }

    static String document(Checkpoint checkpoint) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = MAPPER.createGenerator(text)) {
            json.writeStartObject();
            json.writeNumberField("version", FileFormat.VERSION);
            json.writeNumberField("run", checkpoint.id().run());
            json.writeNumberField("partition", checkpoint.id().partition());
            json.writeStringField("sealing", label(checkpoint.sealing()));
            json.writeNumberField("attempt", checkpoint.attempt());
            json.writeStringField("nonce", checkpoint.nonce());
            json.writeNumberField("rowsAdmitted", checkpoint.rowsAdmitted());
            json.writeNumberField("rowsSkipped", checkpoint.rowsSkipped());
            json.writeStringField("digest", checkpoint.digest().toString());
            json.writeEndObject();
        }
        return text.toString();
    }

    static byte[] block(Checkpoint checkpoint) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = MAPPER.createGenerator(bytes)) {
            json.writeStartObject();
            json.writeArrayFieldStart("committables");
            for (Committable committable : checkpoint.committables()) {
                json.writeStartObject();
                json.writeStringField("kind", committable.kind());
                json.writeNumberField("version", committable.version());
                json.writeStringField("body", committable.body());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("ranges");
            for (Range range : checkpoint.ranges()) {
                json.writeStartObject();
                json.writeStringField("path", range.path());
                json.writeNumberField("start", range.start());
                json.writeNumberField("end", range.end());
                json.writeNumberField("fileLength", range.fileLength());
                json.writeNumberField("modificationTime", range.modificationTime());
                if (range.etag().isPresent()) {
                    json.writeStringField("etag", range.etag().get());
                }
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return bytes.toByteArray();
    }

    static Checkpoint read(String object, CheckpointId expected, Sealing sealing, String document, byte[] block) {
        try {
            JsonNode root = object(MAPPER.readTree(document), "the checkpoint document");
            // The version decides whether the rest means what we think it does, so it comes first.
            long version = integer(root, "version");
            if (version > FileFormat.VERSION) {
                throw new StoreDamagedException(
                        ErrorCondition.STORE_TOO_NEW,
                        "The object " + object + " of the checkpoint store has format version " + version
                                + ", but this version of Cairn knows versions up to " + FileFormat.VERSION
                                + ". Use the version of Cairn that wrote it, or a later one.");
            }
            require(version >= 1, "its format version is " + version);
            CheckpointId id = new CheckpointId(integer(root, "run"), Math.toIntExact(integer(root, "partition")));
            require(
                    id.equals(expected),
                    "it says it is checkpoint " + id + ", but its name says " + expected
                            + " (was it copied or renamed?)");
            String written = text(root, "sealing");
            require(
                    written.equals(label(sealing)),
                    "it says it is sealed per " + written + ", but its name says per " + label(sealing));
            JsonNode lists = object(MAPPER.readTree(block), "the block");
            long rowsAdmitted = integer(root, "rowsAdmitted");
            long rowsSkipped = integer(root, "rowsSkipped");
            require(rowsAdmitted >= 0 && rowsSkipped >= 0, "a number of rows is negative");
            return new Checkpoint(
                    id,
                    sealing,
                    integer(root, "attempt"),
                    text(root, "nonce"),
                    rowsAdmitted,
                    rowsSkipped,
                    KeyDigest.parse(text(root, "digest")),
                    committables(list(lists, "committables")),
                    ranges(list(lists, "ranges")));
        } catch (JsonProcessingException e) {
            throw FileFormat.damaged(object, "its JSON cannot be read", e);
        } catch (IOException | IllegalArgumentException | ArithmeticException e) {
            throw FileFormat.damaged(object, String.valueOf(e.getMessage()), e);
        }
    }

    private static List<Committable> committables(JsonNode nodes) {
        List<Committable> committables = new ArrayList<>(nodes.size());
        for (JsonNode node : nodes) {
            object(node, "a committable");
            committables.add(
                    new Committable(text(node, "kind"), Math.toIntExact(integer(node, "version")), text(node, "body")));
        }
        return committables;
    }

    private static List<Range> ranges(JsonNode nodes) {
        List<Range> ranges = new ArrayList<>(nodes.size());
        for (JsonNode node : nodes) {
            object(node, "a range");
            ranges.add(new Range(
                    text(node, "path"),
                    integer(node, "start"),
                    integer(node, "end"),
                    integer(node, "fileLength"),
                    integer(node, "modificationTime"),
                    node.has("etag") ? Optional.of(text(node, "etag")) : Optional.empty()));
        }
        return ranges;
    }

    private static String label(Sealing sealing) {
        return sealing == Sealing.TASK ? "task" : "job";
    }

    private static JsonNode object(JsonNode node, String what) {
        require(node != null && node.isObject(), what + " is no JSON object");
        return node;
    }

    private static JsonNode list(JsonNode node, String field) {
        JsonNode value = node.get(field);
        require(value != null && value.isArray(), "'" + field + "' is missing or no list");
        return value;
    }

    private static String text(JsonNode node, String field) {
        JsonNode value = node.get(field);
        require(value != null && value.isTextual(), "'" + field + "' is missing or no text");
        return value.textValue();
    }

    private static long integer(JsonNode node, String field) {
        JsonNode value = node.get(field);
        require(
                value != null && value.isIntegralNumber() && value.canConvertToLong(),
                "'" + field + "' is missing or no integer");
        return value.longValue();
    }

    private static void require(boolean condition, String cause) {
        if (!condition) {
            throw new IllegalArgumentException(cause);
        }
    }
}
