package dev.cairn.store;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * Where the keys lie that a run skips: what the head accepted, and what was forgotten of it. Small enough to travel to
 * every task.
 *
 * @param groups of checkpoints whose keys are sealed
 * @param forgotten keys objects that take keys out again
 */
public record SealedKeys(List<Group> groups, List<ForgottenKeys> forgotten) implements java.io.Serializable {
    public static final SealedKeys NONE = new SealedKeys(List.of(), List.of());

    /**
     * Checkpoints of one run that the log named at the same entry.
     *
     * @param run that sealed them
     * @param succeeded whether that run ended with success; where it did not, one key in several of its checkpoints is a
     *     sign that keys span tasks
     * @param sealing names the files: {@code .parquet} or {@code .job.parquet}
     * @param partitions text form of the {@link PartitionSet}
     * @param namedAt number of the log entry that first named them: a {@code forgotten} entry applies only if it is later
     */
    public record Group(long run, boolean succeeded, Sealing sealing, String partitions, long namedAt)
            implements java.io.Serializable {
        public Group {
            requireNonNull(sealing, "sealing");
            requireNonNull(partitions, "partitions");
        }

        public PartitionSet partitionSet() {
            return PartitionSet.parse(partitions);
        }
    }

    /**
     * Forgotten keys.
     *
     * @param entry number of the {@code forgotten} entry
     * @param object that holds the keys, laid out as a checkpoint's
     */
    public record ForgottenKeys(long entry, String object) implements java.io.Serializable {
        public ForgottenKeys {
            requireNonNull(object, "object");
        }
    }

    public SealedKeys {
        groups = List.copyOf(groups);
        forgotten = List.copyOf(forgotten);
    }

    public boolean isEmpty() {
        return groups.isEmpty();
    }
}
