package dev.cairn.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Spark loses shuffled input of the checkpoint while its tasks run, and computes it again. */
class RecomputedInputTest extends SparkTest {
    private static final int ROWS = 300;

    /** Whether tasks still find their shuffled input lost. */
    private static final AtomicBoolean LOST = new AtomicBoolean();

    private static final AtomicInteger REPEATED = new AtomicInteger();

    @BeforeEach
    void inputGetsLost() {
        LOST.set(true);
        REPEATED.set(0);
    }

    private void run(boolean deterministic) {
        withConf(
                Map.of(
                        "spark.sql.execution.sortBeforeRepartition",
                        Boolean.toString(deterministic),
                        "spark.sql.adaptive.enabled",
                        "false"),
                () -> {
                    Dataset<Row> shuffled = spark.range(0, ROWS, 1, 4)
                            .selectExpr("id % 1000 AS id")
                            .distinct()
                            .repartition(3);
                    checkpointed(shuffled, "id")
                            .as(Encoders.LONG())
                            .mapPartitions((MapPartitionsFunction<Long, Long>) LosingInput::new, Encoders.LONG())
                            .write()
                            .mode("append")
                            .parquet(path("out"));
                });
    }

    @Test
    void deterministicInputIsExactAtOnce() {
        run(true);
        assertThat(REPEATED).hasPositiveValue();
        assertThat(output("out")).hasSize(ROWS).doesNotHaveDuplicates();
    }

    @Test
    void inputThatComesOutDifferentlyFailsTheRunAndTheNextOneIsExact() {
        assertThatThrownBy(() -> run(false))
                .isInstanceOf(CheckpointException.class)
                .hasMessageStartingWith("[CAIRN_INPUT_CHANGED]")
                .hasMessageContaining("the next run is exact");
        LOST.set(false);
        run(false);
        assertThat(output("out")).hasSize(ROWS).doesNotHaveDuplicates();
    }

    /** Reports at the first row, in each task of the stage's first attempt, that the shuffled input is gone. */
    private static final class LosingInput implements Iterator<Long> {
        private final Iterator<Long> rows;

        LosingInput(Iterator<Long> rows) {
            this.rows = rows;
        }

        @Override
        public boolean hasNext() {
            return rows.hasNext();
        }

        @Override
        public Long next() {
            TaskContext task = TaskContext.get();
            if (task.stageAttemptNumber() > 0) {
                REPEATED.incrementAndGet();
            } else if (LOST.get()) {
                throw lost(task);
            }
            return rows.next();
        }

        private static RuntimeException lost(TaskContext task) {
            MapOutputTrackerMaster tracker =
                    (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
            int newest = -1;
            scala.collection.Iterator<Object> shuffles =
                    tracker.shuffleStatuses().keysIterator();
            while (shuffles.hasNext()) {
                newest = Math.max(newest, (Integer) shuffles.next());
            }
            // Making the exception is enough: it marks the task as one that lost its input, whatever is thrown on.
            FetchFailedException failed =
                    new FetchFailedException(null, newest, -1L, -1, task.partitionId(), "lost by the test", null);
            return new IllegalStateException(failed);
        }
    }
}
