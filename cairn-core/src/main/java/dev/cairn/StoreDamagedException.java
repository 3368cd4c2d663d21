package dev.cairn;

/** An object of the store is missing, damaged or of a newer format. The store is never treated as empty; an operator must look. */
public final class StoreDamagedException extends CairnException {
    private static final long serialVersionUID = 1L;

    public StoreDamagedException(ErrorCondition condition, String message) {
        this(condition, message, null);
    }

    /** @param cause may be null */
    public StoreDamagedException(ErrorCondition condition, String message, Throwable cause) {
        super(condition, message, cause);
    }
}
