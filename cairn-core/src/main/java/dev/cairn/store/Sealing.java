package dev.cairn.store;

/** What is sealed at once. */
public enum Sealing {
    /** Every task seals its own checkpoint. */
    TASK,
    /** The log entry that ends the run seals all of its checkpoints; a failed run keeps nothing. */
    JOB
}
