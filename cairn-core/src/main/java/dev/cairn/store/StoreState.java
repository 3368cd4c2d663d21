package dev.cairn.store;

import static java.util.Objects.requireNonNull;

import dev.cairn.ErrorCondition;
import dev.cairn.StoreDamagedException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * What the log says, folded up to some entry. Immutable, and a pure function of the entries: two readers that fold the
 * same entries have the same state. Thread-safe.
 */
public final class StoreState {
    /** Before the first entry. */
    public static final StoreState EMPTY = new StoreState(new LogFold());

    /** Never changed after construction. */
    private final LogFold fold;

    private StoreState(LogFold fold) {
        this.fold = fold;
    }

    /**
     * The state after one more entry. Costs a copy of the state; {@link CheckpointStore#fold()} folds many entries at
     * the cost of one copy.
     *
     * @throws StoreDamagedException if the entry contradicts the ones before it
     */
    public StoreState with(long number, LogEntry entry) {
        return with(number, List.of(entry), "the checkpoint store");
    }

    /**
     * The state after more entries.
     *
     * @param first number of the first of them
     * @param store location, for messages
     */
    StoreState with(long first, List<LogEntry> entries, String store) {
        requireNonNull(entries, "entries");
        if (entries.isEmpty()) {
            return this;
        }
        LogFold next = fold.copy();
        long number = first;
        for (LogEntry entry : entries) {
            try {
                next.add(number, entry);
            } catch (LogFold.Contradiction contradiction) {
                throw new StoreDamagedException(
                        ErrorCondition.STORE_DAMAGED,
                        "The log of " + store + " contradicts itself at " + StoreNames.logEntry(number) + ": "
                                + contradiction.getMessage() + ". Something other than Cairn changed the log. Restore"
                                + " it from a copy; do not delete entries.",
                        contradiction);
            }
            number++;
        }
        return new StoreState(next);
    }

    /** Number that the next entry will have; as many entries are folded. */
    public long nextEntry() {
        return fold.next;
    }

    /** In log order. */
    public List<Run> runs() {
        return Collections.unmodifiableList(fold.runs);
    }

    public Optional<Run> run(long number) {
        return fold.run(number);
    }

    public Optional<Run> latestRun() {
        return fold.latestRun();
    }

    /** By number. */
    public List<Epoch> epochs() {
        return Collections.unmodifiableList(fold.epochs);
    }

    public Optional<Epoch> openEpoch() {
        return fold.openEpoch();
    }

    /** Number of the newest epoch, open or committed; 0 if there is none. */
    public long highestEpoch() {
        return fold.epochs.size();
    }

    /** Whether an epoch was committed there. */
    public boolean publishedTo(Destination destination) {
        return fold.epochs.stream()
                .filter(epoch -> !epoch.isOpen())
                .flatMap(epoch -> runOfEpoch(epoch.number()).stream())
                .flatMap(run -> run(run).stream())
                .anyMatch(run -> run.started().destination().equals(destination));
    }

    /**
     * Whether the newest committed epoch was intended by a run that did not say that it succeeded: what that run does
     * after its commit may not be done.
     */
    public boolean newestEpochIsUnattended() {
        return fold.epochs.stream()
                .filter(epoch -> !epoch.isOpen())
                .reduce((earlier, later) -> later)
                .flatMap(epoch -> runOfEpoch(epoch.number()))
                .flatMap(this::run)
                .filter(run -> run.outcome() != Outcome.SUCCEEDED)
                .isPresent();
    }

    /** Number of the run that was the latest one when the epoch was first intended. */
    public Optional<Long> runOfEpoch(long epoch) {
        return epoch < 1 || epoch > highestEpoch()
                ? Optional.empty()
                : Optional.of(fold.runOfEpoch.get(Math.toIntExact(epoch - 1)));
    }

    /** Named by committed epochs. */
    public CheckpointSet committed() {
        return CheckpointSet.of(fold.committed);
    }

    public CheckpointSet voided() {
        return CheckpointSet.of(fold.voided);
    }

    /**
     * Checkpoints that count: in a run's accepted set, in a committed epoch, or sealed by the end of their run; and not
     * void.
     */
    public CheckpointSet accepted() {
        return fold.accepted();
    }

    /**
     * Accepted and neither committed nor void. Some may hold no committables. Checkpoints of runs without a sink of
     * ours, and of runs that sealed as a whole, are never pending: they hold no committables to publish later.
     */
    public CheckpointSet pending() {
        return fold.pending();
    }

    /** The keys that a run starting now skips. */
    public SealedKeys sealedKeys() {
        return fold.sealedKeys();
    }

    /**
     * The run that binds the store to its key types, mode, sealing and destination: the latest one, unless no sealed key
     * is left. The latest run binds also while its own seals are not fixed yet and nobody has listed them.
     */
    public Optional<Run> binding() {
        return fold.binding();
    }

    /** The newest compaction that the log names. */
    public Optional<LogEntry.Compacted> compaction() {
        return Optional.ofNullable(fold.compaction);
    }
}
