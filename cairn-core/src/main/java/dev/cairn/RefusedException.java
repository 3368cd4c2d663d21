package dev.cairn;

/** The request cannot be honoured as it stands, and nothing has run. Change the job or a setting, then run again. */
public final class RefusedException extends CairnException {
    private static final long serialVersionUID = 1L;

    public RefusedException(ErrorCondition condition, String message) {
        this(condition, message, null);
    }

    /** @param cause may be null */
    public RefusedException(ErrorCondition condition, String message, Throwable cause) {
        super(condition, message, cause);
    }
}
