package dev.cairn.store;

/** What a store remembers of its source. */
public enum Mode {
    /** The values of the key columns. */
    KEY,
    /** Byte ranges of source files. */
    RANGES
}
