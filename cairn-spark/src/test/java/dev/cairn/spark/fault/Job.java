package dev.cairn.spark.fault;

import static org.apache.spark.sql.functions.*;

import dev.cairn.spark.CairnExtensions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;

/** A checkpointed job from Parquet to Parquet, to be killed: drops some rows, multiplies others, and takes its time. */
public final class Job {
    public static final String SCHEMA = "id BIGINT, name STRING";

    /** Pattern of the operation, and which one of its kind, before which the process dies. */
    public static final String HALT_BEFORE = "cairn.test.haltBefore";

    public static final String HALT_AT = "cairn.test.haltAt";

    private Job() {}

    /** @param arguments input, store, output; without a store the job runs without Cairn */
    public static void main(String[] arguments) {
        SparkSession spark = SparkSession.builder()
                .master("local[2]")
                .appName("job")
                .config("spark.sql.extensions", CairnExtensions.class.getName())
                .config("spark.cairn.heartbeatInterval", "200ms")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                // One task for each file.
                .config("spark.sql.files.maxPartitionBytes", "16k")
                .getOrCreate();
        CrashFileSystem.register(spark.sparkContext().hadoopConfiguration());
        String pattern = System.getProperty(HALT_BEFORE);
        if (pattern != null) {
            CrashPoints.set(Halting.before(pattern, Integer.getInteger(HALT_AT, 1)));
        }
        run(spark, arguments[0], arguments[1], arguments[2]);
        spark.stop();
    }

    static void run(SparkSession spark, String input, String store, String output) {
        Dataset<Row> frame = spark.read().schema(SCHEMA).parquet(input).hint("checkpoint", store, "name");
        process(spark, frame).write().mode("append").parquet(output);
    }

    /** What the job makes of its input. */
    public static Dataset<Row> process(SparkSession spark, Dataset<Row> frame) {
        spark.udf().register("slowly", (UDF1<String, String>) Job::slowly, DataTypes.StringType);
        return frame.withColumn("text", callUDF("slowly", col("name")))
                .filter("id % 3 != 0")
                .withColumn(
                        "part",
                        explode(when(expr("id % 2 = 0"), array(lit(1), lit(2))).otherwise(array(lit(1)))));
    }

    private static String slowly(String name) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(3));
        return name + "!";
    }
}
