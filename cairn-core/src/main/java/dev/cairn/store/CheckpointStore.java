package dev.cairn.store;

import dev.cairn.storage.PendingObject;
import dev.cairn.storage.Storage;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.io.InputFile;

/**
 * A directory that holds all state of one pipeline: an id, a log, and sealed checkpoints. Thread-safe.
 *
 * <p>This class knows names and formats; the rules by which a run uses them are those of {@link dev.cairn.run.Head} and
 * {@link dev.cairn.run.TaskCheckpoint}.
 */
public final class CheckpointStore implements AutoCloseable {
    private CheckpointStore() {}

    /**
     * Opens a store that exists.
     *
     * @throws dev.cairn.RefusedException if there is no store at the location, or it says it lies elsewhere
     * @throws dev.cairn.StoreDamagedException if {@code store.json} cannot be read
     * @throws dev.cairn.StoreAccessException if the storage did not answer
     */
    public static CheckpointStore open(String location, Configuration configuration) {
        throw new UnsupportedOperationException();
    }

    /** Opens a store, and creates it first where the location is absent or an empty directory. */
    public static CheckpointStore openOrCreate(String location, Configuration configuration, Writer creator) {
        throw new UnsupportedOperationException();
    }

    /** For tasks: the store is known to exist with this id; reads nothing. */
    public static CheckpointStore attach(String location, String id, Configuration configuration) {
        throw new UnsupportedOperationException();
    }

    /** For tests and tools that bring their own storage. */
    public static CheckpointStore openOrCreate(Storage storage, Writer creator) {
        throw new UnsupportedOperationException();
    }

    public String id() {
        throw new UnsupportedOperationException();
    }

    /** Canonical. */
    public String location() {
        throw new UnsupportedOperationException();
    }

    public Storage storage() {
        throw new UnsupportedOperationException();
    }

    /** Reads the whole log. */
    public StoreState fold() {
        throw new UnsupportedOperationException();
    }

    /** Reads what was appended since. */
    public StoreState fold(StoreState known) {
        throw new UnsupportedOperationException();
    }

    /**
     * Appends an entry if its number is free. Durable when this returns true. A lost reply is settled by reading back.
     *
     * @return whether the entry with this number is the given one
     * @throws dev.cairn.StoreAccessException if it cannot be told
     */
    public boolean append(long number, LogEntry entry) {
        throw new UnsupportedOperationException();
    }

    /** Which partitions of the run have a checkpoint file of that kind now. */
    public PartitionSet sealedPartitions(long run, Sealing sealing) {
        throw new UnsupportedOperationException();
    }

    /** Everything of a checkpoint but its keys. */
    public Checkpoint readCheckpoint(CheckpointId id, Sealing sealing) {
        throw new UnsupportedOperationException();
    }

    /** The checkpoint if its file exists. */
    public java.util.Optional<Checkpoint> findCheckpoint(CheckpointId id, Sealing sealing) {
        throw new UnsupportedOperationException();
    }

    /** For reading a checkpoint's keys. */
    public InputFile openCheckpoint(CheckpointId id, Sealing sealing) {
        throw new UnsupportedOperationException();
    }

    /** Starts a checkpoint's file. */
    public PendingObject createCheckpoint(CheckpointId id, Sealing sealing) {
        throw new UnsupportedOperationException();
    }

    /** Removes what tasks of runs before that one left half-written. */
    public int removeLeftovers(long beforeRun, Duration minimumAge) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
