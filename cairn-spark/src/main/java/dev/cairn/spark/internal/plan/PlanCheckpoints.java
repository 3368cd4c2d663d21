package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.seq;

import java.util.Optional;
import org.apache.spark.sql.catalyst.plans.logical.AppendData;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OverwriteByExpression;
import org.apache.spark.sql.catalyst.plans.logical.ReturnAnswer;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import scala.collection.immutable.Seq;

/**
 * Plans checkpoints and wires them to their sink. Spark hands every whole plan to the planner under {@link
 * ReturnAnswer}, and that is where the sink is decided, once; adaptive execution comes here again with each new plan.
 */
public final class PlanCheckpoints extends SparkStrategy {
    @Override
    public Seq<SparkPlan> apply(LogicalPlan plan) {
        if (plan instanceof ReturnAnswer answer) {
            return root(answer);
        }
        if (plan instanceof StageCheckpointKeys checkpoint) {
            return seq(new StageCheckpointKeysExec(
                    checkpoint.store(),
                    checkpoint.keySeq(),
                    KeyColumns.schema(checkpoint),
                    checkpoint.nodeId(),
                    planLater(checkpoint.child())));
        }
        if (plan instanceof CheckpointTerminus terminus) {
            return seq(new CheckpointTerminusExec(planLater(terminus.child())));
        }
        Optional<LogicalPlan> wrapped = PythonReadsToEnd.wrapped(plan);
        if (wrapped.isPresent()) {
            return seq(planLater(wrapped.get()));
        }
        return seq();
    }

    private Seq<SparkPlan> root(ReturnAnswer answer) {
        LogicalPlan root = answer.child();
        if (root instanceof CheckpointTerminus) {
            return seq(); // adaptive execution plans anew what was wired before
        }
        Optional<StageCheckpointKeys> checkpoint = CheckpointCheck.planned(root);
        if (checkpoint.isEmpty()) {
            return seq();
        }
        Sink sink = Sink.of(root, checkpoint.get());
        if (sink instanceof Sink.Files files) {
            InsertIntoHadoopFsRelationCommand command = files.command();
            return seq(new CheckpointedFileInsertExec(command, planLater(command.query())));
        }
        if (sink instanceof Sink.Noop noop) {
            return seq(planLater(terminate(noop.write())));
        }
        if (sink instanceof Sink.Action) {
            UntraceableAction.refuse(checkpoint.get().store());
            return seq(planLater(new CheckpointTerminus(root)));
        }
        return seq();
    }

    private static LogicalPlan terminate(LogicalPlan write) {
        if (write instanceof AppendData append) {
            return append.withNewChildren(seq(new CheckpointTerminus(append.query())));
        }
        OverwriteByExpression overwrite = (OverwriteByExpression) write;
        return overwrite.withNewChildren(seq(new CheckpointTerminus(overwrite.query())));
    }
}
