package dev.cairn.store;

import java.util.List;
import java.util.Optional;

/** What the log says, folded up to some entry. Immutable. */
public final class StoreState {
    /** Before the first entry. */
    public static final StoreState EMPTY = new StoreState();

    private StoreState() {}

    /** The state after one more entry. */
    public StoreState with(long number, LogEntry entry) {
        throw new UnsupportedOperationException();
    }

    /** Number that the next entry will have; as many entries are folded. */
    public long nextEntry() {
        throw new UnsupportedOperationException();
    }

    /** In log order. */
    public List<Run> runs() {
        throw new UnsupportedOperationException();
    }

    public Optional<Run> run(long number) {
        throw new UnsupportedOperationException();
    }

    public Optional<Run> latestRun() {
        throw new UnsupportedOperationException();
    }

    /** By number. */
    public List<Epoch> epochs() {
        throw new UnsupportedOperationException();
    }

    public Optional<Epoch> openEpoch() {
        throw new UnsupportedOperationException();
    }

    /** Number of the newest epoch, open or committed; 0 if there is none. */
    public long highestEpoch() {
        throw new UnsupportedOperationException();
    }

    /** Named by committed epochs. */
    public CheckpointSet committed() {
        throw new UnsupportedOperationException();
    }

    public CheckpointSet voided() {
        throw new UnsupportedOperationException();
    }

    /** Checkpoints that count: in a run's accepted set or in a committed epoch, and not void. */
    public CheckpointSet accepted() {
        throw new UnsupportedOperationException();
    }

    /** Accepted and neither committed nor void. Some may hold no committables. */
    public CheckpointSet pending() {
        throw new UnsupportedOperationException();
    }

    /** The keys that a run starting now skips. */
    public SealedKeys sealedKeys() {
        throw new UnsupportedOperationException();
    }

    /**
     * The run that binds the store to its key types, mode, sealing and destination: the latest one, unless no sealed key
     * is left.
     */
    public Optional<Run> binding() {
        throw new UnsupportedOperationException();
    }
}
