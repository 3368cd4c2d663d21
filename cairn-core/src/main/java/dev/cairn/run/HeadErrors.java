package dev.cairn.run;

import dev.cairn.CommitStateUnknownException;
import dev.cairn.ErrorCondition;
import dev.cairn.FencedException;
import dev.cairn.OutputLostException;
import dev.cairn.RefusedException;
import dev.cairn.RunAliveException;
import dev.cairn.StoreDamagedException;
import dev.cairn.internal.log.LogJson;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Destination;
import dev.cairn.store.LogEntry;
import dev.cairn.store.Run;
import java.util.List;

/** The texts of a head's errors: problem, cause, remedy. */
final class HeadErrors {
    private static final int SHOWN = 5;

    private HeadErrors() {}

    static RunAliveException alive(CheckpointStore store, Run run) {
        return new RunAliveException(
                ErrorCondition.RUN_ALIVE,
                "Run " + run.number() + " (" + run.started().writer().describe() + ") is alive on the checkpoint store "
                        + store.location()
                        + ": its heartbeat changed while it was watched. Two runs at once would do the"
                        + " same work twice. Wait for it to end, or stop it; or set spark.cairn.takeover=true to take the"
                        + " store: what its tasks have sealed is kept, and that run fails.");
    }

    static FencedException fenced(CheckpointStore store, long run, long number, LogEntry entry) {
        return new FencedException(
                ErrorCondition.RUN_FENCED,
                "Run " + run + " has lost the checkpoint store " + store.location() + " to "
                        + entry.writer().describe() + ", which appended entry " + number + " (" + LogJson.kind(entry)
                        + "). What this run's tasks sealed in time is kept. Nothing is to be done, unless the two were"
                        + " not meant to run at once.");
    }

    static RefusedException mismatch(CheckpointStore store, Run bound, String what, Object theirs, Object ours) {
        return new RefusedException(
                ErrorCondition.STORE_MISMATCH,
                "The checkpoint store " + store.location() + " is bound to the " + what + " " + theirs + " since run "
                        + bound.number() + " (" + bound.started().writer().describe() + "), and this run has the "
                        + what
                        + " " + ours + ". A store holds the state of one pipeline. Give the job the " + what + " "
                        + theirs + ", or name a new store for it.");
    }

    static RefusedException behind(CheckpointStore store, Destination destination, String evidence) {
        return new RefusedException(
                ErrorCondition.STORE_BEHIND,
                "The checkpoint store " + store.location() + " is behind its destination " + destination + ": "
                        + evidence
                        + ". The store was restored from a backup, or copied, and going on could publish rows twice."
                        + " Restore the newest state of the store, or start a new store and remove from the destination"
                        + " what is to be processed again.");
    }

    static CommitStateUnknownException unknown(
            CheckpointStore store, long epoch, Destination destination, String reason, Throwable cause) {
        return new CommitStateUnknownException(
                ErrorCondition.COMMIT_STATE_UNKNOWN,
                "It cannot be told whether epoch " + epoch + " of the checkpoint store " + store.location() + " is in "
                        + destination + ": " + reason + ". Nothing was deleted. Run the job again, which asks again; if"
                        + " this stays, bring the destination's history back.",
                cause);
    }

    static RefusedException commitRefused(CheckpointStore store, long epoch, Destination destination, String reason) {
        return new RefusedException(
                ErrorCondition.COMMIT_REFUSED,
                destination + " refused epoch " + epoch + " of the checkpoint store " + store.location() + ": " + reason
                        + ". Nothing was published, and what is sealed is kept. Remove the cause and run the job again.");
    }

    static OutputLostException lost(CheckpointStore store, long epoch, List<String> missing) {
        return new OutputLostException(
                ErrorCondition.OUTPUT_LOST,
                "Epoch " + epoch + " of the checkpoint store " + store.location() + " cannot be published: "
                        + missing.size() + " of its outputs are gone, among them "
                        + String.join(", ", missing.subList(0, Math.min(SHOWN, missing.size())))
                        + ". Somebody deleted them before they were published. Restore them and run the job again; or"
                        + " begin anew with a new store and an empty target.");
    }

    static StoreDamagedException reportedButAbsent(CheckpointStore store, CheckpointId id) {
        return new StoreDamagedException(
                ErrorCondition.STORE_DAMAGED,
                "Checkpoint " + id + " was sealed by a task of this run and is not in the checkpoint store "
                        + store.location() + ". Something else deleted it. Run the job again: its rows are processed"
                        + " again.");
    }
}
