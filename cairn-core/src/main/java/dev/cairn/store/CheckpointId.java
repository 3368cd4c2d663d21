package dev.cairn.store;

import static dev.cairn.store.Checks.require;

/**
 * Names a checkpoint: the run whose task sealed it, and the task's partition. Written {@code 40/17}.
 *
 * @param run number of the log entry that started the run
 * @param partition index of the task within the run, from 0
 */
public record CheckpointId(long run, int partition) implements Comparable<CheckpointId> {
    public CheckpointId {
        require(run >= 0, "run must not be negative: %s", run);
        require(partition >= 0, "partition must not be negative: %s", partition);
    }

    @Override
    public int compareTo(CheckpointId other) {
        int byRun = Long.compare(run, other.run);
        return byRun != 0 ? byRun : Integer.compare(partition, other.partition);
    }

    @Override
    public String toString() {
        return run + "/" + partition;
    }
}
