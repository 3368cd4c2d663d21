package dev.cairn.bench;

import static org.apache.spark.sql.functions.*;

import dev.cairn.spark.CairnExtensions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * One job, plain and with Cairn, in turns: A before B in one round, B before A in the next. The job reads Parquet with a
 * key of 36 characters and 200 bytes of text, applies a cheap function and writes Parquet; cheap, because the dearer the
 * job, the less a checkpoint shows.
 *
 * <ul>
 *   <li><b>first run</b>: the plain job; the job with a checkpoint into a new store.
 *   <li><b>done</b>: everything is processed already. With Cairn the job runs again and skips every row. Compared with
 *       merely reading the key column, which is the least that any resumption by key can do, and with the left-anti join
 *       against the output that one would write by hand.
 *   <li><b>half done</b>: the first half of the input files is processed already; with Cairn, and by the left-anti join.
 * </ul>
 *
 * <p>The first round warms up and is not counted. How to run it: {@code cairn-bench/README.md}.
 */
public final class WholeJob {
    private static final int FILES = 16;

    private final SparkSession spark;
    private final Path directory;
    private final long rows;
    private final String input;
    private final Map<String, List<Double>> seconds = new LinkedHashMap<>();

    private WholeJob(SparkSession spark, Path directory, long rows) {
        this.spark = spark;
        this.directory = directory;
        this.rows = rows;
        this.input = directory.resolve("input-" + rows).toString();
    }

    /** @param arguments rows, rounds, directory */
    public static void main(String[] arguments) throws IOException {
        long rows = Long.parseLong(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        Path directory = Files.createDirectories(Path.of(arguments[2]).toAbsolutePath());
        SparkSession spark = SparkSession.builder()
                .master("local[2]")
                .appName("cairn-bench")
                .config("spark.sql.extensions", CairnExtensions.class.getName())
                .config("spark.ui.enabled", "false")
                .config("spark.local.dir", directory.resolve("spark").toString())
                .config("spark.sql.shuffle.partitions", "16")
                .getOrCreate();
        WholeJob job = new WholeJob(spark, directory, rows);
        job.makeInput();
        for (int round = 0; round <= rounds; round++) {
            job.round(round % 2 == 0);
            if (round == 0) {
                job.seconds.clear();
            }
        }
        job.report(rounds);
        spark.stop();
    }

    private void makeInput() {
        if (Files.exists(Path.of(input, "_SUCCESS"))) {
            return;
        }
        spark.range(0, rows, 1, FILES)
                .select(
                        expr("regexp_replace(md5(cast(id as string)), '(.{8})(.{4})(.{4})(.{4})(.{12})',"
                                        + " '$1-$2-$3-$4-$5')")
                                .as("key"),
                        expr("concat(sha2(cast(id as string), 512), sha2(cast(-id as string), 256), 'abcdefgh')")
                                .as("text"))
                .write()
                .mode("overwrite")
                .parquet(input);
    }

    private void round(boolean plainFirst) throws IOException {
        for (String name : List.of("plain", "cairn", "store", "plain-half", "cairn-half", "store-half")) {
            delete(directory.resolve(name));
        }
        Runnable plain = () -> time("first run, plain", () -> write(process(read()), "plain"));
        Runnable cairn = () -> time("first run, Cairn", () -> write(process(checkpointed(read(), "store")), "cairn"));
        inTurn(plainFirst, plain, cairn);
        requireRows("plain", "cairn");

        Runnable done = () -> time("done, Cairn", () -> write(process(checkpointed(read(), "store")), "cairn"));
        Runnable scan = () -> time(
                "done, reading the keys alone",
                () -> read().select("key").write().format("noop").mode("append").save());
        Runnable join = () -> time("done, left-anti join", () -> write(process(notIn(read(), "plain")), "plain"));
        inTurn(plainFirst, scan, done);
        join.run();
        requireRows("plain", "cairn");

        write(process(half()), "plain-half");
        write(process(checkpointed(half(), "store-half")), "cairn-half");
        Runnable halfJoin = () ->
                time("half done, left-anti join", () -> write(process(notIn(read(), "plain-half")), "plain-half"));
        Runnable halfCairn =
                () -> time("half done, Cairn", () -> write(process(checkpointed(read(), "store-half")), "cairn-half"));
        inTurn(plainFirst, halfJoin, halfCairn);
        requireRows("plain-half", "cairn-half");
    }

    private static void inTurn(boolean inOrder, Runnable a, Runnable b) {
        (inOrder ? a : b).run();
        (inOrder ? b : a).run();
    }

    private Dataset<Row> read() {
        return spark.read().parquet(input);
    }

    /** The first half of the files. */
    private Dataset<Row> half() {
        try (Stream<Path> files = Files.list(Path.of(input))) {
            return spark.read()
                    .parquet(files.map(Path::toString)
                            .filter(name -> name.endsWith(".parquet"))
                            .sorted()
                            .limit(FILES / 2)
                            .toArray(String[]::new));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private Dataset<Row> checkpointed(Dataset<Row> frame, String store) {
        return frame.hint("checkpoint", directory.resolve(store).toString(), "key");
    }

    private Dataset<Row> notIn(Dataset<Row> frame, String output) {
        Dataset<Row> processed =
                spark.read().parquet(directory.resolve(output).toString()).select("key");
        return frame.join(processed, frame.col("key").equalTo(processed.col("key")), "left_anti");
    }

    private static Dataset<Row> process(Dataset<Row> frame) {
        return frame.select(col("key"), upper(col("text")).as("text"));
    }

    private void write(Dataset<Row> frame, String output) {
        frame.write().mode("append").parquet(directory.resolve(output).toString());
    }

    private void requireRows(String... outputs) {
        for (String output : outputs) {
            long count =
                    spark.read().parquet(directory.resolve(output).toString()).count();
            if (count != rows) {
                throw new IllegalStateException(output + " has " + count + " rows instead of " + rows);
            }
        }
    }

    private void time(String what, Runnable body) {
        System.gc();
        long before = System.nanoTime();
        body.run();
        double taken = (System.nanoTime() - before) / 1e9;
        System.out.printf(Locale.ROOT, "%-32s %8.2f s%n", what, taken);
        seconds.computeIfAbsent(what, name -> new ArrayList<>()).add(taken);
    }

    private void report(int rounds) {
        System.out.printf(Locale.ROOT, "%nmedians of %d rounds, %,d rows%n", rounds, rows);
        seconds.keySet().forEach(what -> {
            List<Double> all = seconds.get(what);
            System.out.printf(
                    Locale.ROOT,
                    "%-32s %8.2f s   (%.2f to %.2f)%n",
                    what,
                    median(what),
                    Collections.min(all),
                    Collections.max(all));
        });
        System.out.println();
        ratio("first run, Cairn", "first run, plain");
        ratio("done, Cairn", "done, reading the keys alone");
        ratio("done, Cairn", "done, left-anti join");
        ratio("half done, Cairn", "half done, left-anti join");
    }

    private void ratio(String ours, String theirs) {
        System.out.printf(Locale.ROOT, "%-20s : %-32s %6.3f%n", ours, theirs, median(ours) / median(theirs));
    }

    private double median(String what) {
        List<Double> sorted = new ArrayList<>(seconds.get(what));
        sorted.sort(Comparator.naturalOrder());
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> paths;
        try (Stream<Path> all = Files.walk(directory)) {
            paths = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.delete(path);
        }
    }
}
