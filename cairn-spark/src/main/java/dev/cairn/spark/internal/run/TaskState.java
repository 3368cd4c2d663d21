package dev.cairn.spark.internal.run;

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
    static TaskState current(RunTicket ticket) {
        TaskContext task = TaskContext.get();
        return TASKS.computeIfAbsent(task.taskAttemptId(), id -> open(ticket, task));
    }

    private static TaskState open(RunTicket ticket, TaskContext task) {
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
