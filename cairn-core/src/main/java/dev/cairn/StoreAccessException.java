package dev.cairn;

/** The storage below the store failed or did not answer. Nothing is known to be wrong with the store; trying again may help. */
public final class StoreAccessException extends CairnException {
    private static final long serialVersionUID = 1L;

    public StoreAccessException(ErrorCondition condition, String message) {
        this(condition, message, null);
    }

    /** @param cause may be null */
    public StoreAccessException(ErrorCondition condition, String message, Throwable cause) {
        super(condition, message, cause);
    }
}
