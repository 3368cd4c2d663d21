package dev.cairn.spark.internal.run;

import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.Committable;
import dev.cairn.store.KeyDigest;
import dev.cairn.store.Sealing;
import java.io.Serializable;
import java.util.List;
import java.util.Optional;

/** What a task tells the head: its checkpoint, if it sealed one. Spares the head reading it from the store. */
public record TaskReport(
        boolean sealed,
        long run,
        int partition,
        long attempt,
        String nonce,
        long rowsAdmitted,
        long rowsSkipped,
        String digest,
        List<Output> outputs)
        implements Serializable {
    /** A committable. */
    public record Output(String kind, int version, String body) implements Serializable {}

    public static TaskReport of(Checkpoint checkpoint) {
        return new TaskReport(
                true,
                checkpoint.id().run(),
                checkpoint.id().partition(),
                checkpoint.attempt(),
                checkpoint.nonce(),
                checkpoint.rowsAdmitted(),
                checkpoint.rowsSkipped(),
                checkpoint.digest().toString(),
                checkpoint.committables().stream()
                        .map(c -> new Output(c.kind(), c.version(), c.body()))
                        .toList());
    }

    public static TaskReport nothing() {
        return new TaskReport(false, 0, 0, 0, "", 0, 0, "", List.of());
    }

    /** The checkpoint without its ranges, which a commit does not need. */
    public Optional<Checkpoint> checkpoint() {
        return sealed
                ? Optional.of(new Checkpoint(
                        new CheckpointId(run, partition),
                        Sealing.TASK,
                        attempt,
                        nonce,
                        rowsAdmitted,
                        rowsSkipped,
                        KeyDigest.parse(digest),
                        outputs.stream()
                                .map(o -> new Committable(o.kind(), o.version(), o.body()))
                                .toList(),
                        List.of()))
                : Optional.empty();
    }
}
