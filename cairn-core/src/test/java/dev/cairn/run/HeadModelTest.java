package dev.cairn.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cairn.CairnException;
import dev.cairn.CommitStateUnknownException;
import dev.cairn.RefusedException;
import dev.cairn.commit.InMemoryCommitter;
import dev.cairn.storage.FaultyStorage;
import dev.cairn.storage.FaultyStorage.Crash;
import dev.cairn.storage.InMemoryStorage;
import dev.cairn.storage.Storage;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Figures;
import dev.cairn.store.Outcome;
import dev.cairn.store.Sealing;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Random histories against the simplest model of exactly-once: never a row twice, and once a run succeeds undisturbed,
 * every row once. A head that is paused is one in the middle of which whole other runs happen.
 */
class HeadModelTest {
    sealed interface Step {}

    /**
     * A run.
     *
     * @param sealing how many of its tasks seal in time; the rest become zombies
     * @param fails whether it gives up after its tasks
     * @param fault of the storage, at the call with the number {@code at}
     * @param catalog what becomes of its commit
     * @param hook where it is paused: 0 at a storage call, 1 before the base, 2 before the commit, 3 after it
     * @param meanwhile what happens while it is paused
     */
    record RunStep(
            int sealing,
            boolean fails,
            FaultyStorage.Fault fault,
            int at,
            InMemoryCommitter.Fault catalog,
            int hook,
            List<Step> meanwhile)
            implements Step {}

    /** A zombie task seals. */
    record LateSeal(int which) implements Step {}

    record NewRows(int count) implements Step {}

    record OthersCommit() implements Step {}

    /** Others commit, and only their commit stays visible. */
    record HistoryExpires() implements Step {}

    @Provide
    Arbitrary<List<Step>> histories() {
        return steps(2).list().ofMinSize(1).ofMaxSize(7);
    }

    private static Arbitrary<Step> steps(int depth) {
        Arbitrary<List<Step>> meanwhile = depth == 0
                ? Arbitraries.just(List.of())
                : Arbitraries.lazy(() -> steps(depth - 1)).list().ofMaxSize(3);
        Arbitrary<Step> runs = Combinators.combine(
                        Arbitraries.frequencyOf(
                                Tuple.of(2, Arbitraries.just(3)),
                                Tuple.of(1, Arbitraries.integers().between(0, 2))),
                        Arbitraries.frequencyOf(
                                Tuple.of(5, Arbitraries.just(false)), Tuple.of(1, Arbitraries.just(true))),
                        Arbitraries.of(FaultyStorage.Fault.class),
                        Arbitraries.frequencyOf(
                                Tuple.of(1, Arbitraries.just(0)),
                                Tuple.of(1, Arbitraries.integers().between(1, 45))),
                        Arbitraries.frequencyOf(
                                Tuple.of(2, Arbitraries.just(InMemoryCommitter.Fault.NONE)),
                                Tuple.of(1, Arbitraries.of(InMemoryCommitter.Fault.class))),
                        Arbitraries.integers().between(0, 3),
                        meanwhile)
                .as(RunStep::new);
        return Arbitraries.frequencyOf(
                Tuple.of(6, runs),
                Tuple.of(3, Arbitraries.integers().between(0, 20).map(LateSeal::new)),
                Tuple.of(1, Arbitraries.integers().between(1, 2).map(NewRows::new)),
                Tuple.of(1, Arbitraries.create(OthersCommit::new)),
                Tuple.of(2, Arbitraries.create(HistoryExpires::new)));
    }

    @Property(tries = 1500)
    void everyRowIsPublishedOnceWithTaskLevelSealing(@ForAll("histories") List<Step> history) {
        new World(Sealing.TASK).play(history);
    }

    @Property(tries = 800)
    void everyRowIsPublishedOnceWithJobLevelSealing(@ForAll("histories") List<Step> history) {
        new World(Sealing.JOB).play(history);
    }

    private static final class World {
        private final Pipeline pipeline = new Pipeline(new InMemoryStorage(), 5);
        private final List<Pipeline.Task> zombies = new ArrayList<>();

        World(Sealing sealing) {
            pipeline.sealing = sealing;
        }

        void play(List<Step> history) {
            steps(history);
            // However it went: a run that nothing disturbs succeeds, after an operator's word where one is asked for.
            try {
                pipeline.complete(pipeline.takeOver("calm"));
            } catch (CommitStateUnknownException unknown) {
                pipeline.resolveByHand();
                pipeline.complete(pipeline.takeOver("calm"));
            }
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
            zombies.forEach(this::sealLate);
            int snapshots = pipeline.catalog.snapshots();
            pipeline.run("idle");
            assertThat(pipeline.published()).isEqualTo(pipeline.everyRowOnce());
            assertThat(pipeline.catalog.snapshots()).isEqualTo(snapshots);
        }

        private void steps(List<Step> steps) {
            for (Step step : steps) {
                if (step instanceof RunStep run) {
                    attempt(run);
                } else if (step instanceof LateSeal late) {
                    if (!zombies.isEmpty()) {
                        sealLate(zombies.remove(late.which() % zombies.size()));
                    }
                } else if (step instanceof NewRows more) {
                    pipeline.rows += more.count();
                } else if (step instanceof OthersCommit) {
                    pipeline.catalog.commitByOthers();
                } else {
                    pipeline.catalog.commitByOthers();
                    pipeline.catalog.expireHistory();
                }
                assertThat(pipeline.published()).doesNotHaveDuplicates();
            }
        }

        private void sealLate(Pipeline.Task zombie) {
            Pipeline.seal(CheckpointStore.attach(pipeline.storage, zombie.run().storeId()), zombie);
        }

        private void attempt(RunStep step) {
            try {
                run(step);
            } catch (CommitStateUnknownException unknown) {
                // Only what cannot be found out by asking again is the operator's.
                try (ActiveRun asking = pipeline.takeOver("asking")) {
                    assertThat(asking.hasCommittedEpochs()).isTrue();
                } catch (CommitStateUnknownException unprovable) {
                    pipeline.resolveByHand();
                }
            } catch (RefusedException refused) {
                assertThat(refused).hasMessageContaining("the table was dropped");
            } catch (Crash | CairnException | UncheckedIOException over) {
                // Killed, fenced, or told to try again.
            }
        }

        private void run(RunStep step) {
            Runnable meanwhile = () -> steps(step.meanwhile());
            Storage through = step.fault() == FaultyStorage.Fault.INTERRUPT
                    ? FaultyStorage.interrupted(pipeline.storage, step.hook() == 0 ? step.at() : 0, meanwhile)
                    : FaultyStorage.with(pipeline.storage, step.fault(), step.at());
            InMemoryCommitter committer = pipeline.committer().failing(step.catalog());
            switch (step.hook()) {
                case 1 -> committer.beforeBase(meanwhile);
                case 2 -> committer.beforeCommit(meanwhile);
                case 3 -> committer.afterCommit(meanwhile);
                default -> {}
            }
            try (ActiveRun run = pipeline.start("run", through, committer, true)) {
                List<Pipeline.Task> tasks = pipeline.plan(run);
                int sealed = Math.min(step.sealing(), tasks.size());
                zombies.addAll(tasks.subList(sealed, tasks.size()));
                tasks.subList(0, sealed).forEach(task -> Pipeline.seal(run.store(), task));
                if (step.fails() || sealed < tasks.size()) {
                    run.end(Outcome.FAILED, "a task failed", Figures.ZERO);
                } else {
                    run.commit(List.of());
                    run.end(Outcome.SUCCEEDED, "", Figures.ZERO);
                }
            }
        }
    }
}
