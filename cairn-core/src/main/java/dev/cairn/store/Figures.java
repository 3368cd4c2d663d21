package dev.cairn.store;

/**
 * What a run did, for people. Nothing depends on it.
 *
 * @param rowsAdmitted rows given to the user's operators, counted over sealed tasks
 * @param rowsSkipped rows whose key was sealed before, counted over the run's tasks that reported
 * @param tasksSealed checkpoints that the run sealed
 * @param tasks tasks that ended, sealed or with nothing to seal
 * @param epochs epochs that the run committed, its predecessors' included
 * @param durationMillis from the start of the run, in milliseconds
 */
public record Figures(
        long rowsAdmitted, long rowsSkipped, long tasksSealed, long tasks, long epochs, long durationMillis) {
    public static final Figures ZERO = new Figures(0, 0, 0, 0, 0, 0);
}
