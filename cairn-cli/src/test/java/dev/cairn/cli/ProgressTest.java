package dev.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cairn.cli.Progress.Rows;
import dev.cairn.store.Figures;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final Progress progress = new Progress("embed", 0);

    @Test
    void aStatementWithoutCheckpointHasNoProgress() {
        assertThat(progress.isCheckpointed()).isFalse();
    }

    @Test
    void theLineCountsTheTasksThatStillRun() {
        progress.tasks(4);
        progress.ended(1, new Rows(100, 5), 10_000);
        progress.running(2, new Rows(40, 0));
        progress.running(2, new Rows(50, 2));

        assertThat(progress.line(10_000))
                .isEqualTo("embed: 1/4 tasks done · 150 rows processed · 7 skipped · 15 rows/s · about 30 s left");
    }

    @Test
    void whatAFailedTaskDidDoesNotCount() {
        progress.tasks(2);
        progress.running(1, new Rows(40, 0));
        progress.failed(1);

        assertThat(progress.line(10_000)).isEqualTo("embed: 0/2 tasks done · 0 rows processed");
    }

    @Test
    void tasksThatOnlySkipDoNotMakeTheTimeLeftLookShort() {
        progress.tasks(4);
        progress.ended(1, new Rows(0, 100), 10);
        progress.ended(2, new Rows(10, 0), 60_000);

        assertThat(progress.line(60_000)).endsWith("about 2 min 0 s left");
    }

    @Test
    void theRateIsThatOfTheLastSeconds() {
        progress.tasks(9);
        for (int second = 1; second <= 100; second++) {
            progress.running(1, new Rows(second <= 50 ? 0 : (second - 50) * 20, 0));
            progress.line(second * 1000L);
        }

        assertThat(progress.line(101_000)).contains("· 19 rows/s");
    }

    @Test
    void theSummaryGivesTheFiguresOfTheRun() {
        progress.tasks(50);
        progress.committed(3);

        assertThat(progress.summary(Optional.of(new Figures(12_345, 6_789, 42, 50, 1, 125_000)), 125_000))
                .isEqualTo(
                        "embed: 12,345 rows processed, 6,789 skipped, 42 tasks sealed, epoch 3 committed in 2 min 5 s");
    }

    @Test
    void theSummarySaysWhenThereWasNothingToCommit() {
        progress.tasks(1);
        progress.ended(1, new Rows(0, 3), 10);

        assertThat(progress.summary(Optional.empty(), 400))
                .isEqualTo("embed: 0 rows processed, 3 skipped, 0 tasks sealed, nothing to commit in 0.4 s");
    }
}
