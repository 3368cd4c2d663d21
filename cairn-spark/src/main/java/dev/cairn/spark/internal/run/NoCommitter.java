package dev.cairn.spark.internal.run;

import dev.cairn.commit.CommitOutcome;
import dev.cairn.commit.Committer;
import dev.cairn.commit.EpochTag;
import dev.cairn.commit.Presence;
import dev.cairn.store.Committable;
import dev.cairn.store.Destination;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/** For runs whose output Cairn does not publish: there is never anything to commit. */
public final class NoCommitter implements Committer {
    public static final NoCommitter INSTANCE = new NoCommitter();

    private NoCommitter() {}

    @Override
    public Destination destination() {
        return Destination.NONE;
    }

    @Override
    public String base() {
        return "";
    }

    @Override
    public OptionalLong highestEpoch(String storeId) {
        return OptionalLong.empty();
    }

    @Override
    public Presence isCommitted(EpochTag tag, String base) {
        return new Presence.Absent();
    }

    @Override
    public CommitOutcome commit(EpochTag tag, String base, List<Committable> committables) {
        return new CommitOutcome.NotCommitted("A run without a sink has nothing to commit.");
    }

    @Override
    public List<String> missing(Collection<Committable> committables) {
        return List.of();
    }

    @Override
    public void close() {
        // holds nothing
    }
}
