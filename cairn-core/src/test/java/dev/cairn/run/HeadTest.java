package dev.cairn.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cairn.CommitStateUnknownException;
import dev.cairn.ErrorCondition;
import dev.cairn.FencedException;
import dev.cairn.OutputLostException;
import dev.cairn.RefusedException;
import dev.cairn.RunAliveException;
import dev.cairn.StoreDamagedException;
import dev.cairn.commit.InMemoryCommitter;
import dev.cairn.commit.InMemoryCommitter.Fault;
import dev.cairn.internal.log.Beat;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import dev.cairn.storage.FaultyStorage;
import dev.cairn.storage.InMemoryStorage;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.Storage;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Destination;
import dev.cairn.store.Figures;
import dev.cairn.store.LogEntry;
import dev.cairn.store.Mode;
import dev.cairn.store.Outcome;
import dev.cairn.store.Run;
import dev.cairn.store.Sealing;
import dev.cairn.store.StoreState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.parquet.io.InputFile;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class HeadTest {
    private final InMemoryStorage storage = new InMemoryStorage();
    private final Pipeline pipeline = new Pipeline(storage, 6);

    private static CheckpointStore sealAll(Pipeline pipeline, ActiveRun run) {
        pipeline.plan(run).forEach(task -> Pipeline.seal(run.store(), task));
        return run.store();
    }

    private LogEntry newest() {
        CheckpointStore store = pipeline.store();
        return store.readEntry(store.fold().nextEntry() - 1);
    }

    private void put(String name, String content) throws IOException {
        PendingObject object = storage.create(name);
        object.stream().write(content.getBytes(UTF_8));
        object.publish();
    }

    @Nested
    class AnUndisturbedPipeline {
        @Test
        void publishesEveryRowAndSkipsItInTheNextRun() {
            pipeline.run("first");
            pipeline.rows = 8;

            try (ActiveRun second = pipeline.start("second")) {
                assertThat(Pipeline.sealedRows(second)).containsExactly(0, 1, 2, 3, 4, 5);
                assertThat(second.hasCommittedEpochs()).isTrue();
                pipeline.complete(second);
            }

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
            assertThat(pipeline.state().runs()).extracting(Run::outcome).containsOnly(Outcome.SUCCEEDED);
        }

        @Test
        void commitsNoEmptyEpoch() {
            pipeline.run("first");
            int snapshots = pipeline.catalog.snapshots();

            try (ActiveRun second = pipeline.start("second")) {
                assertThat(second.commit(List.of())).isEmpty();
            }

            assertThat(pipeline.catalog.snapshots()).isEqualTo(snapshots);
            assertThat(pipeline.state().highestEpoch()).isEqualTo(1);
        }

        @Test
        void readsNoFooterOfAReportedCheckpoint() {
            List<String> opened = new ArrayList<>();
            Storage watched = new DelegatingStorage(storage) {
                @Override
                public InputFile open(String name) throws IOException {
                    opened.add(name);
                    return super.open(name);
                }
            };
            try (ActiveRun run = pipeline.start("run", watched, pipeline.committer(), false)) {
                List<Checkpoint> reported = new ArrayList<>();
                pipeline.plan(run).forEach(task -> reported.add(Pipeline.seal(pipeline.store(), task)));
                run.commit(reported.subList(0, 2));
            }
            assertThat(opened).containsExactly("checkpoints/00000000000000000000/0000000002.parquet");
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void refusesAReportWhoseCheckpointIsNotThere() throws IOException {
            try (ActiveRun run = pipeline.start("run")) {
                Checkpoint reported =
                        Pipeline.seal(run.store(), pipeline.plan(run).get(0));
                storage.delete("checkpoints/00000000000000000000/0000000000.parquet");

                assertThatThrownBy(() -> run.commit(List.of(reported)))
                        .isInstanceOf(StoreDamagedException.class)
                        .hasMessageContaining("Checkpoint 0/0 was sealed by a task of this run and is not in");
            }
            assertThat(pipeline.published()).isEmpty();
        }

        @Test
        void removesWhatEarlierRunsLeftHalfWritten() throws IOException {
            ActiveRun crashed = pipeline.start("crashed");
            crashed.store().createCheckpoint(new CheckpointId(0, 0), Sealing.TASK).stream()
                    .write(1);
            crashed.close();
            assertThat(storage.pendingObjects()).isEqualTo(1);

            pipeline.start("next").close();

            assertThat(storage.pendingObjects()).isZero();
        }
    }

    @Nested
    class AfterACrash {
        @Test
        void sealedTasksAreKeptAndPublishedByTheNextRun() {
            try (ActiveRun crashed = pipeline.start("crashed")) {
                Pipeline.seal(crashed.store(), pipeline.plan(crashed).get(0));
            }

            try (ActiveRun next = pipeline.start("next")) {
                assertThat(Pipeline.sealedRows(next)).containsExactly(0, 3);
                pipeline.complete(next);
            }

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
            assertThat(pipeline.state().highestEpoch()).isEqualTo(1);
        }

        @Test
        void beforeTheIntentTheNextRunSkipsAndCommits() {
            try (ActiveRun crashed = pipeline.start("crashed")) {
                sealAll(pipeline, crashed);
            }

            pipeline.run("next");

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void betweenIntentAndCatalogCommitTheSameEpochIsCommitted() {
            crashIn(pipeline.committer().beforeCommit(() -> {
                throw new FaultyStorage.Crash();
            }));
            assertThat(pipeline.state().openEpoch()).isPresent();
            assertThat(pipeline.published()).isEmpty();

            pipeline.start("next").close();

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
            assertThat(pipeline.state().openEpoch()).isEmpty();
            assertThat(pipeline.state().highestEpoch()).isEqualTo(1);
        }

        @Test
        void betweenCatalogCommitAndItsEntryNothingIsCommittedTwice() {
            crashIn(pipeline.committer().afterCommit(() -> {
                throw new FaultyStorage.Crash();
            }));
            assertThat(pipeline.state().openEpoch()).isPresent();

            pipeline.run("next");

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
            assertThat(pipeline.catalog.snapshots()).isEqualTo(2);
        }

        private void crashIn(InMemoryCommitter committer) {
            try (ActiveRun crashed = pipeline.start("crashed", storage, committer, false)) {
                sealAll(pipeline, crashed);
                assertThatThrownBy(() -> crashed.commit(List.of())).isInstanceOf(FaultyStorage.Crash.class);
            }
        }
    }

    @Nested
    class AnUnknownOutcome {
        private void commitWith(Fault fault) {
            try (ActiveRun run =
                    pipeline.start("unlucky", storage, pipeline.committer().failing(fault), false)) {
                sealAll(pipeline, run);
                assertThatThrownBy(() -> run.commit(List.of()))
                        .isInstanceOf(CommitStateUnknownException.class)
                        .hasMessageContaining("It cannot be told whether epoch 1")
                        .hasMessageContaining("connection reset");
                run.end(Outcome.FAILED, "unknown", Figures.ZERO);
            }
        }

        @Test
        void thatWasACommitIsFoundByTheNextRun() {
            commitWith(Fault.REPLY_LOST);
            pipeline.run("next");
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void thatWasNoneIsCommittedByTheNextRun() {
            commitWith(Fault.REQUEST_LOST);
            pipeline.run("next");
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void isNeverGuessedOnceHistoryIsGone() {
            commitWith(Fault.REPLY_LOST);
            pipeline.catalog.commitByOthers();
            pipeline.catalog.expireHistory();

            assertThatThrownBy(() -> pipeline.start("next"))
                    .isInstanceOf(CommitStateUnknownException.class)
                    .hasMessageContaining("bring the destination's history back");
            pipeline.resolveByHand();
            pipeline.run("next");

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void isNeverGuessedAfterARollback() {
            commitWith(Fault.REPLY_LOST);
            pipeline.catalog.rollback();

            assertThatThrownBy(() -> pipeline.start("next")).isInstanceOf(CommitStateUnknownException.class);
        }

        @Test
        void isWhatAnyExceptionOfACommitterMeans() {
            InMemoryCommitter committer = pipeline.committer().afterCommit(() -> {
                throw new IllegalStateException("socket closed");
            });
            try (ActiveRun run = pipeline.start("unlucky", storage, committer, false)) {
                sealAll(pipeline, run);
                assertThatThrownBy(() -> run.commit(List.of()))
                        .isInstanceOf(CommitStateUnknownException.class)
                        .hasRootCauseMessage("socket closed");
            }
            pipeline.run("next");
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }
    }

    @Nested
    class ARefusedCommit {
        @Test
        void leavesTheEpochOpenAndEverythingSealed() {
            try (ActiveRun run =
                    pipeline.start("refused", storage, pipeline.committer().failing(Fault.REFUSED), false)) {
                sealAll(pipeline, run);
                assertThatThrownBy(() -> run.commit(List.of()))
                        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.condition())
                                .isEqualTo(ErrorCondition.COMMIT_REFUSED))
                        .hasMessageContaining("the table was dropped");
                run.end(Outcome.FAILED, "refused", Figures.ZERO);
            }
            pipeline.run("next");

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }
    }

    @Nested
    class LostOutput {
        @Test
        void stopsTheCommitBeforeItsIntent() {
            try (ActiveRun run = pipeline.start("run")) {
                sealAll(pipeline, run);
                pipeline.catalog.lose("4");

                assertThatThrownBy(() -> run.commit(List.of()))
                        .isInstanceOf(OutputLostException.class)
                        .hasMessageContaining("1 of its outputs are gone, among them 4");
            }
            assertThat(pipeline.state().highestEpoch()).isZero();
        }

        @Test
        void isNoLossIfALaterHeadHasCleanedUp() {
            try (ActiveRun run = pipeline.start("run")) {
                sealAll(pipeline, run);
                pipeline.takeOver("later").close();
                pipeline.catalog.lose("4");

                assertThatThrownBy(() -> run.commit(List.of())).isInstanceOf(FencedException.class);
            }
        }

        @Test
        void ofAnOpenEpochStopsTheNextStart() {
            try (ActiveRun run =
                    pipeline.start("run", storage, pipeline.committer().failing(Fault.REQUEST_LOST), false)) {
                sealAll(pipeline, run);
                assertThatThrownBy(() -> run.commit(List.of())).isInstanceOf(CommitStateUnknownException.class);
            }
            pipeline.catalog.lose("4");

            assertThatThrownBy(() -> pipeline.start("next")).isInstanceOf(OutputLostException.class);
            assertThat(pipeline.published()).isEmpty();
        }
    }

    @Nested
    class TwoHeads {
        @Test
        void secondRefusesWhileTheFirstIsVisiblyAlive() {
            ActiveRun first = pipeline.start("embed-docs (local-1)");
            long counter = first.store().readHeartbeat().orElseThrow().counter();
            Pace beating = new Pace(Pipeline.PACE.clock(), d -> first.store()
                    .writeHeartbeat(new Beat(0, nonceOf(first), counter + 1, Optional.empty())));

            assertThatThrownBy(() -> Head.start(
                            pipeline.store(),
                            pipeline.request("second", false),
                            pipeline.committer(),
                            HeadListener.NONE,
                            beating))
                    .isInstanceOf(RunAliveException.class)
                    .hasMessageContaining("Run 0 (embed-docs (local-1) on host worker-7, user ada) is alive")
                    .hasMessageContaining("spark.cairn.takeover=true");
            pipeline.complete(first);
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        private String nonceOf(ActiveRun run) {
            return run.identity().nonce();
        }

        @Test
        void secondWatchesASilentFirstForThreeOfTheFirstsIntervals() {
            pipeline.start("first").close();
            List<Duration> pauses = new ArrayList<>();
            List<Duration> announced = new ArrayList<>();
            HeadListener listener = new HeadListener() {
                @Override
                public void watching(Run previous, Duration atMost) {
                    announced.add(atMost);
                }
            };

            Head.start(
                            pipeline.store(),
                            pipeline.request("second", false),
                            pipeline.committer(),
                            listener,
                            new Pace(Pipeline.PACE.clock(), pauses::add))
                    .close();

            assertThat(pauses).containsExactly(Pipeline.INTERVAL, Pipeline.INTERVAL, Pipeline.INTERVAL);
            assertThat(announced).containsExactly(Pipeline.INTERVAL.multipliedBy(3));
        }

        @Test
        void secondStartsAtOnceIfTheFirstEnded() {
            pipeline.run("first");
            startWithoutPause("second", false);
        }

        @Test
        void secondStartsAtOnceIfItTakesOver() {
            pipeline.start("first").close();
            startWithoutPause("second", true);
        }

        @Test
        void secondStartsAtOnceIfTheFirstsProcessIsKnownToBeGone() {
            ActiveRun first = pipeline.start("first");
            Beat beat = first.store().readHeartbeat().orElseThrow();
            first.close();
            org.junit.jupiter.api.Assumptions.assumeTrue(beat.process().isPresent(), "needs /proc");
            var mark = beat.process().get();
            first.store()
                    .writeHeartbeat(new Beat(
                            beat.run(),
                            beat.nonce(),
                            beat.counter(),
                            Optional.of(new dev.cairn.internal.log.ProcessMark(
                                    mark.pid(), mark.startTicks() - 1, mark.bootId(), mark.pidNamespace()))));

            startWithoutPause("second", false);
        }

        private void startWithoutPause(String application, boolean takeover) {
            Pace impatient = new Pace(Pipeline.PACE.clock(), d -> {
                throw new AssertionError("paused");
            });
            Head.start(
                            pipeline.store(),
                            pipeline.request(application, takeover),
                            pipeline.committer(),
                            HeadListener.NONE,
                            impatient)
                    .close();
        }

        @Test
        void firstIsFencedWhenItWakesBeforeItsIntent() {
            ActiveRun first = pipeline.start("first");
            sealAll(pipeline, first);
            ActiveRun second = pipeline.takeOver("embed-docs (local-2)");

            assertThatThrownBy(() -> first.commit(List.of()))
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("embed-docs (local-2) on host worker-7, user ada")
                    .hasMessageContaining("entry 1 (run-started)");

            pipeline.complete(second);
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void firstIsFencedWhenItWakesBetweenIntentAndCatalogCommit() {
            ActiveRun first = pipeline.start(
                    "first",
                    storage,
                    pipeline.committer().beforeCommit(() -> pipeline.complete(pipeline.takeOver("second"))),
                    false);
            sealAll(pipeline, first);

            assertThatThrownBy(() -> first.commit(List.of()))
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("second on host");

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void firstPublishesNothingWhenItWakesAfterHistoryExpired() {
            ActiveRun first = pipeline.start(
                    "first",
                    storage,
                    pipeline.committer().beforeCommit(() -> {
                        pipeline.complete(pipeline.takeOver("second"));
                        pipeline.catalog.commitByOthers();
                        pipeline.catalog.expireHistory();
                    }),
                    false);
            sealAll(pipeline, first);

            assertThatThrownBy(() -> first.commit(List.of())).isInstanceOf(CommitStateUnknownException.class);

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void firstIsFencedWhenItWakesAfterItsCatalogCommit() {
            ActiveRun first = pipeline.start(
                    "first",
                    storage,
                    pipeline.committer().afterCommit(() -> pipeline.complete(pipeline.takeOver("second"))),
                    false);
            sealAll(pipeline, first);

            assertThatThrownBy(() -> first.commit(List.of()))
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("(committed)");

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void fencedHeadAppendsNothingMoreNotEvenItsEnd() {
            ActiveRun first = pipeline.start("first");
            pipeline.takeOver("second");
            sealAll(pipeline, first);
            assertThatThrownBy(() -> first.commit(List.of())).isInstanceOf(FencedException.class);
            long entries = pipeline.state().nextEntry();

            first.end(Outcome.FAILED, "fenced", Figures.ZERO);

            assertThat(pipeline.state().nextEntry()).isEqualTo(entries);
            assertThat(pipeline.state().run(0).orElseThrow().outcome()).isEqualTo(Outcome.UNKNOWN);
        }

        @Test
        void runThatLearnsAtItsEndThatItIsFencedDoesNotSucceed() {
            ActiveRun first = pipeline.start("first");
            pipeline.takeOver("second");

            assertThatThrownBy(() -> first.end(Outcome.SUCCEEDED, "", Figures.ZERO))
                    .isInstanceOf(FencedException.class);
        }

        @Test
        void startThatLosesItsAppendListsAgain() {
            ActiveRun first = pipeline.start("first");
            List<Pipeline.Task> tasks = pipeline.plan(first);
            Pipeline.seal(first.store(), tasks.get(0));
            // Just before the second head creates entry 1, the first seals on and somebody else is faster.
            Storage losing = new BeforeCreating("log/00000000000000000001.json", storage, () -> {
                tasks.forEach(task -> Pipeline.seal(first.store(), task, 1));
                pipeline.store()
                        .append(
                                1,
                                new LogEntry.Forgotten(
                                        Pipeline.writer("operator"),
                                        Instant.EPOCH,
                                        Optional.empty(),
                                        0,
                                        List.of(),
                                        "test"));
            });

            ActiveRun second = pipeline.start("second", losing, pipeline.committer(), true);

            assertThat(second.identity().run()).isEqualTo(2);
            assertThat(Pipeline.sealedRows(second)).containsExactly(0, 1, 2, 3, 4, 5);
            pipeline.complete(second);
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void heartbeatYieldsToALaterRun() {
            ActiveRun first = pipeline.start("first");
            Heartbeat beating = new Heartbeat(first.store(), 0, nonceOf(first), Pipeline.INTERVAL);
            ActiveRun second = pipeline.takeOver("second");

            beating.beat();

            assertThat(beating.isStopped()).isTrue();
            assertThat(second.store().readHeartbeat().orElseThrow().run()).isEqualTo(1);
        }

        @Test
        void heartbeatSurvivesAFailingStorage() {
            ActiveRun run = pipeline.start("run");
            FaultyStorage failing = FaultyStorage.with(storage, FaultyStorage.Fault.FAIL, 2);
            Heartbeat beating = new Heartbeat(
                    CheckpointStore.attach(failing, run.store().id()), 0, nonceOf(run), Pipeline.INTERVAL);

            beating.beat();
            assertThat(beating.isStopped()).isFalse();
            beating.beat();

            assertThat(run.store().readHeartbeat().orElseThrow().counter()).isEqualTo(2);
        }
    }

    /** Something happens just before an object is created for the first time. */
    private static final class BeforeCreating extends DelegatingStorage {
        private final String name;
        private Runnable event;

        BeforeCreating(String name, Storage delegate, Runnable event) {
            super(delegate);
            this.name = name;
            this.event = event;
        }

        @Override
        public PendingObject create(String created) throws IOException {
            if (created.equals(name)) {
                Runnable once = event;
                event = () -> {};
                once.run();
            }
            return super.create(created);
        }
    }

    @Nested
    class AZombieTask {
        @Test
        void thatSealsAfterTheNextRunStartedIsIgnoredForEver() {
            ActiveRun first = pipeline.start("first");
            List<Pipeline.Task> tasks = pipeline.plan(first);
            Pipeline.seal(first.store(), tasks.get(0));
            ActiveRun second = pipeline.takeOver("second");

            Pipeline.seal(first.store(), tasks.get(1));

            assertThat(pipeline.plan(second).stream().flatMap(task -> task.rows().stream()))
                    .containsExactlyInAnyOrderElementsOf(rowsOf(tasks.get(1), tasks.get(2)));
            pipeline.complete(second);
            pipeline.run("third");
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        private List<Integer> rowsOf(Pipeline.Task... tasks) {
            List<Integer> rows = new ArrayList<>();
            for (Pipeline.Task task : tasks) {
                rows.addAll(task.rows());
            }
            return rows;
        }
    }

    @Nested
    class ABoundStore {
        @Test
        void refusesAnotherDestination() {
            pipeline.run("embed-docs (local-1)");

            assertThatThrownBy(() -> pipeline.start(
                            "other", storage, pipeline.catalog.committer(new Destination("fake", "b")), false))
                    .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.condition())
                            .isEqualTo(ErrorCondition.STORE_MISMATCH))
                    .hasMessageContaining("is bound to the destination fake table since run 0 (embed-docs (local-1)")
                    .hasMessageContaining("this run has the destination fake b")
                    .hasMessageContaining("name a new store");
        }

        @Test
        void refusesNoDestinationWhereThereWasOne() {
            pipeline.run("first");

            assertThatThrownBy(
                            () -> pipeline.start("other", storage, pipeline.catalog.committer(Destination.NONE), false))
                    .hasMessageContaining("this run has the destination no sink");
        }

        @Test
        void refusesOtherKeyTypesModeAndSealing() {
            pipeline.run("first");

            assertThatThrownBy(() -> start(KeySchema.of("id", KeyType.STRING), Mode.KEY, Sealing.TASK))
                    .hasMessageContaining("is bound to the key (id integer)")
                    .hasMessageContaining("this run has the key (id string)");
            assertThatThrownBy(() -> start(Pipeline.KEYS, Mode.RANGES, Sealing.TASK))
                    .hasMessageContaining("bound to the mode KEY");
            assertThatThrownBy(() -> start(Pipeline.KEYS, Mode.KEY, Sealing.JOB))
                    .hasMessageContaining("bound to the sealing TASK");
        }

        @Test
        void takesARenamedKeyColumn() {
            pipeline.run("first");

            start(KeySchema.of("renamed", KeyType.INTEGER), Mode.KEY, Sealing.TASK)
                    .close();
        }

        @Test
        void isBoundOnceATaskSealedEvenIfTheRunCrashed() {
            try (ActiveRun crashed = pipeline.start("crashed")) {
                Pipeline.seal(crashed.store(), pipeline.plan(crashed).get(0));
            }

            assertThatThrownBy(() -> start(Pipeline.KEYS, Mode.KEY, Sealing.JOB))
                    .isInstanceOf(RefusedException.class);
        }

        @Test
        void isNotBoundWhileNothingIsSealed() {
            ActiveRun first = pipeline.start("first");
            List<Pipeline.Task> tasks = pipeline.plan(first);
            first.close();
            // A zombie of the run that bound nothing, sealing for the wrong destination between check and start.
            Destination other = new Destination("fake", "b");
            ActiveRun second = pipeline.start("second", storage, pipeline.catalog.committer(other), true);
            Pipeline.seal(first.store(), tasks.get(0));

            assertThat(second.sealedKeys().isEmpty()).isTrue();
            assertThat(pipeline.state().accepted().isEmpty()).isTrue();
            pipeline.complete(second);
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        private ActiveRun start(KeySchema keys, Mode mode, Sealing sealing) {
            return Head.start(
                    pipeline.store(),
                    new RunRequest(Pipeline.writer("other"), keys, mode, sealing, Pipeline.INTERVAL, false),
                    pipeline.committer(),
                    HeadListener.NONE,
                    Pipeline.PACE);
        }
    }

    @Nested
    class AStoreThatIsBehindItsCatalog {
        @Test
        void isRefusedByTheNumberOfItsEpochs() throws IOException {
            pipeline.run("first");
            storage.delete("log/00000000000000000003.json");
            storage.delete("log/00000000000000000002.json");
            storage.delete("log/00000000000000000001.json");

            assertThatThrownBy(() -> pipeline.start("restored"))
                    .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.condition())
                            .isEqualTo(ErrorCondition.STORE_BEHIND))
                    .hasMessageContaining("it holds epoch 1, and the newest epoch of the log is 0");
        }

        @Test
        void isRefusedByANonceThatTheLogDoesNotKnow() throws IOException {
            pipeline.run("first");
            CheckpointStore store = pipeline.store();
            LogEntry.CommitIntended intent = (LogEntry.CommitIntended) store.readEntry(1);
            for (int entry = 3; entry >= 1; entry--) {
                storage.delete("log/0000000000000000000" + entry + ".json");
            }
            store.append(
                    1,
                    new LogEntry.CommitIntended(
                            intent.writer(), intent.at(), 1, "another", intent.base(), intent.checkpoints()));

            assertThatThrownBy(() -> pipeline.start("restored"))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("which no intent in the log has");
        }
    }

    @Nested
    class ADamagedStore {
        @Test
        void withAGapInItsLogIsNamed() throws IOException {
            pipeline.run("first");
            storage.delete("log/00000000000000000001.json");

            assertThatThrownBy(() -> pipeline.start("next"))
                    .isInstanceOf(StoreDamagedException.class)
                    .hasMessageContaining("Object log/00000000000000000001.json of the checkpoint store")
                    .hasMessageContaining("is missing, and the log goes on to entry 3");
        }

        @Test
        void withATornEntryIsNamed() throws IOException {
            pipeline.run("first");
            String name = "log/00000000000000000002.json";
            byte[] content = storage.read(name);
            storage.delete(name);
            put(name, new String(content, UTF_8).substring(0, content.length / 2));

            assertThatThrownBy(() -> pipeline.start("next"))
                    .isInstanceOf(StoreDamagedException.class)
                    .hasMessageContaining(name)
                    .hasMessageContaining("is damaged: it is not JSON");
        }

        @Test
        void withForeignObjectsIsRead() throws IOException {
            pipeline.run("first");
            put("log/notes.txt", "x");
            put("log/7.json", "x");
            put("checkpoints/00000000000000000000/_SUCCESS", "x");
            put("elsewhere/x", "x");

            pipeline.run("next");

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void withAnUnreadableHeartbeatIsNoReasonToStop() throws IOException {
            pipeline.start("first").close();
            storage.overwrite("heartbeat", "{".getBytes(UTF_8));

            pipeline.run("next");

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }
    }

    @Nested
    class JobLevelSealing {
        JobLevelSealing() {
            pipeline.sealing = Sealing.JOB;
        }

        @Test
        void keepsNothingOfAFailedRun() {
            try (ActiveRun failed = pipeline.start("failed")) {
                sealAll(pipeline, failed);
                failed.end(Outcome.FAILED, "boom", Figures.ZERO);
            }
            try (ActiveRun next = pipeline.start("next")) {
                assertThat(next.sealedKeys().isEmpty()).isTrue();
                pipeline.complete(next);
            }

            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void isSealedByTheCommittedEpoch() {
            pipeline.run("first");

            try (ActiveRun next = pipeline.start("next")) {
                assertThat(Pipeline.sealedRows(next)).hasSize(6);
            }
        }

        @Test
        void withoutASinkIsSealedByTheEndOfTheRun() {
            ActiveRun first = pipeline.start("first", storage, pipeline.catalog.committer(Destination.NONE), false);
            sealAll(pipeline, first);
            assertThat(first.commit(List.of())).isEmpty();
            first.end(Outcome.SUCCEEDED, "", Figures.ZERO);

            assertThat(((LogEntry.RunEnded) newest()).sealed()).hasToString("0-2");
            try (ActiveRun next =
                    pipeline.start("next", storage, pipeline.catalog.committer(Destination.NONE), false)) {
                assertThat(Pipeline.sealedRows(next)).hasSize(6);
            }
        }

        @Test
        void withAnEpochProvenAbsentIsRedoneBehindATombstone() {
            ActiveRun paused = pipeline.start(
                    "paused",
                    storage,
                    pipeline.committer()
                            .beforeCommit(() -> pipeline.takeOver("next").close()),
                    false);
            sealAll(pipeline, paused);
            assertThatThrownBy(() -> paused.commit(List.of())).isInstanceOf(FencedException.class);

            StoreState state = pipeline.state();
            assertThat(state.openEpoch()).isEmpty();
            assertThat(state.committed().isEmpty()).isTrue();
            assertThat(state.epochs().get(0).intents()).hasSize(2);
            pipeline.run("last");
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
        }

        @Test
        void withAnEpochThatTheCatalogHasIsSealed() {
            try (ActiveRun run =
                    pipeline.start("unlucky", storage, pipeline.committer().failing(Fault.REPLY_LOST), false)) {
                sealAll(pipeline, run);
                assertThatThrownBy(() -> run.commit(List.of())).isInstanceOf(CommitStateUnknownException.class);
            }
            try (ActiveRun next = pipeline.start("next")) {
                assertThat(Pipeline.sealedRows(next)).hasSize(6);
            }
        }
    }

    @Test
    void runWithoutASinkNeverHasAnEpoch() {
        ActiveRun run = pipeline.start("run", storage, pipeline.catalog.committer(Destination.NONE), false);
        sealAll(pipeline, run);

        assertThat(run.commit(List.of())).isEmpty();
        run.end(Outcome.SUCCEEDED, "", Figures.ZERO);

        assertThat(pipeline.state().highestEpoch()).isZero();
        assertThat(pipeline.state().pending().isEmpty()).isTrue();
        try (ActiveRun next = pipeline.start("next", storage, pipeline.catalog.committer(Destination.NONE), false)) {
            assertThat(Pipeline.sealedRows(next)).hasSize(6);
        }
    }

    @Test
    void copiedStoreIsRefusedWithBothPlaces() throws IOException {
        pipeline.run("first");
        InMemoryStorage copy = new InMemoryStorage();
        for (String name : storage.names()) {
            copy.overwrite(name, storage.read(name));
        }

        assertThatThrownBy(() -> CheckpointStore.openOrCreate(copy, Pipeline.writer("x")))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.condition()).isEqualTo(ErrorCondition.STORE_COPIED))
                .hasMessageContaining(copy.location())
                .hasMessageContaining(storage.location());
    }
}
