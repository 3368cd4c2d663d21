package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;

import dev.cairn.ErrorCondition;
import dev.cairn.spark.internal.SparkErrors;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationDef;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReturnAnswer;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;

/**
 * Refuses plans in which a checkpoint could not keep its promises. Runs twice: when a plan is analyzed, so that an error
 * appears where the query is written, and when it is planned, after Spark has rewritten it.
 */
final class CheckpointCheck {
    private CheckpointCheck() {}

    /** When a plan is analyzed. */
    static void analyzed(LogicalPlan plan) {
        check(plan, true);
    }

    /**
     * When the whole plan is planned.
     *
     * @return the plan's checkpoint, if it has one
     */
    static Optional<StageCheckpointKeys> planned(LogicalPlan plan) {
        refuseCached(plan);
        return check(plan, false);
    }

    private static Optional<StageCheckpointKeys> check(LogicalPlan plan, boolean analysis) {
        List<StageCheckpointKeys> nested = Plans.checkpointsInSubqueries(plan);
        if (!nested.isEmpty()) {
            throw SparkErrors.refuse(
                    ErrorCondition.UNSUPPORTED_OPERATOR,
                    "The checkpoint '" + nested.get(0).store() + "' stands in a subquery expression (scalar, IN,"
                            + " EXISTS or LATERAL), where skipped rows would change the result of the outer query. Put it into the"
                            + " FROM clause of the query that writes.");
        }
        List<StageCheckpointKeys> checkpoints = Plans.checkpoints(plan);
        if (checkpoints.isEmpty()) {
            return Optional.empty();
        }
        StageCheckpointKeys checkpoint = checkpoints.get(0);
        if (checkpoints.size() > 1) {
            throw SparkErrors.refuse(
                    ErrorCondition.MULTIPLE_CHECKPOINTS,
                    "The query holds " + checkpoints.size() + " checkpoints ('" + checkpoint.store() + "' and '"
                            + checkpoints.get(1).store() + "'), or uses a checkpointed frame more than once; one task"
                            + " seals one checkpoint. Call the hint once, on the union or join of the sources; or split"
                            + " the pipeline into several jobs with a store each.");
        }
        if (checkpoint.resolved()) {
            KeyColumns.schema(checkpoint);
            KeyColumns.checkDeterministic(checkpoint);
        }
        if (checkpoint.isStreaming()) {
            throw SparkErrors.refuse(
                    ErrorCondition.UNSUPPORTED_OPERATOR,
                    "The checkpoint '" + checkpoint.store() + "' stands on a stream, which has checkpoints of its own"
                            + " (checkpointLocation). Use spark.read instead of spark.readStream, or leave the hint out.");
        }
        Sink.of(plan, checkpoint);
        ancestors(plan, checkpoint, analysis);
        return Optional.of(checkpoint);
    }

    /** Returns whether the checkpoint is in the plan, having checked every operator above it. */
    private static boolean ancestors(LogicalPlan plan, StageCheckpointKeys checkpoint, boolean analysis) {
        if (plan == checkpoint) {
            return true;
        }
        for (LogicalPlan child : list(plan.children())) {
            if (ancestors(child, checkpoint, analysis)) {
                boolean sink = plan instanceof Command || plan instanceof ReturnAnswer;
                // What stands above a common table expression is seen when it has been inlined, at planning.
                boolean inlinedLater = analysis && (plan instanceof WithCTE || plan instanceof CTERelationDef);
                if (!sink && !inlinedLater) {
                    MapOnly.check(plan, checkpoint);
                }
                return true;
            }
        }
        return false;
    }

    private static void refuseCached(LogicalPlan plan) {
        if (plan instanceof InMemoryRelation cached) {
            Plans.checkpointExec(cached.cachedPlan()).ifPresent(exec -> {
                throw SparkErrors.refuse(
                        ErrorCondition.UNSUPPORTED_ACTION,
                        "The frame with the checkpoint '" + exec.store()
                                + "' is cached: its rows would count as processed"
                                + " once they are in the cache, and be lost with it. Call unpersist() on it; cache below"
                                + " the checkpoint, or a frame without it: Cairn.preview(df).cache().");
            });
        }
        list(plan.children()).forEach(CheckpointCheck::refuseCached);
    }
}
