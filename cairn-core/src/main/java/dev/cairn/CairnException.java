package dev.cairn;

import static java.util.Objects.requireNonNull;

/**
 * The root of everything Cairn throws on purpose.
 *
 * <p>Subclasses are typed by the <em>reaction</em> they need, not by the place they come from:
 *
 * <ul>
 *   <li>{@link RefusedException}: the request cannot be honoured; change the job or a setting, then run again.
 *   <li>{@link RunAliveException}: another run works on the store; wait, or take over.
 *   <li>{@link FencedException}: a later run has taken the store; this run is over, nothing is to be done.
 *   <li>{@link StoreDamagedException}: an object of the store is missing or unreadable; an operator must look.
 *   <li>{@link CommitStateUnknownException}: it cannot be told whether an epoch was committed; nothing may be deleted.
 *   <li>{@link OutputLostException}: files that a sealed checkpoint names are gone; an operator must decide.
 *   <li>{@link TaskFailedException}: a task cannot be sealed; Spark may run it again.
 *   <li>{@link StoreAccessException}: the storage did not answer; trying again later may help.
 * </ul>
 *
 * <p>Messages say problem, cause and remedy, with the values. The condition is a stable name that programs can
 * match on; messages may change.
 */
public abstract class CairnException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCondition condition;

    protected CairnException(ErrorCondition condition, String message, Throwable cause) {
        super(requireNonNull(message, "message"), cause);
        this.condition = requireNonNull(condition, "condition");
    }

    /** The stable name and SQLSTATE of this error. Never null. */
    public final ErrorCondition condition() {
        return condition;
    }
}
