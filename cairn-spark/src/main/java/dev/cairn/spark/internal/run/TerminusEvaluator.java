package dev.cairn.spark.internal.run;

import dev.cairn.CairnException;
import dev.cairn.ErrorCondition;
import dev.cairn.TaskFailedException;
import dev.cairn.run.TaskCheckpoint;
import dev.cairn.run.TaskCheckpoint.Seal;
import dev.cairn.spark.CheckpointException;
import java.util.List;
import org.apache.spark.PartitionEvaluator;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.TaskFailureListener;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * Passes rows to their consumer and seals when the task has succeeded.
 *
 * <p>The seal comes at the end of the task, not at the end of the rows: a consumer may still be busy with its last ones.
 * And it needs both ends of the plan: operators in between may have read all input while their rows are still under
 * way, so that an exhausted input says nothing about what the consumer has seen.
 */
public final class TerminusEvaluator implements PartitionEvaluator<InternalRow, InternalRow> {
    private final RunHandle handle;

    private TerminusEvaluator(RunHandle handle) {
        this.handle = handle;
    }

    @Override
    public Iterator<InternalRow> eval(int index, Seq<Iterator<InternalRow>> inputs) {
        Iterator<InternalRow> rows = inputs.apply(0);
        TaskContext task = TaskContext.get();
        TaskState state = handle.taskState();
        Consumption consumption = new Consumption(rows);
        boolean[] failed = {false};
        TaskFailureListener onFailure = (context, failure) -> failed[0] = true;
        task.addTaskFailureListener(onFailure);
        // Spark calls completion listeners in reverse order, so those of the operators below, registered when they were
        // set up, run after this one; those of the consumer before it.
        task.addTaskCompletionListener(context -> {
            if (!failed[0] && !context.isInterrupted()) {
                try {
                    seal(state, consumption);
                } catch (CairnException e) {
                    // Of what a listener throws, Spark keeps the message alone: it must hold the condition.
                    throw new CheckpointException(e.condition(), e.getMessage(), e);
                }
            }
        });
        return consumption;
    }

    private static void seal(TaskState state, Consumption consumption) {
        TaskCheckpoint checkpoint = state.checkpoint();
        if (!consumption.exhausted) {
            throw new TaskFailedException(
                    ErrorCondition.INPUT_NOT_EXHAUSTED,
                    "The consumer of the checkpointed rows stopped before the last one, so it cannot be told which inputs"
                            + " are done. Read the partition's iterator to its end, or drop rows by a filter instead.");
        }
        Seal seal = checkpoint.seal(List.of(), List.of());
        if (seal instanceof Seal.Sealed) {
            state.countSealed();
        }
    }

    private static final class Consumption extends AbstractIterator<InternalRow> {
        private final Iterator<InternalRow> rows;
        private boolean exhausted;

        Consumption(Iterator<InternalRow> rows) {
            this.rows = rows;
        }

        @Override
        public boolean hasNext() {
            boolean more = rows.hasNext();
            exhausted |= !more;
            return more;
        }

        @Override
        public InternalRow next() {
            return rows.next();
        }
    }

    /** Travels to the tasks. */
    public static final class Factory implements PartitionEvaluatorFactory<InternalRow, InternalRow> {
        private static final long serialVersionUID = 1L;

        private final RunHandle handle;

        public Factory(RunHandle handle) {
            this.handle = handle;
        }

        @Override
        public PartitionEvaluator<InternalRow, InternalRow> createEvaluator() {
            return new TerminusEvaluator(handle);
        }
    }
}
