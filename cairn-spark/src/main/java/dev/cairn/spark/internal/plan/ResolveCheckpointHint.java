package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;
import static dev.cairn.spark.internal.ScalaInterop.seq;

import dev.cairn.ErrorCondition;
import dev.cairn.key.KeySchema;
import dev.cairn.spark.internal.SparkErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedHint;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.types.StringType;
import scala.PartialFunction;
import scala.runtime.AbstractPartialFunction;

/** Turns {@code hint("checkpoint", store, column…)} into {@link StageCheckpointKeys}. */
public final class ResolveCheckpointHint extends Rule<LogicalPlan> {
    /** Name of the hint; case does not matter. */
    public static final String HINT = "checkpoint";

    /** So many wrong letters are taken for a slip. No hint of Spark's own is anywhere near. */
    private static final int NEARLY = 3;

    private static final String USAGE =
            "Write .hint(\"checkpoint\", \"<store>\", \"<key column>\") or /*+ CHECKPOINT('<store>', '<key column>') */:"
                    + " first the location of the checkpoint store, then one to " + KeySchema.MAX_COLUMNS
                    + " key columns.";

    private static final PartialFunction<LogicalPlan, LogicalPlan> RESOLVE = new AbstractPartialFunction<>() {
        @Override
        public boolean isDefinedAt(LogicalPlan plan) {
            return plan instanceof UnresolvedHint hint && distance(hint) <= NEARLY;
        }

        @Override
        public LogicalPlan apply(LogicalPlan plan) {
            return resolve((UnresolvedHint) plan);
        }
    };

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.resolveOperatorsUp(RESOLVE);
    }

    private static int distance(UnresolvedHint hint) {
        return LevenshteinDistance.getDefaultInstance().apply(hint.name().toLowerCase(Locale.ROOT), HINT);
    }

    private static LogicalPlan resolve(UnresolvedHint hint) {
        if (distance(hint) > 0) {
            throw refuse("There is no hint " + hint.name() + ", and Spark would ignore it. Did you mean " + HINT + "?");
        }
        List<Expression> parameters = list(hint.parameters());
        if (parameters.isEmpty()) {
            throw refuse("The checkpoint hint has no arguments.");
        }
        String store = text(parameters.get(0), 1);
        if (store.isBlank()) {
            throw refuse("The checkpoint hint names no store: its first argument is empty.");
        }
        if (parameters.size() < 2) {
            throw refuse("The checkpoint hint for the store " + store + " names no key column.");
        }
        if (parameters.size() - 1 > KeySchema.MAX_COLUMNS) {
            throw refuse("The checkpoint hint for the store " + store + " names " + (parameters.size() - 1)
                    + " key columns.");
        }
        List<Expression> keys = new ArrayList<>();
        for (int i = 1; i < parameters.size(); i++) {
            keys.add(column(parameters.get(i), i + 1));
        }
        return new StageCheckpointKeys(store, seq(keys), UUID.randomUUID().toString(), hint.child());
    }

    private static Expression column(Expression parameter, int position) {
        if (parameter instanceof UnresolvedAttribute || parameter.resolved() && !(parameter instanceof Literal)) {
            return parameter;
        }
        return UnresolvedAttribute.quotedString(text(parameter, position));
    }

    private static String text(Expression parameter, int position) {
        if (parameter instanceof Literal literal
                && literal.dataType() instanceof StringType
                && literal.value() != null) {
            return literal.value().toString();
        }
        if (parameter instanceof UnresolvedAttribute attribute && position > 1) {
            return attribute.name();
        }
        throw refuse("Argument " + position + " of the checkpoint hint is not "
                + (position == 1
                        ? "a string"
                        : "the name of a column (add a computed key as a column below the checkpoint)")
                + ": " + parameter.sql() + ".");
    }

    private static RuntimeException refuse(String problem) {
        return SparkErrors.refuse(ErrorCondition.INVALID_CHECKPOINT, problem + " " + USAGE);
    }
}
