package dev.cairn.spark;

import static org.apache.spark.sql.functions.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cairn.spark.fault.Audit;
import dev.cairn.spark.fault.Failing;
import dev.cairn.spark.fault.Failing.How;
import dev.cairn.spark.fault.Failing.When;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The first attempt of every task fails, before its seal or after it, and Spark repeats it. */
class RetryTest extends SparkTest {
    private static final int PARTITIONS = 4;

    /** What consumers saw; static because they are serialized. */
    private static final Queue<String> CONSUMED = new ConcurrentLinkedQueue<>();

    private Path markers;

    @BeforeEach
    void prepare() throws IOException {
        markers = Files.createDirectory(directory.resolve("markers"));
        CONSUMED.clear();
    }

    private Dataset<Row> input() {
        return spark.range(0, 60, 1, PARTITIONS).withColumn("name", concat(lit("key-"), col("id")));
    }

    private static Dataset<Row> process(Dataset<Row> frame) {
        return frame.filter("id % 3 != 0").withColumn("part", explode(array(lit(1), lit(2))));
    }

    private Dataset<Row> failing(When when) {
        return Failing.in(process(checkpointed(input(), "name")), when, How.EXCEPTION, markers);
    }

    private void assertEveryTaskFailedOnce() throws IOException {
        assertThat(files("markers")).hasSize(PARTITIONS);
    }

    private void assertOneCheckpointForEachPartition() throws IOException {
        assertThat(files("store"))
                .filteredOn(name -> name.startsWith("checkpoints/"))
                .containsExactlyElementsOf(IntStream.range(0, PARTITIONS)
                        .mapToObj(partition -> String.format("checkpoints/%020d/%010d.parquet", 0, partition))
                        .toList());
        assertThat(files("store")).noneMatch(name -> name.startsWith(".pending/"));
    }

    @ParameterizedTest
    @EnumSource
    void filesHoldEveryRowOnce(When when) throws Exception {
        failing(when).write().mode("append").parquet(path("out"));

        assertEveryTaskFailedOnce();
        assertThat(output("out")).isEqualTo(rows(process(input())));
        assertOneCheckpointForEachPartition();
        assertThat(files("out"))
                .filteredOn(name -> name.startsWith("part-"))
                .as("published files")
                .hasSize(PARTITIONS);
        Audit.assertSettled("file:" + store(), directory.resolve("store"), directory.resolve("out"));
    }

    @ParameterizedTest
    @EnumSource
    void partitionedFilesHoldEveryRowOnce(When when) throws Exception {
        failing(when).write().mode("append").partitionBy("part").parquet(path("out"));

        assertEveryTaskFailedOnce();
        assertThat(rows(spark.read().parquet(path("out")).select("id", "name", "part")))
                .isEqualTo(rows(process(input())));
        assertOneCheckpointForEachPartition();
        assertThat(files("out")).noneMatch(name -> name.contains("/staging/"));
    }

    @ParameterizedTest
    @EnumSource
    void collectReturnsEveryRowOnce(When when) throws Exception {
        List<String> collected = rows(failing(when));

        assertEveryTaskFailedOnce();
        assertThat(collected).isEqualTo(rows(process(input())));
        assertOneCheckpointForEachPartition();
    }

    /** A consumer may see the rows of a repeated task again: its side effects are its own. */
    @ParameterizedTest
    @EnumSource
    void foreachPartitionSeesEveryRow(When when) throws Exception {
        failing(when).foreachPartition((ForeachPartitionFunction<Row>)
                rows -> rows.forEachRemaining(row -> CONSUMED.add(row.toString())));

        assertEveryTaskFailedOnce();
        assertThat(CONSUMED.stream().distinct().sorted().toList()).isEqualTo(rows(process(input())));
        assertOneCheckpointForEachPartition();
    }

    @Test
    void foreachPartitionWhoseConsumerFailedIsNotSealedBeforeItsRepetition() throws Exception {
        Path failed = markers;
        process(checkpointed(input(), "name")).foreachPartition(consumerThatFailsAtItsEnd(failed.toString()));

        assertEveryTaskFailedOnce();
        assertThat(CONSUMED.stream().distinct().sorted().toList()).isEqualTo(rows(process(input())));
        assertOneCheckpointForEachPartition();
    }

    private static ForeachPartitionFunction<Row> consumerThatFailsAtItsEnd(String markers) {
        return rows -> {
            rows.forEachRemaining(row -> CONSUMED.add(row.toString()));
            if (TaskContext.get().attemptNumber() == 0) {
                Files.createFile(Path.of(markers, "failed-" + TaskContext.getPartitionId()));
                throw new IllegalStateException("failed on purpose");
            }
        };
    }

    @Test
    void taskThatFailsAsOftenAsSparkAllowsLeavesTheSealsOfTheOthers() throws Exception {
        String poison = "key-50";
        Dataset<Row> frame = process(checkpointed(input(), "name"))
                .withColumn(
                        "checked",
                        when(col("name").equalTo(poison), raise_error(lit("failed on purpose")))
                                .otherwise(col("name")));
        assertThat(catchThrowable(() -> frame.write().mode("append").parquet(path("out"))))
                .isNotNull();
        assertThat(files("out")).noneMatch(name -> name.startsWith("part-"));

        process(checkpointed(input(), "name"))
                .withColumn("checked", col("name"))
                .write()
                .mode("append")
                .parquet(path("out"));

        assertThat(output("out")).isEqualTo(rows(process(input()).withColumn("checked", col("name"))));
        Audit.assertSettled("file:" + store(), directory.resolve("store"), directory.resolve("out"));
    }
}
