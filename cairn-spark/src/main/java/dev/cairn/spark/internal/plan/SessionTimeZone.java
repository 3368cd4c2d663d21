package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;
import static dev.cairn.spark.internal.ScalaInterop.map;

import dev.cairn.spark.internal.ScalaInterop;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.TimeZoneAwareExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.TextBasedFileFormat;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;

/**
 * Which of the session's time zones a key depends on. A point in time depends on none; its text, its day, or the point in
 * time that a text without a zone is read as, do: in another zone the same row would have another key, and be processed
 * again. So the zone becomes part of what the store is bound to.
 *
 * <p>Errs on the side of a dependence that makes no difference.
 */
final class SessionTimeZone {
    private SessionTimeZone() {}

    /** The zone; empty if the key depends on none. */
    static String of(Expression key, LogicalPlan below) {
        Provenance provenance = Provenance.of(key, below);
        return Stream.concat(
                        provenance.expressions().stream().flatMap(SessionTimeZone::zones),
                        provenance.sources().stream().flatMap(source -> zone(source).stream()))
                .findFirst()
                .orElse("");
    }

    private static Stream<String> zones(Expression expression) {
        return Stream.concat(
                zone(expression).stream(), list(expression.children()).stream().flatMap(SessionTimeZone::zones));
    }

    private static Optional<String> zone(Expression expression) {
        boolean depends = expression instanceof Cast cast
                ? cast.needsTimeZone()
                : expression instanceof TimeZoneAwareExpression
                        && (hasTimestamp(expression.dataType())
                                || list(expression.children()).stream()
                                        .anyMatch(child -> hasTimestamp(child.dataType())));
        return depends
                ? ScalaInterop.<String>optional(((TimeZoneAwareExpression) expression).timeZoneId())
                : Optional.empty();
    }

    /** Files of text, and names of directories, hold times as text. */
    private static Optional<String> zone(Provenance.Source source) {
        if (source.leaf() instanceof LogicalRelation relation
                && relation.relation() instanceof HadoopFsRelation files
                && source.columns().stream()
                        .anyMatch(column -> hasTimestamp(column.dataType())
                                && (files.fileFormat() instanceof TextBasedFileFormat
                                        || list(files.partitionSchema()).stream()
                                                .anyMatch(field -> field.name().equals(column.name()))))) {
            return Optional.of(map(files.options()).entrySet().stream()
                    .filter(option -> option.getKey().equalsIgnoreCase("timeZone"))
                    .map(java.util.Map.Entry::getValue)
                    .findFirst()
                    .orElseGet(() -> SQLConf.get().sessionLocalTimeZone()));
        }
        return Optional.empty();
    }

    private static boolean hasTimestamp(DataType type) {
        if (type instanceof StructType struct) {
            return list(struct).stream().anyMatch(field -> hasTimestamp(field.dataType()));
        } else if (type instanceof ArrayType array) {
            return hasTimestamp(array.elementType());
        } else if (type instanceof MapType entries) {
            return hasTimestamp(entries.keyType()) || hasTimestamp(entries.valueType());
        }
        return type instanceof TimestampType;
    }
}
