package dev.cairn.spark;

import dev.cairn.ErrorCondition;
import java.util.Map;
import org.apache.spark.QueryContext;
import org.apache.spark.SparkThrowable;

/**
 * How Cairn's errors reach Spark's users: with a condition {@code CAIRN_…} and an SQLSTATE, as Spark's own do, and a
 * message of one line that says problem, cause and remedy. Where the error came up while running, the cause is the
 * {@link dev.cairn.CairnException}, whose type tells which reaction it needs.
 *
 * <p>Not an {@code AnalysisException}, although most are thrown by Spark's analyzer: that one repeats those with the whole
 * plan in their message and without their SQLSTATE.
 */
public final class CheckpointException extends RuntimeException implements SparkThrowable {
    private static final long serialVersionUID = 1L;

    private final ErrorCondition condition;

    /** @param cause may be null */
    public CheckpointException(ErrorCondition condition, String message, Throwable cause) {
        super("[" + condition.conditionName() + "] " + message + " SQLSTATE: " + condition.sqlState(), cause);
        this.condition = condition;
    }

    @Override
    public String getCondition() {
        return condition.conditionName();
    }

    @Override
    public String getSqlState() {
        return condition.sqlState();
    }

    @Override
    public Map<String, String> getMessageParameters() {
        return Map.of();
    }

    @Override
    public QueryContext[] getQueryContext() {
        return new QueryContext[0];
    }
}
