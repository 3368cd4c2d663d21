package dev.cairn.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.udf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way of writing files: what an interrupted and resumed job leaves is what plain Spark would have written. */
class FileSinkTest extends SparkTest {
    private static final AtomicLong CALLS = new AtomicLong();
    /** At this row the work fails; negative for none. */
    private static final AtomicLong FAILING = new AtomicLong(-1);

    private static final Set<String> SEEN_WHILE_RUNNING = ConcurrentHashMap.newKeySet();
    private static volatile Path watched;

    private static final UserDefinedFunction WORK = udf(
                    (UDF1<Long, Long>) id -> {
                        CALLS.incrementAndGet();
                        if (id == FAILING.get()) {
                            throw new IllegalStateException("row " + id + " fails");
                        }
                        if (watched != null) {
                            SEEN_WHILE_RUNNING.addAll(visible(watched));
                        }
                        return id * 10;
                    },
                    DataTypes.LongType)
            .asNondeterministic();

    @BeforeEach
    void begin() {
        CALLS.set(0);
        FAILING.set(-1);
        watched = null;
        SEEN_WHILE_RUNNING.clear();
    }

    @AfterEach
    void dropTables() {
        spark.sql("DROP TABLE IF EXISTS t");
    }

    /** Files that readers see: names that begin with an underscore or a dot are hidden, with all below them. */
    private static List<String> visible(Path directory) {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .filter(name -> Stream.of(name.split("/")).noneMatch(part -> part.matches("[._].*")))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Rows (id, tens, part) in four tasks. */
    private Dataset<Row> worked(long rows) {
        return checkpointed(spark.range(0, rows, 1, 4).toDF(), "id")
                .withColumn("tens", WORK.apply(col("id")))
                .withColumn("part", col("id").mod(3));
    }

    private List<String> expected(long rows) {
        return rows(spark.range(rows).selectExpr("id", "id * 10 AS tens", "id % 3 AS part"));
    }

    /** A run that fails in its last rows, with some tasks sealed, and then one that succeeds. */
    private void interruptedAndResumed(long rows, UnaryOperator<DataFrameWriter<Row>> writing, String target) {
        FAILING.set(rows - 1);
        assertThatThrownBy(
                        () -> writing.apply(worked(rows).write().mode("append")).save(target))
                .hasStackTraceContaining("row " + (rows - 1) + " fails");
        FAILING.set(-1);
        watched = Path.of(target);
        List<String> before = visible(watched);
        CALLS.set(0);
        writing.apply(worked(rows).write().mode("append")).save(target);
        assertThat(CALLS).as("rows that the second run processed").hasValueBetween(1, rows - 1);
        assertThat(Set.copyOf(before))
                .as("files that were visible while it ran")
                .containsAll(SEEN_WHILE_RUNNING);
    }

    @ParameterizedTest
    @CsvSource({
        "parquet, ''",
        "parquet, gzip",
        "orc, ''",
        "orc, snappy",
        "csv, ''",
        "csv, gzip",
        "json, ''",
        "json, bzip2",
        "avro, ''",
        "avro, deflate",
        "xml, ''"
    })
    void everyFormatAndCompressionResumesExactly(String format, String compression) {
        interruptedAndResumed(40, writer -> writer.format(format).options(options(format, compression)), path("out"));
        DataFrameReader reader =
                spark.read().schema("id BIGINT, tens BIGINT, part BIGINT").format(format);
        assertThat(rows(reader.options(options(format, "")).load(path("out")))).isEqualTo(expected(40));
    }

    private static Map<String, String> options(String format, String compression) {
        Map<String, String> options = new HashMap<>();
        if (format.equals("xml")) {
            options.put("rowTag", "ROW");
        }
        if (!compression.isEmpty()) {
            options.put("compression", compression);
        }
        return options;
    }

    @Test
    void linesOfTextResumeExactly() {
        FAILING.set(19);
        Runnable run = () -> checkpointed(spark.range(0, 20, 1, 4).toDF(), "id")
                .select(WORK.apply(col("id")).cast("string").as("line"))
                .write()
                .mode("append")
                .text(path("out"));
        assertThatThrownBy(run::run).hasStackTraceContaining("row 19 fails");
        FAILING.set(-1);
        run.run();
        assertThat(rows(spark.read().text(path("out"))))
                .isEqualTo(rows(spark.range(20).selectExpr("CAST(id * 10 AS STRING)")));
    }

    @Test
    void aLimitOfRowsPerFileIsKept() {
        interruptedAndResumed(40, writer -> writer.option("maxRecordsPerFile", 3), path("out"));
        assertThat(output("out")).isEqualTo(expected(40));
        List<String> files = visible(directory.resolve("out"));
        assertThat(files).hasSize(16);
        for (String file : files) {
            assertThat(spark.read().parquet(path("out/" + file)).count()).isLessThanOrEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "with space",
                "100%",
                "a=b",
                "#1",
                "what?",
                "a+b",
                "ünï/日本",
                "%41%2F",
                "[x]{y}",
                "semi;colon&and",
                "a:b",
                "back\\slash",
                "'quoted' \"twice\"",
                "*star"
            })
    void targetsMayHaveAnyName(String name) {
        // Spark itself takes such a name for a pattern when it reads.
        String target = path("out/" + name);
        FAILING.set(19);
        Runnable run =
                () -> worked(20).write().mode("append").partitionBy("part").parquet(target);
        assertThatThrownBy(run::run).hasStackTraceContaining("row 19 fails");
        FAILING.set(-1);
        run.run();
        Dataset<Row> read =
                spark.read().option("__globPaths__", "false").parquet(target).select("id", "tens", "part");
        assertThat(rows(read.selectExpr("id", "tens", "CAST(part AS BIGINT)"))).isEqualTo(expected(20));
        assertThat(directory.resolve("out/" + name)).isDirectory();
        run.run();
        assertThat(rows(read.selectExpr("id", "tens", "CAST(part AS BIGINT)"))).isEqualTo(expected(20));
    }

    @Test
    void partitionValuesMayBeAnything() {
        List<String> values = List.of(
                "plain",
                "with space",
                "a/b",
                "100%",
                "%2F",
                "a=b",
                "#",
                "?",
                "+",
                "日本",
                "e\u0301",
                "..",
                ".",
                "\\",
                "\"'",
                ":",
                "{[*]}",
                "_cairn",
                ".hidden",
                "\n",
                "\u007f");
        Dataset<Row> source = spark.createDataset(values, org.apache.spark.sql.Encoders.STRING())
                .selectExpr("value AS v")
                .union(spark.sql("SELECT CAST(NULL AS STRING)"))
                .withColumn("id", org.apache.spark.sql.functions.expr("coalesce(length(v), 0) * 1L"))
                .repartition(3, col("v"));
        Runnable run = () -> checkpointed(source, "v")
                .withColumn("tens", WORK.apply(col("id")))
                .withColumn("w", col("v"))
                .write()
                .mode("append")
                .partitionBy("w")
                .parquet(path("out"));
        run.run();
        run.run();
        assertThat(CALLS).hasValue(values.size() + 1);
        source.withColumn("tens", col("id").multiply(10))
                .withColumn("w", col("v"))
                .write()
                .partitionBy("w")
                .parquet(path("plain"));
        assertThat(directories("out")).isEqualTo(directories("plain"));
        Map<String, String> noTypes = Map.of("spark.sql.sources.partitionColumnTypeInference.enabled", "false");
        withConf(noTypes, () -> assertThat(output("out")).isEqualTo(output("plain")));
    }

    private List<String> directories(String name) {
        Path root = directory.resolve(name);
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(Files::isDirectory)
                    .map(path -> root.relativize(path).toString())
                    .filter(path -> !path.startsWith("_cairn/") && !path.equals("_cairn"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void columnsMayChangeFromRunToRun() {
        worked(10).write().mode("append").parquet(path("out"));
        worked(20)
                .selectExpr("id", "tens", "'new' AS added")
                .write()
                .mode("append")
                .parquet(path("out"));
        assertThat(rows(spark.read()
                        .option("mergeSchema", "true")
                        .parquet(path("out"))
                        .select("id", "part", "added")))
                .hasSize(20)
                .contains("[3,0,null]", "[13,null,new]");
        assertThat(CALLS).hasValue(20);
    }

    @Test
    void filesOfOthersStayAsTheyAre() throws IOException {
        spark.range(100, 103, 1, 1)
                .selectExpr("id", "0L AS tens", "0L AS part")
                .write()
                .parquet(path("out"));
        Files.writeString(directory.resolve("out/_notes.txt"), "mine");
        Files.createDirectories(directory.resolve("out/_temporary/0/task"));
        Files.writeString(directory.resolve("out/_temporary/0/task/part"), "another job's");
        List<String> before = files("out");
        worked(20).write().mode("append").parquet(path("out"));
        assertThat(files("out")).containsAll(before);
        assertThat(spark.read().parquet(path("out")).count()).isEqualTo(23);
        assertThat(directory.resolve("out/_temporary/0/task/part")).hasContent("another job's");
    }

    @Test
    void stagedFilesOfDeadRunsAreRemovedAndNobodyElses() throws IOException {
        FAILING.set(19);
        assertThatThrownBy(() -> worked(20).write().mode("append").parquet(path("out")))
                .hasStackTraceContaining("row 19 fails");
        List<String> ofThisStore =
                files("out").stream().filter(name -> name.contains("/staging/")).toList();
        Path own = directory.resolve("out/_cairn").resolve(ofThisStore.get(0).split("/")[1]);
        Path deadRun = Files.createDirectories(own.resolve("staging/0/7-1"));
        Files.writeString(deadRun.resolve("part-dead.parquet"), "x");
        Path foreign = Files.createDirectories(
                directory.resolve("out/_cairn/11111111-2222-3333-4444-555555555555/staging/0/1-1"));
        Files.writeString(foreign.resolve("part-foreign.parquet"), "x");
        assertThat(ofThisStore).as("what the sealed tasks staged").isNotEmpty();

        FAILING.set(18);
        assertThatThrownBy(() -> worked(20).write().mode("append").parquet(path("out")))
                .hasStackTraceContaining("row 18 fails");
        assertThat(files("out")).containsAll(ofThisStore);

        FAILING.set(-1);
        worked(20).write().mode("append").parquet(path("out"));
        assertThat(output("out")).isEqualTo(expected(20));
        assertThat(files("out").stream().filter(name -> name.contains("/staging/")))
                .containsExactly("_cairn/11111111-2222-3333-4444-555555555555/staging/0/1-1/part-foreign.parquet");
    }

    @Test
    void aTableOfFilesCanBeInsertedInto() {
        spark.sql("CREATE TABLE t (id BIGINT, tens BIGINT, part BIGINT) USING parquet LOCATION '" + path("out") + "'");
        FAILING.set(19);
        assertThatThrownBy(() -> worked(20).write().insertInto("t")).hasStackTraceContaining("row 19 fails");
        FAILING.set(-1);
        worked(20).createOrReplaceTempView("worked");
        spark.sql("INSERT INTO t SELECT * FROM worked");
        assertThat(rows(spark.table("t"))).isEqualTo(expected(20));
        spark.sql("INSERT INTO t BY NAME SELECT part, id, tens FROM worked");
        worked(20).write().mode("append").saveAsTable("t");
        assertThat(rows(spark.table("t"))).isEqualTo(expected(20));
    }

    @Test
    void aPartitionedTableLearnsOfItsNewPartitions() {
        spark.sql("CREATE TABLE t (id BIGINT, tens BIGINT, part BIGINT) USING parquet PARTITIONED BY (part) LOCATION '"
                + path("out") + "'");
        FAILING.set(19);
        assertThatThrownBy(() -> worked(20).write().insertInto("t")).hasStackTraceContaining("row 19 fails");
        FAILING.set(-1);
        worked(20).write().insertInto("t");
        assertThat(rows(spark.table("t"))).isEqualTo(expected(20));
        assertThat(rows(spark.sql("SHOW PARTITIONS t"))).containsExactly("[part=0]", "[part=1]", "[part=2]");
        worked(20).write().insertInto("t");
        assertThat(rows(spark.table("t"))).isEqualTo(expected(20));
        worked(30)
                .select("part", "tens", "id")
                .write()
                .mode("append")
                .partitionBy("part")
                .saveAsTable("t");
        assertThat(rows(spark.table("t").select("id", "tens", "part"))).isEqualTo(expected(30));
    }

    @Test
    void aTableThatIsNotThereIsRefusedWithTheStatementThatCreatesIt() {
        String created = assertThatThrownBy(() -> worked(20)
                        .write()
                        .mode("append")
                        .partitionBy("part")
                        .format("parquet")
                        .saveAsTable("t"))
                .hasMessageStartingWith("[CAIRN_UNSUPPORTED_SINK] ")
                .actual()
                .getMessage()
                .replaceAll("(?s).*(CREATE TABLE IF NOT EXISTS .*?PARTITIONED BY \\(.*?\\)).*", "$1");
        spark.sql(created);
        worked(20).write().mode("append").partitionBy("part").format("parquet").saveAsTable("t");
        assertThat(rows(spark.table("t"))).isEqualTo(expected(20));
    }

    @Test
    void aPartitionMayBeNamedInTheInsert() {
        spark.sql("CREATE TABLE t (id BIGINT, tens BIGINT, day DATE, part BIGINT) USING json PARTITIONED BY (day, part)"
                + " LOCATION '" + path("out") + "'");
        worked(6).createOrReplaceTempView("worked");
        spark.sql("INSERT INTO t PARTITION (day = '2026-01-02', part) SELECT id, tens, part FROM worked");
        assertThat(rows(spark.sql("SELECT id, tens, part FROM t WHERE day = '2026-01-02'")))
                .isEqualTo(expected(6));
        assertThat(rows(spark.sql("SHOW PARTITIONS t"))).hasSize(3).contains("[day=2026-01-02/part=0]");
        worked(9).createOrReplaceTempView("worked");
        spark.sql("INSERT INTO t PARTITION (day = '2026-01-03', part = 7) SELECT id, tens FROM worked");
        assertThat(rows(spark.sql("SELECT id, tens FROM t WHERE day = '2026-01-03' AND part = 7")))
                .containsExactly("[6,60]", "[7,70]", "[8,80]");
    }

    @Test
    void partitionsOfAPublicationWhoseRunWasKilledAreAddedByTheNextRun() {
        // The first run publishes into the directory alone, as one does that is killed before it tells the catalog.
        worked(20).write().mode("append").partitionBy("part").parquet(path("out"));
        spark.sql("CREATE TABLE t (id BIGINT, tens BIGINT, part BIGINT) USING parquet PARTITIONED BY (part) LOCATION '"
                + path("out") + "'");
        forgetTheEndOfTheLastRun();
        assertThat(spark.table("t").count()).isZero();
        worked(20).write().insertInto("t");
        assertThat(rows(spark.table("t"))).isEqualTo(expected(20));
    }

    private void forgetTheEndOfTheLastRun() {
        try (Stream<Path> log = Files.list(directory.resolve("store/log"))) {
            Files.delete(log.filter(file -> !file.getFileName().toString().startsWith("."))
                    .max(java.util.Comparator.naturalOrder())
                    .orElseThrow());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aTableWithAPartitionElsewhereIsRefused() throws IOException {
        spark.sql("CREATE TABLE t (id BIGINT, tens BIGINT, part BIGINT) USING parquet PARTITIONED BY (part) LOCATION '"
                + path("out") + "'");
        spark.sql("ALTER TABLE t ADD PARTITION (part = 1) LOCATION '" + path("elsewhere") + "'");
        assertThatThrownBy(() -> worked(20).write().insertInto("t"))
                .hasMessageStartingWith("[CAIRN_UNSUPPORTED_SINK] ")
                .hasMessageContaining("partition part=1 lies elsewhere, at file:" + path("elsewhere"));
        assertThat(files("store")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "spark.sql.sources.commitProtocolClass, org.apache.spark.internal.io.HadoopMapReduceCommitProtocol",
        "spark.sql.sources.outputCommitterClass, org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter",
        "spark.sql.parquet.output.committer.class, org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter"
    })
    void anotherCommitterIsRefused(String setting, String value) {
        withConf(Map.of(setting, value), () -> assertThatThrownBy(
                        () -> worked(20).write().mode("append").parquet(path("out")))
                .hasMessageStartingWith("[CAIRN_UNSUPPORTED_SINK] The setting " + setting + " is " + value)
                .hasMessageContaining("spark.conf.unset(\"" + setting + "\")"));
    }

    @Test
    void bucketsAreRefused() {
        spark.sql("CREATE TABLE t (id BIGINT, tens BIGINT, part BIGINT) USING parquet CLUSTERED BY (id) INTO 2 BUCKETS"
                + " LOCATION '" + path("out") + "'");
        assertThatThrownBy(() -> worked(20).write().insertInto("t"))
                .hasMessageStartingWith("[CAIRN_UNSUPPORTED_SINK] ")
                .hasMessageContaining("bucket");
    }

    @Test
    void outputOfAStoreThatWasDeletedIsNotMadeAgain() throws IOException {
        worked(20).write().mode("append").parquet(path("out"));
        delete(directory.resolve("store"));
        assertThatThrownBy(() -> worked(20).write().mode("append").parquet(path("out")))
                .hasMessageStartingWith("[CAIRN_ORPHANED_OUTPUT] ")
                .hasMessageContaining("it lay at file:" + path("store"));
        assertThat(output("out")).isEqualTo(expected(20));
        delete(directory.resolve("store"));
        delete(directory.resolve("out"));
        worked(20).write().mode("append").parquet(path("out"));
        assertThat(output("out")).isEqualTo(expected(20));
    }

    @Test
    void severalStoresMayShareATarget() {
        worked(20).write().mode("append").parquet(path("out"));
        spark.range(20, 30)
                .toDF()
                .hint("checkpoint", path("second-store"), "id")
                .selectExpr("id", "id * 10 AS tens", "id % 3 AS part")
                .write()
                .mode("append")
                .parquet(path("out"));
        worked(20).write().mode("append").parquet(path("out"));
        assertThat(output("out")).isEqualTo(expected(30));
    }

    @Test
    void outputThatWasDeletedIsMissed() throws IOException {
        worked(20).write().mode("append").parquet(path("out"));
        delete(directory.resolve("out"));
        assertThatThrownBy(() -> worked(30).write().mode("append").parquet(path("out")))
                .hasMessageStartingWith("[CAIRN_OUTPUT_LOST] ")
                .hasMessageContaining("spark.cairn.missingOutput=allowed");
        withConf(
                Map.of("spark.cairn.missingOutput", "allowed"),
                () -> worked(30).write().mode("append").parquet(path("out")));
        assertThat(output("out")).hasSize(10);
        worked(31).write().mode("append").parquet(path("out"));
        assertThat(output("out")).hasSize(11);
    }

    private static void delete(Path path) throws IOException {
        try (Stream<Path> all = Files.walk(path)) {
            for (Path each : all.sorted(java.util.Comparator.reverseOrder()).collect(Collectors.toList())) {
                Files.delete(each);
            }
        }
    }
}
