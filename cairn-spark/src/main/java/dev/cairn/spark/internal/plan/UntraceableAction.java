package dev.cairn.spark.internal.plan;

import dev.cairn.ErrorCondition;
import dev.cairn.spark.internal.SparkErrors;
import java.util.Map;
import java.util.Optional;

/**
 * Actions that ask for a frame's rows without saying what becomes of them. The plan does not show them, so this looks at
 * who calls: when the plan is made, and again when it is executed, because a plan may be made by one action and executed
 * by another.
 */
final class UntraceableAction {
    private static final String DATASET = "org.apache.spark.sql.classic.Dataset";

    private static final Map<String, String> ACTIONS = Map.of(
            "rdd$lzycompute",
            "turned into an RDD, and what becomes of an RDD's rows cannot be followed",
            "checkpoint",
            "given to Dataset.checkpoint or localCheckpoint, which keep its rows where Spark may lose or remove them",
            "localCheckpoint",
            "given to Dataset.localCheckpoint, which keeps its rows where Spark may lose them",
            "reduce",
            "reduced, which needs rows that an earlier run has processed, and this run would not see them");

    private UntraceableAction() {}

    /** Refuses if the calling thread executes such an action. */
    static void refuse(String store) {
        StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> frame.getClassName().equals(DATASET))
                        .map(frame -> Optional.ofNullable(ACTIONS.get(frame.getMethodName())))
                        .flatMap(Optional::stream)
                        .findFirst())
                .ifPresent(what -> {
                    throw refusal(store, what);
                });
    }

    /** For an execution of which Spark SQL knows nothing: only an RDD's is one. */
    static RuntimeException asRdd(String store) {
        return refusal(store, ACTIONS.get("rdd$lzycompute"));
    }

    private static RuntimeException refusal(String store, String what) {
        return SparkErrors.refuse(
                ErrorCondition.UNSUPPORTED_ACTION,
                "The frame with the checkpoint '" + store + "' is " + what
                        + ". Use an action of the frame: write it to files with mode append; in Java and Scala collect() or"
                        + " foreachPartition(…); in Python collect(), toPandas(), or, for side effects,"
                        + " mapInPandas(…).write.format(\"noop\").mode(\"append\").save().");
    }
}
