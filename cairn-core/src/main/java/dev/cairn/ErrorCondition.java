package dev.cairn;

/**
 * The stable names of Cairn's errors, with the SQLSTATE under which Spark reports them. The catalogue with remedies is
 * {@code docs/errors.md}.
 */
public enum ErrorCondition {
    /** The session runs without Cairn's extension. */
    EXTENSION_MISSING("56K00"),
    /** The arguments of the checkpoint hint or of the builder are wrong. */
    INVALID_CHECKPOINT("42K0B"),
    /** The key columns cannot be a key. */
    UNSUPPORTED_KEY("42K0B"),
    /** An operator above the checkpoint is not map-only. */
    UNSUPPORTED_OPERATOR("0A000"),
    /** The sink, or the way it is written, cannot be resumed. */
    UNSUPPORTED_SINK("0A000"),
    /** The action looks at data rather than processing it. */
    UNSUPPORTED_ACTION("0A000"),
    /** More than one checkpoint in one plan. */
    MULTIPLE_CHECKPOINTS("0A000"),
    /** A setting has a value that it cannot have. */
    INVALID_SETTING("22023"),
    /** The location cannot hold a store. */
    INVALID_STORE_LOCATION("42K0B"),
    /** The run differs from what the store is bound to: key, mode, sealing or destination. */
    STORE_MISMATCH("55000"),
    /** The store lies elsewhere than it says: it was copied or moved. */
    STORE_COPIED("55000"),
    /** The catalog knows more of this store than its log does: the store was restored from a backup. */
    STORE_BEHIND("55000"),
    /** An object of the store is missing or damaged. */
    STORE_DAMAGED("58030"),
    /** An object of the store has a format version that this version of Cairn does not know. */
    STORE_TOO_NEW("58030"),
    /** The storage failed. */
    STORE_ACCESS("58030"),
    /** Another run is alive on the store. */
    RUN_ALIVE("55006"),
    /** A later writer has taken the store. */
    RUN_FENCED("40001"),
    /** The outcome of a commit is unknown. */
    COMMIT_STATE_UNKNOWN("40003"),
    /** The destination refused a commit for good. */
    COMMIT_REFUSED("40000"),
    /** Output that a sealed checkpoint names is gone. */
    OUTPUT_LOST("58030"),
    /** The destination holds output of a store that is gone: a new store would make it again. */
    ORPHANED_OUTPUT("55000"),
    /** Rows with one key were spread over several tasks of a run that did not succeed. */
    KEY_SPANS_TASKS("23000"),
    /** A task ended before its input was read, or before its output was consumed. */
    INPUT_NOT_EXHAUSTED("40000"),
    /** A task that was repeated saw other keys than its first attempt. */
    INPUT_CHANGED("40000");

    private final String sqlState;

    ErrorCondition(String sqlState) {
        this.sqlState = sqlState;
    }

    /** The name under which Spark reports the error, for example {@code CAIRN_RUN_ALIVE}. */
    public String conditionName() {
        return "CAIRN_" + name();
    }

    /** The five characters of the SQL standard's SQLSTATE. */
    public String sqlState() {
        return sqlState;
    }
}
