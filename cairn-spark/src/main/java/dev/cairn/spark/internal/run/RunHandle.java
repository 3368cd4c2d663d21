package dev.cairn.spark.internal.run;

import dev.cairn.ErrorCondition;
import dev.cairn.RefusedException;
import dev.cairn.spark.internal.SparkErrors;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;

/**
 * Ties a plan under execution to its run. On the driver it refers to the run; serialized into tasks it becomes the run's
 * {@link RunTicket}.
 *
 * <p>An execution finds its handle through a local property of the Spark context, which Spark carries to the threads
 * that it executes plans on; plan nodes cannot hold it, because they are copied and executed again.
 */
public final class RunHandle implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final String PROPERTY = "dev.cairn.run.";

    /** Handles whose execution is being set up. Static because plan nodes reach it by name only; entries are removed when their scope ends. */
    private static final Map<String, RunHandle> SCOPES = new ConcurrentHashMap<>();

    private transient volatile CheckpointedRun run;
    private transient StagingMetrics metrics;
    private transient RunTicket ticket;
    /** Whether Spark, computing the input again, may give the tasks other rows than before. */
    private boolean indeterminateInput;

    public RunHandle(CheckpointedRun run) {
        this.run = run;
    }

    /** The plan is executed once more, for another run. */
    public void turnTo(CheckpointedRun next) {
        next.bind(metrics);
        run = next;
    }

    /** Executes the body so that the plan's checkpoint finds this handle. */
    public <T> T inScope(SparkContext context, String nodeId, Supplier<T> body) {
        String id = UUID.randomUUID().toString();
        String before = context.getLocalProperty(PROPERTY + nodeId);
        SCOPES.put(id, this);
        context.setLocalProperty(PROPERTY + nodeId, id);
        try {
            return body.get();
        } finally {
            context.setLocalProperty(PROPERTY + nodeId, before);
            SCOPES.remove(id);
        }
    }

    /** The handle in whose scope the plan is executed; refuses if something executes the plan on its own. */
    public static RunHandle inScope(SparkContext context, String nodeId, String store) {
        String id = context.getLocalProperty(PROPERTY + nodeId);
        RunHandle handle = id == null ? null : SCOPES.get(id);
        if (handle == null) {
            throw SparkErrors.refuse(
                    ErrorCondition.UNSUPPORTED_ACTION,
                    "The query with the checkpoint '" + store
                            + "' is executed in a way that Cairn does not know, so its"
                            + " tasks could not be sealed. Write it to files with mode append, or use collect or"
                            + " foreachPartition on the frame.");
        }
        return handle;
    }

    /** On the driver: the metrics of the plan node that is executed. */
    public void bind(StagingMetrics metrics) {
        this.metrics = metrics;
        run.bind(metrics);
    }

    /** On the driver: what the plan node reads from. */
    public void readsFrom(RDD<?> input) {
        indeterminateInput |= input.outputDeterministicLevel().toString().equals("INDETERMINATE");
    }

    /** In a task: the task's keys, for one input partition. */
    public TaskKeys open(StagingMetrics metrics) {
        return taskState().openInput(metrics);
    }

    /** In a task: its state, opened if the plan node has not done so (a task without any input). */
    public TaskState taskState() {
        return TaskState.current(ticket(), indeterminateInput);
    }

    RunTicket ticket() {
        return ticket != null ? ticket : run.ticket();
    }

    /** Called when tasks are submitted: tasks of a run that has ended must not start. */
    private void writeObject(ObjectOutputStream out) throws IOException {
        if (run != null && run.isEnded()) {
            throw new RefusedException(
                    ErrorCondition.UNSUPPORTED_ACTION,
                    "The rows of the checkpointed query are asked for again after run "
                            + run.number() + " has ended, or by an action that Spark runs after its query has ended"
                            + " (toLocalIterator, or a second foreachPartition on one Dataset object). Use collect, or"
                            + " build the frame anew, with its hint, for every action.");
        }
        out.defaultWriteObject();
        out.writeObject(ticket());
    }

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
        in.defaultReadObject();
        ticket = (RunTicket) in.readObject();
    }
}
