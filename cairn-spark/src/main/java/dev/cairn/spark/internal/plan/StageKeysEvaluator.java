package dev.cairn.spark.internal.plan;

import dev.cairn.key.KeySchema;
import dev.cairn.spark.internal.run.RunHandle;
import dev.cairn.spark.internal.run.StagingMetrics;
import dev.cairn.spark.internal.run.TaskKeys;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.PartitionEvaluator;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/** The interpreted twin of the code that {@link StageCheckpointKeysExec} generates. */
final class StageKeysEvaluator implements PartitionEvaluator<InternalRow, InternalRow> {
    private final Factory plan;

    private StageKeysEvaluator(Factory plan) {
        this.plan = plan;
    }

    @Override
    public Iterator<InternalRow> eval(int index, Seq<Iterator<InternalRow>> inputs) {
        TaskKeys keys = plan.handle.open(plan.metrics);
        Iterator<InternalRow> input = inputs.apply(0);
        return new AbstractIterator<>() {
            private InternalRow next;

            @Override
            public boolean hasNext() {
                while (next == null && input.hasNext()) {
                    InternalRow row = input.next();
                    if (admit(keys, row)) {
                        next = row;
                    }
                }
                if (next == null) {
                    keys.inputExhausted();
                }
                return next != null;
            }

            @Override
            public InternalRow next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("the partition is read to its end");
                }
                InternalRow row = next;
                next = null;
                return row;
            }
        };
    }

    private boolean admit(TaskKeys keys, InternalRow row) {
        for (int i = 0; i < plan.keys.size(); i++) {
            Object value = plan.keys.get(i).eval(row);
            if (value == null) {
                keys.putNull(i);
                continue;
            }
            switch (plan.schema.type(i)) {
                case STRING -> keys.put(i, (UTF8String) value);
                case BINARY -> keys.put(i, (byte[]) value);
                case DECIMAL -> keys.put(i, (Decimal) value);
                case BOOLEAN -> keys.put(i, (boolean) value);
                case INTEGER, DATE, TIMESTAMP, TIMESTAMP_NTZ -> keys.put(i, ((Number) value).longValue());
            }
        }
        return keys.admit();
    }

    /** Travels to the tasks. */
    static final class Factory implements PartitionEvaluatorFactory<InternalRow, InternalRow> {
        private static final long serialVersionUID = 1L;

        private final RunHandle handle;
        private final StagingMetrics metrics;
        private final List<Expression> keys;
        private final KeySchema schema;

        Factory(RunHandle handle, StagingMetrics metrics, List<Expression> keys, KeySchema schema) {
            this.handle = handle;
            this.metrics = metrics;
            this.keys = keys;
            this.schema = schema;
        }

        @Override
        public PartitionEvaluator<InternalRow, InternalRow> createEvaluator() {
            return new StageKeysEvaluator(this);
        }
    }
}
