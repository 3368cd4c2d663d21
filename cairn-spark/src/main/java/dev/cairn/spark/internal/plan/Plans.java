package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;

/** Looking for checkpoints in plans. */
final class Plans {
    private Plans() {}

    /** All checkpoints below and including the plan, not looking into subquery expressions. */
    static List<StageCheckpointKeys> checkpoints(LogicalPlan plan) {
        List<StageCheckpointKeys> found = new ArrayList<>();
        collect(plan, found);
        return found;
    }

    private static void collect(LogicalPlan plan, List<StageCheckpointKeys> found) {
        if (plan instanceof StageCheckpointKeys checkpoint) {
            found.add(checkpoint);
        }
        scala.collection.Iterator<LogicalPlan> children = plan.children().iterator();
        while (children.hasNext()) {
            collect(children.next(), found);
        }
        // Commands that are leaves of the tree keep their query as an inner child.
        if (plan.children().isEmpty()) {
            for (Object inner : list(plan.innerChildren())) {
                if (inner instanceof LogicalPlan innerPlan) {
                    collect(innerPlan, found);
                }
            }
        }
    }

    /** Checkpoints in the subquery expressions anywhere in the plan. */
    static List<StageCheckpointKeys> checkpointsInSubqueries(LogicalPlan plan) {
        List<StageCheckpointKeys> found = new ArrayList<>();
        collectSubqueries(plan, found);
        return found;
    }

    private static void collectSubqueries(LogicalPlan plan, List<StageCheckpointKeys> found) {
        scala.collection.Iterator<Expression> expressions = plan.expressions().iterator();
        while (expressions.hasNext()) {
            collectSubqueries(expressions.next(), found);
        }
        scala.collection.Iterator<LogicalPlan> children = plan.children().iterator();
        while (children.hasNext()) {
            collectSubqueries(children.next(), found);
        }
    }

    private static void collectSubqueries(Expression expression, List<StageCheckpointKeys> found) {
        if (expression instanceof SubqueryExpression subquery) {
            LogicalPlan plan = (LogicalPlan) subquery.plan();
            collect(plan, found);
            collectSubqueries(plan, found);
        }
        scala.collection.Iterator<Expression> children = expression.children().iterator();
        while (children.hasNext()) {
            collectSubqueries(children.next(), found);
        }
    }

    /** The checkpoint below and including the physical plan, looking through adaptive execution. */
    static Optional<StageCheckpointKeysExec> checkpointExec(SparkPlan plan) {
        if (plan instanceof StageCheckpointKeysExec exec) {
            return Optional.of(exec);
        }
        if (plan instanceof org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec adaptive) {
            return checkpointExec(adaptive.executedPlan());
        }
        scala.collection.Iterator<SparkPlan> children = plan.children().iterator();
        while (children.hasNext()) {
            Optional<StageCheckpointKeysExec> found = checkpointExec(children.next());
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }
}
