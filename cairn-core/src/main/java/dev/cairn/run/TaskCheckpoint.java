package dev.cairn.run;

import dev.cairn.key.KeyFilter;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Committable;
import dev.cairn.store.Range;
import dev.cairn.store.RunIdentity;
import java.util.List;

/**
 * What one task attempt consumes and produces, on its way to being sealed. Owned by the task's thread.
 *
 * <p>A row is offered by putting the values of its key columns, in any order, and then asking {@link #admit()}. Values of
 * character columns are copied by the caller into the buffer that {@link #reserve} gives: no object is made per row.
 */
public final class TaskCheckpoint {
    /** What a task does that finds its partition sealed by an earlier attempt of the same run. */
    public enum OnSealed {
        /** Admits nothing, reads the input through to compare the digest, and gives back the stored committables. */
        RETURN_STORED,
        /** Admits the same rows again, for actions that return rows; sealing again changes nothing. */
        ADMIT_AGAIN
    }

    /** What became of a seal. */
    public sealed interface Seal {
        /** This attempt's checkpoint is visible, durably. */
        record Sealed(Checkpoint checkpoint) implements Seal {}

        /** Another attempt was first: its checkpoint counts, this attempt's output must be discarded. */
        record AlreadySealed(Checkpoint checkpoint) implements Seal {}

        /** The task admitted nothing, produced nothing and consumed no range to its end. */
        record NothingToSeal() implements Seal {}
    }

    private TaskCheckpoint() {}

    /**
     * Opens the checkpoint of a task attempt.
     *
     * @param partition index of the task within the run
     * @param attempt Spark's task attempt id
     * @param repeated whether an earlier attempt of the partition may have sealed already; costs a look into the store
     * @param filter keys to skip
     */
    public static TaskCheckpoint open(
            CheckpointStore store,
            RunIdentity run,
            int partition,
            long attempt,
            boolean repeated,
            OnSealed onSealed,
            KeyFilter filter) {
        throw new UnsupportedOperationException();
    }

    /** For a single integer column: puts and admits in one. */
    public boolean admitLong(long key) {
        throw new UnsupportedOperationException();
    }

    /** For a single column: a null key, which equals every other null key. */
    public boolean admitNull() {
        throw new UnsupportedOperationException();
    }

    public void putNull(int column) {
        throw new UnsupportedOperationException();
    }

    public void putLong(int column, long value) {
        throw new UnsupportedOperationException();
    }

    /**
     * Makes room for a value of a character column.
     *
     * @param length of the value in bytes
     * @return the buffer to copy it to, beginning at {@link #position()}; valid until the next call
     */
    public byte[] reserve(int column, int length) {
        throw new UnsupportedOperationException();
    }

    public int position() {
        throw new UnsupportedOperationException();
    }

    /** Completes the row: true if it is to be processed, false if its key is sealed already. */
    public boolean admit() {
        throw new UnsupportedOperationException();
    }

    /** An input of the task begins. A task may read several, one after the other (after a coalesce). */
    public void inputOpened() {
        throw new UnsupportedOperationException();
    }

    /** The input opened last was read to its end. */
    public void inputExhausted() {
        throw new UnsupportedOperationException();
    }

    /** Whether every input that was opened was read to its end. */
    public boolean isInputExhausted() {
        throw new UnsupportedOperationException();
    }

    public long rowsAdmitted() {
        throw new UnsupportedOperationException();
    }

    public long bytesStaged() {
        throw new UnsupportedOperationException();
    }

    public long rowsSkipped() {
        throw new UnsupportedOperationException();
    }

    /** Whether {@link OnSealed#RETURN_STORED} applies: an earlier attempt's checkpoint stands, nothing is admitted. */
    public boolean replaysStored() {
        throw new UnsupportedOperationException();
    }

    /**
     * Makes the consumed keys and ranges visible together with the committables, atomically. Durable when this returns.
     * The committables' own output must be durable before.
     *
     * @throws dev.cairn.TaskFailedException if the input was not read to its end, or an earlier attempt saw other keys
     */
    public Seal seal(List<Committable> committables, List<Range> ranges) {
        throw new UnsupportedOperationException();
    }

    /** Gives up; nothing becomes visible. Does nothing after a seal. */
    public void abort() {
        throw new UnsupportedOperationException();
    }
}
