package dev.cairn.spark.internal.run;

import dev.cairn.internal.key.DecimalText;
import dev.cairn.run.TaskCheckpoint;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Offers the keys of one input partition to the task's checkpoint; called by generated code, once a row. Owned by the
 * task's thread.
 */
public final class TaskKeys {
    private final TaskCheckpoint checkpoint;
    private final SQLMetric admitted;
    private final SQLMetric skipped;
    private boolean exhausted;
    /** Null until there is a decimal. */
    private DecimalText decimalText;

    TaskKeys(TaskCheckpoint checkpoint, StagingMetrics metrics) {
        this.checkpoint = checkpoint;
        this.admitted = metrics.admitted();
        this.skipped = metrics.skipped();
        checkpoint.inputOpened();
    }

    /** A key of a single column of numbers: integers, days, microseconds. */
    public boolean admit(long key) {
        return count(checkpoint.admitLong(key));
    }

    /** A key of a single boolean column. */
    public boolean admit(boolean key) {
        return admit(key ? 1L : 0L);
    }

    /** A key of a single string column. */
    public boolean admit(UTF8String key) {
        put(0, key);
        return count(checkpoint.admit());
    }

    /** A key of a single binary column. */
    public boolean admit(byte[] key) {
        put(0, key);
        return count(checkpoint.admit());
    }

    /** A key of a single decimal column. */
    public boolean admit(Decimal key) {
        put(0, key);
        return count(checkpoint.admit());
    }

    /** A null key of a single column. */
    public boolean admitNull() {
        return count(checkpoint.admitNull());
    }

    public void put(int column, long value) {
        checkpoint.putLong(column, value);
    }

    public void put(int column, UTF8String value) {
        byte[] target = checkpoint.reserve(column, value.numBytes());
        value.writeToMemory(target, Platform.BYTE_ARRAY_OFFSET + checkpoint.position());
    }

    public void put(int column, boolean value) {
        put(column, value ? 1L : 0L);
    }

    public void put(int column, byte[] value) {
        put(column, value, 0, value.length);
    }

    public void put(int column, Decimal value) {
        if (decimalText == null) {
            decimalText = new DecimalText();
        }
        if (value.precision() <= Decimal.MAX_LONG_DIGITS() && value.scale() >= 0) {
            decimalText.set(value.toUnscaledLong(), value.scale());
        } else {
            decimalText.set(value.toJavaBigDecimal());
        }
        put(column, decimalText.buffer(), decimalText.offset(), decimalText.length());
    }

    private void put(int column, byte[] bytes, int offset, int length) {
        byte[] target = checkpoint.reserve(column, length);
        System.arraycopy(bytes, offset, target, checkpoint.position(), length);
    }

    public void putNull(int column) {
        checkpoint.putNull(column);
    }

    /** Whether the row whose columns were put is to be processed. */
    public boolean admit() {
        return count(checkpoint.admit());
    }

    private boolean count(boolean isAdmitted) {
        (isAdmitted ? admitted : skipped).add(1);
        return isAdmitted;
    }

    /** The input has ended. May be called again: iterators are asked after their end. */
    public void inputExhausted() {
        if (!exhausted) {
            exhausted = true;
            checkpoint.inputExhausted();
        }
    }
}
