package dev.cairn.internal.log;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import dev.cairn.store.CheckpointSet;
import dev.cairn.store.Destination;
import dev.cairn.store.Figures;
import dev.cairn.store.LogEntry;
import dev.cairn.store.Mode;
import dev.cairn.store.Outcome;
import dev.cairn.store.PartitionSet;
import dev.cairn.store.Sealing;
import dev.cairn.store.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The JSON form of the log's entries, as {@code docs/store-format.md} describes it. Equal entries have equal bytes. */
public final class LogJson {
    private LogJson() {}

    /** @param number of the entry; repeated inside, so that an entry cannot be taken for another one */
    public static byte[] encode(long number, LogEntry entry) {
        ObjectNode json = JsonDocument.newObject();
        json.put("entry", number);
        json.put("kind", kind(entry));
        json.put("at", entry.at().toString());
        json.set("writer", writer(entry.writer()));
        if (entry instanceof LogEntry.RunStarted started) {
            ArrayNode keys = json.putArray("keys");
            started.keys().columns().forEach(column -> keys.add(key(column)));
            json.put("mode", label(started.mode()));
            json.put("sealing", label(started.sealing()));
            json.putObject("destination")
                    .put("kind", started.destination().kind())
                    .put("identity", started.destination().identity());
            started.previousRun().ifPresent(previous -> json.put("previousRun", previous));
            json.put("accepted", started.accepted().toString());
            json.put("heartbeatMillis", started.heartbeatMillis());
        } else if (entry instanceof LogEntry.RunEnded ended) {
            json.put("run", ended.run());
            json.put("outcome", label(ended.outcome()));
            json.put("message", ended.message());
            json.set("figures", figures(ended.figures()));
            json.put("sealed", ended.sealed().toString());
        } else if (entry instanceof LogEntry.CommitIntended intended) {
            json.put("epoch", intended.epoch());
            json.put("nonce", intended.nonce());
            json.put("base", intended.base());
            json.set("checkpoints", checkpoints(intended.checkpoints()));
        } else if (entry instanceof LogEntry.Committed committed) {
            json.put("epoch", committed.epoch());
            json.put("nonce", committed.nonce());
        } else if (entry instanceof LogEntry.Voided voided) {
            json.set("checkpoints", checkpoints(voided.checkpoints()));
            json.put("reason", voided.reason());
        } else if (entry instanceof LogEntry.Forgotten forgotten) {
            forgotten.keysObject().ifPresent(object -> json.put("keysObject", object));
            json.put("keyCount", forgotten.keyCount());
            ArrayNode runs = json.putArray("runs");
            forgotten.runs().forEach(runs::add);
            json.put("reason", forgotten.reason());
        } else if (entry instanceof LogEntry.Compacted compacted) {
            json.put("covered", compacted.covered());
            json.put("directory", compacted.directory());
        }
        return JsonDocument.encode(json);
    }

    /**
     * @param number that the entry must have
     * @param name of the object, with the store's location, for messages
     * @throws dev.cairn.StoreDamagedException if the entry cannot be read, whole
     */
    public static LogEntry decode(long number, String name, byte[] content) {
        JsonDocument json = JsonDocument.parse(name, content);
        if (json.integer("entry") != number) {
            throw json.damaged(
                    "it says it is entry " + json.integer("entry") + ", and lies where entry " + number + " belongs",
                    null);
        }
        try {
            return decode(json);
        } catch (IllegalArgumentException impossible) {
            throw json.damaged(impossible.getMessage(), impossible);
        }
    }

    private static LogEntry decode(JsonDocument json) {
        var at = json.instant("at");
        var writer = writer(json.part("writer"));
        String kind = json.text("kind");
        return switch (kind) {
            case "run-started" ->
                new LogEntry.RunStarted(
                        writer,
                        at,
                        keys(json),
                        json.parsed("mode", text -> constant(Mode.class, text)),
                        json.parsed("sealing", text -> constant(Sealing.class, text)),
                        new Destination(
                                json.part("destination").text("kind"),
                                json.part("destination").text("identity")),
                        json.optionalInteger("previousRun"),
                        json.parsed("accepted", PartitionSet::parse),
                        json.integer("heartbeatMillis"));
            case "run-ended" ->
                new LogEntry.RunEnded(
                        writer,
                        at,
                        json.integer("run"),
                        json.parsed("outcome", text -> constant(Outcome.class, text)),
                        json.text("message"),
                        figures(json.part("figures")),
                        json.parsed("sealed", PartitionSet::parse));
            case "commit-intended" ->
                new LogEntry.CommitIntended(
                        writer, at, json.integer("epoch"), json.text("nonce"), json.text("base"), checkpoints(json));
            case "committed" -> new LogEntry.Committed(writer, at, json.integer("epoch"), json.text("nonce"));
            case "void" -> new LogEntry.Voided(writer, at, checkpoints(json), json.text("reason"));
            case "forgotten" ->
                new LogEntry.Forgotten(
                        writer,
                        at,
                        json.optionalText("keysObject"),
                        json.integer("keyCount"),
                        json.integers("runs"),
                        json.text("reason"));
            case "compacted" -> new LogEntry.Compacted(writer, at, json.integer("covered"), json.text("directory"));
            default -> throw json.tooNew("is of the kind '" + kind + "', which this version of Cairn does not know");
        };
    }

    /** The name of an entry's kind in the log. */
    public static String kind(LogEntry entry) {
        if (entry instanceof LogEntry.RunStarted) {
            return "run-started";
        } else if (entry instanceof LogEntry.RunEnded) {
            return "run-ended";
        } else if (entry instanceof LogEntry.CommitIntended) {
            return "commit-intended";
        } else if (entry instanceof LogEntry.Committed) {
            return "committed";
        } else if (entry instanceof LogEntry.Voided) {
            return "void";
        } else if (entry instanceof LogEntry.Forgotten) {
            return "forgotten";
        } else if (entry instanceof LogEntry.Compacted) {
            return "compacted";
        }
        throw new IllegalStateException("no kind: " + entry);
    }

    static ObjectNode writer(Writer writer) {
        return JsonDocument.newPart()
                .put("application", writer.application())
                .put("host", writer.host())
                .put("user", writer.user())
                .put("nonce", writer.nonce());
    }

    static Writer writer(JsonDocument json) {
        return new Writer(json.text("application"), json.text("host"), json.text("user"), json.text("nonce"));
    }

    private static ObjectNode key(KeySchema.Column column) {
        ObjectNode json = JsonDocument.newPart()
                .put("name", column.name())
                .put("type", column.type().label());
        return column.timeZone().isEmpty() ? json : json.put("timeZone", column.timeZone());
    }

    private static KeySchema keys(JsonDocument json) {
        return new KeySchema(json.parts("keys").stream()
                .map(column -> new KeySchema.Column(
                        column.text("name"),
                        column.parsed("type", KeyType::ofLabel),
                        column.optionalText("timeZone").orElse("")))
                .toList());
    }

    private static ObjectNode figures(Figures figures) {
        return JsonDocument.newPart()
                .put("rowsAdmitted", figures.rowsAdmitted())
                .put("rowsSkipped", figures.rowsSkipped())
                .put("tasksSealed", figures.tasksSealed())
                .put("tasks", figures.tasks())
                .put("epochs", figures.epochs())
                .put("durationMillis", figures.durationMillis());
    }

    private static Figures figures(JsonDocument json) {
        return new Figures(
                json.integer("rowsAdmitted"),
                json.integer("rowsSkipped"),
                json.integer("tasksSealed"),
                json.integer("tasks"),
                json.integer("epochs"),
                json.integer("durationMillis"));
    }

    private static ArrayNode checkpoints(CheckpointSet checkpoints) {
        ArrayNode array = JsonDocument.newPart().arrayNode();
        checkpoints.byRun().forEach((run, partitions) -> array.addObject()
                .put("run", run)
                .put("partitions", partitions.toString()));
        return array;
    }

    private static CheckpointSet checkpoints(JsonDocument json) {
        Map<Long, PartitionSet> byRun = new TreeMap<>();
        List<JsonDocument> parts = new ArrayList<>(json.parts("checkpoints"));
        for (JsonDocument part : parts) {
            long run = part.integer("run");
            PartitionSet partitions = part.parsed("partitions", PartitionSet::parse);
            if (partitions.isEmpty() || byRun.put(run, partitions) != null) {
                throw part.damaged("field 'checkpoints' names run " + run + " twice or without partitions", null);
            }
        }
        return CheckpointSet.of(byRun);
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String label) {
        for (E constant : type.getEnumConstants()) {
            if (label(constant).equals(label)) {
                return constant;
            }
        }
        throw new IllegalArgumentException("'" + label + "' is none of "
                + List.of(type.getEnumConstants()).stream().map(LogJson::label).toList());
    }
}
