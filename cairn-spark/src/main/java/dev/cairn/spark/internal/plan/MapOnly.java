package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;

import dev.cairn.ErrorCondition;
import dev.cairn.spark.internal.SparkErrors;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.MonotonicallyIncreasingID;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Repartition;
import org.apache.spark.sql.catalyst.plans.logical.Sort;

/**
 * What may stand between a checkpoint and the sink: operators that make their output rows from one input row at a time,
 * so that skipping a row skips exactly its own output. An allow-list: an operator that is not known is refused.
 */
final class MapOnly {
    /** Names rather than classes, because a few of them moved or were renamed between Spark's versions. */
    private static final Set<String> ALLOWED = Set.of(
            "Project",
            "Filter",
            "SubqueryAlias",
            "PipeOperator",
            "SQLFunctionNode",
            "View",
            "Generate",
            "Expand",
            "MapPartitions",
            "MapElements",
            "TypedFilter",
            "SerializeFromObject",
            "DeserializeToObject",
            "MapInPandas",
            "MapInArrow",
            "PythonMapInArrow",
            "BatchEvalPython",
            "ArrowEvalPython",
            "BatchEvalPythonUDTF",
            "ArrowEvalPythonUDTF",
            "ResolvedHint",
            "WriteFiles",
            "CheckpointTerminus");

    private static final String LOOK =
            " To look at the data, ask a frame without the checkpoint: Cairn.preview(df) in Java"
                    + " and Scala, cairn.preview(df) in Python; in SQL, leave the hint out.";

    private static final String SPLIT = " Put it below the checkpoint (call the hint on its result; in SQL, move it"
            + " into the parentheses with the hint), or write the checkpointed result first and do this in a second job.";

    private static final Map<String, String> REASONS = Map.ofEntries(
            Map.entry("Aggregate", "needs rows that an earlier run has processed, and this run would not see them"),
            Map.entry("Distinct", "needs rows that an earlier run has processed, and this run would not see them"),
            Map.entry("Deduplicate", "needs rows that an earlier run has processed, and this run would not see them"),
            Map.entry("Window", "needs rows that an earlier run has processed, and this run would not see them"),
            Map.entry("Pivot", "needs rows that an earlier run has processed, and this run would not see them"),
            Map.entry("Sort", "moves rows between tasks, and what a task sealed could not be told any more"),
            Map.entry("Repartition", "moves rows between tasks, and what a task sealed could not be told any more"),
            Map.entry(
                    "RepartitionByExpression",
                    "moves rows between tasks, and what a task sealed could not be told any more"),
            Map.entry(
                    "RebalancePartitions",
                    "moves rows between tasks, and what a task sealed could not be told any more"),
            Map.entry("Join", "may move rows between tasks, and what a task sealed could not be told any more"),
            Map.entry("Union", "mixes rows of the checkpoint with others, which would be written again by every run"),
            Map.entry("Limit", "stops before the input was read to its end"),
            Map.entry("Tail", "stops before the input was read to its end"),
            Map.entry("Offset", "drops rows by their number, which changes when others are skipped"),
            Map.entry("Sample", "picks rows by their number, which changes when others are skipped"));

    /** The operators with which people look at data. */
    private static final Set<String> LOOKING = Set.of("Aggregate", "Limit", "Tail");

    private MapOnly() {}

    /** Refuses the operator, standing above the checkpoint, unless it is map-only. */
    static void check(LogicalPlan operator, StageCheckpointKeys checkpoint) {
        String name = operator.getClass().getSimpleName().replaceFirst("^(Global|Local)Limit$", "Limit");
        boolean allowed = ALLOWED.contains(name)
                || operator instanceof Repartition repartition && !repartition.shuffle()
                || operator instanceof Sort sort && !sort.global();
        if (!allowed) {
            throw SparkErrors.refuse(
                    ErrorCondition.UNSUPPORTED_OPERATOR,
                    "The operator " + name + " stands above the checkpoint '" + checkpoint.store() + "', where only"
                            + " operators that work row by row may stand: it "
                            + REASONS.getOrDefault(name, "is not known to work row by row") + "."
                            + (LOOKING.contains(name) ? LOOK : "")
                            + SPLIT);
        }
        for (Expression expression : list(operator.expressions())) {
            if (contains(expression)) {
                throw SparkErrors.refuse(
                        ErrorCondition.UNSUPPORTED_OPERATOR,
                        "The function monotonically_increasing_id() stands above the checkpoint '" + checkpoint.store()
                                + "': it counts from the same number in every run, so the ids of different runs would"
                                + " collide. Use uuid(), or make the id from the key columns.");
            }
        }
    }

    private static boolean contains(Expression expression) {
        return expression instanceof MonotonicallyIncreasingID
                || list(expression.children()).stream().anyMatch(MapOnly::contains);
    }
}
