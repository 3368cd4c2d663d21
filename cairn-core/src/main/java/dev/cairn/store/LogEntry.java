package dev.cairn.store;

import static dev.cairn.store.Checks.require;
import static java.util.Objects.requireNonNull;

import dev.cairn.key.KeySchema;
import java.time.Instant;
import java.util.Optional;

/**
 * One decision about a store. The log is the store's single, gapless sequence of them; an entry's number is its
 * position. See {@code docs/store-format.md} for the JSON form of each kind.
 */
public sealed interface LogEntry {
    /** Who appended the entry. */
    Writer writer();

    /** When, by the writer's clock; for people, never compared. */
    Instant at();

    /**
     * A run began. Its number is this entry's number.
     *
     * @param keys types and names of the key columns
     * @param mode what the store remembers
     * @param sealing what is sealed at once
     * @param destination where the run publishes
     * @param previousRun number of the run before, empty for the first
     * @param accepted which partitions of the previous run count, for ever: those sealed when this entry was written
     * @param heartbeatMillis interval at which the head touches the heartbeat
     */
    record RunStarted(
            Writer writer,
            Instant at,
            KeySchema keys,
            Mode mode,
            Sealing sealing,
            Destination destination,
            Optional<Long> previousRun,
            PartitionSet accepted,
            long heartbeatMillis)
            implements LogEntry {
        public RunStarted {
            requireNonNull(writer, "writer");
            requireNonNull(at, "at");
            requireNonNull(keys, "keys");
            requireNonNull(mode, "mode");
            requireNonNull(sealing, "sealing");
            requireNonNull(destination, "destination");
            requireNonNull(previousRun, "previousRun");
            requireNonNull(accepted, "accepted");
            require(previousRun.isPresent() || accepted.isEmpty(), "a first run has nothing to accept");
        }
    }

    /**
     * A run ended, as its own head says.
     *
     * @param run number of the run
     * @param outcome succeeded or failed
     * @param message one line for people on a failure; empty otherwise
     * @param figures what it did
     * @param sealed with job-level sealing and no sink of ours: the checkpoints that this entry seals; empty otherwise
     */
    record RunEnded(
            Writer writer, Instant at, long run, Outcome outcome, String message, Figures figures, PartitionSet sealed)
            implements LogEntry {
        public RunEnded {
            requireNonNull(writer, "writer");
            requireNonNull(at, "at");
            requireNonNull(outcome, "outcome");
            requireNonNull(message, "message");
            requireNonNull(figures, "figures");
            requireNonNull(sealed, "sealed");
            require(outcome != Outcome.UNKNOWN, "an ended run has an outcome");
        }
    }

    /**
     * The head is about to commit an epoch, or to commit it anew after part of it was given up.
     *
     * @param epoch number, one more than the last committed; the same again for a re-intent
     * @param nonce tells this intent from the epoch's other ones
     * @param base the catalog's state before the commit
     * @param checkpoints whose committables make up the epoch; empty for a tombstone
     */
    record CommitIntended(Writer writer, Instant at, long epoch, String nonce, String base, CheckpointSet checkpoints)
            implements LogEntry {
        public CommitIntended {
            requireNonNull(writer, "writer");
            requireNonNull(at, "at");
            requireNonNull(nonce, "nonce");
            requireNonNull(base, "base");
            requireNonNull(checkpoints, "checkpoints");
            require(epoch >= 1, "epochs begin with 1: %s", epoch);
        }
    }

    /**
     * The catalog has the epoch.
     *
     * @param epoch number
     * @param nonce of the intent that won
     */
    record Committed(Writer writer, Instant at, long epoch, String nonce) implements LogEntry {
        public Committed {
            requireNonNull(writer, "writer");
            requireNonNull(at, "at");
            requireNonNull(nonce, "nonce");
            require(epoch >= 1, "epochs begin with 1: %s", epoch);
        }
    }

    /**
     * Checkpoints were given up, keys and committables: their rows are processed again.
     *
     * @param checkpoints given up
     * @param reason one line for people
     */
    record Voided(Writer writer, Instant at, CheckpointSet checkpoints, String reason) implements LogEntry {
        public Voided {
            requireNonNull(writer, "writer");
            requireNonNull(at, "at");
            requireNonNull(checkpoints, "checkpoints");
            requireNonNull(reason, "reason");
        }
    }

    /**
     * Keys were given up: their rows are processed again. What the sink holds of them stays there. Applies to seals
     * that the log named before this entry.
     *
     * @param keysObject object that holds the forgotten keys, laid out as a checkpoint's keys; empty for none
     * @param keyCount how many keys that object holds
     * @param runs whose keys are all forgotten
     * @param reason one line for people
     */
    record Forgotten(
            Writer writer,
            Instant at,
            Optional<String> keysObject,
            long keyCount,
            java.util.List<Long> runs,
            String reason)
            implements LogEntry {
        public Forgotten {
            requireNonNull(writer, "writer");
            requireNonNull(at, "at");
            requireNonNull(keysObject, "keysObject");
            runs = java.util.List.copyOf(runs);
            requireNonNull(reason, "reason");
        }
    }

    /**
     * A compaction was published that replaces what the log and the checkpoints say up to an entry.
     *
     * @param covered number of the last entry that the compaction has folded in; the tail to fold starts after it
     * @param directory of the compaction's objects, below the store
     */
    record Compacted(Writer writer, Instant at, long covered, String directory) implements LogEntry {
        public Compacted {
            requireNonNull(writer, "writer");
            requireNonNull(at, "at");
            requireNonNull(directory, "directory");
        }
    }
}
