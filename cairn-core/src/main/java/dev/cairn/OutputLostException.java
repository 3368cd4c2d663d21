package dev.cairn;

/** Files that a sealed checkpoint names are neither staged nor published. An operator must decide what becomes of them. */
public final class OutputLostException extends CairnException {
    private static final long serialVersionUID = 1L;

    public OutputLostException(ErrorCondition condition, String message) {
        this(condition, message, null);
    }

    /** @param cause may be null */
    public OutputLostException(ErrorCondition condition, String message, Throwable cause) {
        super(condition, message, cause);
    }
}
