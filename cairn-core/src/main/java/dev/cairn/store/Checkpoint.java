package dev.cairn.store;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * What one task of one run sealed: the keys and ranges it consumed (the keys stay in the file) together with the
 * committables it produced.
 *
 * @param id run and partition
 * @param sealing whether the file counts by itself, or only once the log names it
 * @param attempt Spark's task attempt id, for people
 * @param nonce random, drawn per attempt; tells an attempt its own file from another attempt's
 * @param rowsAdmitted rows given to the user's operators; as many keys are in the file
 * @param rowsSkipped rows whose key was sealed before
 * @param digest of the admitted keys, independent of their order
 * @param committables in the order in which the sink produced them
 * @param ranges consumed to their end
 */
public record Checkpoint(
        CheckpointId id,
        Sealing sealing,
        long attempt,
        String nonce,
        long rowsAdmitted,
        long rowsSkipped,
        KeyDigest digest,
        List<Committable> committables,
        List<Range> ranges) {
    public Checkpoint {
        requireNonNull(id, "id");
        requireNonNull(sealing, "sealing");
        requireNonNull(nonce, "nonce");
        requireNonNull(digest, "digest");
        committables = List.copyOf(committables);
        ranges = List.copyOf(ranges);
    }
}
