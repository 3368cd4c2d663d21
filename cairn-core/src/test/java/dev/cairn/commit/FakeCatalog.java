package dev.cairn.commit;

import static java.util.Objects.requireNonNull;

import dev.cairn.store.Committable;
import dev.cairn.store.Destination;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A catalog with history: snapshots, each with a parent, the newest of them the head. History can be expired and rolled
 * back, as users of real catalogs do. Thread-safe.
 */
public final class FakeCatalog {
    /**
     * @param id ascending
     * @param parent null for the first
     * @param tag null for what others commit
     * @param published bodies of the committables
     */
    record Snapshot(long id, Snapshot parent, EpochTag tag, List<String> published) {}

    private final List<Snapshot> snapshots = new ArrayList<>();
    private final Set<Long> expired = new HashSet<>();
    private final Set<String> lost = new HashSet<>();
    private Snapshot head;

    public FakeCatalog() {
        append(null, List.of());
    }

    /** A committer of a destination in this catalog. */
    public InMemoryCommitter committer(Destination destination) {
        return new InMemoryCommitter(this, destination);
    }

    /** Bodies of everything that the head's history published, expired or not, ascending. */
    public synchronized List<String> published() {
        List<String> published = new ArrayList<>();
        for (Snapshot snapshot = head; snapshot != null; snapshot = snapshot.parent()) {
            published.addAll(snapshot.published());
        }
        Collections.sort(published);
        return published;
    }

    /** How many snapshots there are, of anybody. */
    public synchronized int snapshots() {
        return snapshots.size();
    }

    /** Somebody else commits. */
    public synchronized void commitByOthers() {
        append(null, List.of());
    }

    /** Only the head stays visible. */
    public synchronized void expireHistory() {
        snapshots.forEach(snapshot -> expired.add(snapshot.id()));
        expired.remove(head.id());
    }

    /** The head's parent becomes the head. */
    public synchronized void rollback() {
        head = requireNonNull(head.parent(), "nothing to roll back");
    }

    /** Output of that committable is deleted by somebody. */
    public synchronized void lose(String body) {
        lost.add(body);
    }

    /** What an operator finds who looks at everything, expired or not. */
    public synchronized Optional<String> winnerOf(String storeId, long epoch) {
        for (Snapshot snapshot = head; snapshot != null; snapshot = snapshot.parent()) {
            if (carries(snapshot, storeId, epoch)) {
                return Optional.of(snapshot.tag().nonce());
            }
        }
        return Optional.empty();
    }

    synchronized String base() {
        return Long.toString(head.id());
    }

    synchronized long highestEpoch(String storeId) {
        return history().stream()
                .filter(snapshot ->
                        snapshot.tag() != null && snapshot.tag().storeId().equals(storeId))
                .mapToLong(snapshot -> snapshot.tag().epoch())
                .max()
                .orElse(0);
    }

    synchronized Presence presence(EpochTag tag, String base) {
        List<Snapshot> history = history();
        for (Snapshot snapshot : history) {
            if (carries(snapshot, tag.storeId(), tag.epoch())) {
                return new Presence.Committed(snapshot.tag().nonce());
            }
        }
        if (history.stream().noneMatch(snapshot -> Long.toString(snapshot.id()).equals(base))) {
            return new Presence.Unprovable("the history does not reach back to snapshot " + base);
        }
        boolean rolledBack = snapshots.stream()
                .anyMatch(
                        snapshot -> !expired.contains(snapshot.id()) && carries(snapshot, tag.storeId(), tag.epoch()));
        return rolledBack ? new Presence.Unprovable("the epoch was committed and rolled back") : new Presence.Absent();
    }

    /** Checks and appends in one. */
    synchronized CommitOutcome commit(EpochTag tag, String base, List<Committable> committables) {
        Presence presence = presence(tag, base);
        if (presence instanceof Presence.Committed committed) {
            return new CommitOutcome.Committed(committed.nonce());
        }
        if (presence instanceof Presence.Unprovable unprovable) {
            return new CommitOutcome.Unknown(unprovable.reason(), null);
        }
        append(tag, committables.stream().map(Committable::body).toList());
        return new CommitOutcome.Committed(tag.nonce());
    }

    synchronized List<String> missing(List<String> bodies) {
        return bodies.stream().filter(lost::contains).toList();
    }

    private void append(EpochTag tag, List<String> published) {
        head = new Snapshot(snapshots.size(), head, tag, published);
        snapshots.add(head);
    }

    /** From the head back as far as it is visible. */
    private List<Snapshot> history() {
        List<Snapshot> history = new ArrayList<>();
        for (Snapshot snapshot = head;
                snapshot != null && !expired.contains(snapshot.id());
                snapshot = snapshot.parent()) {
            history.add(snapshot);
        }
        return history;
    }

    private static boolean carries(Snapshot snapshot, String storeId, long epoch) {
        return snapshot.tag() != null
                && snapshot.tag().storeId().equals(storeId)
                && snapshot.tag().epoch() == epoch;
    }
}
