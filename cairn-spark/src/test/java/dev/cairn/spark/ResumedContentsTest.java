package dev.cairn.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.explode;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sequence;
import static org.apache.spark.sql.functions.udf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the output holds, and what is processed, run after run. */
class ResumedContentsTest extends SparkTest {
    private static final AtomicLong CALLS = new AtomicLong();
    private static final AtomicLong SEEN = new AtomicLong();
    /** The document in the middle of which the explosion fails; negative for none. */
    private static final AtomicInteger FAILING = new AtomicInteger(-1);

    private static final UserDefinedFunction EXPENSIVE = udf(
                    (UDF1<Long, Long>) id -> {
                        CALLS.incrementAndGet();
                        return id * 2;
                    },
                    DataTypes.LongType)
            .asNondeterministic();

    @BeforeEach
    void nothingWasCalled() {
        CALLS.set(0);
        FAILING.set(-1);
    }

    private void source(long from, long to, int files) {
        spark.range(from, to, 1, files)
                .withColumn("name", concat(lit("k"), col("id")))
                .withColumn("extra", lit("unused"))
                .write()
                .mode("append")
                .parquet(path("in"));
    }

    private Dataset<Row> input() {
        return spark.read().parquet(path("in"));
    }

    private void run(Dataset<Row> input) {
        checkpointed(input, "name")
                .withColumn("twice", EXPENSIVE.apply(col("id")))
                .filter("twice % 3 != 0")
                .select("id", "name", "twice")
                .write()
                .mode("append")
                .parquet(path("out"));
    }

    /** What one uninterrupted run over rows 0 … n-1 writes. */
    private List<String> expected(long n) {
        return rows(spark.range(n)
                .withColumn("name", concat(lit("k"), col("id")))
                .withColumn("twice", col("id").multiply(2))
                .filter("twice % 3 != 0")
                .select("id", "name", "twice"));
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void aSecondRunProcessesNothingAndChangesNothing(boolean codegen, boolean adaptive) throws Exception {
        source(0, 100, 5);
        withConf(
                Map.of(
                        "spark.sql.codegen.wholeStage",
                        Boolean.toString(codegen),
                        "spark.sql.adaptive.enabled",
                        Boolean.toString(adaptive)),
                () -> {
                    run(input());
                    assertThat(output("out")).isEqualTo(expected(100));
                    assertThat(CALLS).hasValue(100);
                    List<String> files = files("out");

                    run(input());
                    assertThat(output("out")).isEqualTo(expected(100));
                    assertThat(CALLS).hasValue(100);
                    assertThat(files("out")).isEqualTo(files);
                });
    }

    @Test
    void appendedInputIsProcessedAndNothingElse() {
        source(0, 100, 3);
        run(input());
        source(100, 130, 2);
        run(input());
        assertThat(CALLS).hasValue(130);
        assertThat(output("out")).isEqualTo(expected(130));
    }

    @Test
    void duplicateKeysWithinATaskAllPass() {
        source(0, 10, 1);
        Dataset<Row> twice = input().union(input()).coalesce(1);
        run(twice);
        assertThat(CALLS).hasValue(20);
        assertThat(output("out")).hasSize(2 * expected(10).size());
        run(twice);
        assertThat(CALLS).hasValue(20);
    }

    @Test
    void emptyInputGivesAReadableEmptyOutputAndSealsNothing() throws Exception {
        source(0, 0, 1);
        run(input());
        assertThat(output("out")).isEmpty();
        List<String> files = files("out");
        run(input());
        assertThat(files("out")).isEqualTo(files);
        assertThat(files("store").stream()
                        .filter(f -> f.startsWith("checkpoints/"))
                        .count())
                .isLessThanOrEqualTo(1);
    }

    @Test
    void rowsThatAreAllFilteredOutAreNotProcessedAgain() {
        source(0, 50, 2);
        for (int i = 0; i < 2; i++) {
            checkpointed(input(), "name")
                    .withColumn("twice", EXPENSIVE.apply(col("id")))
                    .filter("twice < 0")
                    .write()
                    .mode("append")
                    .parquet(path("out"));
            assertThat(CALLS).hasValue(50);
            assertThat(output("out")).isEmpty();
        }
    }

    @Test
    void anExplosionThatFailsInTheMiddleOfADocumentLosesNoPage() {
        source(0, 40, 8);
        UserDefinedFunction page = udf(
                        (org.apache.spark.sql.api.java.UDF2<Long, Integer, String>) (document, number) -> {
                            if (document == FAILING.get() && number == 57) {
                                throw new IllegalStateException("page 57 of document " + document);
                            }
                            return document + "/" + number;
                        },
                        DataTypes.StringType)
                .asNondeterministic();
        Runnable job = () -> checkpointed(input(), "name")
                .select(col("id"), explode(sequence(lit(1), lit(100))).as("number"))
                .select(page.apply(col("id"), col("number")).as("page"))
                .write()
                .mode("append")
                .parquet(path("out"));
        FAILING.set(23);
        assertThatThrownBy(job::run).hasStackTraceContaining("page 57 of document 23");
        FAILING.set(-1);
        job.run();
        assertThat(output("out")).hasSize(4000).doesNotHaveDuplicates();
    }

    @Test
    void theKeyColumnNeedNotBeSelected() {
        source(0, 30, 2);
        Dataset<Row> job = checkpointed(input(), "name").select(col("id"));
        job.write().mode("append").parquet(path("out"));
        job.write().mode("append").parquet(path("out"));
        assertThat(output("out")).hasSize(30);
    }

    @Test
    void aFilterThatIsDroppedLaterDoesNotBringSealedRowsBack() {
        source(0, 60, 3);
        run(input());
        checkpointed(input(), "name")
                .withColumn("twice", EXPENSIVE.apply(col("id")))
                .select("id", "name", "twice")
                .write()
                .mode("append")
                .parquet(path("out"));
        assertThat(CALLS).hasValue(60);
        assertThat(output("out")).isEqualTo(expected(60));
    }

    @Test
    void theKeyColumnMayBeRenamed() {
        source(0, 60, 3);
        run(input());
        checkpointed(input().withColumnRenamed("name", "title"), "title")
                .withColumn("twice", EXPENSIVE.apply(col("id")))
                .select(col("id"), col("title").as("name"), col("twice"))
                .write()
                .mode("append")
                .parquet(path("out"));
        assertThat(CALLS).hasValue(60);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7})
    void splitSizeAndRowOrderMayChange(int partitions) {
        source(0, 200, 4);
        run(input());
        source(200, 260, 2);
        withConf(
                Map.of("spark.sql.files.maxPartitionBytes", "512"),
                () -> run(input().orderBy(col("id").desc()).repartition(partitions)));
        assertThat(CALLS).hasValue(260);
        assertThat(output("out")).isEqualTo(expected(260));
    }

    @Test
    void nullIsAKeyLikeAnyOther() {
        Column[] columns = {col("a"), col("b")};
        Dataset<Row> rows =
                spark.sql("SELECT * FROM VALUES (1, 'x'), (NULL, 'x'), (1, NULL), (NULL, NULL), (NULL, ''), (2, '') "
                        + "AS t(a, b)");
        for (int i = 0; i < 2; i++) {
            checkpointed(rows, "a", "b")
                    .select(columns)
                    .withColumn("one", EXPENSIVE.apply(lit(1L)))
                    .write()
                    .mode("append")
                    .parquet(path("out"));
            assertThat(CALLS).hasValue(6);
            assertThat(output("out")).hasSize(6);
        }
        checkpointed(rows.union(spark.sql("SELECT 2, 'y'")), "a", "b")
                .select(columns)
                .withColumn("one", EXPENSIVE.apply(lit(1L)))
                .write()
                .mode("append")
                .parquet(path("out"));
        assertThat(CALLS).hasValue(7);
    }

    @Test
    void anIntegerKeyMayWidenAndIsComparedExactly() {
        Dataset<Row> narrow =
                spark.sql("SELECT CAST(id AS INT) AS k FROM range(20) UNION ALL SELECT CAST(NULL AS INT)");
        Dataset<Row> wide = narrow.selectExpr("CAST(k AS BIGINT) AS k")
                .union(spark.sql("SELECT 9007199254740992L UNION ALL SELECT 9007199254740993L"));
        for (Dataset<Row> input : List.of(narrow, narrow, wide, wide)) {
            checkpointed(input, "k")
                    .selectExpr("CAST(k AS BIGINT) AS k")
                    .write()
                    .mode("append")
                    .parquet(path("out"));
        }
        assertThat(output("out")).hasSize(23).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "orc", "csv", "json"})
    void everyFileFormatOfSparkResumes(String format) {
        source(0, 40, 2);
        for (int i = 0; i < 2; i++) {
            checkpointed(input(), "name")
                    .select("id", "name")
                    .write()
                    .mode("append")
                    .format(format)
                    .save(path("out"));
            assertThat(rows(spark.read()
                            .schema("id LONG, name STRING")
                            .format(format)
                            .load(path("out"))))
                    .hasSize(40);
        }
    }

    @Test
    void partitionedDirectoriesResume() {
        source(0, 40, 2);
        for (int i = 0; i < 2; i++) {
            checkpointed(input(), "name")
                    .select(col("name"), col("id").mod(3).as("third"))
                    .write()
                    .mode("append")
                    .partitionBy("third")
                    .parquet(path("out"));
            assertThat(output("out")).hasSize(40);
        }
    }

    @Test
    void aTableOfFilesResumes() {
        source(0, 40, 2);
        spark.sql("CREATE TABLE resumed (name STRING, twice BIGINT) USING parquet LOCATION '" + path("out") + "'");
        try {
            for (int i = 0; i < 2; i++) {
                spark.sql("INSERT INTO resumed SELECT name, id * 2 FROM (SELECT /*+ CHECKPOINT('" + store()
                        + "', 'name') */ * FROM parquet.`" + path("in") + "`)");
                assertThat(rows(spark.table("resumed"))).hasSize(40);
            }
        } finally {
            spark.sql("DROP TABLE resumed");
        }
    }

    @Test
    void actionsWithoutASinkSkipWhatTheyHaveSeen() {
        source(0, 40, 4);
        Dataset<Row> frame = checkpointed(input(), "name");
        assertThat(frame.collectAsList()).hasSize(40);
        assertThat(frame.collectAsList()).isEmpty();
        source(40, 45, 1);
        assertThat(checkpointed(input(), "name").collectAsList()).hasSize(5);
    }

    @Test
    void foreachPartitionAndNoopSealToo() {
        source(0, 40, 4);
        SEEN.set(0);
        checkpointed(input(), "name")
                .foreachPartition((org.apache.spark.api.java.function.ForeachPartitionFunction<Row>)
                        rows -> rows.forEachRemaining(row -> SEEN.incrementAndGet()));
        assertThat(SEEN).hasValue(40);
        for (String mode : List.of("append", "overwrite")) {
            checkpointed(input(), "name")
                    .withColumn("twice", EXPENSIVE.apply(col("id")))
                    .write()
                    .mode(mode)
                    .format("noop")
                    .save();
        }
        assertThat(CALLS).hasValue(0);
        source(40, 50, 1);
        checkpointed(input(), "name")
                .withColumn("twice", EXPENSIVE.apply(col("id")))
                .write()
                .mode("append")
                .format("noop")
                .save();
        assertThat(CALLS).hasValue(10);
    }
}
