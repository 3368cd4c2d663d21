package dev.cairn.key;

import static dev.cairn.key.Keys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cairn.ErrorCondition;
import dev.cairn.RefusedException;
import dev.cairn.StoreAccessException;
import dev.cairn.StoreDamagedException;
import dev.cairn.internal.file.CheckpointFiles;
import dev.cairn.internal.file.TestCheckpoints;
import dev.cairn.storage.InMemoryStorage;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.SealedKeys;
import dev.cairn.store.SealedKeys.ForgottenKeys;
import dev.cairn.store.SealedKeys.Group;
import dev.cairn.store.Sealing;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFilterTest {
    private static final KeySchema STRING = KeySchema.of("doc_id", KeyType.STRING);
    private static final KeySchema INTEGER = KeySchema.of("page", KeyType.INTEGER);
    private static final byte[] SECRET = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 1};

    private final InMemoryStorage storage = new InMemoryStorage();

    private void seal(long run, int partition, KeySchema schema, List<List<Object>> keys) {
        TestCheckpoints.write(storage, new CheckpointId(run, partition), Sealing.TASK, schema, keys);
    }

    private static Group succeeded(long run, String partitions) {
        return new Group(run, true, Sealing.TASK, partitions, run + 1);
    }

    private static Group failed(long run, String partitions) {
        return new Group(run, false, Sealing.TASK, partitions, run + 1);
    }

    private KeyFilter load(KeySchema schema, Group... groups) {
        return load(schema, new SealedKeys(List.of(groups), List.of()), false);
    }

    private KeyFilter load(KeySchema schema, SealedKeys keysOfStore, boolean spanningAllowed) {
        return KeyFilter.load(CheckpointFiles.in(storage), schema, keysOfStore, SECRET, 3, spanningAllowed);
    }

    static boolean contains(KeyFilter filter, List<Object> key) {
        return contains(filter.newLookup(), key);
    }

    private static boolean contains(KeyFilter.Lookup lookup, List<Object> key) {
        if (key.size() == 1 && key.get(0) == null) {
            return lookup.containsNull();
        }
        if (key.size() == 1 && Keys.number(key.get(0)) != null) {
            return lookup.containsLong(Keys.number(key.get(0)));
        }
        return lookup.contains(Keys.encode(key));
    }

    record Case(KeySchema schema, List<List<Object>> inside, List<List<Object>> others) {}

    @Provide
    Arbitrary<Case> cases() {
        return Keys.schemas()
                .flatMap(schema -> Keys.keysOf(schema).list().ofMaxSize(60).flatMap(inside -> Keys.keysOf(schema)
                        .list()
                        .ofMaxSize(60)
                        .map(others -> new Case(schema, inside, others))));
    }

    @Property(tries = 500)
    void holds_every_sealed_key_and_no_other(@ForAll("cases") Case given) {
        InMemoryStorage storage = new InMemoryStorage();
        int half = given.inside().size() / 2;
        TestCheckpoints.write(
                storage,
                new CheckpointId(1, 0),
                Sealing.TASK,
                given.schema(),
                given.inside().subList(0, half));
        TestCheckpoints.write(
                storage,
                new CheckpointId(1, 1),
                Sealing.TASK,
                given.schema(),
                given.inside().subList(half, given.inside().size()));
        KeyFilter filter = KeyFilter.load(
                CheckpointFiles.in(storage),
                given.schema(),
                new SealedKeys(List.of(succeeded(1, "0-1")), List.of()),
                SECRET,
                2,
                false);
        Set<List<Object>> expected = new HashSet<>(given.inside());
        assertThat(filter.size()).isEqualTo(expected.size());
        assertThat(filter.isEmpty()).isEqualTo(expected.isEmpty());
        for (List<Object> key : expected) {
            assertThat(contains(filter, key)).as("%s", key).isTrue();
        }
        for (List<Object> key : given.others()) {
            assertThat(contains(filter, key)).as("%s", key).isEqualTo(expected.contains(key));
        }
    }

    @Test
    void an_empty_filter_holds_nothing() {
        for (KeySchema schema : List.of(STRING, INTEGER, Keys.schema(KeyType.INTEGER, KeyType.INTEGER))) {
            KeyFilter filter = KeyFilter.empty(schema);
            assertThat(filter.isEmpty()).isTrue();
            assertThat(filter.size()).isZero();
            assertThat(load(schema).isEmpty()).isTrue();
        }
        assertThat(contains(KeyFilter.empty(INTEGER), key((Object) null))).isFalse();
        assertThat(contains(KeyFilter.empty(INTEGER), key(0L))).isFalse();
        assertThat(contains(KeyFilter.empty(STRING), key(""))).isFalse();
    }

    @Test
    void reads_many_files_of_several_runs_and_sealings() {
        List<List<Object>> all = new ArrayList<>();
        for (int partition = 0; partition < 30; partition++) {
            List<List<Object>> keys = new ArrayList<>();
            for (long i = 0; i < 1000; i++) {
                keys.add(key(partition * 1000 + i));
            }
            if (partition < 20) {
                seal(4, partition, INTEGER, keys);
            } else {
                TestCheckpoints.write(storage, new CheckpointId(6, partition), Sealing.JOB, INTEGER, keys);
            }
            all.addAll(keys);
        }
        KeyFilter filter = load(INTEGER, failed(4, "0-19"), new Group(6, true, Sealing.JOB, "20-29", 7));
        assertThat(filter.size()).isEqualTo(all.size());
        assertThat(all).allMatch(key -> contains(filter, key));
        assertThat(contains(filter, key(30_000L))).isFalse();
        assertThat(filter.memoryBytes()).isBetween(10L * all.size(), 15L * all.size() + 64 * 16 * 8);
    }

    @Test
    void only_the_partitions_of_the_group_count() {
        seal(1, 0, STRING, List.of(key("accepted")));
        seal(1, 1, STRING, List.of(key("late")));
        KeyFilter filter = load(STRING, succeeded(1, "0"));
        assertThat(contains(filter, key("accepted"))).isTrue();
        assertThat(contains(filter, key("late"))).isFalse();
    }

    @Test
    void a_forgotten_key_is_left_out_of_what_was_named_before_only() {
        for (KeySchema schema : List.of(STRING, INTEGER)) {
            InMemoryStorage storage = new InMemoryStorage();
            boolean text = schema == STRING;
            List<Object> once = text ? key("once") : key(1L);
            List<Object> again = text ? key("again and again and again") : key((Object) null);
            List<Object> kept = text ? key("kept") : key(0L);
            CheckpointFiles files = CheckpointFiles.in(storage);
            TestCheckpoints.write(storage, new CheckpointId(1, 0), Sealing.TASK, schema, List.of(once, again, kept));
            TestCheckpoints.write(storage, new CheckpointId(5, 0), Sealing.TASK, schema, List.of(again));
            TestCheckpoints.writeKeys(storage, "forgotten/3.parquet", schema, List.of(once, again));
            TestCheckpoints.writeKeys(storage, "forgotten/2.parquet", schema, List.of(once));
            SealedKeys keysOfStore = new SealedKeys(
                    List.of(succeeded(1, "0"), succeeded(5, "0")),
                    List.of(new ForgottenKeys(3, "forgotten/3.parquet"), new ForgottenKeys(2, "forgotten/2.parquet")));
            KeyFilter filter = KeyFilter.load(files, schema, keysOfStore, SECRET, 2, false);
            assertThat(contains(filter, once)).isFalse();
            assertThat(contains(filter, again)).isTrue();
            assertThat(contains(filter, kept)).isTrue();

            KeyFilter without = KeyFilter.load(
                    files,
                    schema,
                    new SealedKeys(List.of(succeeded(1, "0")), keysOfStore.forgotten()),
                    SECRET,
                    2,
                    false);
            assertThat(contains(without, again)).isFalse();
            assertThat(without.size()).isEqualTo(1);
        }
    }

    @Test
    void a_forgotten_entry_at_the_very_entry_that_named_the_seal_does_not_apply() {
        seal(1, 0, STRING, List.of(key("a")));
        TestCheckpoints.writeKeys(storage, "f.parquet", STRING, List.of(key("a")));
        KeyFilter filter = load(
                STRING, new SealedKeys(List.of(succeeded(1, "0")), List.of(new ForgottenKeys(2, "f.parquet"))), false);
        assertThat(contains(filter, key("a"))).isTrue();
    }

    @Test
    void a_key_of_two_tasks_of_a_run_that_did_not_succeed_is_refused_with_advice() {
        seal(40, 3, STRING, List.of(key("a long document name"), key("fine")));
        seal(40, 11, STRING, List.of(key("other"), key("a long document name")));
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> load(STRING, failed(40, "3,11")))
                .satisfies(e -> assertThat(e.condition()).isEqualTo(ErrorCondition.KEY_SPANS_TASKS))
                .withMessageContaining("(doc_id = 'a long document name')")
                .withMessageContaining("run 40")
                .withMessageContaining("partitions 3 and 11")
                .withMessageContaining("repartition(col(key))")
                .withMessageContaining("spark.cairn.keySpanning=allowed");
    }

    @Test
    void spanning_is_found_for_integers_zero_and_null_and_composites() {
        KeySchema composite = Keys.schema(KeyType.STRING, KeyType.INTEGER);
        record Example(KeySchema schema, List<Object> key, String shown) {}
        for (Example example : List.of(
                new Example(INTEGER, key(12L), "(page = 12)"),
                new Example(INTEGER, key(0L), "(page = 0)"),
                new Example(INTEGER, key((Object) null), "(page = null)"),
                new Example(STRING, key((Object) null), "(doc_id = null)"),
                new Example(composite, key("d", null), "(c0 = 'd', c1 = null)"))) {
            storage.names().forEach(storage::delete);
            seal(2, 0, example.schema(), List.of(example.key()));
            seal(2, 1, example.schema(), List.of(example.key()));
            assertThatExceptionOfType(RefusedException.class)
                    .isThrownBy(() -> load(example.schema(), failed(2, "0-1")))
                    .withMessageContaining(example.shown());
        }
    }

    @Test
    void spanning_is_fine_where_allowed_or_where_the_run_succeeded_or_within_one_task() {
        seal(2, 0, STRING, List.of(key("k"), key("k"), key("k")));
        seal(2, 1, STRING, List.of(key("k")));
        assertThat(load(STRING, failed(2, "0")).size()).isEqualTo(1);
        assertThat(load(STRING, succeeded(2, "0-1")).size()).isEqualTo(1);
        assertThat(load(STRING, new SealedKeys(List.of(failed(2, "0-1")), List.of()), true)
                        .size())
                .isEqualTo(1);
    }

    @Test
    void a_key_of_two_runs_does_not_span_tasks_but_does_not_hide_that_it_does_either() {
        seal(2, 0, STRING, List.of(key("k")));
        seal(4, 1, STRING, List.of(key("k")));
        assertThat(load(STRING, failed(2, "0"), failed(4, "1")).size()).isEqualTo(1);

        seal(2, 5, STRING, List.of(key("k")));
        seal(4, 6, STRING, List.of(key("k")));
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> load(STRING, failed(2, "0"), failed(4, "1,6")))
                .withMessageContaining("run 4, partitions 1 and 6");
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> load(STRING, failed(2, "0,5"), succeeded(4, "1,6")))
                .withMessageContaining("run 2, partitions 0 and 5");
    }

    @Test
    void spanning_is_found_across_the_groups_of_a_run() {
        seal(2, 0, STRING, List.of(key("k")));
        seal(2, 1, STRING, List.of(key("k")));
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> load(STRING, failed(2, "0"), new Group(2, false, Sealing.TASK, "1", 9)))
                .withMessageContaining("partitions 0 and 1");
    }

    @Test
    void a_forgotten_key_no_longer_spans() {
        seal(2, 0, STRING, List.of(key("k")));
        seal(2, 1, STRING, List.of(key("k"), key("l")));
        TestCheckpoints.writeKeys(storage, "f.parquet", STRING, List.of(key("k")));
        KeyFilter filter = load(
                STRING, new SealedKeys(List.of(failed(2, "0-1")), List.of(new ForgottenKeys(8, "f.parquet"))), false);
        assertThat(filter.size()).isEqualTo(1);
    }

    /** Lookups follow the order of loading; what they find must not depend on it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void finds_the_same_in_whatever_order_keys_come(int parallelism) {
        KeySchema composite = Keys.schema(KeyType.STRING, KeyType.INTEGER);
        for (KeySchema schema : List.of(STRING, INTEGER, composite)) {
            InMemoryStorage storage = new InMemoryStorage();
            List<List<List<Object>>> tasks = new ArrayList<>();
            for (int partition = 0; partition < 6; partition++) {
                List<List<Object>> keys = new ArrayList<>();
                for (long i = 0; i < 2_000; i++) {
                    // Some keys are in two tasks, some in one task twice, at once or later, some are null.
                    long number = partition * 1_900 + i - (i % 50 == 0 ? i / 2 : 0);
                    Object text = number % 97 == 0 ? null : "document number " + number;
                    keys.add(
                            schema == STRING
                                    ? key(text)
                                    : schema == INTEGER
                                            ? key(number % 97 == 0 ? (Object) null : (Object) (number - 5_000))
                                            : key(text, number / 3));
                    if (i % 70 == 0) {
                        keys.add(keys.get(keys.size() - 1));
                    }
                }
                TestCheckpoints.write(storage, new CheckpointId(1, partition), Sealing.TASK, schema, keys);
                tasks.add(keys);
            }
            List<List<Object>> forgotten = new ArrayList<>();
            for (int i = 0; i < 1_000; i += 3) {
                forgotten.add(tasks.get(2).get(i));
            }
            TestCheckpoints.writeKeys(storage, "f.parquet", schema, forgotten);
            KeyFilter filter = KeyFilter.load(
                    CheckpointFiles.in(storage),
                    schema,
                    new SealedKeys(List.of(succeeded(1, "0-5")), List.of(new ForgottenKeys(9, "f.parquet"))),
                    SECRET,
                    parallelism,
                    false);
            List<List<Object>> inOrder = tasks.stream().flatMap(List::stream).toList();
            Set<List<Object>> expected = new HashSet<>(inOrder);
            expected.removeAll(new HashSet<>(forgotten));
            assertThat(filter.size()).isEqualTo(expected.size());

            List<List<Object>> interleaved = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                for (List<List<Object>> task : tasks) {
                    interleaved.add(task.get(i));
                }
            }
            List<List<Object>> backwards = new ArrayList<>(inOrder);
            Collections.reverse(backwards);
            List<List<Object>> shuffled = new ArrayList<>(inOrder);
            Collections.shuffle(shuffled, new Random(4));
            List<List<Object>> tasksBackwards = new ArrayList<>();
            for (int i = tasks.size() - 1; i >= 0; i--) {
                tasksBackwards.addAll(tasks.get(i));
            }
            List<List<Object>> withNewKeys = new ArrayList<>();
            for (int i = 0; i < inOrder.size(); i++) {
                withNewKeys.add(inOrder.get(i));
                long fresh = 100_000 + i;
                withNewKeys.add(
                        schema == STRING
                                ? key("document number " + fresh)
                                : schema == INTEGER ? key(fresh) : key("document number 7", fresh));
            }
            KeyFilter.Lookup lookup = filter.newLookup();
            for (List<List<Object>> order :
                    List.of(inOrder, interleaved, inOrder, backwards, shuffled, tasksBackwards, withNewKeys)) {
                for (List<Object> key : order) {
                    if (contains(lookup, key) != expected.contains(key)) {
                        throw new AssertionError(key + " is expected: " + expected.contains(key));
                    }
                }
            }
        }
    }

    @Test
    void the_tasks_that_a_key_spans_are_named_among_many_and_empty_ones() {
        for (int partition = 0; partition < 40; partition++) {
            List<List<Object>> keys = new ArrayList<>();
            for (long i = 0; i < (partition % 3 == 0 ? 0 : 500); i++) {
                keys.add(key(partition * 1_000L + i));
            }
            if (partition == 17 || partition == 31) {
                keys.add(321, key(-77L));
            }
            seal(3, partition, INTEGER, keys);
        }
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> load(INTEGER, failed(3, "0-39")))
                .withMessageContaining("(page = -77)")
                .withMessageContaining("partitions 17 and 31");
        assertThat(load(INTEGER, failed(3, "0-30,32-39")).size()).isEqualTo(25 * 500 + 1);
    }

    @Test
    void a_missing_file_is_damage_and_never_an_empty_set() {
        seal(1, 0, STRING, List.of(key("a")));
        assertThatExceptionOfType(StoreDamagedException.class)
                .isThrownBy(() -> load(STRING, succeeded(1, "0-1")))
                .withMessageContaining("checkpoints/00000000000000000001/0000000001.parquet")
                .withMessageContaining("missing");
        assertThatExceptionOfType(StoreDamagedException.class)
                .isThrownBy(() -> load(
                        STRING,
                        new SealedKeys(List.of(succeeded(1, "0")), List.of(new ForgottenKeys(9, "gone.parquet"))),
                        false))
                .withMessageContaining("gone.parquet");
    }

    @Test
    void a_file_with_other_key_columns_is_damage() {
        seal(1, 0, INTEGER, List.of(key(1L)));
        assertThatExceptionOfType(StoreDamagedException.class)
                .isThrownBy(() -> load(STRING, succeeded(1, "0")))
                .withMessageContaining("key INT64")
                .withMessageContaining("(doc_id string)");
    }

    @Test
    void a_storage_that_fails_is_no_damage() {
        CheckpointFiles failing = new dev.cairn.internal.file.DelegatingFiles(CheckpointFiles.in(storage)) {
            @Override
            public org.apache.parquet.io.InputFile open(CheckpointId id, Sealing sealing) {
                return dev.cairn.internal.file.DelegatingFiles.failing("connection reset");
            }
        };
        assertThatExceptionOfType(StoreAccessException.class)
                .isThrownBy(() -> KeyFilter.load(
                        failing, STRING, new SealedKeys(List.of(succeeded(1, "0-9")), List.of()), SECRET, 4, false))
                .withMessageContaining("connection reset");
    }

    @Test
    void an_interrupted_thread_stops_waiting_and_stays_interrupted() {
        seal(1, 0, STRING, List.of(key("a")));
        Thread.currentThread().interrupt();
        try {
            assertThatExceptionOfType(StoreAccessException.class)
                    .isThrownBy(() -> load(STRING, succeeded(1, "0")))
                    .withMessageContaining("interrupted");
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(KeyType.class)
    void the_secret_decides_nothing_but_where_keys_lie(KeyType type) {
        KeySchema schema = KeySchema.of("k", type);
        List<List<Object>> keys = new ArrayList<>();
        for (long i = 0; i < 500; i++) {
            keys.add(
                    switch (type) {
                        case BOOLEAN -> key(i % 2 == 0);
                        case STRING -> key("document number " + i);
                        case BINARY -> key("X'" + "%020d".formatted(i) + "'");
                        case DECIMAL -> key(new BigDecimal("1234567890123456789012345678." + (i + 1)));
                        case INTEGER, DATE, TIMESTAMP, TIMESTAMP_NTZ -> key(type.valueFrom(i));
                    });
        }
        seal(1, 0, schema, keys);
        SealedKeys keysOfStore = new SealedKeys(List.of(succeeded(1, "0")), List.of());
        for (byte b = 0; b < 5; b++) {
            byte[] secret = new byte[16];
            secret[b] = b;
            KeyFilter filter = KeyFilter.load(CheckpointFiles.in(storage), schema, keysOfStore, secret, 1, false);
            assertThat(keys).allMatch(key -> contains(filter, key));
        }
    }

    @Test
    void refuses_a_wrong_secret_and_no_parallelism() {
        SealedKeys keysOfStore = new SealedKeys(List.of(succeeded(1, "0")), List.of());
        CheckpointFiles files = CheckpointFiles.in(storage);
        assertThatThrownBy(() -> KeyFilter.load(files, STRING, keysOfStore, new byte[8], 1, false))
                .hasMessageContaining("16 bytes, not 8");
        assertThatThrownBy(() -> KeyFilter.load(files, STRING, keysOfStore, SECRET, 0, false))
                .hasMessageContaining("at least 1: 0");
    }
}
