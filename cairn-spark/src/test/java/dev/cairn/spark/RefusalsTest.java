package dev.cairn.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.monotonically_increasing_id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be guaranteed is refused before anything runs, by name, with what to do instead. */
class RefusalsTest extends SparkTest {
    @BeforeEach
    void source() {
        spark.range(10)
                .selectExpr("id", "concat('k', id) AS name", "id % 3 AS third", "CAST(id AS DOUBLE) AS real")
                .write()
                .parquet(path("in"));
    }

    @AfterEach
    void nothingRan() throws IOException {
        assertThat(files("store")).as("files of the store").isEmpty();
        assertThat(files("out")).as("files of the target").isEmpty();
    }

    private Dataset<Row> input() {
        return spark.read().parquet(path("in"));
    }

    private Dataset<Row> frame() {
        return checkpointed(input(), "name");
    }

    private static void refused(Runnable action, String condition, String... says) {
        Throwable thrown = catchThrowable(action::run);
        assertThat(thrown).isInstanceOf(SparkThrowable.class).hasMessageStartingWith("[CAIRN_" + condition + "] ");
        for (String text : says) {
            assertThat(thrown).hasMessageContaining(text);
        }
        assertThat(((SparkThrowable) thrown).getCondition()).isEqualTo("CAIRN_" + condition);
        assertThat(((SparkThrowable) thrown).getSqlState()).hasSize(5);
    }

    private void refusedOperator(Consumer<Dataset<Row>> action, String operator, String... says) {
        refused(() -> action.accept(frame()), "UNSUPPORTED_OPERATOR", "The operator " + operator + " ", store());
        refused(() -> action.accept(frame()), "UNSUPPORTED_OPERATOR", says);
    }

    @Test
    void lookingAtDataIsRefusedAndSaysHowToLook() {
        String how = "Cairn.preview(df)";
        refusedOperator(Dataset::count, "Aggregate", how);
        refusedOperator(Dataset::show, "Limit", how);
        refusedOperator(Dataset::head, "Limit", how);
        refusedOperator(frame -> frame.takeAsList(3), "Limit", how);
        refusedOperator(frame -> frame.tail(3), "Tail", how);
        refusedOperator(Dataset::isEmpty, "Limit", how);
        refusedOperator(frame -> frame.limit(3).collectAsList(), "Limit", how);
    }

    @Test
    void operatorsThatNeedOtherRowsAreRefusedWhereTheyAreWritten() {
        refusedOperator(frame -> frame.groupBy("third").count(), "Aggregate", "in a second job");
        refusedOperator(Dataset::distinct, "Deduplicate");
        refusedOperator(frame -> frame.dropDuplicates("third"), "Deduplicate");
        refusedOperator(frame -> frame.orderBy("id"), "Sort");
        refusedOperator(frame -> frame.repartition(3), "Repartition");
        refusedOperator(frame -> frame.repartition(col("third")), "RepartitionByExpression");
        refusedOperator(frame -> frame.join(spark.range(3).toDF("third"), "third"), "Join");
        refusedOperator(frame -> frame.union(input()), "Union");
        refusedOperator(frame -> frame.intersect(input()), "Intersect");
        refusedOperator(frame -> frame.except(input()), "Except");
        refusedOperator(frame -> frame.sample(0.5), "Sample");
        refusedOperator(frame -> frame.offset(2), "Offset");
        refusedOperator(frame -> frame.selectExpr("sum(id) OVER (PARTITION BY third)"), "Window");
        refusedOperator(
                frame -> frame.groupBy("third")
                        .pivot("id", java.util.List.of(1, 2))
                        .count(),
                "Aggregate");
    }

    @Test
    void idsThatWouldRepeatAreRefused() {
        refused(
                () -> frame().withColumn("row", monotonically_increasing_id()),
                "UNSUPPORTED_OPERATOR",
                "monotonically_increasing_id()",
                "uuid()");
    }

    @Test
    void aCheckpointInASubqueryExpressionIsRefused() {
        frame().createOrReplaceTempView("checkpointed");
        refused(
                () -> spark.sql("SELECT * FROM range(3) WHERE id IN (SELECT id FROM checkpointed)"),
                "UNSUPPORTED_OPERATOR",
                "subquery");
    }

    @Test
    void twoCheckpointsInOneQueryAreRefused() {
        refused(
                () -> frame().hint("checkpoint", path("other"), "name"),
                "MULTIPLE_CHECKPOINTS",
                path("other"),
                store());
        Dataset<Row> once = frame();
        refused(() -> once.union(once), "MULTIPLE_CHECKPOINTS");
    }

    @ParameterizedTest
    @CsvSource({"errorifexists, mode(\"append\")", "ignore, mode(\"append\")", "overwrite, mode(\"append\")"})
    void modesThatReplaceOrWorkOnceAreRefused(String mode, String remedy) {
        refused(() -> frame().write().mode(mode).parquet(path("out")), "UNSUPPORTED_SINK", path("out"), remedy);
    }

    @Test
    void theDefaultModeIsRefused() {
        refused(() -> frame().write().parquet(path("out")), "UNSUPPORTED_SINK", "the default of save()", "append");
    }

    @Test
    void creatingATableFromTheQueryIsRefused() {
        refused(
                () -> frame().write()
                        .format("parquet")
                        .option("path", path("out"))
                        .saveAsTable("made"),
                "UNSUPPORTED_SINK",
                "CREATE TABLE IF NOT EXISTS");
    }

    @Test
    void sinksThatReadTheQueryInTheirOwnWayAreRefused() {
        refused(
                () -> frame().write()
                        .mode("append")
                        .format("jdbc")
                        .option("url", "jdbc:none")
                        .option("dbtable", "t")
                        .save(),
                "UNSUPPORTED_SINK",
                "JdbcRelationProvider");
    }

    @Test
    void cachedCheckpointsAreRefused() {
        Dataset<Row> cached = frame().cache();
        try {
            refused(cached::collectAsList, "UNSUPPORTED_ACTION", "unpersist()", "Cairn.preview(df).cache()");
        } finally {
            cached.unpersist();
        }
    }

    @Test
    void rddsAreRefusedWithTheActionsToUse() {
        refused(() -> frame().toJavaRDD().count(), "UNSUPPORTED_ACTION", "foreachPartition", "mapInPandas");
        refused(() -> frame().rdd().getNumPartitions(), "UNSUPPORTED_ACTION");
    }

    @Test
    void actionsThatKeepRowsWhereSparkMayLoseThemAreRefused() {
        refused(() -> frame().localCheckpoint(), "UNSUPPORTED_ACTION", "localCheckpoint");
        refused(() -> frame().localCheckpoint(false), "UNSUPPORTED_ACTION", "localCheckpoint");
        spark.sparkContext().setCheckpointDir(path("spark-checkpoints"));
        refused(() -> frame().checkpoint(), "UNSUPPORTED_ACTION", "checkpoint");
        frame().createOrReplaceTempView("to_cache");
        refused(() -> spark.sql("CACHE TABLE to_cache"), "UNSUPPORTED_ACTION", "would be cached");
        spark.sql("UNCACHE TABLE IF EXISTS to_cache");
    }

    @Test
    void reductionsAreRefused() {
        refused(
                () -> frame().select("id")
                        .as(org.apache.spark.sql.Encoders.LONG())
                        .reduce((org.apache.spark.api.java.function.ReduceFunction<Long>) Long::sum),
                "UNSUPPORTED_ACTION",
                "reduced");
    }

    @Test
    void switchedOffHintsAreFoundOut() {
        withConf(Map.of("spark.sql.optimizer.disableHints", "true"), () -> {
            refused(() -> spark.sql("SELECT cairn_version()"), "EXTENSION_MISSING", "disableHints");
            refused(() -> Checkpoint.at(store()).on("name").applyTo(input()), "EXTENSION_MISSING", "disableHints");
        });
    }

    @Test
    void keysThatCannotBeComparedAreRefused() {
        refused(
                () -> checkpointed(input(), "real"),
                "UNSUPPORTED_KEY",
                "DOUBLE",
                "cast it: .withColumn(\"key\", col(\"real\").cast(\"decimal(38, 9)\"))");
        refused(
                () -> checkpointed(input().selectExpr("named_struct('a', id) AS s"), "s"),
                "UNSUPPORTED_KEY",
                "Name the fields");
        refused(
                () -> checkpointed(input().selectExpr("array(id) AS a"), "a"),
                "UNSUPPORTED_KEY",
                "to_json(col(\"a\"))");
        refused(
                () -> checkpointed(input().selectExpr("name COLLATE UTF8_LCASE AS c"), "c"),
                "UNSUPPORTED_KEY",
                "collation");
    }

    @Test
    void keysThatDifferFromRunToRunAreRefused() {
        refused(() -> checkpointed(input().withColumn("u", expr("uuid()")), "u"), "UNSUPPORTED_KEY", "uuid()");
        refused(
                () -> checkpointed(
                        input().withColumn("m", monotonically_increasing_id()).filter("m > 2"), "m"),
                "UNSUPPORTED_KEY",
                "monotonically_increasing_id()");
        refused(
                () -> checkpointed(
                        input().select("name")
                                .union(input().select(expr("uuid()")))
                                .toDF("k"),
                        "k"),
                "UNSUPPORTED_KEY",
                "uuid()");
        refused(
                () -> checkpointed(input().selectExpr("explode(array(uuid())) AS k"), "k"),
                "UNSUPPORTED_KEY",
                "uuid()");
        refused(
                () -> checkpointed(input().selectExpr("concat(name, current_timestamp()) AS k"), "k"),
                "UNSUPPORTED_KEY",
                "current_timestamp()");
    }

    @Test
    void anUnknownKeyColumnGetsSparksOwnSuggestion() {
        Throwable thrown = catchThrowable(() -> checkpointed(input(), "nmae"));
        assertThat(thrown)
                .hasMessageContaining("nmae")
                .hasMessageContaining("Did you mean")
                .hasMessageContaining("name");
    }

    @Test
    void wrongHintArgumentsAreRefusedWithTheRightForm() {
        refused(() -> input().hint("checkpoint"), "INVALID_CHECKPOINT", "has no arguments", "CHECKPOINT('<store>'");
        refused(() -> input().hint("checkpoint", store()), "INVALID_CHECKPOINT", "names no key column");
        refused(() -> input().hint("checkpoint", " ", "name"), "INVALID_CHECKPOINT", "names no store");
        refused(() -> input().hint("checkpoint", 7, "name"), "INVALID_CHECKPOINT", "Argument 1");
        refused(() -> input().hint("checkpont", store(), "name"), "INVALID_CHECKPOINT", "Did you mean checkpoint?");
        assertThat(input().hint("broadcast").count()).isEqualTo(10);
    }

    @Test
    void settingsThatMeanNothingAreRefused() {
        withConf(
                Map.of("spark.cairn.takeOver", "true"),
                () -> refused(
                        () -> frame().collectAsList(),
                        "INVALID_SETTING",
                        "spark.cairn.takeOver",
                        "spark.cairn.takeover"));
        withConf(
                Map.of("spark.cairn.heartbeatInterval", "1ms"),
                () -> refused(() -> frame().collectAsList(), "INVALID_SETTING", "from 100ms"));
    }

    @Test
    void placesThatCannotHoldAStoreAreRefused() throws IOException {
        Files.writeString(directory.resolve("a-file"), "x");
        refused(
                () -> input().hint("checkpoint", path("a-file"), "name").collectAsList(),
                "INVALID_STORE_LOCATION",
                path("a-file"));
        refused(
                () -> input().hint("checkpoint", "nowhere://a/b", "name").collectAsList(),
                "INVALID_STORE_LOCATION",
                "nowhere",
                "file");
    }

    @Test
    void aStoreServesOneDestinationOnly() throws IOException {
        String other = path("other-store");
        input().hint("checkpoint", other, "name").write().mode("append").parquet(path("first"));
        refused(
                () -> input().hint("checkpoint", other, "name")
                        .write()
                        .mode("append")
                        .parquet(path("out")),
                "STORE_MISMATCH",
                path("first"),
                path("out"));
        refused(() -> input().hint("checkpoint", other, "name").collectAsList(), "STORE_MISMATCH", path("first"));
        refused(
                () -> input().hint("checkpoint", other, "id")
                        .write()
                        .mode("append")
                        .parquet(path("first")),
                "STORE_MISMATCH",
                "string",
                "integer");
    }
}
