package dev.cairn.run;

import static java.util.Objects.requireNonNull;

import dev.cairn.CairnException;
import dev.cairn.ErrorCondition;
import dev.cairn.StoreAccessException;
import dev.cairn.commit.CommitOutcome;
import dev.cairn.commit.Committer;
import dev.cairn.commit.EpochTag;
import dev.cairn.commit.Presence;
import dev.cairn.internal.log.Beat;
import dev.cairn.internal.log.ProcessMark;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.CheckpointSet;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Committable;
import dev.cairn.store.Destination;
import dev.cairn.store.Epoch;
import dev.cairn.store.LogEntry;
import dev.cairn.store.PartitionSet;
import dev.cairn.store.Run;
import dev.cairn.store.Sealing;
import dev.cairn.store.StoreState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place that decides about a store: starts runs, commits epochs, ends runs. Every decision is a log entry
 * whose number this head was the first to take; that is lock, fence and order in one.
 *
 * <p>See {@code docs/protocol.md}.
 */
public final class Head {
    private static final Logger LOG = LoggerFactory.getLogger(Head.class);

    /** For how many of its own intervals a run that never said that it ended is watched. */
    static final int WATCHED_INTERVALS = 3;

    /** What runs before this one left half-written is removed at any age: their seals cannot count any more. */
    private static final Duration LEFTOVER_AGE = Duration.ZERO;

    private final CheckpointStore store;
    private final RunRequest request;
    private final Committer committer;
    private final Destination destination;
    private final HeadListener listener;
    private final Pace pace;

    private Head(CheckpointStore store, RunRequest request, Committer committer, HeadListener listener, Pace pace) {
        this.store = requireNonNull(store, "store");
        this.request = requireNonNull(request, "request");
        this.committer = requireNonNull(committer, "committer");
        this.destination = committer.destination();
        this.listener = requireNonNull(listener, "listener");
        this.pace = requireNonNull(pace, "pace");
    }

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
        return start(store, request, committer, listener, Pace.REAL);
    }

    static ActiveRun start(
            CheckpointStore store, RunRequest request, Committer committer, HeadListener listener, Pace pace) {
        return new Head(store, request, committer, listener, pace).start();
    }

    /** Every lost append leads back to the top: what was decided before may rest on a state that is no more. */
    private ActiveRun start() {
        StoreState state = store.fold();
        Optional<Long> knownDead = Optional.empty();
        while (true) {
            Optional<Run> previous = state.latestRun();
            // First of all, since everything below asks the destination, and it must be the store's.
            boolean unbound = !requireBinding(state);
            Optional<Run> silent = previous.filter(run -> run.ended().isEmpty());
            if (!request.takeover()
                    && silent.isPresent()
                    && !silent.map(Run::number).equals(knownDead)) {
                requireDead(silent.get());
                knownDead = silent.map(Run::number);
                state = store.fold(state);
                continue;
            }
            Optional<String> ahead = catalogAhead(state);
            if (ahead.isPresent()) {
                state = foldAgainOrRefuse(state, ahead.get());
                continue;
            }
            committer.beforeRun(!unbound && state.publishedTo(destination));
            if (state.openEpoch().isPresent()) {
                state = resolve(state, state.openEpoch().get());
                continue;
            }
            // Listed after the fold, and again after every lost append: a listing from before would leave out what was
            // sealed meanwhile, and its rows, which a task of this run would not skip, would be published twice.
            PartitionSet accepted = unbound ? PartitionSet.empty() : sealedBy(previous);
            LogEntry.RunStarted started = new LogEntry.RunStarted(
                    request.writer(),
                    now(),
                    request.keys(),
                    request.mode(),
                    request.sealing(),
                    destination,
                    previous.map(Run::number),
                    accepted,
                    Math.max(1, request.heartbeatInterval().toMillis()));
            long number = state.nextEntry();
            if (store.append(number, started)) {
                return begin(state.with(number, started), number);
            }
            state = store.fold(state);
        }
    }

    private ActiveRun begin(StoreState state, long number) {
        Heartbeat heartbeat = new Heartbeat(store, number, request.writer().nonce(), request.heartbeatInterval());
        ActiveRun run = new ActiveRun(store, request, committer, destination, listener, pace, heartbeat, state, number);
        try {
            heartbeat.start();
            try {
                store.removeLeftovers(number, LEFTOVER_AGE);
            } catch (StoreAccessException harmless) {
                LOG.warn("Leftovers in the checkpoint store {} stay for now.", store.location(), harmless);
            }
            listener.started(run);
            return run;
        } catch (Throwable failed) {
            heartbeat.close();
            throw failed;
        }
    }

    private PartitionSet sealedBy(Optional<Run> previous) {
        // Of a run that seals as a whole, a committed epoch or its end names what counts.
        return previous.filter(run -> run.started().sealing() == Sealing.TASK)
                .map(run -> store.sealedPartitions(run.number(), Sealing.TASK))
                .orElse(PartitionSet.empty());
    }

    /**
     * Refuses a run that does not fit what the store is bound to.
     *
     * @return false if nothing binds the store. Then nothing that the previous run's tasks may still seal is accepted: it
     *     might be meant for another destination.
     */
    private boolean requireBinding(StoreState state) {
        Optional<Run> binding = state.binding();
        if (binding.isEmpty()) {
            return false;
        }
        Run latest = binding.get();
        boolean bound = state.openEpoch().isPresent()
                || !state.sealedKeys().isEmpty()
                || !sealedBy(binding).isEmpty();
        if (!bound) {
            return false;
        }
        requireSame(state, latest, "destination", LogEntry.RunStarted::destination, destination);
        requireSame(state, latest, "mode", LogEntry.RunStarted::mode, request.mode());
        requireSame(state, latest, "sealing", LogEntry.RunStarted::sealing, request.sealing());
        if (!latest.started().keys().sameKeys(request.keys())) {
            throw HeadErrors.mismatch(
                    store,
                    firstOf(state, run -> run.keys().sameKeys(latest.started().keys())),
                    "key",
                    latest.started().keys(),
                    request.keys());
        }
        return true;
    }

    private <T> void requireSame(
            StoreState state, Run latest, String what, Function<LogEntry.RunStarted, T> property, T ours) {
        T theirs = property.apply(latest.started());
        if (!theirs.equals(ours)) {
            Run bound = firstOf(state, run -> property.apply(run).equals(theirs));
            throw HeadErrors.mismatch(store, bound, what, theirs, ours);
        }
    }

    /** The earliest run from which on, up to the latest, all are so. */
    private static Run firstOf(StoreState state, java.util.function.Predicate<LogEntry.RunStarted> so) {
        List<Run> runs = state.runs();
        int first = runs.size() - 1;
        while (first > 0 && so.test(runs.get(first - 1).started())) {
            first--;
        }
        return runs.get(first);
    }

    /**
     * Watches a run that never said that it ended. Compares what its heartbeat says with what it said before, never with
     * a clock; the run's record counts as its first beat.
     */
    private void requireDead(Run run) {
        Optional<Beat> first = beatOf(run);
        if (first.flatMap(Beat::process).filter(ProcessMark::isGone).isPresent()) {
            return;
        }
        Duration interval = Duration.ofMillis(run.started().heartbeatMillis());
        listener.watching(run, interval.multipliedBy(WATCHED_INTERVALS));
        for (int i = 0; i < WATCHED_INTERVALS; i++) {
            try {
                pace.pause().of(interval);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new StoreAccessException(
                        ErrorCondition.STORE_ACCESS,
                        "Interrupted while watching run " + run.number() + " of the checkpoint store "
                                + store.location() + ". Nothing has run. Run the job again.",
                        interrupted);
            }
            Optional<Beat> beat = beatOf(run);
            if (beat.isPresent() && !beat.map(Beat::counter).equals(first.map(Beat::counter))) {
                throw HeadErrors.alive(store, run);
            }
        }
    }

    private Optional<Beat> beatOf(Run run) {
        return store.readHeartbeat()
                .filter(beat -> beat.run() == run.number()
                        && beat.nonce().equals(run.started().writer().nonce()));
    }

    /** What shows that the destination knows more of this store than the log does. */
    private Optional<String> catalogAhead(StoreState state) {
        OptionalLong highest = committer.highestEpoch(store.id());
        return highest.isPresent() && highest.getAsLong() > state.highestEpoch()
                ? Optional.of("it holds epoch " + highest.getAsLong() + ", and the newest epoch of the log is "
                        + state.highestEpoch())
                : Optional.empty();
    }

    /** Another head may have appended just what is missing: only a log that stands still is behind. */
    private StoreState foldAgainOrRefuse(StoreState state, String evidence) {
        StoreState again = store.fold(state);
        if (again.nextEntry() == state.nextEntry()) {
            throw HeadErrors.behind(store, destination, evidence);
        }
        return again;
    }

    /** Finds out what became of an epoch that an earlier head intended, or commits it now; then folds again. */
    private StoreState resolve(StoreState state, Epoch open) {
        LogEntry.CommitIntended intent = open.newestIntent();
        EpochTag tag = tag(store, state, intent);
        Presence presence = committer.isCommitted(tag, intent.base());
        if (presence instanceof Presence.Committed committed) {
            return resolved(state, open, committed.nonce());
        }
        if (presence instanceof Presence.Unprovable unprovable) {
            throw HeadErrors.unknown(store, open.number(), destination, unprovable.reason(), null);
        }
        boolean whole = state.latestRun().orElseThrow().started().sealing() == Sealing.JOB;
        if (whole && !intent.checkpoints().isEmpty()) {
            // A run that seals as a whole keeps no committables, so its epoch cannot be committed again. An empty one
            // takes its place in the catalog, so that a paused head cannot commit it later; the catalog decides which
            // of
            // the two won. The base stays: absence must be proven since before the first intent.
            store.append(
                    state.nextEntry(),
                    new LogEntry.CommitIntended(
                            request.writer(),
                            now(),
                            open.number(),
                            UUID.randomUUID().toString(),
                            intent.base(),
                            CheckpointSet.empty()));
            return store.fold(state);
        }
        List<Committable> committables = new ArrayList<>();
        for (CheckpointId id : (Iterable<CheckpointId>) intent.checkpoints().stream()::iterator) {
            committables.addAll(store.readCheckpoint(id, Sealing.TASK).committables());
        }
        requireNothingMissing(store, committer, open.number(), committables);
        CommitOutcome outcome = commit(store, committer, tag, intent.base(), committables);
        if (outcome instanceof CommitOutcome.Committed committed) {
            return resolved(state, open, committed.nonce());
        }
        if (outcome instanceof CommitOutcome.NotCommitted refused) {
            throw HeadErrors.commitRefused(store, open.number(), destination, refused.reason());
        }
        CommitOutcome.Unknown unknown = (CommitOutcome.Unknown) outcome;
        throw HeadErrors.unknown(store, open.number(), destination, unknown.reason(), unknown.cause());
    }

    private StoreState resolved(StoreState state, Epoch open, String nonce) {
        if (open.intent(nonce).isEmpty()) {
            return foldAgainOrRefuse(
                    state,
                    "it holds epoch " + open.number() + " with the nonce " + nonce
                            + ", which no intent in the log has");
        }
        boolean won =
                store.append(state.nextEntry(), new LogEntry.Committed(request.writer(), now(), open.number(), nonce));
        if (won) {
            listener.resolved(open.number());
        }
        return store.fold(state);
    }

    private Instant now() {
        return pace.clock().instant().truncatedTo(ChronoUnit.MILLIS);
    }

    static EpochTag tag(CheckpointStore store, StoreState state, LogEntry.CommitIntended intent) {
        return new EpochTag(
                store.id(),
                intent.epoch(),
                intent.nonce(),
                state.runOfEpoch(intent.epoch()).orElseThrow());
    }

    static void requireNothingMissing(
            CheckpointStore store, Committer committer, long epoch, List<Committable> committables) {
        List<String> missing = committables.isEmpty() ? List.of() : committer.missing(committables);
        if (!missing.isEmpty()) {
            throw HeadErrors.lost(store, epoch, missing);
        }
    }

    /**
     * An exception out of a commit says nothing about what the catalog did, unless it is one of ours, which says by its
     * type what is known.
     */
    static CommitOutcome commit(
            CheckpointStore store, Committer committer, EpochTag tag, String base, List<Committable> committables) {
        try {
            return requireNonNull(committer.commit(tag, base, committables), "outcome");
        } catch (CairnException telling) {
            throw telling;
        } catch (RuntimeException failed) {
            return new CommitOutcome.Unknown("the commit failed with " + failed, failed);
        }
    }
}
