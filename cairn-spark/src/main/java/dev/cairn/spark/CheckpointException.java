package dev.cairn.spark;

import dev.cairn.ErrorCondition;
import dev.cairn.spark.internal.ScalaInterop;
import java.util.Map;
import org.apache.spark.QueryContext;
import org.apache.spark.SparkRuntimeException;

/**
 * How Cairn's errors reach Spark's users: with a condition {@code CAIRN_…} and an SQLSTATE, as Spark's own do, and a
 * message of one line that says problem, cause and remedy. Where the error came up while running, the cause is the
 * {@link dev.cairn.CairnException}, whose type tells which reaction it needs.
 *
 * <p>Not an {@code AnalysisException}, although most are thrown by Spark's analyzer: that one repeats those with the whole
 * plan in their message and without their SQLSTATE. And a {@code SparkRuntimeException}, because PySpark turns only
 * exceptions of types that it knows into Python's.
 */
public final class CheckpointException extends SparkRuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCondition condition;
    private final String message;

    /** @param cause may be null */
    public CheckpointException(ErrorCondition condition, String message, Throwable cause) {
        // Spark makes messages from a catalogue that cannot be extended: a condition that is in it, and overriding.
        super("INTERNAL_ERROR", ScalaInterop.scalaMap(Map.of("message", message)), cause, new QueryContext[0], "");
        this.condition = condition;
        this.message = "[" + condition.conditionName() + "] " + message + " SQLSTATE: " + condition.sqlState();
    }

    @Override
    public String getMessage() {
        return message;
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
