package dev.cairn.spark.internal;

import dev.cairn.CairnException;
import dev.cairn.ErrorCondition;
import dev.cairn.spark.CheckpointException;

/** Gives Cairn's errors the shape that Spark's users, PySpark and Spark Connect know: see {@link CheckpointException}. */
public final class SparkErrors {
    private SparkErrors() {}

    /** A refusal before anything ran. */
    public static CheckpointException refuse(ErrorCondition condition, String message) {
        return new CheckpointException(condition, message, null);
    }

    /**
     * What Spark's user gets for a failure of a checkpointed query. Finds Cairn's own error among the causes, so that it
     * is the message one sees, and not that a stage failed four times. Other failures are thrown as they are.
     */
    public static CheckpointException translate(Throwable failure) {
        CairnException own = findOwn(failure);
        if (own == null) {
            throw SparkErrors.<RuntimeException>unchecked(failure);
        }
        return new CheckpointException(own.condition(), own.getMessage(), failure);
    }

    /** Cairn's own error among the causes, or else the failure itself. */
    public static Throwable ownOr(Throwable failure) {
        CairnException own = findOwn(failure);
        return own == null ? failure : own;
    }

    private static CairnException findOwn(Throwable failure) {
        int depth = 0;
        for (Throwable t = failure; t != null && depth < 50; t = t.getCause(), depth++) {
            if (t instanceof CairnException own) {
                return own;
            }
        }
        return null;
    }

    /** Scala does not declare exceptions: what its methods throw may be checked, and passes through as it is. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> T unchecked(Throwable failure) throws T {
        throw (T) failure;
    }
}
