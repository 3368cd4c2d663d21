package dev.cairn.spark;

import dev.cairn.ErrorCondition;
import dev.cairn.run.HeadListener;
import dev.cairn.spark.internal.Listeners;
import dev.cairn.spark.internal.SparkErrors;
import dev.cairn.spark.internal.Version;
import dev.cairn.spark.internal.plan.Preview;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;

/** What one needs beside the hint. */
public final class Cairn {
    private Cairn() {}

    /** Cairn's version; SQL's {@code cairn_version()} gives the same. */
    public static String version() {
        return Version.TEXT;
    }

    /**
     * Fails if checkpoints would be ignored in the session: Spark drops hints that it does not know with no more than a
     * warning.
     *
     * @throws CheckpointException with condition {@code CAIRN_EXTENSION_MISSING}, if the session runs
     *     without Cairn's extension or with hints disabled
     */
    public static void requireActive(SparkSession session) {
        boolean active = session.catalog().functionExists("cairn_version");
        if (!active) {
            throw SparkErrors.refuse(
                    ErrorCondition.EXTENSION_MISSING,
                    "This Spark session runs without Cairn, so checkpoint hints in it would be ignored. Start it with"
                            + " spark.sql.extensions=dev.cairn.spark.CairnExtensions and Cairn's jar: --conf"
                            + " spark.sql.extensions=dev.cairn.spark.CairnExtensions --jars cairn-spark-runtime.jar.");
        }
        if (Boolean.parseBoolean(session.conf().get("spark.sql.optimizer.disableHints", "false"))) {
            throw SparkErrors.refuse(
                    ErrorCondition.EXTENSION_MISSING,
                    "The setting spark.sql.optimizer.disableHints is true, so checkpoint hints in this session would be"
                            + " ignored. Set it to false.");
        }
    }

    /**
     * The same frame without its checkpoint, for looking at data: {@code show}, {@code count}, {@code limit}. Executing
     * it starts no run, and skips and seals nothing.
     */
    public static <T> Dataset<T> preview(Dataset<T> frame) {
        return Preview.of(frame);
    }

    /** Tells the listener what runs started in this session do. */
    public static void addListener(SparkSession session, HeadListener listener) {
        Listeners.add(session, listener);
    }
}
