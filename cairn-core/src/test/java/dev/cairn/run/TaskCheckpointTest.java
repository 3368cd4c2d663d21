package dev.cairn.run;

import static dev.cairn.key.Keys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cairn.ErrorCondition;
import dev.cairn.StoreAccessException;
import dev.cairn.StoreDamagedException;
import dev.cairn.TaskFailedException;
import dev.cairn.internal.file.CheckpointFileReader;
import dev.cairn.internal.file.CheckpointFiles;
import dev.cairn.internal.file.DelegatingFiles;
import dev.cairn.internal.file.TestCheckpoints;
import dev.cairn.key.KeyFilter;
import dev.cairn.key.KeyFilters;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import dev.cairn.key.Keys;
import dev.cairn.run.TaskCheckpoint.OnSealed;
import dev.cairn.run.TaskCheckpoint.Seal;
import dev.cairn.storage.InMemoryStorage;
import dev.cairn.storage.PendingObject;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.Committable;
import dev.cairn.store.KeyDigest;
import dev.cairn.store.Range;
import dev.cairn.store.RunIdentity;
import dev.cairn.store.SealedKeys;
import dev.cairn.store.Sealing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.parquet.io.PositionOutputStream;
import org.junit.jupiter.api.Test;

class TaskCheckpointTest {
    private static final KeySchema STRING = KeySchema.of("id", KeyType.STRING);
    private static final KeySchema INTEGER = KeySchema.of("id", KeyType.INTEGER);
    private static final KeySchema COMPOSITE = Keys.schema(KeyType.STRING, KeyType.INTEGER);
    private static final CheckpointId ID = new CheckpointId(7, 3);
    private static final List<Committable> COMMITTABLES = List.of(new Committable("file", 1, "part-3"));
    private static final List<Range> RANGES = List.of(new Range("file:/a", 0, 5, 5, 1, Optional.empty()));

    private final InMemoryStorage storage = new InMemoryStorage();
    private final CheckpointFiles files = CheckpointFiles.in(storage);

    private static RunIdentity run(KeySchema schema) {
        return new RunIdentity("store", ID.run(), "run-nonce", schema, Sealing.TASK);
    }

    private TaskCheckpoint open(KeySchema schema) {
        return open(files, schema, 1, false, OnSealed.RETURN_STORED, KeyFilter.empty(schema));
    }

    private TaskCheckpoint repeat(KeySchema schema, OnSealed onSealed) {
        return open(files, schema, 2, true, onSealed, KeyFilter.empty(schema));
    }

    private static TaskCheckpoint open(
            CheckpointFiles files,
            KeySchema schema,
            long attempt,
            boolean repeated,
            OnSealed onSealed,
            KeyFilter filter) {
        return TaskCheckpoint.open(files, run(schema), ID.partition(), attempt, repeated, onSealed, filter);
    }

    private static boolean admit(TaskCheckpoint task, Object... values) {
        for (int i = values.length - 1; i >= 0; i--) {
            if (values[i] == null) {
                task.putNull(i);
            } else if (values[i] instanceof Long number) {
                task.putLong(i, number);
            } else {
                byte[] bytes = ((String) values[i]).getBytes(StandardCharsets.UTF_8);
                byte[] buffer = task.reserve(i, bytes.length);
                System.arraycopy(bytes, 0, buffer, task.position(), bytes.length);
            }
        }
        return task.admit();
    }

    private static Checkpoint expectSealed(Seal seal) {
        assertThat(seal).isInstanceOf(Seal.Sealed.class);
        return ((Seal.Sealed) seal).checkpoint();
    }

    private KeyFilter filter(KeySchema schema, List<List<Object>> keys) {
        TestCheckpoints.write(storage, new CheckpointId(1, 0), Sealing.TASK, schema, keys);
        KeyFilter filter = KeyFilters.load(
                files,
                schema,
                new SealedKeys(List.of(new SealedKeys.Group(1, true, Sealing.TASK, "0", 2)), List.of()),
                1);
        storage.names().forEach(storage::delete);
        return filter;
    }

    @Test
    void seals_keys_committables_and_ranges_as_one_object() {
        TaskCheckpoint task = open(COMPOSITE);
        assertThat(admit(task, "a", 1L)).isTrue();
        assertThat(admit(task, null, 2L)).isTrue();
        assertThat(admit(task, "", null)).isTrue();
        assertThat(admit(task, "a", 1L))
                .as("a key twice in one run passes twice")
                .isTrue();
        assertThat(storage.names()).isEmpty();

        Checkpoint checkpoint = expectSealed(task.seal(COMMITTABLES, RANGES));

        assertThat(storage.names()).containsExactly(CheckpointFileReader.objectName(ID, Sealing.TASK));
        assertThat(storage.pendingObjects()).isZero();
        assertThat(files.find(ID, Sealing.TASK)).contains(checkpoint);
        assertThat(checkpoint.id()).isEqualTo(ID);
        assertThat(checkpoint.attempt()).isEqualTo(1);
        assertThat(checkpoint.rowsAdmitted()).isEqualTo(4);
        assertThat(checkpoint.rowsSkipped()).isZero();
        assertThat(checkpoint.committables()).isEqualTo(COMMITTABLES);
        assertThat(checkpoint.ranges()).isEqualTo(RANGES);
        assertThat(TestCheckpoints.readKeys(storage, ID, Sealing.TASK, COMPOSITE))
                .containsExactly(key("a", 1L), key(null, 2L), key("", null), key("a", 1L));
        assertThat(task.bytesStaged()).isPositive();
    }

    @Test
    void skips_sealed_rows_and_stages_the_others_only() {
        List<List<Object>> done = List.of(key("a", 1L), key("a long document name", null), key(null, null));
        TaskCheckpoint task = open(files, COMPOSITE, 1, false, OnSealed.RETURN_STORED, filter(COMPOSITE, done));
        assertThat(admit(task, "a", 1L)).isFalse();
        assertThat(admit(task, "a", 2L)).isTrue();
        assertThat(admit(task, "a long document name", null)).isFalse();
        assertThat(admit(task, null, null)).isFalse();
        assertThat(admit(task, "", null)).isTrue();
        assertThat(task.rowsAdmitted()).isEqualTo(2);
        assertThat(task.rowsSkipped()).isEqualTo(3);
        Checkpoint checkpoint = expectSealed(task.seal(List.of(), List.of()));
        assertThat(checkpoint.rowsSkipped()).isEqualTo(3);
        assertThat(TestCheckpoints.readKeys(storage, ID, Sealing.TASK, COMPOSITE))
                .containsExactly(key("a", 2L), key("", null));
    }

    @Test
    void compares_single_integers_and_their_null_exactly() {
        KeyFilter filter = filter(INTEGER, List.of(key(5L), key((Object) null), key(1L << 53)));
        TaskCheckpoint task = open(files, INTEGER, 1, false, OnSealed.RETURN_STORED, filter);
        assertThat(task.admitLong(5)).isFalse();
        assertThat(task.admitNull()).isFalse();
        assertThat(task.admitLong(0)).isTrue();
        assertThat(task.admitLong(1L << 53)).isFalse();
        assertThat(task.admitLong((1L << 53) + 1)).isTrue();
        expectSealed(task.seal(List.of(), List.of()));
        assertThat(TestCheckpoints.readKeys(storage, ID, Sealing.TASK, INTEGER))
                .containsExactly(key(0L), key((1L << 53) + 1));
    }

    @Test
    void streams_row_groups_while_the_task_runs_and_shows_nothing_of_them() {
        TaskCheckpoint task = open(STRING);
        List<List<Object>> keys = new ArrayList<>();
        for (int i = 0; i < 300_000; i++) {
            String key = "document-" + i + "-" + Integer.toHexString(i * 31);
            keys.add(key(key));
            assertThat(admit(task, key)).isTrue();
        }
        assertThat(task.bytesStaged()).isPositive();
        assertThat(storage.pendingObjects()).isEqualTo(1);
        assertThat(storage.names()).isEmpty();
        expectSealed(task.seal(List.of(), List.of()));
        assertThat(TestCheckpoints.readKeys(storage, ID, Sealing.TASK, STRING)).isEqualTo(keys);
    }

    @Test
    void a_task_without_anything_seals_nothing() {
        TaskCheckpoint task = open(STRING);
        task.inputOpened();
        task.inputExhausted();
        assertThat(task.seal(List.of(), List.of())).isInstanceOf(Seal.NothingToSeal.class);
        assertThat(storage.names()).isEmpty();
        assertThat(storage.pendingObjects()).isZero();
        task.abort();
    }

    @Test
    void a_task_whose_rows_were_all_skipped_still_seals_its_ranges() {
        TaskCheckpoint task = open(files, STRING, 1, false, OnSealed.RETURN_STORED, filter(STRING, List.of(key("k"))));
        assertThat(admit(task, "k")).isFalse();
        Checkpoint checkpoint = expectSealed(task.seal(List.of(), RANGES));
        assertThat(checkpoint.rowsAdmitted()).isZero();
        assertThat(checkpoint.digest()).isEqualTo(KeyDigest.ZERO);
        assertThat(files.find(ID, Sealing.TASK)).contains(checkpoint);
    }

    @Test
    void refuses_to_seal_before_every_input_was_read_to_its_end() {
        TaskCheckpoint task = open(STRING);
        task.inputOpened();
        task.inputExhausted();
        task.inputOpened();
        admit(task, "k");
        assertThat(task.isInputExhausted()).isFalse();
        assertThatExceptionOfType(TaskFailedException.class)
                .isThrownBy(() -> task.seal(COMMITTABLES, List.of()))
                .satisfies(e -> assertThat(e.condition()).isEqualTo(ErrorCondition.INPUT_NOT_EXHAUSTED))
                .withMessageContaining("7/3")
                .withMessageContaining("1 of 2 inputs");
        assertThat(storage.names()).isEmpty();
        assertThat(storage.pendingObjects()).isZero();
    }

    @Test
    void aborting_leaves_nothing_and_may_be_repeated() {
        TaskCheckpoint task = open(STRING);
        for (int i = 0; i < 300_000; i++) {
            admit(task, "document-number-" + i);
        }
        assertThat(storage.pendingObjects()).isEqualTo(1);
        task.abort();
        task.abort();
        assertThat(storage.pendingObjects()).isZero();
        assertThat(storage.names()).isEmpty();
        assertThatThrownBy(() -> task.seal(List.of(), List.of())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> admit(task, "k")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aborting_after_a_seal_does_nothing() {
        TaskCheckpoint task = open(STRING);
        admit(task, "k");
        Checkpoint checkpoint = expectSealed(task.seal(List.of(), List.of()));
        task.abort();
        assertThat(files.find(ID, Sealing.TASK)).contains(checkpoint);
        assertThatThrownBy(() -> task.seal(List.of(), List.of())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void the_digest_depends_on_keys_and_run_and_not_on_order() {
        List<String> keys = new ArrayList<>(List.of("a", "b", "b", "a much longer key than the others", ""));
        KeyDigest digest = digest("run-nonce", keys);
        for (int i = 0; i < 10; i++) {
            Collections.shuffle(keys, new Random(i));
            assertThat(digest("run-nonce", keys)).isEqualTo(digest);
        }
        assertThat(digest("other-nonce", keys)).isNotEqualTo(digest);
        keys.remove("b");
        assertThat(digest("run-nonce", keys)).isNotEqualTo(digest);
    }

    private static KeyDigest digest(String nonce, List<String> keys) {
        TaskCheckpoint task = TaskCheckpoint.open(
                CheckpointFiles.in(new InMemoryStorage()),
                new RunIdentity("store", 1, nonce, STRING, Sealing.TASK),
                0,
                0,
                false,
                OnSealed.RETURN_STORED,
                KeyFilter.empty(STRING));
        keys.forEach(key -> admit(task, key));
        return expectSealed(task.seal(List.of(), List.of())).digest();
    }

    @Test
    void a_repeated_task_returns_what_its_first_attempt_sealed_and_admits_nothing() {
        TaskCheckpoint first = open(STRING);
        admit(first, "a");
        admit(first, "b");
        Checkpoint stored = expectSealed(first.seal(COMMITTABLES, RANGES));

        TaskCheckpoint second = repeat(STRING, OnSealed.RETURN_STORED);
        assertThat(second.replaysStored()).isTrue();
        assertThat(admit(second, "b")).isFalse();
        assertThat(admit(second, "a")).isFalse();
        assertThat(second.rowsAdmitted()).isZero();
        assertThat(second.seal(List.of(), List.of())).isEqualTo(new Seal.AlreadySealed(stored));
        assertThat(storage.pendingObjects()).isZero();
    }

    @Test
    void a_repeated_task_that_returns_rows_admits_them_again() {
        TaskCheckpoint first = open(STRING);
        admit(first, "a");
        Checkpoint stored = expectSealed(first.seal(List.of(), List.of()));

        TaskCheckpoint second = repeat(STRING, OnSealed.ADMIT_AGAIN);
        assertThat(second.replaysStored()).isFalse();
        assertThat(admit(second, "a")).isTrue();
        assertThat(second.rowsAdmitted()).isEqualTo(1);
        assertThat(second.seal(List.of(), List.of())).isEqualTo(new Seal.AlreadySealed(stored));
        second.abort();
        assertThat(files.find(ID, Sealing.TASK)).contains(stored);
    }

    @Test
    void a_repeated_task_without_a_seal_works_as_the_first() {
        for (OnSealed onSealed : OnSealed.values()) {
            storage.names().forEach(storage::delete);
            TaskCheckpoint task = repeat(STRING, onSealed);
            assertThat(task.replaysStored()).isFalse();
            assertThat(admit(task, "a")).isTrue();
            expectSealed(task.seal(List.of(), List.of()));
        }
    }

    @Test
    void a_repeated_task_that_saw_other_rows_fails_and_leaves_the_seal() {
        TaskCheckpoint first = open(STRING);
        admit(first, "a");
        Checkpoint stored = expectSealed(first.seal(List.of(), List.of()));
        for (OnSealed onSealed : OnSealed.values()) {
            for (List<String> keys : List.of(List.of("b"), List.of("a", "a"), List.<String>of())) {
                TaskCheckpoint second = repeat(STRING, onSealed);
                keys.forEach(key -> admit(second, key));
                assertThatExceptionOfType(TaskFailedException.class)
                        .isThrownBy(() -> second.seal(List.of(), List.of()))
                        .satisfies(e -> assertThat(e.condition()).isEqualTo(ErrorCondition.INPUT_CHANGED))
                        .withMessageContaining("attempt 1 sealed 1 keys");
                second.abort();
                assertThat(files.find(ID, Sealing.TASK)).contains(stored);
            }
        }
    }

    @Test
    void a_damaged_seal_of_an_earlier_attempt_stops_the_task() {
        storage.overwrite(CheckpointFileReader.objectName(ID, Sealing.TASK), new byte[100]);
        assertThatExceptionOfType(StoreDamagedException.class).isThrownBy(() -> repeat(STRING, OnSealed.RETURN_STORED));
    }

    @Test
    void of_two_attempts_that_run_at_the_same_time_one_seals_and_the_other_gets_to_know_it() {
        TaskCheckpoint first = open(STRING);
        TaskCheckpoint second = open(files, STRING, 2, false, OnSealed.RETURN_STORED, KeyFilter.empty(STRING));
        TaskCheckpoint third = open(files, STRING, 3, false, OnSealed.RETURN_STORED, KeyFilter.empty(STRING));
        admit(first, "a");
        admit(second, "a");
        admit(third, "z");
        Checkpoint stored = expectSealed(first.seal(COMMITTABLES, List.of()));
        assertThat(second.seal(List.of(new Committable("file", 1, "of the second")), List.of()))
                .isEqualTo(new Seal.AlreadySealed(stored));
        assertThatExceptionOfType(TaskFailedException.class)
                .isThrownBy(() -> third.seal(List.of(), List.of()))
                .satisfies(e -> assertThat(e.condition()).isEqualTo(ErrorCondition.INPUT_CHANGED));
        assertThat(files.find(ID, Sealing.TASK)).contains(stored);
        assertThat(storage.pendingObjects()).isZero();
    }

    /** A storage whose publications end as told. */
    private enum Publishing {
        /** The object becomes visible, but the answer is that the name is taken: a request was repeated. */
        VISIBLE_BUT_TAKEN,
        /** The object becomes visible, and the answer is lost. */
        VISIBLE_BUT_LOST,
        /** Nothing becomes visible, and the answer is lost. */
        INVISIBLE_AND_LOST
    }

    private CheckpointFiles publishing(Publishing how) {
        return new DelegatingFiles(files) {
            @Override
            public PendingObject create(CheckpointId id, Sealing sealing) {
                PendingObject object = super.create(id, sealing);
                return new PendingObject() {
                    @Override
                    public PositionOutputStream stream() {
                        return object.stream();
                    }

                    @Override
                    public Publication publish() throws IOException {
                        if (how == Publishing.INVISIBLE_AND_LOST) {
                            throw new IOException("timeout");
                        }
                        Publication publication = object.publish();
                        if (how == Publishing.VISIBLE_BUT_LOST) {
                            throw new IOException("timeout");
                        }
                        assertThat(publication).isEqualTo(Publication.PUBLISHED);
                        return Publication.TAKEN;
                    }

                    @Override
                    public void abort() {
                        object.abort();
                    }
                };
            }
        };
    }

    private TaskCheckpoint open(CheckpointFiles of) {
        return open(of, STRING, 1, false, OnSealed.RETURN_STORED, KeyFilter.empty(STRING));
    }

    @Test
    void an_attempt_knows_its_own_seal_when_the_storage_says_taken_or_nothing() {
        for (Publishing how : List.of(Publishing.VISIBLE_BUT_TAKEN, Publishing.VISIBLE_BUT_LOST)) {
            storage.names().forEach(storage::delete);
            TaskCheckpoint task = open(publishing(how));
            admit(task, "a");
            Checkpoint checkpoint = expectSealed(task.seal(COMMITTABLES, List.of()));
            assertThat(files.find(ID, Sealing.TASK)).contains(checkpoint);
        }
    }

    @Test
    void a_lost_publication_that_cannot_be_seen_is_unknown() {
        TaskCheckpoint task = open(publishing(Publishing.INVISIBLE_AND_LOST));
        admit(task, "a");
        assertThatExceptionOfType(StoreAccessException.class)
                .isThrownBy(() -> task.seal(List.of(), List.of()))
                .withMessageContaining("timeout")
                .withMessageContaining("7/3");
    }

    @Test
    void a_lost_publication_that_cannot_be_read_back_is_unknown() {
        CheckpointFiles unreadable = new DelegatingFiles(publishing(Publishing.VISIBLE_BUT_LOST)) {
            @Override
            public Optional<Checkpoint> find(CheckpointId id, Sealing sealing) {
                throw new StoreAccessException(ErrorCondition.STORE_ACCESS, "unreachable");
            }
        };
        TaskCheckpoint task = open(unreadable);
        admit(task, "a");
        assertThatExceptionOfType(StoreAccessException.class)
                .isThrownBy(() -> task.seal(List.of(), List.of()))
                .withMessageContaining("unreachable");
        task.abort();
        assertThat(files.find(ID, Sealing.TASK)).as("abort deletes nothing").isPresent();
    }

    /** Counts down to an error; notes how the object ended. */
    private final class FailingFiles extends DelegatingFiles {
        private final Throwable failure;
        private long bytesUntilFailure;
        private int aborted;

        FailingFiles(long bytesUntilFailure, Throwable failure) {
            super(files);
            this.bytesUntilFailure = bytesUntilFailure;
            this.failure = failure;
        }

        @Override
        public PendingObject create(CheckpointId id, Sealing sealing) {
            PendingObject object = super.create(id, sealing);
            return new PendingObject() {
                @Override
                public PositionOutputStream stream() {
                    PositionOutputStream target = object.stream();
                    return new PositionOutputStream() {
                        @Override
                        public long getPos() throws IOException {
                            return target.getPos();
                        }

                        @Override
                        public void write(int b) throws IOException {
                            write(new byte[] {(byte) b}, 0, 1);
                        }

                        @Override
                        public void write(byte[] bytes, int offset, int length) throws IOException {
                            bytesUntilFailure -= length;
                            if (bytesUntilFailure < 0) {
                                if (failure instanceof IOException io) {
                                    throw io;
                                }
                                if (failure instanceof Error error) {
                                    throw error;
                                }
                                throw (RuntimeException) failure;
                            }
                            target.write(bytes, offset, length);
                        }

                        @Override
                        public void close() {
                            throw new AssertionError("closing could publish");
                        }
                    };
                }

                @Override
                public Publication publish() {
                    throw new AssertionError("published after an error");
                }

                @Override
                public void abort() {
                    aborted++;
                    object.abort();
                }
            };
        }
    }

    @Test
    void an_error_anywhere_while_staging_aborts_and_never_publishes() {
        List<Throwable> failures = List.of(
                new IOException("disk full"), new IllegalStateException("closed"), new OutOfMemoryError("for a test"));
        for (Throwable failure : failures) {
            for (long at : new long[] {0, 3, 4, 20, 30, 100, 200, 400, 1_000_000, 4_500_000}) {
                FailingFiles failing = new FailingFiles(at, failure);
                TaskCheckpoint task = open(failing);
                Random random = new Random(1);
                assertThatThrownBy(() -> {
                            int rows = at < 1000 ? 1 : 200_000;
                            for (int i = 0; i < rows; i++) {
                                admit(task, "key-" + random.nextLong() + random.nextLong());
                            }
                            task.seal(COMMITTABLES, RANGES);
                        })
                        .as("%s at %d", failure, at)
                        .satisfies(thrown -> {
                            if (failure instanceof IOException) {
                                assertThat(thrown)
                                        .isInstanceOf(StoreAccessException.class)
                                        .hasMessageContaining("disk full")
                                        .hasRootCause(failure);
                            } else {
                                assertThat(thrown).isSameAs(failure);
                            }
                        });
                task.abort();
                assertThat(failing.aborted).as("%s at %d", failure, at).isEqualTo(1);
                assertThat(storage.names()).isEmpty();
                assertThat(storage.pendingObjects()).isZero();
                assertThatThrownBy(() -> task.seal(List.of(), List.of())).isInstanceOf(IllegalStateException.class);
            }
        }
    }

    @Test
    void an_abort_that_fails_does_not_hide_the_error_that_led_to_it() {
        CheckpointFiles failing = new DelegatingFiles(new FailingFiles(0, new IOException("disk full"))) {
            @Override
            public PendingObject create(CheckpointId id, Sealing sealing) {
                PendingObject object = super.create(id, sealing);
                return new PendingObject() {
                    @Override
                    public PositionOutputStream stream() {
                        return object.stream();
                    }

                    @Override
                    public Publication publish() {
                        throw new AssertionError("published after an error");
                    }

                    @Override
                    public void abort() {
                        throw new IllegalStateException("cannot abort");
                    }
                };
            }
        };
        TaskCheckpoint task = open(failing);
        admit(task, "a");
        assertThatExceptionOfType(StoreAccessException.class)
                .isThrownBy(() -> task.seal(List.of(), List.of()))
                .withMessageContaining("disk full");
        task.abort();
    }

    @Test
    void a_row_must_have_all_its_columns() {
        TaskCheckpoint task = open(COMPOSITE);
        task.putLong(1, 5);
        assertThatThrownBy(task::admit).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_filter_of_other_key_types_is_refused() {
        assertThatThrownBy(() -> open(files, STRING, 1, false, OnSealed.RETURN_STORED, KeyFilter.empty(INTEGER)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(id integer)");
    }
}
