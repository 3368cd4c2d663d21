package dev.cairn;

/** A task cannot be sealed. Nothing of it becomes visible; Spark may run it again, and so does the next run. */
public final class TaskFailedException extends CairnException {
    private static final long serialVersionUID = 1L;

    public TaskFailedException(ErrorCondition condition, String message) {
        this(condition, message, null);
    }

    /** @param cause may be null */
    public TaskFailedException(ErrorCondition condition, String message, Throwable cause) {
        super(condition, message, cause);
    }
}
