package dev.cairn.spark.fault;

import static org.apache.spark.sql.functions.*;

import dev.cairn.spark.CairnExtensions;
import dev.cairn.spark.fault.Failing.How;
import dev.cairn.spark.fault.Failing.When;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Runs checkpointed queries on a cluster of executors in processes of their own, while their tasks fail or they die, and
 * writes down what came of each: files {@code JOB/rows}, {@code JOB/expected}, {@code JOB/failure}.
 */
public final class ClusterJobs {
    public static final int PARTITIONS = 4;

    /** What one job does. */
    public record Spec(String sink, When when, How how) {
        public String name() {
            return sink + "-" + how.name().toLowerCase(java.util.Locale.ROOT) + "-"
                    + when.name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** All that are run, cheap ones first. */
    public static final List<Spec> ALL = List.of(
            new Spec("files", When.BEFORE_THE_SEAL, How.EXCEPTION),
            new Spec("files", When.AFTER_THE_SEAL, How.EXCEPTION),
            new Spec("collect", When.BEFORE_THE_SEAL, How.EXCEPTION),
            new Spec("collect", When.AFTER_THE_SEAL, How.EXCEPTION),
            new Spec("foreach", When.BEFORE_THE_SEAL, How.EXCEPTION),
            new Spec("foreach", When.AFTER_THE_SEAL, How.EXCEPTION),
            new Spec("collect", When.AFTER_THE_SEAL, How.HALT),
            new Spec("files", When.BEFORE_THE_SEAL, How.HALT),
            new Spec("files", When.AFTER_THE_SEAL, How.HALT));

    private ClusterJobs() {}

    /** @param arguments directory to work in */
    public static void main(String[] arguments) throws IOException {
        SparkSession spark = SparkSession.builder()
                .master("local-cluster[2,1,1024]")
                .appName("cluster-jobs")
                .config("spark.sql.extensions", CairnExtensions.class.getName())
                .config("spark.cairn.heartbeatInterval", "200ms")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .config("spark.executor.memory", "512m")
                .getOrCreate();
        for (Spec spec : ALL) {
            Path directory = Files.createDirectories(Path.of(arguments[0], spec.name()));
            try {
                run(spark, spec, directory);
            } catch (Throwable failure) {
                try (PrintStream out =
                        new PrintStream(directory.resolve("failure").toFile())) {
                    failure.printStackTrace(out);
                }
            }
        }
        spark.stop();
    }

    private static void run(SparkSession spark, Spec spec, Path directory) throws IOException {
        Path markers = Files.createDirectory(directory.resolve("markers"));
        Path seen = Files.createDirectory(directory.resolve("seen"));
        Dataset<Row> input = spark.range(0, 60, 1, PARTITIONS).withColumn("name", concat(lit("key-"), col("id")));
        Dataset<Row> frame = Failing.in(
                process(input.hint("checkpoint", directory.resolve("store").toString(), "name")),
                spec.when(),
                spec.how(),
                markers);
        List<String> rows =
                switch (spec.sink()) {
                    case "files" -> {
                        String out = directory.resolve("out").toString();
                        frame.write().mode("append").parquet(out);
                        yield text(spark.read().parquet(out));
                    }
                    case "collect" -> text(frame);
                    case "foreach" -> {
                        frame.foreachPartition(writeInto(seen.toString()));
                        yield Audit.files(seen);
                    }
                    default -> throw new IllegalArgumentException(spec.sink());
                };
        Files.write(directory.resolve("rows"), rows);
        Files.write(directory.resolve("expected"), text(process(input)));
    }

    private static Dataset<Row> process(Dataset<Row> frame) {
        return frame.filter("id % 3 != 0").withColumn("part", explode(array(lit(1), lit(2))));
    }

    private static List<String> text(Dataset<Row> frame) {
        return frame.collectAsList().stream().map(Row::toString).sorted().toList();
    }

    /** A consumer for which seeing a row twice is the same as seeing it once. */
    private static ForeachPartitionFunction<Row> writeInto(String directory) {
        return rows -> {
            while (rows.hasNext()) {
                Files.writeString(Path.of(directory, rows.next().toString()), "");
            }
        };
    }
}
