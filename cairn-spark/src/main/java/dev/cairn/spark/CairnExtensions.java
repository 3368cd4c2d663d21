package dev.cairn.spark;

import static dev.cairn.spark.internal.ScalaInterop.function;

import dev.cairn.ErrorCondition;
import dev.cairn.spark.internal.SparkErrors;
import dev.cairn.spark.internal.Version;
import dev.cairn.spark.internal.plan.AppendToTable;
import dev.cairn.spark.internal.plan.CheckCheckpoints;
import dev.cairn.spark.internal.plan.PlanCheckpoints;
import dev.cairn.spark.internal.plan.ResolveCheckpointHint;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Tuple3;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Makes checkpoints known to a session: {@code spark.sql.extensions=dev.cairn.spark.CairnExtensions}. */
public final class CairnExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        extensions.injectHintResolutionRule(function(session -> new ResolveCheckpointHint()));
        // Sessions with Hive support (spark-shell, spark-sql) leave out the hint rules of extensions: the hint would be
        // dropped with a warning. What hints are left when names are resolved is resolved here.
        extensions.injectResolutionRule(function(session -> new ResolveCheckpointHint()));
        extensions.injectPostHocResolutionRule(function(session -> new AppendToTable((SparkSession) session)));
        extensions.injectCheckRule(function(session -> new CheckCheckpoints()));
        extensions.injectPlannerStrategy(function(session -> new PlanCheckpoints()));
        extensions.injectFunction(new Tuple3<>(
                new FunctionIdentifier("cairn_version"),
                new ExpressionInfo(
                        CairnExtensions.class.getName(),
                        null,
                        "cairn_version",
                        "_FUNC_() - Returns the version of Cairn; fails where a session runs without it.",
                        ""),
                function(arguments -> version())));
        return BoxedUnit.UNIT;
    }

    /** Fails also where hints are switched off: whoever asks wants to know whether checkpoints are heeded. */
    private static Expression version() {
        if (SQLConf.get()
                .getConfString("spark.sql.optimizer.disableHints", "false")
                .equalsIgnoreCase("true")) {
            throw SparkErrors.refuse(
                    ErrorCondition.EXTENSION_MISSING,
                    "The setting spark.sql.optimizer.disableHints is true, so checkpoint hints in this session are ignored."
                            + " Set it to false.");
        }
        return new Literal(UTF8String.fromString(Version.TEXT), DataTypes.StringType);
    }
}
