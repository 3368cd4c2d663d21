package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;

import dev.cairn.ErrorCondition;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import dev.cairn.spark.internal.SparkErrors;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;

/** Whether columns can be a key, and which. */
final class KeyColumns {
    /** Spark calls these deterministic, because they do not change within a query. */
    private static final Set<String> TIMES =
            Set.of("CurrentTimestamp", "Now", "CurrentDate", "CurrentTime", "LocalTimestamp");

    private KeyColumns() {}

    /** The schema of a checkpoint's key; refuses what cannot be a key. */
    static KeySchema schema(StageCheckpointKeys checkpoint) {
        List<KeySchema.Column> columns = new ArrayList<>();
        for (Expression key : checkpoint.keys()) {
            columns.add(new KeySchema.Column(name(key), type(key, checkpoint)));
        }
        return new KeySchema(columns);
    }

    private static String name(Expression key) {
        return key instanceof NamedExpression named ? named.name() : key.sql();
    }

    private static KeyType type(Expression key, StageCheckpointKeys checkpoint) {
        DataType type = key.dataType();
        if (type instanceof StringType string) {
            if (!string.isUTF8BinaryCollation()) {
                throw refuse(
                        key,
                        checkpoint,
                        "its collation " + string.typeName()
                                + " calls different strings equal, and keys are compared by" + " their bytes",
                        "Add a column without a collation, such as upper(" + name(key)
                                + "), below the checkpoint, and use that.");
            }
            return KeyType.STRING;
        }
        if (type instanceof LongType
                || type instanceof IntegerType
                || type instanceof ShortType
                || type instanceof ByteType) {
            return KeyType.INTEGER;
        }
        if (type instanceof FloatType || type instanceof DoubleType) {
            throw refuse(
                    key,
                    checkpoint,
                    "floating point numbers have several NaNs and zeros and lose digits on the way",
                    "Cast it to string below the checkpoint, if its values are exact.");
        }
        if (type instanceof StructType) {
            throw refuse(key, checkpoint, "it is a struct", "Name the fields that make up the key instead.");
        }
        throw refuse(
                key,
                checkpoint,
                "keys can be strings and integers",
                "Cast it to string below the checkpoint: .withColumn(\"key\", col(\"" + name(key)
                        + "\").cast(\"string\")).");
    }

    private static RuntimeException refuse(
            Expression key, StageCheckpointKeys checkpoint, String because, String remedy) {
        return SparkErrors.refuse(
                ErrorCondition.UNSUPPORTED_KEY,
                "The column " + name(key) + " of type " + key.dataType().sql() + " cannot be a key of the checkpoint '"
                        + checkpoint.store() + "': " + because + ". " + remedy);
    }

    /** Refuses a key that comes out different from run to run. */
    static void checkDeterministic(StageCheckpointKeys checkpoint) {
        Set<Long> wanted = new HashSet<>();
        for (Expression key : checkpoint.keys()) {
            follow(key, checkpoint, wanted);
        }
        trace(checkpoint.child(), wanted, checkpoint);
    }

    private static void trace(LogicalPlan plan, Set<Long> wanted, StageCheckpointKeys checkpoint) {
        for (Expression expression : list(plan.expressions())) {
            if (expression instanceof Alias alias
                    && wanted.contains(alias.exprId().id())) {
                follow(alias.child(), checkpoint, wanted);
            }
        }
        if (plan instanceof Union union) {
            List<Attribute> outputs = list(union.output());
            for (LogicalPlan branch : list(union.children())) {
                List<Attribute> ofBranch = list(branch.output());
                for (int i = 0; i < outputs.size(); i++) {
                    if (wanted.contains(outputs.get(i).exprId().id())) {
                        wanted.add(ofBranch.get(i).exprId().id());
                    }
                }
            }
        }
        if (plan instanceof Generate generate
                && list(generate.generatorOutput()).stream()
                        .anyMatch(output -> wanted.contains(output.exprId().id()))) {
            follow((Expression) generate.generator(), checkpoint, wanted);
        }
        list(plan.children()).forEach(child -> trace(child, wanted, checkpoint));
    }

    private static boolean dependsOnTime(Expression expression) {
        return TIMES.contains(expression.getClass().getSimpleName())
                || list(expression.children()).stream().anyMatch(KeyColumns::dependsOnTime);
    }

    private static void follow(Expression expression, StageCheckpointKeys checkpoint, Set<Long> wanted) {
        if (!expression.deterministic() || dependsOnTime(expression)) {
            throw SparkErrors.refuse(
                    ErrorCondition.UNSUPPORTED_KEY,
                    "The key of the checkpoint '" + checkpoint.store() + "' is computed by " + expression.sql()
                            + ", which may give other values in every run, so that rows would not be recognised. Use"
                            + " columns that the source itself holds; for the name of a file, _metadata.file_path.");
        }
        for (Attribute attribute : list(expression.references().toSeq())) {
            wanted.add(attribute.exprId().id());
        }
    }
}
