package dev.cairn.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Spark's optimizer may do to a checkpointed plan, and what it may not. */
class PlansTest extends SparkTest {
    @BeforeEach
    void source() {
        spark.range(10)
                .selectExpr("id", "concat('k', id) AS name", "id % 3 AS third", "'unused' AS extra")
                .write()
                .parquet(path("in"));
    }

    private String plan(UnaryOperator<Dataset<Row>> above) {
        Dataset<Row> frame = above.apply(checkpointed(spark.read().parquet(path("in")), "name"));
        return ((org.apache.spark.sql.classic.Dataset<Row>) frame)
                .queryExecution()
                .executedPlan()
                .toString();
    }

    @Test
    void noFilterIsPushedBelowTheCheckpoint() {
        String plan = plan(frame -> frame.filter("third = 1 AND name IS NOT NULL"));
        assertThat(plan).contains("PushedFilters: []").contains("DataFilters: []");
        assertThat(plan.indexOf("Filter (")).isLessThan(plan.indexOf("StageCheckpointKeys"));
    }

    @Test
    void unusedColumnsArePrunedAndTheKeyIsKept() {
        String plan = plan(frame -> frame.select(col("id")));
        assertThat(plan).contains("ReadSchema: struct<id:bigint,name:string>");
    }

    @Test
    void theNodeIsPartOfTheGeneratedCode() {
        String plan = plan(
                frame -> frame.filter("third = 1").withColumn("more", col("id").plus(1)));
        assertThat(plan).containsPattern("\\*\\(1\\) StageCheckpointKeys").containsPattern("\\*\\(1\\) Filter");
    }

    @Test
    void theNodeIsNamedReadably() {
        assertThat(plan(frame -> frame)).containsPattern("StageCheckpointKeys \\[name#\\d+] at " + store());
    }

    @Test
    void analysisAndExplanationsStartNothing() throws Exception {
        Dataset<Row> frame =
                checkpointed(spark.read().parquet(path("in")), "name").filter("third = 1");
        assertThat(frame.schema().fieldNames()).contains("name");
        plan(f -> f);
        frame.createOrReplaceTempView("a_view");
        spark.sql("EXPLAIN SELECT * FROM a_view").collectAsList();
        assertThat(files("store")).isEmpty();
        assertThat(spark.table("a_view").collectAsList()).hasSize(3);
        assertThat(spark.table("a_view").collectAsList()).isEmpty();
    }

    @Test
    void adaptiveExecutionReplansWithOneCheckpoint() {
        withConf(Map.of("spark.sql.adaptive.forceApply", "true"), () -> {
            for (int expected : List.of(10, 0)) {
                Dataset<Row> shuffled = spark.read().parquet(path("in")).repartition(3);
                assertThat(checkpointed(shuffled, "name").collectAsList()).hasSize(expected);
            }
        });
    }

    @Test
    void anInputThatIsProvenEmptyRunsAndSealsNothing() throws Exception {
        Dataset<Row> frame =
                checkpointed(spark.read().parquet(path("in")), "name").filter("1 = 0");
        assertThat(frame.collectAsList()).isEmpty();
        assertThat(files("store")).isEmpty();
    }

    @Test
    void whatLiesBelowTheCheckpointIsFree() {
        Dataset<Row> in = spark.read().parquet(path("in"));
        Dataset<Row> below = in.join(in.groupBy("third").count(), "third")
                .distinct()
                .union(in.selectExpr("third", "id + 100", "concat('x', name)", "extra", "1L")
                        .limit(4));
        for (int expected : List.of(14, 0)) {
            assertThat(checkpointed(below, "name").collectAsList()).hasSize(expected);
        }
    }
}
