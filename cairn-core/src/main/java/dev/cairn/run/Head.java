package dev.cairn.run;

import dev.cairn.commit.Committer;
import dev.cairn.store.CheckpointStore;

/**
 * The one place that decides about a store: starts runs, commits epochs, ends runs. Every decision is a log entry
 * whose number this head was the first to take; that is lock, fence and order in one.
 *
 * <p>See {@code docs/protocol.md}.
 */
public final class Head {
    private Head() {}

    /**
     * Starts a run: folds the log, refuses if the store is bound otherwise or another run is visibly alive, resolves an
     * open epoch, fixes which checkpoints of the previous run count, and takes the store.
     *
     * @param committer of the run's destination; stays the caller's to close
     * @throws dev.cairn.RefusedException if the run does not fit the store
     * @throws dev.cairn.RunAliveException if another run is visibly alive
     * @throws dev.cairn.CommitStateUnknownException if an open epoch can be neither proven nor disproven
     * @throws dev.cairn.OutputLostException if an open epoch's output is gone
     * @throws dev.cairn.StoreDamagedException if the store cannot be read
     */
    public static ActiveRun start(
            CheckpointStore store, RunRequest request, Committer committer, HeadListener listener) {
        throw new UnsupportedOperationException();
    }
}
