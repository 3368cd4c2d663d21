package dev.cairn.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cairn.store.Committable;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What every committer must do. Subclasses bring one destination, empty at the start of each test. */
public abstract class CommitterContract {
    private final String store = UUID.randomUUID().toString();

    /** A new committer of the test's destination, as another head would open it. */
    protected abstract Committer open();

    /** Durable output of a task with that one row, not published yet. */
    protected abstract Committable write(int row);

    /** The rows that a reader of the destination sees, ascending. */
    protected abstract List<Integer> read();

    /** Somebody else commits to the destination; false if that cannot be. */
    protected abstract boolean commitByOthers();

    /** Drops history up to the newest state; false if the destination has none to drop. */
    protected abstract boolean expireHistory();

    /** Deletes the output of the committable; false if there is nothing to delete. */
    protected abstract boolean lose(Committable committable);

    private EpochTag tag(long epoch, String nonce) {
        return new EpochTag(store, epoch, nonce, 0);
    }

    private CommitOutcome commit(EpochTag tag, String base, List<Committable> committables) {
        try (Committer committer = open()) {
            return committer.commit(tag, base, committables);
        }
    }

    private Presence presence(EpochTag tag, String base) {
        try (Committer committer = open()) {
            return committer.isCommitted(tag, base);
        }
    }

    private String base() {
        try (Committer committer = open()) {
            return committer.base();
        }
    }

    @Test
    void twoCommittersOfOneDestinationHaveTheSameIdentity() {
        try (Committer one = open();
                Committer other = open()) {
            assertThat(one.destination()).isEqualTo(other.destination());
        }
    }

    @Test
    void commitPublishesEveryCommittable() {
        assertThat(commit(tag(1, "a"), base(), List.of(write(1), write(2))))
                .isEqualTo(new CommitOutcome.Committed("a"));

        assertThat(read()).containsExactly(1, 2);
    }

    @Test
    void nothingIsVisibleBeforeTheCommit() {
        write(1);

        assertThat(read()).isEmpty();
    }

    @Test
    void repeatedCommitChangesNothing() {
        String base = base();
        List<Committable> committables = List.of(write(1));
        commit(tag(1, "a"), base, committables);

        assertThat(commit(tag(1, "a"), base, committables)).isEqualTo(new CommitOutcome.Committed("a"));

        assertThat(read()).containsExactly(1);
    }

    @Test
    void secondIntentOfAnEpochIsToldThatTheFirstWon() {
        String base = base();
        Committable both = write(1);
        Committable onlyFirst = write(2);
        commit(tag(1, "a"), base, List.of(both, onlyFirst));

        assertThat(commit(tag(1, "b"), base, List.of(both))).isEqualTo(new CommitOutcome.Committed("a"));

        assertThat(read()).containsExactly(1, 2);
    }

    @Test
    void emptyCommitTakesThePlaceOfItsEpoch() {
        String base = base();
        Committable late = write(1);
        assertThat(commit(tag(1, "b"), base, List.of())).isEqualTo(new CommitOutcome.Committed("b"));

        assertThat(commit(tag(1, "a"), base, List.of(late))).isEqualTo(new CommitOutcome.Committed("b"));

        assertThat(read()).isEmpty();
    }

    @Test
    void presenceTellsWhichIntentWonWhicheverIsAskedFor() {
        String base = base();
        commit(tag(1, "a"), base, List.of(write(1)));

        assertThat(presence(tag(1, "b"), base)).isEqualTo(new Presence.Committed("a"));
    }

    @Test
    void epochThatWasNeverCommittedIsProvenAbsent() {
        String base = base();

        assertThat(presence(tag(1, "a"), base)).isEqualTo(new Presence.Absent());
    }

    @Test
    void epochIsProvenAbsentAcrossCommitsOfOthers() {
        String base = base();
        assumeTrue(commitByOthers());

        assertThat(presence(tag(1, "a"), base)).isEqualTo(new Presence.Absent());
    }

    @Test
    void nothingIsProvenOnceHistorySinceTheBaseIsGone() {
        String base = base();
        assumeTrue(commitByOthers());
        assumeTrue(expireHistory());

        assertThat(presence(tag(1, "a"), base)).isInstanceOf(Presence.Unprovable.class);
    }

    @Test
    void commitItselfDoesNotTrustHistoryThatIsGone() {
        String base = base();
        Committable row = write(1);
        commit(tag(1, "a"), base, List.of(row));
        assumeTrue(commitByOthers());
        assumeTrue(expireHistory());

        // Some destinations keep the epoch beside the history, and know it still.
        assertThat(commit(tag(1, "b"), base, List.of(row)))
                .satisfiesAnyOf(
                        outcome -> assertThat(outcome).isInstanceOf(CommitOutcome.Unknown.class),
                        outcome -> assertThat(outcome).isEqualTo(new CommitOutcome.Committed("a")));

        assertThat(read()).containsExactly(1);
    }

    @Test
    void epochsOfOtherStoresAreNotMistakenForOurs() {
        String base = base();
        EpochTag theirs = new EpochTag(UUID.randomUUID().toString(), 1, "a", 0);
        commit(theirs, base, List.of(write(1)));

        assertThat(presence(tag(1, "a"), base)).isEqualTo(new Presence.Absent());
        try (Committer committer = open()) {
            assertThat(committer.highestEpoch(store).orElse(0)).isZero();
        }
    }

    @Test
    void highestEpochIsTheNewestCommitted() {
        commit(tag(1, "a"), base(), List.of(write(1)));
        commit(tag(2, "b"), base(), List.of(write(2)));

        try (Committer committer = open()) {
            assertThat(committer.highestEpoch(store).orElse(2)).isEqualTo(2);
        }
        assertThat(read()).containsExactly(1, 2);
    }

    @Test
    void missingOutputIsNamed() {
        Committable kept = write(1);
        Committable gone = write(2);
        assumeTrue(lose(gone));

        try (Committer committer = open()) {
            assertThat(committer.missing(List.of(kept, gone))).hasSize(1);
            assertThat(committer.missing(List.of(kept))).isEmpty();
        }
    }

    @Test
    void publishedOutputIsNotMissing() {
        List<Committable> committables = new ArrayList<>(List.of(write(1), write(2)));
        commit(tag(1, "a"), base(), committables);

        try (Committer committer = open()) {
            assertThat(committer.missing(committables)).isEmpty();
        }
    }
}
