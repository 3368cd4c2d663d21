package dev.cairn.run;

import dev.cairn.FencedException;
import dev.cairn.OutputLostException;
import dev.cairn.StoreAccessException;
import dev.cairn.commit.CommitOutcome;
import dev.cairn.commit.Committer;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.CheckpointSet;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Committable;
import dev.cairn.store.Destination;
import dev.cairn.store.Epoch;
import dev.cairn.store.Figures;
import dev.cairn.store.LogEntry;
import dev.cairn.store.Outcome;
import dev.cairn.store.PartitionSet;
import dev.cairn.store.RunIdentity;
import dev.cairn.store.SealedKeys;
import dev.cairn.store.Sealing;
import dev.cairn.store.StoreState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run that this head started and still owns. Used from one thread at a time. Its heartbeat beats until it is ended,
 * closed or fenced.
 */
public final class ActiveRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ActiveRun.class);

    private final CheckpointStore store;
    private final RunRequest request;
    private final Committer committer;
    private final Destination destination;
    private final HeadListener listener;
    private final Pace pace;
    private final Heartbeat heartbeat;
    private final long number;
    private final SealedKeys sealedKeys;

    /** Everything up to this head's own last entry: nobody else has appended since, or this head is fenced. */
    private StoreState state;

    /** Once true, this head appends nothing more and deletes nothing. */
    private boolean lost;

    /** Who took the store; null while not lost, or if that could not be read. */
    private FencedException fenced;

    private boolean committed;
    private boolean ended;

    ActiveRun(
            CheckpointStore store,
            RunRequest request,
            Committer committer,
            Destination destination,
            HeadListener listener,
            Pace pace,
            Heartbeat heartbeat,
            StoreState state,
            long number) {
        this.store = store;
        this.request = request;
        this.committer = committer;
        this.destination = destination;
        this.listener = listener;
        this.pace = pace;
        this.heartbeat = heartbeat;
        this.state = state;
        this.number = number;
        this.sealedKeys = state.sealedKeys();
    }

    /** What the run's tasks need to know of it. */
    public RunIdentity identity() {
        return new RunIdentity(store.id(), number, request.writer().nonce(), request.keys(), request.sealing());
    }

    public CheckpointStore store() {
        return store;
    }

    /** The keys that this run skips. The same from the start to the end of the run. */
    public SealedKeys sealedKeys() {
        return sealedKeys;
    }

    /** What earlier runs sealed and nobody has committed yet: this run's commit publishes it. */
    public CheckpointSet pending() {
        return state.pending();
    }

    /** Whether the destination has ever had an epoch of this store committed. */
    public boolean hasCommittedEpochs() {
        return state.publishedTo(destination);
    }

    /** See {@link StoreState#newestEpochIsUnattended()}. */
    public boolean newestEpochIsUnattended() {
        return state.newestEpochIsUnattended();
    }

    /**
     * Publishes everything that is sealed and pending, of this run and of earlier ones, as one epoch. Called once, after
     * every task of the run has ended.
     *
     * @param reported checkpoints that the run's tasks say they sealed; spares reading them again. Each must be in the
     *     store.
     * @return the epoch; empty if nothing was pending, or the run has no sink of ours
     * @throws dev.cairn.FencedException if another head took the store
     * @throws dev.cairn.CommitStateUnknownException if the outcome is unknown; the next run finds out
     * @throws dev.cairn.OutputLostException if output to publish is gone
     * @throws dev.cairn.RefusedException if the destination refuses the epoch for good; it stays to be committed later
     */
    public Optional<Epoch> commit(Collection<Checkpoint> reported) {
        requireOwned();
        if (committed) {
            throw new IllegalStateException("run " + number + " has committed already");
        }
        committed = true;
        PartitionSet own = store.sealedPartitions(number, request.sealing());
        Map<CheckpointId, Checkpoint> known = new HashMap<>();
        for (Checkpoint checkpoint : reported) {
            CheckpointId id = checkpoint.id();
            if (id.run() != number) {
                throw new IllegalArgumentException("checkpoint " + id + " is not of run " + number);
            }
            // A report without its object would publish rows whose keys nobody remembers.
            if (!own.contains(id.partition())) {
                throw HeadErrors.reportedButAbsent(store, id);
            }
            known.put(id, checkpoint);
        }
        if (destination.isNone()) {
            return Optional.empty();
        }
        CheckpointSet pending = CheckpointSet.of(number, own).minus(state.voided());
        if (request.sealing() == Sealing.TASK) {
            pending = pending.plus(state.pending());
        }
        List<Committable> committables = new ArrayList<>();
        pending.stream().forEach(id -> {
            Checkpoint checkpoint = known.get(id);
            committables.addAll(
                    (checkpoint == null ? store.readCheckpoint(id, request.sealing()) : checkpoint).committables());
        });
        // With job-level sealing the epoch is the seal, whatever the tasks handed over.
        boolean nothing = request.sealing() == Sealing.TASK ? committables.isEmpty() : pending.isEmpty();
        if (nothing) {
            return Optional.empty();
        }
        try {
            return Optional.of(commit(pending, committables));
        } catch (OutputLostException lost) {
            // A later head cleans up after a run that it overtook: then that is what happened, and nothing is lost.
            requireNotFenced();
            throw lost;
        }
    }

    private Epoch commit(CheckpointSet pending, List<Committable> committables) {
        long epoch = state.highestEpoch() + 1;
        Head.requireNothingMissing(store, committer, epoch, committables);
        // Asked before the intent is written: whatever is committed afterwards comes after the base.
        String base = committer.base();
        LogEntry.CommitIntended intent = new LogEntry.CommitIntended(
                request.writer(), now(), epoch, UUID.randomUUID().toString(), base, pending);
        append(intent);
        CommitOutcome outcome = Head.commit(store, committer, Head.tag(store, state, intent), base, committables);
        if (outcome instanceof CommitOutcome.Unknown unknown) {
            throw HeadErrors.unknown(store, epoch, destination, unknown.reason(), unknown.cause());
        }
        if (outcome instanceof CommitOutcome.NotCommitted refused) {
            requireNotFenced();
            throw HeadErrors.commitRefused(store, epoch, destination, refused.reason());
        }
        String winner = ((CommitOutcome.Committed) outcome).nonce();
        if (!winner.equals(intent.nonce())) {
            // Somebody else intended this epoch again, and won.
            requireNotFenced();
            throw HeadErrors.behind(
                    store,
                    destination,
                    "it holds epoch " + epoch + " with the nonce " + winner + ", which no intent in the log has");
        }
        append(new LogEntry.Committed(request.writer(), now(), epoch, winner));
        listener.committed(epoch, pending.size());
        return state.epochs().get(Math.toIntExact(epoch - 1));
    }

    /**
     * Says in the log how the run ended, stops the heartbeat and removes the run's leftovers. A fenced run says nothing:
     * then this only stops the heartbeat. Does nothing the second time.
     *
     * @param message one line for people on a failure; empty otherwise
     * @throws dev.cairn.FencedException if another head took the store before this run could say that it succeeded
     */
    public void end(Outcome outcome, String message, Figures figures) {
        if (ended) {
            return;
        }
        ended = true;
        try {
            if (lost) {
                return;
            }
            boolean seals = outcome == Outcome.SUCCEEDED && request.sealing() == Sealing.JOB && destination.isNone();
            PartitionSet sealed = seals ? store.sealedPartitions(number, Sealing.JOB) : PartitionSet.empty();
            try {
                append(new LogEntry.RunEnded(
                        request.writer(),
                        now(),
                        number,
                        outcome,
                        message.lines().findFirst().orElse(""),
                        figures,
                        sealed));
            } catch (FencedException late) {
                // What made the run fail matters more to its user than who took the store.
                if (outcome == Outcome.SUCCEEDED) {
                    throw late;
                }
                LOG.warn("Run {} failed, and could not say so in the log.", number, late);
                return;
            }
            try {
                store.removeLeftoversOf(number);
            } catch (StoreAccessException harmless) {
                LOG.warn("Leftovers of run {} stay for now.", number, harmless);
            }
        } finally {
            heartbeat.close();
        }
    }

    /** Stops the heartbeat and appends nothing. Does nothing after {@link #end}. */
    @Override
    public void close() {
        ended = true;
        heartbeat.close();
    }

    /** Appends, or finds itself fenced: whatever another writer decided, this head does not know it. */
    private void append(LogEntry entry) {
        long next = state.nextEntry();
        if (!store.append(next, entry)) {
            throw fencedBy(next);
        }
        state = state.with(next, entry);
    }

    private void requireNotFenced() {
        long next = state.nextEntry();
        if (store.fold(state).nextEntry() > next) {
            throw fencedBy(next);
        }
    }

    private FencedException fencedBy(long entry) {
        heartbeat.close();
        lost = true; // also if it cannot be read who was faster
        fenced = HeadErrors.fenced(store, number, entry, store.readEntry(entry));
        return fenced;
    }

    private void requireOwned() {
        if (fenced != null) {
            throw fenced;
        }
        if (ended || lost) {
            throw new IllegalStateException("run " + number + " has ended");
        }
    }

    private Instant now() {
        return pace.clock().instant().truncatedTo(ChronoUnit.MILLIS);
    }
}
