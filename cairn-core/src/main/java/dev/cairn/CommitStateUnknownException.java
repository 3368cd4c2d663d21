package dev.cairn;

/** It cannot be told whether an epoch was committed. This is neither success nor failure: nothing may be deleted. The next run asks the catalog again. */
public final class CommitStateUnknownException extends CairnException {
    private static final long serialVersionUID = 1L;

    public CommitStateUnknownException(ErrorCondition condition, String message) {
        this(condition, message, null);
    }

    /** @param cause may be null */
    public CommitStateUnknownException(ErrorCondition condition, String message, Throwable cause) {
        super(condition, message, cause);
    }
}
