package dev.cairn.spark.internal;

import dev.cairn.CairnException;
import dev.cairn.ErrorCondition;
import dev.cairn.TaskFailedException;
import dev.cairn.spark.CheckpointException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Gives Cairn's errors the shape that Spark's users, PySpark and Spark Connect know: see {@link CheckpointException}. */
public final class SparkErrors {
    private static final int MOST_CAUSES = 50;

    /** An error that says itself in a task: the conditions that end in a {@link TaskFailedException}. */
    private static final Pattern AS_TEXT =
            Pattern.compile("\\[CAIRN_(INPUT_NOT_EXHAUSTED|INPUT_CHANGED)] (.*?) SQLSTATE: ", Pattern.DOTALL);

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
        List<Throwable> causes = new ArrayList<>();
        for (Throwable t = failure; t != null && causes.size() < MOST_CAUSES; t = t.getCause()) {
            causes.add(t);
        }
        for (Throwable cause : causes) {
            if (cause instanceof CairnException own) {
                return own;
            }
        }
        // What was thrown in a Python worker or in a task's listener arrives as text in somebody else's message.
        for (Throwable cause : causes) {
            Matcher matcher = AS_TEXT.matcher(String.valueOf(cause.getMessage()));
            if (matcher.find()) {
                return new TaskFailedException(ErrorCondition.valueOf(matcher.group(1)), matcher.group(2), cause);
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
