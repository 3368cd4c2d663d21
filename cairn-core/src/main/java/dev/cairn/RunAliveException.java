package dev.cairn;

/** Another run is visibly alive on the store, and nothing has run. Wait for it to end, or take over. */
public final class RunAliveException extends CairnException {
    private static final long serialVersionUID = 1L;

    public RunAliveException(ErrorCondition condition, String message) {
        this(condition, message, null);
    }

    /** @param cause may be null */
    public RunAliveException(ErrorCondition condition, String message, Throwable cause) {
        super(condition, message, cause);
    }
}
