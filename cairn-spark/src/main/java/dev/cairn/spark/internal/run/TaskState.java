package dev.cairn.spark.internal.run;

import dev.cairn.ErrorCondition;
import dev.cairn.TaskFailedException;
import dev.cairn.key.KeyFilter;
import dev.cairn.run.TaskCheckpoint;
import dev.cairn.store.CheckpointStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;

/**
 * The checkpoint of a running task attempt, where the plan node and the sink meet. Opened by whoever comes first, given
 * up when the task ends unsealed.
 */
public final class TaskState {
    /** Static because generated code and the sink's writer share nothing but the task; entries go when the task ends. */
    private static final Map<Long, TaskState> TASKS = new ConcurrentHashMap<>();

    private final TaskCheckpoint checkpoint;
    private final long filterMillis;
    private StagingMetrics metrics;
    private boolean filterTimeReported;

    private TaskState(TaskCheckpoint checkpoint, long filterMillis) {
        this.checkpoint = checkpoint;
        this.filterMillis = filterMillis;
    }

    /** The state of the task that the calling thread works for. */
    static TaskState current(RunTicket ticket, boolean indeterminateInput) {
        TaskContext task = TaskContext.get();
        TaskState state = TASKS.get(task.taskAttemptId());
        if (state == null) {
            state = open(ticket, task, indeterminateInput);
            TASKS.put(task.taskAttemptId(), state);
        }
        return state;
    }

    private static TaskState open(RunTicket ticket, TaskContext task, boolean indeterminateInput) {
        if (indeterminateInput && task.stageAttemptNumber() > 0) {
            throw new TaskFailedException(
                    ErrorCondition.INPUT_CHANGED,
                    "Spark computes the input of the checkpoint again after it lost part of it, and that input comes out"
                            + " different each time (it was shuffled after something that is not deterministic), so that"
                            + " rows may have moved between tasks. This run ends here; what it sealed is kept, and the next"
                            + " run is exact. To avoid this, make the input of the checkpoint deterministic, or write it"
                            + " to files first.");
        }
        long id = task.taskAttemptId();
        Configuration configuration = ticket.configuration().value().value();
        long before = System.nanoTime();
        KeyFilter filter = KeyFilters.get(ticket, configuration);
        long filterMillis = (System.nanoTime() - before) / 1_000_000;
        CheckpointStore store =
                CheckpointStore.attach(ticket.storeLocation(), ticket.run().storeId(), configuration);
        TaskCheckpoint checkpoint = TaskCheckpoint.open(
                store,
                ticket.run(),
                task.partitionId(),
                id,
                task.attemptNumber() > 0 || task.stageAttemptNumber() > 0,
                ticket.onSealed(),
                filter);
        task.addTaskCompletionListener(ended -> {
            TASKS.remove(id);
            checkpoint.abort();
            store.close();
        });
        return new TaskState(checkpoint, filterMillis);
    }

    TaskKeys openInput(StagingMetrics ofNode) {
        metrics = ofNode;
        if (!filterTimeReported) {
            filterTimeReported = true;
            ofNode.filterMillis().add(filterMillis);
        }
        return new TaskKeys(checkpoint, ofNode);
    }

    public TaskCheckpoint checkpoint() {
        return checkpoint;
    }

    /** Shows the seal in the node's metrics. */
    public void countSealed() {
        if (metrics != null) {
            metrics.sealed().add(1);
            metrics.bytesStaged().add(checkpoint.bytesStaged());
        }
    }
}
