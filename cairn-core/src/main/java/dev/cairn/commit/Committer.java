package dev.cairn.commit;

import dev.cairn.store.Committable;
import dev.cairn.store.Destination;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/**
 * Publishes epochs in one destination. Used by the head alone, from one thread; two heads may use two committers of
 * one destination at the same time, and only one of them may win an epoch.
 *
 * <p>Every implementation passes {@code CommitterContract}.
 */
public interface Committer extends AutoCloseable {
    /** The destination. Asks the catalog at most once. */
    Destination destination();

    /**
     * The catalog's state now: a snapshot id, a version. Written into the intent before the commit, so that absence of
     * the epoch can be proven later by looking at everything since. Opaque to the store; empty where there is none.
     */
    String base();

    /**
     * The highest epoch of this store that the destination has on record, if it keeps one.
     *
     * @param storeId the store's UUID
     */
    OptionalLong highestEpoch(String storeId);

    /**
     * Called when a run fits its store and nothing of it is decided yet; perhaps several times for one run. The last
     * occasion to refuse, and the first one to leave something at the destination. A destination that keeps its record of
     * epochs for ever refuses when that is gone: what was published has been removed, and the run would not make it again.
     *
     * @param publishedBefore whether the store's log has epochs committed here
     * @throws dev.cairn.OutputLostException if what was published is gone
     * @throws dev.cairn.RefusedException if the run must not start for another reason
     */
    default void beforeRun(boolean publishedBefore) {}

    /**
     * Whether the epoch is committed, under any nonce. Where a commit passes its decisive point before it is complete
     * (publishing files one by one), this completes it.
     *
     * @param tag of the newest intent
     * @param base of the newest intent
     */
    Presence isCommitted(EpochTag tag, String base);

    /**
     * Publishes the committables as one epoch, atomically tagged. Repeating a call is safe. Checks inside the commit,
     * on every retry, that the epoch is absent and the base is reached.
     *
     * @param committables may be empty: then the tagged empty commit itself is what is wanted
     */
    CommitOutcome commit(EpochTag tag, String base, List<Committable> committables);

    /**
     * Which of the committables name output that is gone: neither there to be published nor published.
     *
     * @return a description of each missing output, for people; empty if nothing is missing
     */
    List<String> missing(Collection<Committable> committables);

    @Override
    void close();
}
