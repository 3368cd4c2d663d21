package dev.cairn.spark.internal;

import dev.cairn.CairnException;
import dev.cairn.ErrorCondition;
import java.util.Map;
import org.apache.spark.QueryContext;
import org.apache.spark.SparkException;
import org.apache.spark.sql.AnalysisException;
import scala.Option;

/**
 * Gives Cairn's errors the types that Spark's users, PySpark and Spark Connect know: a condition {@code CAIRN_…} with an
 * SQLSTATE, and one message.
 */
public final class SparkErrors {
    private SparkErrors() {}

    /** The plan as written cannot be honoured. */
    public static AnalysisException analysis(ErrorCondition condition, String message) {
        return analysis(condition, message, null);
    }

    private static AnalysisException analysis(ErrorCondition condition, String message, Throwable cause) {
        return new AnalysisException(
                decorate(condition, message),
                Option.empty(),
                Option.empty(),
                Option.apply(cause),
                Option.apply(condition.conditionName()),
                ScalaInterop.scalaMap(Map.of()),
                new QueryContext[0],
                Option.apply(condition.sqlState()),
                Option.empty());
    }

    /** A refusal before anything ran; unchecked, although Scala's exceptions are not declared. */
    public static RuntimeException refuse(ErrorCondition condition, String message) {
        return sneak(analysis(condition, message));
    }

    /**
     * What Spark's user gets for a failure of a checkpointed query. Finds Cairn's own error among the causes, so that it
     * is the message one sees, and not that a stage failed four times.
     */
    public static RuntimeException translate(Throwable failure) {
        CairnException own = findOwn(failure);
        return own == null ? sneak(failure) : sneak(new CairnSparkException(own, failure));
    }

    /** Cairn's own error among the causes, or null. */
    private static CairnException findOwn(Throwable failure) {
        int depth = 0;
        for (Throwable t = failure; t != null && depth < 50; t = t.getCause(), depth++) {
            if (t instanceof CairnException own) {
                return own;
            }
        }
        return null;
    }

    /** Cairn's own error among the causes, or else the failure itself. */
    public static Throwable ownOr(Throwable failure) {
        CairnException own = findOwn(failure);
        return own == null ? failure : own;
    }

    private static String decorate(ErrorCondition condition, String message) {
        return "[" + condition.conditionName() + "] " + message + " SQLSTATE: " + condition.sqlState();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> RuntimeException sneak(Throwable failure) throws T {
        throw (T) failure;
    }

    /** A {@link CairnException} in Spark's clothes; the cause is the original. */
    static final class CairnSparkException extends SparkException {
        private static final long serialVersionUID = 1L;

        private final String sqlState;

        CairnSparkException(CairnException own, Throwable failure) {
            super(
                    decorate(own.condition(), own.getMessage()),
                    failure,
                    Option.apply(own.condition().conditionName()),
                    ScalaInterop.scalaMap(Map.of()),
                    new QueryContext[0]);
            this.sqlState = own.condition().sqlState();
        }

        @Override
        public String getSqlState() {
            return sqlState;
        }
    }
}
