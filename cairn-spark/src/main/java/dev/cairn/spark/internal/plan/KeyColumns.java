package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;

import dev.cairn.ErrorCondition;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import dev.cairn.spark.internal.SparkErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.VariantType;

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
            columns.add(new KeySchema.Column(
                    name(key), type(key, checkpoint), SessionTimeZone.of(key, checkpoint.child())));
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
                        "its collation calls different strings equal, and keys are compared by their bytes",
                        "Make a column without it below the checkpoint, such as .withColumn(\"key\", expr(\"upper("
                                + name(key) + ") COLLATE UTF8_BINARY\")), and use that.");
            }
            return KeyType.STRING;
        } else if (type instanceof IntegralType) {
            return KeyType.INTEGER;
        } else if (type instanceof BinaryType) {
            return KeyType.BINARY;
        } else if (type instanceof BooleanType) {
            return KeyType.BOOLEAN;
        } else if (type instanceof DateType) {
            return KeyType.DATE;
        } else if (type instanceof TimestampType) {
            return KeyType.TIMESTAMP;
        } else if (type instanceof TimestampNTZType) {
            return KeyType.TIMESTAMP_NTZ;
        } else if (type instanceof DecimalType) {
            return KeyType.DECIMAL;
        } else if (type instanceof FloatType || type instanceof DoubleType) {
            throw refuse(
                    key,
                    checkpoint,
                    "floating point numbers have several NaNs and zeros, and lose digits on the way",
                    "If its values are exact, " + cast(key, "decimal(38, 9)") + " and use that.");
        } else if (type instanceof StructType struct) {
            throw refuse(
                    key,
                    checkpoint,
                    "a struct may gain fields, and then every key would be another",
                    "Name the fields that make up the key: "
                            + list(struct).stream()
                                    .map(field -> "\"" + name(key) + "." + field.name() + "\"")
                                    .collect(Collectors.joining(", "))
                            + ".");
        } else if (type instanceof ArrayType) {
            throw refuse(
                    key,
                    checkpoint,
                    "keys are single values, and an array holds several",
                    "Use one of its elements, such as \"" + name(key)
                            + "[0]\" in a column of its own, or a text made of all:"
                            + " .withColumn(\"key\", to_json(col(\"" + name(key) + "\"))) below the checkpoint.");
        } else if (type instanceof MapType) {
            throw refuse(
                    key,
                    checkpoint,
                    "a map has no order, so that equal maps may look different",
                    "Use the entries that make up the key: .withColumn(\"key\", col(\"" + name(key)
                            + "\").getItem(…)) below the checkpoint.");
        } else if (type instanceof VariantType) {
            throw refuse(
                    key,
                    checkpoint,
                    "a variant holds equal values in different bytes",
                    "Take the key out of it below the checkpoint: .withColumn(\"key\", expr(\"variant_get(" + name(key)
                            + ", '$.id', 'string')\")).");
        }
        throw refuse(
                key,
                checkpoint,
                "keys can be strings, integers, decimals, binary, booleans, dates and timestamps",
                "Below the checkpoint " + cast(key, "string") + " and use that.");
    }

    private static String cast(Expression key, String type) {
        return "cast it: .withColumn(\"key\", col(\"" + name(key) + "\").cast(\"" + type + "\"))";
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
        for (Expression key : checkpoint.keys()) {
            Provenance.of(key, checkpoint.child()).expressions().forEach(part -> checkDeterministic(part, checkpoint));
        }
    }

    private static void checkDeterministic(Expression expression, StageCheckpointKeys checkpoint) {
        if (!expression.deterministic() || dependsOnTime(expression)) {
            throw SparkErrors.refuse(
                    ErrorCondition.UNSUPPORTED_KEY,
                    "The key of the checkpoint '" + checkpoint.store() + "' is computed by " + expression.sql()
                            + ", which may give other values in every run, so that rows would not be recognised. Use"
                            + " columns that the source itself holds; for the name of a file, _metadata.file_path.");
        }
    }

    private static boolean dependsOnTime(Expression expression) {
        return TIMES.contains(expression.getClass().getSimpleName())
                || list(expression.children()).stream().anyMatch(KeyColumns::dependsOnTime);
    }
}
