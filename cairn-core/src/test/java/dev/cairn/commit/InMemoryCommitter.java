package dev.cairn.commit;

import static java.util.Objects.requireNonNull;

import dev.cairn.store.Committable;
import dev.cairn.store.Destination;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/** Commits to a {@link FakeCatalog}, and can be told to go wrong. */
public final class InMemoryCommitter implements Committer {
    /** What becomes of the next commit. */
    public enum Fault {
        NONE,
        /** Committed; the answer is "unknown". */
        REPLY_LOST,
        /** Not committed; the answer is "unknown". */
        REQUEST_LOST,
        /** Not committed; the answer says so. */
        REFUSED
    }

    private final FakeCatalog catalog;
    private final Destination destination;
    private Fault fault = Fault.NONE;
    private Runnable beforeCommit = () -> {};
    private Runnable afterCommit = () -> {};
    private Runnable beforeBase = () -> {};

    InMemoryCommitter(FakeCatalog catalog, Destination destination) {
        this.catalog = requireNonNull(catalog, "catalog");
        this.destination = requireNonNull(destination, "destination");
    }

    /** Applies to the next commit only. */
    public InMemoryCommitter failing(Fault nextFault) {
        this.fault = nextFault;
        return this;
    }

    /** Happens once, when a commit was asked for and before the catalog sees it: a head that pauses there. */
    public InMemoryCommitter beforeCommit(Runnable event) {
        this.beforeCommit = event;
        return this;
    }

    /** Happens once, after the catalog committed and before the head hears of it. */
    public InMemoryCommitter afterCommit(Runnable event) {
        this.afterCommit = event;
        return this;
    }

    /** Happens once, when the base is asked for, which is before the intent. */
    public InMemoryCommitter beforeBase(Runnable event) {
        this.beforeBase = event;
        return this;
    }

    @Override
    public Destination destination() {
        return destination;
    }

    @Override
    public String base() {
        Runnable event = beforeBase;
        beforeBase = () -> {};
        event.run();
        return catalog.base();
    }

    @Override
    public OptionalLong highestEpoch(String storeId) {
        long highest = catalog.highestEpoch(storeId);
        return highest == 0 ? OptionalLong.empty() : OptionalLong.of(highest);
    }

    @Override
    public Presence isCommitted(EpochTag tag, String base) {
        return catalog.presence(tag, base);
    }

    @Override
    public CommitOutcome commit(EpochTag tag, String base, List<Committable> committables) {
        Fault now = fault;
        fault = Fault.NONE;
        Runnable before = beforeCommit;
        beforeCommit = () -> {};
        before.run();
        switch (now) {
            case REFUSED:
                return new CommitOutcome.NotCommitted("the table was dropped");
            case REQUEST_LOST:
                return new CommitOutcome.Unknown("connection reset", null);
            default:
                CommitOutcome outcome = catalog.commit(tag, base, committables);
                Runnable after = afterCommit;
                afterCommit = () -> {};
                after.run();
                return now == Fault.REPLY_LOST ? new CommitOutcome.Unknown("connection reset", null) : outcome;
        }
    }

    @Override
    public List<String> missing(Collection<Committable> committables) {
        return catalog.missing(committables.stream().map(Committable::body).toList());
    }

    @Override
    public void close() {}
}
