package dev.cairn.store;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Optional;

/**
 * A run as the log tells it.
 *
 * @param number of the log entry that started it
 * @param started that entry
 * @param ended the entry that ended it, if its head lived to write one
 * @param accepted which of its checkpoints count: fixed for ever once a successor started; empty until then
 */
public record Run(
        long number, LogEntry.RunStarted started, Optional<LogEntry.RunEnded> ended, Optional<PartitionSet> accepted) {
    public Run {
        requireNonNull(started, "started");
        requireNonNull(ended, "ended");
        requireNonNull(accepted, "accepted");
    }

    public Outcome outcome() {
        return ended.map(LogEntry.RunEnded::outcome).orElse(Outcome.UNKNOWN);
    }

    public Instant startedAt() {
        return started.at();
    }
}
