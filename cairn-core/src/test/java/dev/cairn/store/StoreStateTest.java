package dev.cairn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cairn.StoreDamagedException;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class StoreStateTest {
    private static final Writer WRITER = new Writer("test", "host", "user", "nonce");
    private static final Instant NOW = Instant.EPOCH;
    private static final Destination TABLE = new Destination("fake", "table");

    private StoreState state = StoreState.EMPTY;

    private long add(LogEntry entry) {
        long number = state.nextEntry();
        state = state.with(number, entry);
        return number;
    }

    private long start(String accepted) {
        return start(accepted, Sealing.TASK, TABLE);
    }

    private long start(String accepted, Sealing sealing, Destination destination) {
        return add(new LogEntry.RunStarted(
                WRITER,
                NOW,
                KeySchema.of("id", KeyType.INTEGER),
                Mode.KEY,
                sealing,
                destination,
                state.latestRun().map(Run::number),
                PartitionSet.parse(accepted),
                1000));
    }

    private long end(long run, Outcome outcome, String sealed) {
        return add(new LogEntry.RunEnded(WRITER, NOW, run, outcome, "", Figures.ZERO, PartitionSet.parse(sealed)));
    }

    private long intend(long epoch, String nonce, CheckpointSet checkpoints) {
        return add(new LogEntry.CommitIntended(WRITER, NOW, epoch, nonce, "base", checkpoints));
    }

    private long commit(long epoch, String nonce) {
        return add(new LogEntry.Committed(WRITER, NOW, epoch, nonce));
    }

    private long giveUp(CheckpointSet checkpoints) {
        return add(new LogEntry.Voided(WRITER, NOW, checkpoints, ""));
    }

    private long forget(Optional<String> keys, Long... runs) {
        return add(new LogEntry.Forgotten(WRITER, NOW, keys, 1, List.of(runs), ""));
    }

    private static CheckpointSet set(long run, String partitions) {
        return CheckpointSet.of(run, PartitionSet.parse(partitions));
    }

    @Nested
    class Accepted {
        @Test
        void isWhatTheSuccessorSaysAndNothingElse() {
            long run = start("");
            assertThat(state.accepted().isEmpty()).isTrue();

            start("0-2");

            assertThat(state.accepted()).isEqualTo(set(run, "0-2"));
            assertThat(state.pending()).isEqualTo(set(run, "0-2"));
            assertThat(state.run(run).orElseThrow().accepted()).contains(PartitionSet.parse("0-2"));
        }

        @Test
        void holdsWhatACommittedEpochNamesListedOrNot() {
            long run = start("");
            intend(1, "a", set(run, "0-3"));
            commit(1, "a");
            start("0");

            assertThat(state.accepted()).isEqualTo(set(run, "0-3"));
            assertThat(state.pending().isEmpty()).isTrue();
        }

        @Test
        void ofAWholeRunIsWhatItsSuccessfulEndSays() {
            long run = start("", Sealing.JOB, Destination.NONE);
            end(run, Outcome.SUCCEEDED, "0-1");

            assertThat(state.accepted()).isEqualTo(set(run, "0-1"));
            assertThat(state.pending().isEmpty()).isTrue();
        }

        @Test
        void losesWhatIsVoid() {
            long run = start("");
            start("0-2");
            giveUp(set(run, "1"));

            assertThat(state.accepted()).isEqualTo(set(run, "0,2"));
            assertThat(state.pending()).isEqualTo(set(run, "0,2"));
        }
    }

    @Nested
    class AnEpoch {
        @Test
        void thatWasIntendedAgainIsWhatTheWinnerNames() {
            long run = start("");
            long next = start("0-2");
            intend(1, "a", set(run, "0-2"));
            intend(1, "b", set(run, "0"));
            commit(1, "b");

            assertThat(state.committed()).isEqualTo(set(run, "0"));
            assertThat(state.pending()).isEqualTo(set(run, "1-2"));
            assertThat(state.epochs().get(0).intents()).hasSize(2);
            assertThat(state.runOfEpoch(1)).contains(next);
        }

        @Test
        void mayBeWonByAnEarlierIntent() {
            long run = start("");
            intend(1, "a", set(run, "0-2"));
            intend(1, "b", CheckpointSet.empty());
            commit(1, "a");

            assertThat(state.committed()).isEqualTo(set(run, "0-2"));
        }
    }

    @Nested
    class SealedKeysOf {
        @Test
        void aRunAreGroupedByTheEntryThatNamedThemFirst() {
            long run = start("");
            long intent = intend(1, "a", set(run, "0"));
            commit(1, "a");
            end(run, Outcome.SUCCEEDED, "");
            long next = start("0-2");

            assertThat(state.sealedKeys().groups())
                    .containsExactly(
                            new SealedKeys.Group(run, true, Sealing.TASK, "0", intent),
                            new SealedKeys.Group(run, true, Sealing.TASK, "1-2", next));
        }

        @Test
        void forgottenRunsAreNoMore() {
            long run = start("");
            start("0-2");
            forget(Optional.empty(), run);

            assertThat(state.sealedKeys().isEmpty()).isTrue();
        }

        @Test
        void aRunThatWasForgottenBeforeItsSealsWereNamedStay() {
            long run = start("");
            forget(Optional.of("forgotten/a"), run);
            start("0-2");

            assertThat(state.sealedKeys().groups())
                    .extracting(SealedKeys.Group::partitions)
                    .containsExactly("0-2");
            assertThat(state.sealedKeys().forgotten()).isEmpty();
        }

        @Test
        void laterForgottenKeysAreTakenOut() {
            start("");
            start("0-2");
            long entry = forget(Optional.of("forgotten/a"));

            assertThat(state.sealedKeys().forgotten())
                    .containsExactly(new SealedKeys.ForgottenKeys(entry, "forgotten/a"));
        }
    }

    @Nested
    class Binding {
        @Test
        void isTheLatestRunWhileKeysAreSealed() {
            start("");
            long latest = start("0");

            assertThat(state.binding().map(Run::number)).contains(latest);
        }

        @Test
        void endsWhenNoSealedKeyIsLeft() {
            long run = start("", Sealing.JOB, Destination.NONE);
            end(run, Outcome.SUCCEEDED, "0");
            assertThat(state.binding()).isPresent();

            forget(Optional.empty(), run);

            assertThat(state.binding()).isEmpty();
        }
    }

    @Nested
    class AnEntryThatNoCorrectWriterAppends {
        private void refused(Runnable adding, String problem) {
            long number = state.nextEntry();
            assertThatThrownBy(adding::run)
                    .isInstanceOf(StoreDamagedException.class)
                    .hasMessageContaining("contradicts itself at log/%020d.json", number)
                    .hasMessageContaining(problem);
            assertThat(state.nextEntry()).isEqualTo(number);
        }

        @Test
        void startsARunThatDoesNotFollowTheLatest() {
            start("");
            refused(
                    () -> add(new LogEntry.RunStarted(
                            WRITER,
                            NOW,
                            KeySchema.of("id", KeyType.INTEGER),
                            Mode.KEY,
                            Sealing.TASK,
                            TABLE,
                            Optional.of(7L),
                            PartitionSet.empty(),
                            1000)),
                    "it names run 7 as the one before, which is 0");
        }

        @Test
        void startsARunWhileAnEpochIsOpen() {
            intend(1, "a", set(start(""), "0"));
            refused(() -> start("0"), "the outcome of epoch 1 is open");
        }

        @Test
        void endsARunThatIsNotTheLatest() {
            long run = start("");
            start("");
            refused(() -> end(run, Outcome.FAILED, ""), "run 0 ends after run 1 took the store");
        }

        @Test
        void endsARunTwiceOrOneThatNeverWas() {
            long run = start("");
            end(run, Outcome.FAILED, "");
            refused(() -> end(run, Outcome.FAILED, ""), "run 0 ends twice");
            refused(() -> end(9, Outcome.FAILED, ""), "there is no run 9");
        }

        @Test
        void sealsByItsEndWhatSealsOtherwise() {
            long run = start("");
            refused(() -> end(run, Outcome.SUCCEEDED, "0"), "which seals otherwise");
        }

        @Test
        void acceptsSingleCheckpointsOfAWholeRun() {
            start("", Sealing.JOB, TABLE);
            refused(() -> start("0"), "which seals as a whole");
        }

        @Test
        void skipsAnEpoch() {
            long run = start("");
            refused(() -> intend(2, "a", set(run, "0")), "only epoch 1 can be intended");
        }

        @Test
        void intendsTheNextEpochWhileOneIsOpen() {
            long run = start("");
            intend(1, "a", set(run, "0"));
            refused(() -> intend(2, "b", set(run, "1")), "only epoch 1 can be intended");
        }

        @Test
        void addsToAnOpenEpoch() {
            long run = start("");
            intend(1, "a", set(run, "0"));
            refused(() -> intend(1, "b", set(run, "0-1")), "it adds checkpoints to epoch 1");
        }

        @Test
        void intendsWhatIsCommittedVoidOrWasNeverAccepted() {
            long run = start("");
            start("0-1");
            intend(1, "a", set(run, "0"));
            commit(1, "a");
            giveUp(set(run, "1"));
            refused(() -> intend(2, "b", set(run, "0")), "committed or void");
            refused(() -> intend(2, "b", set(run, "1")), "committed or void");
            refused(() -> intend(2, "b", set(run, "2")), "never accepted");
        }

        @Test
        void commitsANonceThatNoIntentHas() {
            intend(1, "a", set(start(""), "0"));
            refused(() -> commit(1, "b"), "no intent of epoch 1 has the nonce b");
            refused(() -> commit(2, "a"), "while epoch 1 is open");
        }

        @Test
        void commitsWhereNothingIsOpen() {
            start("");
            refused(() -> commit(1, "a"), "none is open");
        }

        @Test
        void voidsWhatAnOpenEpochMayPublish() {
            long run = start("");
            intend(1, "a", set(run, "0-1"));
            intend(1, "b", set(run, "0"));
            refused(() -> giveUp(set(run, "1")), "still open, may publish");
        }

        @Test
        void coversEntriesThatDoNotPrecedeIt() {
            start("");
            refused(() -> add(new LogEntry.Compacted(WRITER, NOW, 1, "compactions/x")), "does not precede it");
        }

        @Test
        void isNotTheNextOne() {
            assertThatThrownBy(() -> state.with(3, new LogEntry.Voided(WRITER, NOW, CheckpointSet.empty(), "")))
                    .isInstanceOf(StoreDamagedException.class);
        }
    }

    @Test
    void newestCompactionIsKept() {
        start("");
        add(new LogEntry.Compacted(WRITER, NOW, 0, "compactions/x"));

        assertThat(state.compaction().orElseThrow().directory()).isEqualTo("compactions/x");
    }

    @Test
    void foldingAHundredThousandEntriesIsWithinReach() {
        List<LogEntry> entries = new ArrayList<>();
        Optional<Long> previous = Optional.empty();
        for (int epoch = 1; epoch <= 25_000; epoch++) {
            long run = entries.size();
            entries.add(new LogEntry.RunStarted(
                    WRITER,
                    NOW,
                    KeySchema.of("id", KeyType.INTEGER),
                    Mode.KEY,
                    Sealing.TASK,
                    TABLE,
                    previous,
                    previous.isPresent() ? PartitionSet.parse("0-9") : PartitionSet.empty(),
                    1000));
            entries.add(new LogEntry.CommitIntended(WRITER, NOW, epoch, "a" + epoch, "base", set(run, "0-9")));
            entries.add(new LogEntry.Committed(WRITER, NOW, epoch, "a" + epoch));
            entries.add(
                    new LogEntry.RunEnded(WRITER, NOW, run, Outcome.SUCCEEDED, "", Figures.ZERO, PartitionSet.empty()));
            previous = Optional.of(run);
        }

        StoreState folded = StoreState.EMPTY.with(0, entries, "test");

        assertThat(folded.nextEntry()).isEqualTo(100_000);
        assertThat(folded.committed().size()).isEqualTo(250_000);
        assertThat(folded.sealedKeys().groups()).hasSize(25_000);
        assertThat(folded.pending().isEmpty()).isTrue();
    }
}
