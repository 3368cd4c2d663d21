package dev.cairn.store;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;

/**
 * An epoch as the log tells it.
 *
 * @param number from 1, without gaps
 * @param intents in log order; more than one if the epoch was intended again
 * @param committed the entry that says which intent won, if there is one
 */
public record Epoch(long number, List<LogEntry.CommitIntended> intents, Optional<LogEntry.Committed> committed) {
    public Epoch {
        intents = List.copyOf(intents);
        requireNonNull(committed, "committed");
    }

    /** An epoch whose outcome the log does not know yet. */
    public boolean isOpen() {
        return committed.isEmpty();
    }

    public LogEntry.CommitIntended newestIntent() {
        return intents.get(intents.size() - 1);
    }

    /** The intent with that nonce. */
    public Optional<LogEntry.CommitIntended> intent(String nonce) {
        return intents.stream().filter(i -> i.nonce().equals(nonce)).findFirst();
    }

    /** The checkpoints that the committed intent named; empty while the epoch is open. */
    public CheckpointSet committedCheckpoints() {
        return committed
                .flatMap(entry -> intent(entry.nonce()))
                .map(LogEntry.CommitIntended::checkpoints)
                .orElse(CheckpointSet.empty());
    }
}
