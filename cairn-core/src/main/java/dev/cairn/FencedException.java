package dev.cairn;

/** A later writer has taken the store. This run is over: it appends nothing more and deletes nothing. What its tasks sealed in time is kept. */
public final class FencedException extends CairnException {
    private static final long serialVersionUID = 1L;

    public FencedException(ErrorCondition condition, String message) {
        this(condition, message, null);
    }

    /** @param cause may be null */
    public FencedException(ErrorCondition condition, String message, Throwable cause) {
        super(condition, message, cause);
    }
}
