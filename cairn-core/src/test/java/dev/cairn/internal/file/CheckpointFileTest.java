package dev.cairn.internal.file;

import static dev.cairn.key.Keys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cairn.ErrorCondition;
import dev.cairn.StoreDamagedException;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import dev.cairn.key.Keys;
import dev.cairn.storage.InMemoryStorage;
import dev.cairn.storage.PendingObject;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.Committable;
import dev.cairn.store.Range;
import dev.cairn.store.Sealing;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.io.InputFile;
import org.junit.jupiter.api.Test;

class CheckpointFileTest {
    private static final CheckpointId ID = new CheckpointId(40, 17);
    private static final String NAME = "checkpoints/00000000000000000040/0000000017.parquet";
    private static final KeySchema COMPOSITE = Keys.schema(KeyType.STRING, KeyType.INTEGER);

    private final InMemoryStorage storage = new InMemoryStorage();

    private static final List<Committable> COMMITTABLES = List.of(
            new Committable("file", 1, "{\"path\":\"a\\nb\"}"), new Committable("iceberg", 2, "ä€😀 \"quoted\""));
    private static final List<Range> RANGES = List.of(
            new Range("s3a://bucket/a b.csv", 0, 10, 20, 1_700_000_000_000L, Optional.of("\"etag\"")),
            new Range("file:/b", 10, Long.MAX_VALUE, Long.MAX_VALUE, 0, Optional.empty()));

    private Checkpoint read() throws NoSuchFileException {
        return CheckpointFileReader.readCheckpoint(storage.open(NAME), ID, Sealing.TASK);
    }

    record File(KeySchema schema, List<List<Object>> keys) {}

    @Provide
    Arbitrary<File> files() {
        return Keys.schemas()
                .flatMap(schema -> Keys.keysOf(schema).list().ofMaxSize(40).map(keys -> new File(schema, keys)));
    }

    @Property(tries = 500)
    void gives_back_the_keys_that_were_written(
            @ForAll("files") File file, @ForAll @IntRange(min = 1, max = 50) int rowsPerGroup) throws Exception {
        InMemoryStorage storage = new InMemoryStorage();
        Checkpoint written =
                TestCheckpoints.checkpoint(ID, Sealing.TASK, file.keys().size(), COMMITTABLES, RANGES);
        TestCheckpoints.write(storage, written, file.schema(), file.keys(), rowsPerGroup);
        assertThat(CheckpointFileReader.readCheckpoint(storage.open(NAME), ID, Sealing.TASK))
                .isEqualTo(written);
        assertThat(TestCheckpoints.readKeys(storage, ID, Sealing.TASK, file.schema()))
                .isEqualTo(file.keys());
    }

    @Test
    void gives_back_keys_of_64_kB_and_the_extremes_of_integers() {
        List<List<Object>> keys = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            keys.add(key(("ß" + i).repeat(1 << 15), i % 7 == 0 ? null : Long.MIN_VALUE + i));
        }
        for (long value : new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 0, 1L << 53, (1L << 53) + 1}) {
            keys.add(key("", value));
        }
        TestCheckpoints.write(storage, ID, Sealing.TASK, COMPOSITE, keys);
        assertThat(TestCheckpoints.readKeys(storage, ID, Sealing.TASK, COMPOSITE))
                .isEqualTo(keys);
    }

    @Test
    void holds_many_rows_and_row_groups_of_nulls() {
        KeySchema integers = Keys.schema(KeyType.INTEGER);
        List<List<Object>> keys = new ArrayList<>();
        for (long i = 0; i < 100_000; i++) {
            keys.add(key(i % 1000 < 500 ? null : (Object) i));
        }
        Checkpoint checkpoint = TestCheckpoints.checkpoint(ID, Sealing.TASK, keys.size(), List.of(), List.of());
        TestCheckpoints.write(storage, checkpoint, integers, keys, 500);
        assertThat(TestCheckpoints.readKeys(storage, ID, Sealing.TASK, integers))
                .isEqualTo(keys);
    }

    @Test
    void a_checkpoint_without_keys_is_a_file_too() throws Exception {
        Checkpoint written = TestCheckpoints.checkpoint(ID, Sealing.TASK, 0, COMMITTABLES, RANGES);
        TestCheckpoints.write(storage, written, COMPOSITE, List.of(), 1);
        assertThat(read()).isEqualTo(written);
        assertThat(TestCheckpoints.readKeys(storage, ID, Sealing.TASK, COMPOSITE))
                .isEmpty();
    }

    @Test
    void a_job_level_checkpoint_has_the_same_format_under_its_own_name() throws Exception {
        Checkpoint written = TestCheckpoints.write(storage, ID, Sealing.JOB, COMPOSITE, List.of(key("a", 1L)));
        String name = NAME.replace(".parquet", ".job.parquet");
        assertThat(storage.names()).containsExactly(name);
        assertThat(CheckpointFileReader.readCheckpoint(storage.open(name), ID, Sealing.JOB))
                .isEqualTo(written);
        assertThatExceptionOfType(StoreDamagedException.class)
                .isThrownBy(() -> CheckpointFileReader.readCheckpoint(storage.open(name), ID, Sealing.TASK))
                .withMessageContaining("sealed per job");
    }

    @Test
    void block_and_footer_are_found_when_they_are_larger_than_one_request() throws Exception {
        List<Committable> many = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            many.add(new Committable("file", 1, "part-" + i + "x".repeat(50)));
        }
        List<List<Object>> keys = new ArrayList<>();
        for (long i = 0; i < 1500; i++) {
            keys.add(key("k", i));
        }
        Checkpoint written = TestCheckpoints.checkpoint(ID, Sealing.TASK, keys.size(), many, RANGES);
        TestCheckpoints.write(storage, written, COMPOSITE, keys, 1);
        assertThat(read()).isEqualTo(written);
        assertThat(TestCheckpoints.readKeys(storage, ID, Sealing.TASK, COMPOSITE))
                .isEqualTo(keys);
    }

    @Test
    void any_parquet_reader_can_read_the_keys() throws Exception {
        TestCheckpoints.write(
                storage,
                TestCheckpoints.checkpoint(ID, Sealing.TASK, 4, COMMITTABLES, RANGES),
                COMPOSITE,
                List.of(key("ä", 1L), key(null, 2L), key("c", null), key("d".repeat(1000), 4L)),
                3);
        List<String> rows = new ArrayList<>();
        try (ParquetReader<Group> reader = new GroupReader(storage.open(NAME)).build()) {
            for (Group row = reader.read(); row != null; row = reader.read()) {
                rows.add((row.getFieldRepetitionCount("key_1") == 0 ? "null" : row.getString("key_1", 0)) + ", "
                        + (row.getFieldRepetitionCount("key_2") == 0 ? "null" : row.getLong("key_2", 0)));
            }
        }
        assertThat(rows).containsExactly("ä, 1", "null, 2", "c, null", "d".repeat(1000) + ", 4");
    }

    private static final class GroupReader extends ParquetReader.Builder<Group> {
        GroupReader(InputFile file) {
            super(file, new PlainParquetConfiguration());
            usePageChecksumVerification();
        }

        @Override
        protected ReadSupport<Group> getReadSupport() {
            return new GroupReadSupport();
        }
    }

    @Test
    void keys_that_repeat_are_compressed_and_random_ones_are_not() throws Exception {
        KeySchema strings = Keys.schema(KeyType.STRING);
        List<List<Object>> counting = new ArrayList<>();
        List<List<Object>> random = new ArrayList<>();
        java.util.Random source = new java.util.Random(1);
        for (int i = 0; i < 10_000; i++) {
            counting.add(key(String.format("doc-%08d", i)));
            random.add(key(new java.util.UUID(source.nextLong(), source.nextLong()).toString()));
        }
        TestCheckpoints.write(storage, ID, Sealing.TASK, strings, counting);
        assertThat(storage.open(NAME).getLength()).isLessThan(10_000 * 16 / 4);
        storage.delete(NAME);
        TestCheckpoints.write(storage, ID, Sealing.TASK, strings, random);
        assertThat(storage.open(NAME).getLength()).isBetween(10_000 * 40L, 10_000 * 40L + 3000);
    }

    @Test
    void an_absent_checkpoint_is_absent_and_missing_keys_are_damage() {
        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(this::read);
        assertThatExceptionOfType(StoreDamagedException.class)
                .isThrownBy(() -> TestCheckpoints.readKeys(storage, ID, Sealing.TASK, COMPOSITE))
                .withMessageContaining(NAME)
                .withMessageContaining("missing");
    }

    /** What a damaged file may do: nothing but say so, or still say the same. */
    private void assertHarmless(byte[] damaged, Checkpoint written, List<List<Object>> keys, String how) {
        InMemoryStorage other = new InMemoryStorage();
        other.overwrite(NAME, damaged);
        try {
            assertThat(CheckpointFileReader.readCheckpoint(other.open(NAME), ID, Sealing.TASK))
                    .as(how)
                    .isEqualTo(written);
        } catch (StoreDamagedException e) {
            assertThat(e).as(how).hasMessageContaining(NAME);
        } catch (NoSuchFileException e) {
            throw new AssertionError(e);
        }
        try {
            assertThat(TestCheckpoints.readKeys(other, ID, Sealing.TASK, COMPOSITE))
                    .as(how)
                    .isEqualTo(keys);
        } catch (StoreDamagedException e) {
            assertThat(e).as(how).hasMessageContaining(NAME);
        }
    }

    private static final List<List<Object>> FEW =
            List.of(key("alpha", 1L), key(null, -1L), key("beta", null), key("gamma", 1L << 53), key("", 0L));

    private byte[] fewKeys(Checkpoint checkpoint) throws Exception {
        TestCheckpoints.write(storage, checkpoint, COMPOSITE, FEW, 3);
        return storage.read(NAME);
    }

    @Test
    void every_truncation_is_detected() throws Exception {
        Checkpoint written = TestCheckpoints.checkpoint(ID, Sealing.TASK, FEW.size(), COMMITTABLES, RANGES);
        byte[] whole = fewKeys(written);
        for (int length = 0; length < whole.length; length++) {
            storage.overwrite(NAME, Arrays.copyOf(whole, length));
            assertThatExceptionOfType(StoreDamagedException.class)
                    .as("cut to %d of %d bytes", length, whole.length)
                    .isThrownBy(this::read)
                    .withMessageContaining(NAME);
            assertThatExceptionOfType(StoreDamagedException.class)
                    .isThrownBy(() -> TestCheckpoints.readKeys(storage, ID, Sealing.TASK, COMPOSITE))
                    .withMessageContaining(NAME);
        }
    }

    @Test
    void every_flipped_bit_is_detected_when_everything_is_read() throws Exception {
        Checkpoint written = TestCheckpoints.checkpoint(ID, Sealing.TASK, FEW.size(), COMMITTABLES, RANGES);
        byte[] whole = fewKeys(written);
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] damaged = whole.clone();
            damaged[bit >>> 3] ^= (byte) (1 << (bit & 7));
            assertHarmless(damaged, written, FEW, "bit " + bit);
            storage.overwrite(NAME, damaged);
            assertThatThrownBy(() -> {
                        read();
                        TestCheckpoints.readKeys(storage, ID, Sealing.TASK, COMPOSITE);
                    })
                    .as("bit %d", bit)
                    .isInstanceOf(StoreDamagedException.class);
        }
    }

    @Property(tries = 300)
    void overwritten_parts_do_no_harm(
            @ForAll @IntRange(max = 3000) int at, @ForAll @IntRange(min = 1, max = 64) int length, @ForAll byte fill)
            throws Exception {
        Checkpoint written = TestCheckpoints.checkpoint(ID, Sealing.TASK, FEW.size(), COMMITTABLES, RANGES);
        InMemoryStorage storage = new InMemoryStorage();
        TestCheckpoints.write(storage, written, COMPOSITE, FEW, 3);
        byte[] damaged = storage.read(NAME);
        int from = at % damaged.length;
        Arrays.fill(damaged, from, Math.min(damaged.length, from + length), fill);
        assertHarmless(damaged, written, FEW, length + " bytes from " + from);
    }

    @Test
    void a_file_under_another_name_is_refused() throws Exception {
        fewKeys(TestCheckpoints.checkpoint(ID, Sealing.TASK, FEW.size(), COMMITTABLES, RANGES));
        CheckpointId other = new CheckpointId(40, 18);
        storage.overwrite(CheckpointFileReader.objectName(other, Sealing.TASK), storage.read(NAME));
        assertThatExceptionOfType(StoreDamagedException.class)
                .isThrownBy(() -> TestCheckpoints.readKeys(storage, other, Sealing.TASK, COMPOSITE))
                .withMessageContaining("40/17")
                .withMessageContaining("40/18");
    }

    @Test
    void a_file_with_other_key_columns_is_refused() throws Exception {
        fewKeys(TestCheckpoints.checkpoint(ID, Sealing.TASK, FEW.size(), COMMITTABLES, RANGES));
        for (KeySchema other : List.of(
                Keys.schema(KeyType.STRING),
                Keys.schema(KeyType.INTEGER, KeyType.STRING),
                Keys.schema(KeyType.STRING, KeyType.INTEGER, KeyType.INTEGER))) {
            assertThatExceptionOfType(StoreDamagedException.class)
                    .isThrownBy(() -> TestCheckpoints.readKeys(storage, ID, Sealing.TASK, other))
                    .withMessageContaining("key_1 BYTE_ARRAY, key_2 INT64")
                    .withMessageContaining(other.toString());
        }
    }

    @Test
    void a_newer_format_is_called_that() throws Exception {
        writeRaw("{\"version\":2,\"what\":\"ever\"}", "{}");
        assertThatExceptionOfType(StoreDamagedException.class)
                .isThrownBy(this::read)
                .withMessageContaining(NAME)
                .withMessageContaining("format version 2")
                .satisfies(e -> assertThat(e.condition()).isEqualTo(ErrorCondition.STORE_TOO_NEW));
    }

    @Test
    void unknown_fields_are_passed_over_and_missing_ones_are_damage() throws Exception {
        String document = "{\"version\":1,\"run\":40,\"partition\":17,\"sealing\":\"task\",\"attempt\":3,"
                + "\"nonce\":\"n\",\"rowsAdmitted\":0,\"rowsSkipped\":0,"
                + "\"digest\":\"00000000000000000000000000000000\",\"new\":[1]}";
        String block = "{\"committables\":[],\"ranges\":[],\"new\":1}";
        writeRaw(document, block);
        assertThat(read().nonce()).isEqualTo("n");
        for (String field : List.of(
                "version",
                "run",
                "partition",
                "sealing",
                "attempt",
                "nonce",
                "rowsAdmitted",
                "rowsSkipped",
                "digest")) {
            storage.delete(NAME);
            writeRaw(document.replace('"' + field + '"', "\"x\""), block);
            assertThatExceptionOfType(StoreDamagedException.class)
                    .as(field)
                    .isThrownBy(this::read)
                    .withMessageContaining("'" + field + "' is missing");
        }
        for (String wrong : List.of("{\"committables\":[]}", "{\"ranges\":[]}", "[]", "", "{", block + "x")) {
            storage.delete(NAME);
            writeRaw(document, wrong);
            assertThatExceptionOfType(StoreDamagedException.class)
                    .as(wrong)
                    .isThrownBy(this::read)
                    .withMessageContaining(NAME);
        }
    }

    private void writeRaw(String document, String block) throws Exception {
        PendingObject object = storage.create(NAME);
        KeysFileWriter writer = new KeysFileWriter(object.stream(), COMPOSITE);
        writer.finish(block.getBytes(StandardCharsets.UTF_8), Map.of(FileFormat.CHECKPOINT, document));
        assertThat(object.publish()).isEqualTo(PendingObject.Publication.PUBLISHED);
    }

    @Test
    void a_file_of_keys_needs_no_checkpoint_and_is_none() throws Exception {
        TestCheckpoints.writeKeys(storage, "forgotten/1.parquet", COMPOSITE, FEW);
        try (KeysFileReader reader =
                KeysFileReader.open(storage.open("forgotten/1.parquet"), "forgotten/1.parquet", COMPOSITE)) {
            assertThat(reader.rows()).isEqualTo(FEW.size());
            List<List<Object>> keys = new ArrayList<>();
            while (reader.next()) {
                keys.add(reader.values());
            }
            assertThat(keys).isEqualTo(FEW);
        }
        storage.overwrite(NAME, storage.read("forgotten/1.parquet"));
        assertThatExceptionOfType(StoreDamagedException.class)
                .isThrownBy(this::read)
                .withMessageContaining("lacks the entry cairn.checkpoint");
    }

    @Test
    void a_row_that_lacks_a_column_is_not_accepted() {
        KeyColumns columns = new KeyColumns(COMPOSITE);
        columns.putLong(1, 1);
        assertThatThrownBy(columns::accept)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("c0 string");
        assertThatThrownBy(() -> columns.putLong(0, 1)).hasMessageContaining("c0 holds string");
        assertThatThrownBy(() -> columns.reserve(1, 1)).hasMessageContaining("c1 holds integer");
    }
}
