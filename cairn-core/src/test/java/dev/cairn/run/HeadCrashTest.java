package dev.cairn.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cairn.CairnException;
import dev.cairn.CommitStateUnknownException;
import dev.cairn.commit.InMemoryCommitter;
import dev.cairn.storage.FaultyStorage;
import dev.cairn.storage.FaultyStorage.Crash;
import dev.cairn.storage.InMemoryStorage;
import dev.cairn.store.Figures;
import dev.cairn.store.Outcome;
import dev.cairn.store.Sealing;
import java.io.UncheckedIOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every storage call of two runs goes wrong in turn; whatever happens, every row is published once in the end. */
class HeadCrashTest {
    @ParameterizedTest(name = "{0}, catalog {1}, sealing {2}")
    @CsvSource({
        "CRASH,NONE,TASK",
        "CRASH,REPLY_LOST,TASK",
        "CRASH,REQUEST_LOST,TASK",
        "CRASH,NONE,JOB",
        "CRASH,REPLY_LOST,JOB",
        "CRASH,REQUEST_LOST,JOB",
        "LOSE_REPLY,NONE,TASK",
        "LOSE_REPLY,REPLY_LOST,TASK",
        "LOSE_REPLY,REQUEST_LOST,TASK",
        "LOSE_REPLY,NONE,JOB",
        "LOSE_REPLY,REPLY_LOST,JOB",
        "FAIL,NONE,TASK",
        "FAIL,REPLY_LOST,TASK",
        "FAIL,NONE,JOB"
    })
    void oneFaultAnywhereLosesAndDoublesNoRow(
            FaultyStorage.Fault fault, InMemoryCommitter.Fault catalogFault, Sealing sealing) {
        long calls = play(FaultyStorage.Fault.FAIL, 0, catalogFault, sealing);
        assertThat(calls).isGreaterThan(30);
        for (long at = 1; at <= calls; at++) {
            play(fault, at, catalogFault, sealing);
        }
    }

    /** @return how many calls the first two runs made */
    private static long play(
            FaultyStorage.Fault fault, long at, InMemoryCommitter.Fault catalogFault, Sealing sealing) {
        String scenario = fault + " at call " + at + ", catalog " + catalogFault + ", sealing " + sealing;
        Pipeline pipeline = new Pipeline(new InMemoryStorage(), 6);
        pipeline.sealing = sealing;
        FaultyStorage faulty = FaultyStorage.with(pipeline.storage, fault, at);

        // A run that loses a task, then one that the catalog may leave in the dark: as far as they get.
        attempt(() -> {
            try (ActiveRun run = pipeline.start("first", faulty, pipeline.committer(), false)) {
                pipeline.plan(run).stream().limit(2).forEach(task -> Pipeline.seal(run.store(), task));
                run.end(Outcome.FAILED, "a task failed", Figures.ZERO);
            }
        });
        attempt(() -> {
            try (ActiveRun run =
                    pipeline.start("second", faulty, pipeline.committer().failing(catalogFault), false)) {
                pipeline.complete(run);
            }
        });
        assertThat(pipeline.published()).as(scenario).doesNotHaveDuplicates();

        pipeline.rows = 8;
        pipeline.run("third");
        assertThat(pipeline.published()).as(scenario).isEqualTo(pipeline.everyRowOnce());
        int snapshots = pipeline.catalog.snapshots();
        pipeline.run("fourth");
        assertThat(pipeline.catalog.snapshots()).as(scenario).isEqualTo(snapshots);
        return faulty.calls();
    }

    private static void attempt(Runnable run) {
        try {
            run.run();
        } catch (Crash killed) {
            // The process is gone; the next run finds what it left.
        } catch (CommitStateUnknownException asPlanned) {
            // So is this one, as far as its user can tell.
        } catch (CairnException | UncheckedIOException failed) {
            // The user tries again.
        }
    }
}
