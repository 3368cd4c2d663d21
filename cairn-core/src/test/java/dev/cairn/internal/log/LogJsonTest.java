package dev.cairn.internal.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cairn.ErrorCondition;
import dev.cairn.StoreDamagedException;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.CheckpointSet;
import dev.cairn.store.Destination;
import dev.cairn.store.Figures;
import dev.cairn.store.LogEntry;
import dev.cairn.store.Mode;
import dev.cairn.store.Outcome;
import dev.cairn.store.PartitionSet;
import dev.cairn.store.Sealing;
import dev.cairn.store.Writer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogJsonTest {
    private static final Writer WRITER = new Writer("embed \"docs\" ü", "worker-7", "ada", "nonce");
    private static final Instant AT = Instant.parse("2026-01-02T03:04:05.678Z");
    private static final LogEntry STARTED = new LogEntry.RunStarted(
            WRITER,
            AT,
            new KeySchema(List.of(
                    new KeySchema.Column("doc", KeyType.STRING), new KeySchema.Column("page", KeyType.INTEGER))),
            Mode.KEY,
            Sealing.TASK,
            new Destination("iceberg", "uuid main"),
            Optional.of(36L),
            PartitionSet.parse("0-16,19"),
            10_000);

    static List<LogEntry> everyKind() {
        CheckpointSet checkpoints = CheckpointSet.of(List.of(new CheckpointId(40, 0), new CheckpointId(36, 5)));
        return List.of(
                STARTED,
                new LogEntry.RunStarted(
                        WRITER,
                        AT,
                        KeySchema.of("id", KeyType.INTEGER),
                        Mode.RANGES,
                        Sealing.JOB,
                        Destination.NONE,
                        Optional.empty(),
                        PartitionSet.empty(),
                        1),
                new LogEntry.RunEnded(
                        WRITER,
                        AT,
                        40,
                        Outcome.SUCCEEDED,
                        "",
                        new Figures(1, 2, 3, 4, 5, 6),
                        PartitionSet.parse("0-2")),
                new LogEntry.RunEnded(WRITER, AT, 40, Outcome.FAILED, "boom", Figures.ZERO, PartitionSet.empty()),
                new LogEntry.CommitIntended(WRITER, AT, 7, "n", "base 12", checkpoints),
                new LogEntry.CommitIntended(WRITER, AT, 7, "n", "", CheckpointSet.empty()),
                new LogEntry.Committed(WRITER, AT, 7, "n"),
                new LogEntry.Voided(WRITER, AT, checkpoints, "damaged"),
                new LogEntry.Forgotten(WRITER, AT, Optional.of("forgotten/a.parquet"), 12, List.of(3L, 9L), "redo"),
                new LogEntry.Forgotten(WRITER, AT, Optional.empty(), 0, List.of(), ""),
                new LogEntry.Compacted(WRITER, AT, 38, "compactions/x"));
    }

    private static String text(LogEntry entry) {
        return new String(LogJson.encode(42, entry), UTF_8);
    }

    private static LogEntry read(String text) {
        return LogJson.decode(42, "log/42.json of X", text.getBytes(UTF_8));
    }

    @ParameterizedTest
    @MethodSource("everyKind")
    void everyKindIsReadBackAsItWasWritten(LogEntry entry) {
        assertThat(read(text(entry))).isEqualTo(entry);
    }

    @ParameterizedTest
    @MethodSource("everyKind")
    void everyTornEntryIsDamaged(LogEntry entry) {
        byte[] whole = LogJson.encode(42, entry);
        for (int length = 0; length < whole.length - 1; length++) {
            byte[] torn = java.util.Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> LogJson.decode(42, "log/42.json of X", torn))
                    .isInstanceOf(StoreDamagedException.class)
                    .hasMessageContaining("log/42.json of X");
        }
    }

    @Test
    void textIsTheOneThatTheFormatSays() {
        assertThat(text(STARTED))
                .isEqualTo("{\"format\":1,\"entry\":42,\"kind\":\"run-started\",\"at\":\"2026-01-02T03:04:05.678Z\","
                        + "\"writer\":{\"application\":\"embed \\\"docs\\\" ü\",\"host\":\"worker-7\",\"user\":\"ada\","
                        + "\"nonce\":\"nonce\"},\"keys\":[{\"name\":\"doc\",\"type\":\"string\"},"
                        + "{\"name\":\"page\",\"type\":\"integer\"}],\"mode\":\"key\",\"sealing\":\"task\","
                        + "\"destination\":{\"kind\":\"iceberg\",\"identity\":\"uuid main\"},\"previousRun\":36,"
                        + "\"accepted\":\"0-16,19\",\"heartbeatMillis\":10000}\n");
    }

    @Test
    void fieldsOfLaterVersionsAreIgnored() {
        assertThat(read(text(STARTED).replace("\"format\":1", "\"format\":1,\"later\":{\"a\":[1]}")))
                .isEqualTo(STARTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"format\":2", "\"format\":1000"})
    void newerFormatIsToldFromDamage(String format) {
        assertThatThrownBy(() -> read(text(STARTED).replace("\"format\":1", format)))
                .isInstanceOfSatisfying(StoreDamagedException.class, e -> assertThat(e.condition())
                        .isEqualTo(ErrorCondition.STORE_TOO_NEW))
                .hasMessageContaining("Use that version");
    }

    @Test
    void unknownKindIsOfANewerVersion() {
        assertThatThrownBy(() -> read(text(STARTED).replace("run-started", "run-paused")))
                .isInstanceOfSatisfying(StoreDamagedException.class, e -> assertThat(e.condition())
                        .isEqualTo(ErrorCondition.STORE_TOO_NEW))
                .hasMessageContaining("'run-paused'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"accepted\":\"0-16,19\"|\"x\":\"\"|field 'accepted' is missing",
                "\"accepted\":\"0-16,19\"|\"accepted\":null|field 'accepted' is missing",
                "\"accepted\":\"0-16,19\"|\"accepted\":\"0-16,16\"|field 'accepted' cannot be read",
                "\"accepted\":\"0-16,19\"|\"accepted\":[0]|field 'accepted' must be a string and is [0]",
                "\"previousRun\":36|\"previousRun\":\"36\"|field 'previousRun' must be an integer",
                "\"previousRun\":36|\"previousRun\":36.5|field 'previousRun' must be an integer",
                "\"host\":\"worker-7\",||field 'writer.host' is missing",
                "\"type\":\"integer\"|\"type\":\"double\"|field 'keys[1].type' cannot be read",
                "\"mode\":\"key\"|\"mode\":\"KEY\"|field 'mode' cannot be read: 'KEY' is none of [key, ranges]",
                "678Z|678|field 'at' is not a time",
                "\"entry\":42|\"entry\":41|it says it is entry 41",
                "\"format\":1,|\"format\":1,\"format\":1,|it is not JSON",
                "}\n|}}|it is not JSON"
            })
    void whatIsMissingOrIllTypedIsDamage(String change) {
        String[] parts = change.split("\\|", -1);
        assertThatThrownBy(() -> read(text(STARTED).replace(parts[0], parts[1])))
                .isInstanceOfSatisfying(StoreDamagedException.class, e -> assertThat(e.condition())
                        .isEqualTo(ErrorCondition.STORE_DAMAGED))
                .hasMessageContaining("Object log/42.json of X is damaged: " + parts[2]);
    }

    @Test
    void storeFileIsReadBackAsItWasWritten() {
        StoreFile file = new StoreFile(UUID.randomUUID(), "file:/a b", AT, WRITER);
        assertThat(StoreFile.decode("store.json", file.encode())).isEqualTo(file);
        assertThatThrownBy(() -> StoreFile.decode("store.json of X", "{\"format\":1}".getBytes(UTF_8)))
                .isInstanceOf(StoreDamagedException.class)
                .hasMessageContaining("store.json of X");
    }

    @Test
    void beatIsReadBackAsItWasWritten() {
        Beat beat = new Beat(4, "n", 2, Optional.of(new ProcessMark(1, 2, "boot", "pid:[1]")));
        assertThat(Beat.decode("heartbeat", beat.encode())).isEqualTo(beat);
        Beat anywhere = new Beat(4, "n", 2, Optional.empty());
        assertThat(Beat.decode("heartbeat", anywhere.encode())).isEqualTo(anywhere);
    }
}
