package dev.cairn.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.udf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

/** What can be a key, and when two keys are the same. */
class KeysTest extends SparkTest {
    private static final AtomicLong CALLS = new AtomicLong();

    private static final UserDefinedFunction EXPENSIVE = udf(
                    (UDF1<Long, Long>) id -> {
                        CALLS.incrementAndGet();
                        return id;
                    },
                    DataTypes.LongType)
            .asNondeterministic();

    @BeforeEach
    void nothingWasCalled() {
        CALLS.set(0);
    }

    /** Processes the frame, which has a column {@code id} to tell its rows by, and says how many rows were processed. */
    private long process(Dataset<Row> frame, String... key) {
        long before = CALLS.get();
        checkpointed(frame, key)
                .select(EXPENSIVE.apply(col("id")).as("id"))
                .write()
                .mode("append")
                .parquet(path("out"));
        return CALLS.get() - before;
    }

    /** A frame of rows (id, key columns), numbered from 0. */
    private Dataset<Row> frame(String columns, String... rows) {
        return spark.sql("SELECT * FROM VALUES "
                + IntStream.range(0, rows.length)
                        .mapToObj(i -> "(" + i + "L, " + rows[i] + ")")
                        .collect(Collectors.joining(", "))
                + " AS t(id, " + columns + ")");
    }

    private void assertOutput(long rows) {
        assertThat(output("out"))
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, (int) rows)
                        .mapToObj(i -> "[" + i + "]")
                        .toList());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "concat('key ', id)",
                "CAST(id - 20 AS TINYINT)",
                "CAST(id * 1000 - 16384 AS SMALLINT)",
                "CAST(id * 50000000 AS INT)",
                "id * 200000000000000000 + 1",
                "CAST(concat('key ', id) AS BINARY)",
                "unhex(lpad(hex(id), 16, '0'))",
                "date_add(DATE'1969-12-20', CAST(id AS INT))",
                "timestamp_micros(id * 1000001 - 20000000)",
                "CAST(timestamp_micros(id * 1000001 - 20000000) AS TIMESTAMP_NTZ)",
                "CAST(id AS DECIMAL(10, 2)) / 4 - 3",
                "CAST(id AS DECIMAL(38, 10)) * 1234567890123456789",
                "CAST(concat('varying ', id) AS VARCHAR(20))",
                "CAST(concat('fixed ', id) AS CHAR(20))",
            })
    void aKeyOfEachTypeIsRecognisedWhenItComesAgain(String key) {
        Dataset<Row> all = spark.range(0, 40, 1, 3).selectExpr("id", "IF(id = 7, NULL, " + key + ") AS k");
        for (String codegen : List.of("true", "false")) {
            withConf(Map.of("spark.sql.codegen.wholeStage", codegen), () -> {
                String some = codegen.equals("true") ? "id % 3 = 0 OR id = 7" : "id % 3 <= 1";
                long fresh = codegen.equals("true") ? 15 : 12;
                assertThat(process(all.filter(some), "k")).isEqualTo(fresh);
                assertThat(process(all.filter(some), "k")).isZero();
            });
        }
        assertThat(process(all, "k")).isEqualTo(13);
        assertThat(process(all, "k")).isZero();
        assertOutput(40);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void booleansAreKeysOfWhichThereAreThree(String codegen) {
        Dataset<Row> two = frame("b", "true", "true", "NULL").coalesce(1);
        withConf(Map.of("spark.sql.codegen.wholeStage", codegen), () -> {
            assertThat(process(two, "b")).isEqualTo(3);
            assertThat(process(frame("b", "NULL", "true", "true", "false"), "b"))
                    .isEqualTo(1);
        });
        assertOutput(4);
    }

    @Test
    void numbersThatADoubleCannotTellApartAreDifferentKeys() {
        Dataset<Row> all = frame("n", "9007199254740992L", "NULL", "9007199254740993L", "-9007199254740993L");
        assertThat(process(all.filter("id = 0"), "n")).isEqualTo(1);
        assertThat(process(all.filter("id IN (0, 1)"), "n")).isEqualTo(1);
        assertThat(process(all, "n")).isEqualTo(2);
        assertOutput(4);
    }

    @Test
    void stringsAreComparedByTheirBytes() {
        String composed = "'\u00e9'";
        String decomposed = "'e\u0301'";
        Dataset<Row> all = frame("s", "''", "NULL", composed, decomposed, "'e'", "'E'", "' e'", "'e '", "'\\u0000'");
        for (int i = 0; i < 9; i++) {
            assertThat(process(all.filter("id <= " + i), "s")).isEqualTo(1);
        }
        assertOutput(9);
    }

    @Test
    void longKeysThatDifferInTheirLastByteAreDifferent() {
        Dataset<Row> all = spark.range(0, 4, 1, 1)
                .selectExpr(
                        "id", "concat(repeat('x', 65535), id) AS s", "CAST(repeat('y', 65536 + id) AS BINARY) AS b");
        assertThat(process(all.filter("id < 2"), "s", "b")).isEqualTo(2);
        assertThat(process(all, "s", "b")).isEqualTo(2);
        assertOutput(4);
    }

    @Test
    void aKeyOfEightColumnsMayHaveNullInEveryPosition() {
        String[] columns = {"a", "b", "c", "d", "e", "f", "g", "h"};
        String[] values = {
            "1", "'x'", "true", "DATE'2026-01-02'", "TIMESTAMP'2026-01-02 03:04:05Z'", "X'00'", "1.5BD", "2S"
        };
        String[] rows = IntStream.rangeClosed(0, 8)
                .mapToObj(none -> IntStream.range(0, 8)
                        .mapToObj(i -> i == none ? "NULL" : values[i])
                        .collect(Collectors.joining(", ")))
                .toArray(String[]::new);
        Dataset<Row> all = frame(String.join(", ", columns), rows);
        for (int i = 0; i < rows.length; i++) {
            assertThat(process(all.filter("id <= " + i), columns)).isEqualTo(1);
        }
        assertOutput(9);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INT            | BIGINT",
                "TINYINT        | INT",
                "DECIMAL(10, 2) | DECIMAL(12, 4)",
                "DECIMAL(18, 0) | DECIMAL(38, 5)",
                "VARCHAR(10)    | STRING",
            })
    void aStoreKeepsWorkingWhenItsKeyIsWidened(String before, String after) {
        Dataset<Row> numbers = spark.range(0, 10, 1, 2).selectExpr("id", "id * 10 AS n");
        assertThat(process(numbers.filter("id < 6").selectExpr("id", "CAST(n AS " + before + ") AS k"), "k"))
                .isEqualTo(6);
        assertThat(process(numbers.selectExpr("id", "CAST(n AS " + after + ") AS renamed"), "renamed"))
                .isEqualTo(4);
        assertOutput(10);
    }

    @Test
    void pointsInTimeAreTheSameInEveryZone() {
        spark.range(0, 6, 1, 2)
                .selectExpr("id", "timestamp_micros(id * 3600000000) AS t", "DATE'2026-03-29' AS d")
                .write()
                .parquet(path("in"));
        Dataset<Row> source = spark.read().parquet(path("in"));
        withConf(
                Map.of("spark.sql.session.timeZone", "Asia/Kathmandu"),
                () -> assertThat(process(source.filter("id < 4"), "t", "d")).isEqualTo(4));
        withConf(Map.of("spark.sql.session.timeZone", "America/St_Johns"), () -> assertThat(process(source, "t", "d"))
                .isEqualTo(2));
        assertOutput(6);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "to_date(t)",
                "CAST(t AS STRING)",
                "date_format(t, 'yyyyMM')",
                "CAST(CAST(t AS STRING) AS TIMESTAMP)"
            })
    void aKeyThatDependsOnTheZoneBindsTheStoreToIt(String key) {
        Supplier<Dataset<Row>> source = () -> spark.range(0, 2, 1, 1)
                .selectExpr("id", "timestamp_micros(id * 3000000000000) AS t")
                .selectExpr("id", key + " AS k");
        withConf(Map.of("spark.sql.session.timeZone", "Asia/Kathmandu"), () -> assertThat(process(source.get(), "k"))
                .isEqualTo(2));
        withConf(Map.of("spark.sql.session.timeZone", "America/St_Johns"), () -> assertThatThrownBy(
                        () -> process(source.get(), "k"))
                .hasMessageContaining("CAIRN_STORE_MISMATCH")
                .hasMessageContaining("computed in the time zone Asia/Kathmandu")
                .hasMessageContaining("computed in the time zone America/St_Johns"));
    }

    @Test
    void timesInFilesOfTextDependOnTheZone() {
        spark.sql("SELECT '2026-01-02 03:04:05' AS t").write().csv(path("in"));
        withConf(Map.of("spark.sql.session.timeZone", "Asia/Kathmandu"), () -> assertThat(process(
                        spark.read().schema("t TIMESTAMP").csv(path("in")).selectExpr("t", "0L AS id"), "t"))
                .isEqualTo(1));
        withConf(Map.of("spark.sql.session.timeZone", "America/St_Johns"), () -> assertThatThrownBy(() -> process(
                        spark.read().schema("t TIMESTAMP").csv(path("in")).selectExpr("t", "0L AS id"), "t"))
                .hasMessageContaining("CAIRN_STORE_MISMATCH"));
    }

    @Test
    void aFieldOfAStructCanBeAKey() {
        spark.range(0, 10, 1, 2)
                .selectExpr("id", "named_struct('id', concat('m', id), 'more', named_struct('n', id)) AS meta")
                .write()
                .parquet(path("in"));
        Dataset<Row> source = spark.read().parquet(path("in"));
        for (String codegen : List.of("true", "false")) {
            withConf(Map.of("spark.sql.codegen.wholeStage", codegen), () -> {
                assertThat(process(source.filter("id < 4"), "meta.id", "meta.more.n"))
                        .isEqualTo(codegen.equals("true") ? 4 : 0);
            });
        }
        assertThat(process(source, "meta.id", "meta.more.n")).isEqualTo(6);
        assertOutput(10);
    }

    @Test
    void namesMayBeQuoted() {
        Dataset<Row> source =
                spark.range(0, 4, 1, 1).selectExpr("id", "id AS `a.b`", "id AS `select`", "id AS `naïve key`");
        assertThat(process(source.filter("id < 2"), "`a.b`", "select", "naïve key"))
                .isEqualTo(2);
        source.createOrReplaceTempView("quoted");
        spark.udf().register("expensive", EXPENSIVE);
        spark.sql("SELECT expensive(id) AS id FROM (SELECT /*+ CHECKPOINT('" + store()
                        + "', `a.b`, 'select', '`naïve key`') */ * FROM quoted)")
                .write()
                .mode("append")
                .parquet(path("out"));
        assertThat(CALLS).hasValue(4);
        assertOutput(4);
    }

    @Test
    void charColumnsOfATableAreStrings() {
        spark.sql("CREATE TABLE fixed (id BIGINT, c CHAR(5)) USING parquet LOCATION '" + path("in") + "'");
        try {
            spark.sql("INSERT INTO fixed VALUES (0, 'a'), (1, 'abcde'), (2, NULL)");
            assertThat(process(spark.table("fixed").filter("id < 2"), "c")).isEqualTo(2);
            assertThat(process(spark.table("fixed"), "c")).isEqualTo(1);
        } finally {
            spark.sql("DROP TABLE fixed");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CAST(id AS FLOAT)        | floating point numbers have several NaNs and zeros | .withColumn(\"key\", col(\"k\").cast(\"decimal(38, 9)\"))",
                "CAST(id AS DOUBLE)       | floating point numbers have several NaNs and zeros | .withColumn(\"key\", col(\"k\").cast(\"decimal(38, 9)\"))",
                "array(id)                | an array holds several                             | .withColumn(\"key\", to_json(col(\"k\")))",
                "map('a', id)             | a map has no order                                 | col(\"k\").getItem(…)",
                "named_struct('a', id, 'b', id) | a struct may gain fields                     | Name the fields that make up the key: \"k.a\", \"k.b\".",
                "parse_json('1')          | a variant holds equal values in different bytes    | variant_get(k, '$.id', 'string')",
                "INTERVAL '1' DAY         | keys can be strings, integers,                     | .withColumn(\"key\", col(\"k\").cast(\"string\"))",
                "'a' COLLATE UTF8_LCASE   | calls different strings equal                      | upper(k) COLLATE UTF8_BINARY",
                "uuid()                   | is computed by uuid()                              | columns that the source itself holds",
            })
    void whatCannotBeAKeyIsRefusedWithWhatToUseInstead(String key, String reason, String remedy) throws Exception {
        Dataset<Row> source = spark.range(3).selectExpr("id", key + " AS k");
        assertThatThrownBy(() -> checkpointed(source, "k"))
                .hasMessageStartingWith("[CAIRN_UNSUPPORTED_KEY] ")
                .hasMessageContaining(reason)
                .hasMessageContaining(remedy)
                .hasMessageContaining(store());
        assertThat(files("store")).isEmpty();
    }
}
