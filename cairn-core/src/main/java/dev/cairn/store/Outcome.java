package dev.cairn.store;

/** How a run ended, as its head said; a run that never said is {@link #UNKNOWN}. */
public enum Outcome {
    SUCCEEDED,
    FAILED,
    /** No {@code run-ended} entry: the run is alive, or its head was killed or fenced. */
    UNKNOWN
}
