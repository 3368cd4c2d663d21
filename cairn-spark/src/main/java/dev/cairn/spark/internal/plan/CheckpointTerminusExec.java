package dev.cairn.spark.internal.plan;

import dev.cairn.ErrorCondition;
import dev.cairn.run.TaskCheckpoint.OnSealed;
import dev.cairn.spark.internal.ScalaInterop;
import dev.cairn.spark.internal.SparkErrors;
import dev.cairn.spark.internal.run.CheckpointedRun;
import dev.cairn.spark.internal.run.NoCommitter;
import dev.cairn.spark.internal.run.RunEnds;
import dev.cairn.spark.internal.run.RunHandle;
import dev.cairn.spark.internal.run.TerminusEvaluator;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.immutable.Seq;

/**
 * Executes {@link CheckpointTerminus}: starts a run when the plan is executed, and in each task seals when the task has
 * succeeded and every row went to its consumer.
 */
public final class CheckpointTerminusExec extends PhysicalNode {
    private static final long serialVersionUID = 1L;

    private transient RunHandle handle;

    public CheckpointTerminusExec(SparkPlan child) {
        super(child);
    }

    /**
     * Spark keeps the RDD that a plan once made and uses it again for the plan's next action. That action is a new run,
     * to which the RDD's handle is turned.
     */
    @Override
    public synchronized InternalRow[] executeCollect() {
        start();
        return super.executeCollect();
    }

    @Override
    public synchronized scala.Tuple2<Object, scala.collection.Iterator<InternalRow>> executeCollectIterator() {
        start();
        return super.executeCollectIterator();
    }

    @Override
    public scala.collection.Iterator<InternalRow> executeToIterator() {
        throw SparkErrors.refuse(
                ErrorCondition.UNSUPPORTED_ACTION,
                "toLocalIterator() on the frame with the checkpoint '"
                        + checkpoint().store() + "' runs after Spark has"
                        + " declared its query ended, and may be left half-read. Use collect() or foreachPartition(…), or"
                        + " write the rows to files and read those.");
    }

    /** PySpark's {@code tail} comes here without a node in the plan that the check could see. */
    @Override
    public InternalRow[] executeTail(int count) {
        throw refusePart();
    }

    @Override
    public InternalRow[] executeTake(int count) {
        throw refusePart();
    }

    private RuntimeException refusePart() {
        return SparkErrors.refuse(
                ErrorCondition.UNSUPPORTED_OPERATOR,
                "Only some of the rows of the frame with the checkpoint '"
                        + checkpoint().store()
                        + "' are asked for (head, take, tail): the others would count as processed, and nobody would have"
                        + " seen them. To look at the data, ask a frame without the checkpoint: Cairn.preview(df) in Java"
                        + " and Scala, cairn.preview(df) in Python.");
    }

    @Override
    public synchronized RDD<InternalRow> doExecute() {
        if (handle == null) {
            start();
        }
        return handle.inScope(sparkContext(), checkpoint().nodeId(), () -> child().execute()
                .mapPartitionsWithEvaluator(
                        new TerminusEvaluator.Factory(handle), ScalaInterop.classTag(InternalRow.class)));
    }

    private StageCheckpointKeysExec checkpoint() {
        return Plans.checkpointExec(child())
                .orElseThrow(() -> new IllegalStateException("a terminus stands above a checkpoint"));
    }

    private void start() {
        StageCheckpointKeysExec checkpoint = checkpoint();
        String execution = sparkContext().getLocalProperty(SQLExecution.EXECUTION_ID_KEY());
        UntraceableAction.refuse(checkpoint.store());
        if (execution == null) {
            // An RDD may be shuffled, cached or read twice by whatever comes after it, and its tasks would seal
            // before their rows are out.
            throw UntraceableAction.asRdd(checkpoint.store());
        }
        CheckpointedRun run = CheckpointedRun.start(
                session(),
                checkpoint.store(),
                checkpoint.keySchema(),
                OnSealed.ADMIT_AGAIN,
                store -> NoCommitter.INSTANCE);
        RunEnds.endWith(sparkContext(), Long.parseLong(execution), run);
        if (handle == null) {
            handle = new RunHandle(run);
        } else {
            handle.turnTo(run);
        }
    }

    @Override
    public Partitioning outputPartitioning() {
        return child().outputPartitioning();
    }

    @Override
    public Seq<SortOrder> outputOrdering() {
        return child().outputOrdering();
    }

    @Override
    public SparkPlan withNewChildInternal(SparkPlan newChild) {
        return new CheckpointTerminusExec(newChild);
    }

    @Override
    public String nodeName() {
        return "CheckpointTerminus";
    }

    @Override
    protected List<Object> arguments() {
        return List.of(child());
    }
}
