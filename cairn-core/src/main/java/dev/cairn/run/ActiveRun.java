package dev.cairn.run;

import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Epoch;
import dev.cairn.store.Figures;
import dev.cairn.store.Outcome;
import dev.cairn.store.RunIdentity;
import dev.cairn.store.SealedKeys;
import java.util.Collection;
import java.util.Optional;

/**
 * A run that this head started and still owns. Used from one thread at a time. Its heartbeat beats until it is ended,
 * closed or fenced.
 */
public final class ActiveRun implements AutoCloseable {
    private ActiveRun() {}

    public RunIdentity identity() {
        throw new UnsupportedOperationException();
    }

    public CheckpointStore store() {
        throw new UnsupportedOperationException();
    }

    /** The keys that this run skips. */
    public SealedKeys sealedKeys() {
        throw new UnsupportedOperationException();
    }

    /** Whether the destination has ever had an epoch of this store committed. */
    public boolean hasCommittedEpochs() {
        throw new UnsupportedOperationException();
    }

    /**
     * Publishes everything that is sealed and pending, of this run and of earlier ones, as one epoch. Called once, after
     * every task of the run has ended.
     *
     * @param reported checkpoints that the run's tasks say they sealed; spares reading them again. Each must be in the
     *     store.
     * @return the epoch; empty if nothing was pending
     * @throws dev.cairn.FencedException if another head took the store
     * @throws dev.cairn.CommitStateUnknownException if the outcome is unknown; the next run finds out
     * @throws dev.cairn.OutputLostException if output to publish is gone
     */
    public Optional<Epoch> commit(Collection<Checkpoint> reported) {
        throw new UnsupportedOperationException();
    }

    /**
     * Says in the log how the run ended, stops the heartbeat and removes the run's leftovers. A fenced run says nothing:
     * then this only stops the heartbeat.
     *
     * @param message one line for people on a failure; empty otherwise
     */
    public void end(Outcome outcome, String message, Figures figures) {
        throw new UnsupportedOperationException();
    }

    /** Stops the heartbeat and appends nothing. Does nothing after {@link #end}. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
