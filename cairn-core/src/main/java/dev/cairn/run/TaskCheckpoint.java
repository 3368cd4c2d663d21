package dev.cairn.run;

import static java.util.Objects.requireNonNull;

import dev.cairn.CairnException;
import dev.cairn.ErrorCondition;
import dev.cairn.StoreAccessException;
import dev.cairn.TaskFailedException;
import dev.cairn.internal.file.CheckpointFileWriter;
import dev.cairn.internal.file.CheckpointFiles;
import dev.cairn.internal.file.KeyColumns;
import dev.cairn.internal.key.KeyEncoder;
import dev.cairn.internal.key.SipHash;
import dev.cairn.key.KeyFilter;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.PendingObject.Publication;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Committable;
import dev.cairn.store.KeyDigest;
import dev.cairn.store.Range;
import dev.cairn.store.RunIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one task attempt consumes and produces, on its way to being sealed. Owned by the task's thread.
 *
 * <p>A row is offered by putting the values of its key columns, in any order, and then asking {@link #admit()}. Values of
 * character columns are copied by the caller into the buffer that {@link #reserve} gives: no object is made per row.
 *
 * <p>Keys stream into the checkpoint's object, which nobody sees before {@link #seal}; a task that admits nothing never
 * starts one. Memory: about {@code 3 x 4 MiB} at most, plus what the storage buffers for an object in the making; less for
 * few keys, more for single keys of megabytes.
 *
 * <p>After an exception from any method the object is given up, and only {@link #abort()} does anything still.
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

    private static final Logger LOG = LoggerFactory.getLogger(TaskCheckpoint.class);

    private enum State {
        OPEN,
        SEALED,
        ABORTED
    }

    private final CheckpointFiles files;
    private final RunIdentity run;
    private final CheckpointId id;
    private final long attempt;
    private final String nonce = UUID.randomUUID().toString();
    private final OnSealed onSealed;
    /** Null if no key is sealed. */
    private final KeyFilter.Lookup sealedKeys;

    private final boolean singleInteger;
    private final KeyColumns columns;
    private final KeyEncoder encoder = new KeyEncoder();
    private final SipHash digestHash;
    /** What an earlier attempt of this partition sealed; null if there is none. */
    private final Checkpoint stored;

    private State state = State.OPEN;
    /** Null until something is written; then both are there. */
    private PendingObject pending;

    private CheckpointFileWriter writer;
    private long digestHigh;
    private long digestLow;
    /** Rows whose key is not sealed: they are in the digest, whether or not they are admitted. */
    private long rowsFresh;

    private long rowsSkipped;
    private long bytesStaged;
    private int inputsOpened;
    private int inputsExhausted;

    private TaskCheckpoint(
            CheckpointFiles files,
            RunIdentity run,
            int partition,
            long attempt,
            boolean repeated,
            OnSealed onSealed,
            KeyFilter filter) {
        this.files = requireNonNull(files, "files");
        this.run = requireNonNull(run, "run");
        this.id = new CheckpointId(run.run(), partition);
        this.attempt = attempt;
        this.onSealed = requireNonNull(onSealed, "onSealed");
        if (!filter.schema().sameKeys(run.keys())) {
            throw new IllegalArgumentException(
                    "the filter holds keys " + filter.schema() + ", the run's keys are " + run.keys());
        }
        this.sealedKeys = filter.isEmpty() ? null : filter.newLookup();
        this.singleInteger = run.keys().isSingleNumber();
        this.columns = new KeyColumns(run.keys());
        this.digestHash = new SipHash(digestKey(run.nonce()));
        this.stored = repeated ? files.find(id, run.sealing()).orElse(null) : null;
    }

    /**
     * Opens the checkpoint of a task attempt.
     *
     * @param partition index of the task within the run
     * @param attempt Spark's task attempt id
     * @param repeated whether an earlier attempt of the partition may have sealed already; costs a look into the store
     * @param filter keys to skip
     * @throws dev.cairn.StoreDamagedException if an earlier attempt's checkpoint is there and cannot be read
     * @throws StoreAccessException if the storage did not answer
     */
    public static TaskCheckpoint open(
            CheckpointStore store,
            RunIdentity run,
            int partition,
            long attempt,
            boolean repeated,
            OnSealed onSealed,
            KeyFilter filter) {
        return open(CheckpointFiles.of(store), run, partition, attempt, repeated, onSealed, filter);
    }

    static TaskCheckpoint open(
            CheckpointFiles files,
            RunIdentity run,
            int partition,
            long attempt,
            boolean repeated,
            OnSealed onSealed,
            KeyFilter filter) {
        return new TaskCheckpoint(files, run, partition, attempt, repeated, onSealed, filter);
    }

    /** A key of the run's own, so that digests of different runs cannot be compared and keys not be guessed from them. */
    private static byte[] digestKey(String nonce) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(nonce.getBytes(StandardCharsets.UTF_8));
            return Arrays.copyOf(hash, SipHash.KEY_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** For a single integer column: puts and admits in one. */
    public boolean admitLong(long key) {
        columns.putLong(0, key);
        return admit();
    }

    /** For a single column: a null key, which equals every other null key. */
    public boolean admitNull() {
        columns.putNull(0);
        return admit();
    }

    public void putNull(int column) {
        columns.putNull(column);
    }

    public void putLong(int column, long value) {
        columns.putLong(column, value);
    }

    /**
     * Makes room for a value of a character column.
     *
     * @param length of the value in bytes
     * @return the buffer to copy it to, beginning at {@link #position()}; valid until the next call
     */
    public byte[] reserve(int column, int length) {
        return columns.reserve(column, length);
    }

    /** Where in the buffer that {@link #reserve} gave last the value begins. */
    public int position() {
        return columns.position();
    }

    /**
     * Completes the row: true if it is to be processed, false if its key is sealed already.
     *
     * @throws IllegalStateException if a column was not put, or the task was sealed or aborted
     * @throws StoreAccessException if the storage failed while keys were written to it
     */
    public boolean admit() {
        if (state != State.OPEN) {
            throw new IllegalStateException("checkpoint " + id + " is " + state + ": it admits no more rows");
        }
        columns.encode(encoder);
        if (sealedKeys != null && isSealed()) {
            columns.rollback();
            rowsSkipped++;
            return false;
        }
        digestHash.hash(encoder.buffer(), encoder.offset(), encoder.length());
        digestLow += digestHash.low();
        digestHigh += digestHash.high();
        rowsFresh++;
        if (stored != null) {
            columns.rollback();
            return onSealed == OnSealed.ADMIT_AGAIN;
        }
        columns.accept();
        if (columns.isFull()) {
            stage();
        }
        return true;
    }

    private boolean isSealed() {
        if (!singleInteger) {
            return sealedKeys.contains(encoder);
        }
        return columns.isPutNull(0) ? sealedKeys.containsNull() : sealedKeys.containsLong(columns.putLongValue(0));
    }

    /** An input of the task begins. A task may read several, one after the other (after a coalesce). */
    public void inputOpened() {
        inputsOpened++;
    }

    /** The input opened last was read to its end. */
    public void inputExhausted() {
        inputsExhausted++;
    }

    /** Whether every input that was opened was read to its end; true if none was opened. */
    public boolean isInputExhausted() {
        return inputsOpened == inputsExhausted;
    }

    /** Rows for which {@link #admit()} returned true. */
    public long rowsAdmitted() {
        return replaysStored() ? 0 : rowsFresh;
    }

    /** Rows whose key was sealed by an earlier run. */
    public long rowsSkipped() {
        return rowsSkipped;
    }

    /** Bytes written to the checkpoint's object so far, the packed keys above all. */
    public long bytesStaged() {
        return bytesStaged;
    }

    /** Whether {@link OnSealed#RETURN_STORED} applies: an earlier attempt's checkpoint stands, nothing is admitted. */
    public boolean replaysStored() {
        return stored != null && onSealed == OnSealed.RETURN_STORED;
    }

    /**
     * Makes the consumed keys and ranges visible together with the committables, atomically. Durable when this returns.
     * The committables' own output must be durable before.
     *
     * @throws dev.cairn.TaskFailedException if the input was not read to its end, or an earlier attempt saw other keys
     * @throws StoreAccessException if the storage failed; the checkpoint may or may not be visible then, and the next
     *     attempt, or the next run, finds out
     */
    public Seal seal(List<Committable> committables, List<Range> ranges) {
        if (state != State.OPEN) {
            throw new IllegalStateException("checkpoint " + id + " is " + state + ": it cannot be sealed");
        }
        if (!isInputExhausted()) {
            abort();
            throw new TaskFailedException(
                    ErrorCondition.INPUT_NOT_EXHAUSTED,
                    "Task " + id + " ended before its input was read to the end (" + inputsExhausted + " of "
                            + inputsOpened + " inputs were): rows that nobody saw would count as processed. Nothing of"
                            + " the task was sealed. Something above the checkpoint stops early, such as a limit or a"
                            + " mapPartitions function that does not consume its iterator: move it below the checkpoint"
                            + " or let it read on.");
        }
        if (stored != null) {
            Seal seal = alreadySealed(stored);
            state = State.SEALED;
            return seal;
        }
        if (rowsFresh == 0 && committables.isEmpty() && ranges.isEmpty()) {
            abort();
            return new Seal.NothingToSeal();
        }
        Checkpoint checkpoint = new Checkpoint(
                id, run.sealing(), attempt, nonce, rowsFresh, rowsSkipped, digest(), committables, ranges);
        stage();
        try {
            writer.finish(checkpoint);
            bytesStaged = writer.bytes();
        } catch (IOException e) {
            throw failed(e);
        } catch (Throwable e) {
            abort();
            throw e;
        }
        return publish(checkpoint);
    }

    private Seal publish(Checkpoint checkpoint) {
        PendingObject object = pending;
        // Publishing ends the object, whatever comes of it: aborting it afterwards could delete what was sealed.
        forgetObject();
        state = State.SEALED;
        IOException unknown = null;
        try {
            if (object.publish() == Publication.PUBLISHED) {
                return new Seal.Sealed(checkpoint);
            }
        } catch (IOException e) {
            unknown = e;
        }
        // The name is taken, possibly by this very attempt, or the answer got lost: only the object itself can tell.
        Optional<Checkpoint> visible;
        try {
            visible = files.find(id, run.sealing());
        } catch (CairnException e) {
            if (unknown == null) {
                throw e;
            }
            e.addSuppressed(unknown);
            throw unknownOutcome(e);
        }
        if (visible.isEmpty()) {
            throw unknownOutcome(unknown);
        }
        if (visible.get().nonce().equals(nonce)) {
            return new Seal.Sealed(checkpoint);
        }
        return alreadySealed(visible.get());
    }

    private StoreAccessException unknownOutcome(Exception cause) {
        return new StoreAccessException(
                ErrorCondition.STORE_ACCESS,
                "The storage did not say whether checkpoint " + id + " was sealed"
                        + (cause == null ? ": its name is taken, but nothing can be read there" : ": " + cause)
                        + ". If it was, the next attempt of the task finds it; if not, the task is processed again.",
                cause);
    }

    /** Another attempt's checkpoint stands if it consumed the same rows. */
    private Seal alreadySealed(Checkpoint other) {
        if (other.rowsAdmitted() == rowsFresh && other.digest().equals(digest())) {
            return new Seal.AlreadySealed(other);
        }
        abort();
        throw new TaskFailedException(
                ErrorCondition.INPUT_CHANGED,
                "Task " + id + " was repeated and saw other rows than before: attempt " + other.attempt()
                        + " sealed " + other.rowsAdmitted() + " keys with digest " + other.digest() + ", attempt "
                        + attempt + " read " + rowsFresh + " with digest " + digest()
                        + ". What was sealed stays valid; the next run processes what is missing. To avoid this, make the"
                        + " input of the checkpoint deterministic: no rand() or current_timestamp() in its key, filters"
                        + " or partitioning, and a source that does not change while the job runs.");
    }

    private KeyDigest digest() {
        return new KeyDigest(digestHigh, digestLow);
    }

    /** Writes what the columns hold, which may be nothing, into the object, which is begun if it was not. */
    private void stage() {
        try {
            if (pending == null) {
                pending = files.create(id, run.sealing());
                writer = new CheckpointFileWriter(pending.stream(), run.keys());
            }
            writer.write(columns);
            bytesStaged = writer.bytes();
        } catch (IOException e) {
            throw failed(e);
        } catch (Throwable e) {
            abort();
            throw e;
        }
    }

    private StoreAccessException failed(IOException cause) {
        abort();
        // Parquet wraps what the storage said in what it wanted to write; the former is what people need.
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return new StoreAccessException(
                ErrorCondition.STORE_ACCESS,
                "The keys of task " + id + " could not be written to the checkpoint store: " + root
                        + ". Nothing of the task was sealed; it is processed again.",
                cause);
    }

    /** Gives up; nothing becomes visible. Does nothing after a seal. Never throws. */
    public void abort() {
        if (state == State.SEALED) {
            return;
        }
        state = State.ABORTED;
        PendingObject object = pending;
        forgetObject();
        if (object != null) {
            try {
                object.abort();
            } catch (RuntimeException e) {
                // The object stays invisible either way; an error on the way out must not hide the one that led here.
                LOG.warn("Checkpoint {}: what was staged could not be removed now; a later run removes it", id, e);
            }
        }
    }

    private void forgetObject() {
        pending = null;
        writer = null;
    }
}
