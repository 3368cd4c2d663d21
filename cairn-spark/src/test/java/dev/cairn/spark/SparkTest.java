package dev.cairn.spark;

import dev.cairn.spark.internal.run.RunEnds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

/** The base of tests that run queries: one session for the whole module, a directory and a store for each test. */
public abstract class SparkTest {
    private static SparkSession shared;

    @TempDir
    protected Path directory;

    protected SparkSession spark;

    /** Four attempts a task, so that a failing task is repeated as on a cluster. */
    protected static synchronized SparkSession session() {
        if (shared == null) {
            shared = SparkSession.builder()
                    .master("local[2,4]")
                    .appName("cairn-test")
                    .config("spark.sql.extensions", CairnExtensions.class.getName())
                    .config("spark.ui.enabled", "false")
                    .config("spark.sql.shuffle.partitions", "4")
                    .config("spark.cairn.heartbeatInterval", "200ms")
                    .config("spark.sql.warehouse.dir", System.getProperty("java.io.tmpdir") + "/warehouse")
                    .getOrCreate();
        }
        return shared;
    }

    @BeforeEach
    void takeSession() {
        spark = session();
    }

    /** The end of an action without a sink is written after the action has returned. */
    @AfterEach
    void settle() {
        RunEnds.settle(spark.sparkContext());
    }

    /** Location of a directory of the test, as a user would write it. */
    protected String path(String name) {
        return directory.resolve(name).toString();
    }

    /** A store of the test. */
    protected String store() {
        return path("store");
    }

    protected Dataset<Row> checkpointed(Dataset<Row> frame, String... columns) {
        Object[] arguments = new Object[columns.length + 1];
        arguments[0] = store();
        System.arraycopy(columns, 0, arguments, 1, columns.length);
        return frame.hint("checkpoint", arguments);
    }

    /** The rows as sorted text. */
    protected static List<String> rows(Dataset<Row> frame) {
        return frame.collectAsList().stream().map(Row::toString).sorted().toList();
    }

    protected List<String> output(String name) {
        return rows(spark.read().parquet(path(name)));
    }

    /** Names of all files below a directory of the test, relative to it, hidden ones included. */
    protected List<String> files(String name) throws IOException {
        Path root = directory.resolve(name);
        if (!Files.exists(root)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> root.relativize(file).toString())
                    .sorted(Comparator.naturalOrder())
                    .toList();
        }
    }

    /** Something that may throw anything. */
    @FunctionalInterface
    protected interface Body {
        void run() throws Exception;
    }

    /** Runs the body with the settings, and restores the session's own afterwards. */
    protected void withConf(Map<String, String> settings, Body body) {
        Map<String, Option<String>> before = new HashMap<>();
        settings.forEach((name, value) -> {
            before.put(name, spark.conf().getOption(name));
            spark.conf().set(name, value);
        });
        try {
            body.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            before.forEach((name, value) -> {
                if (value.isDefined()) {
                    spark.conf().set(name, value.get());
                } else {
                    spark.conf().unset(name);
                }
            });
        }
    }
}
