package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;

import dev.cairn.ErrorCondition;
import dev.cairn.spark.internal.SparkErrors;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.AppendData;
import org.apache.spark.sql.catalyst.plans.logical.CacheTable;
import org.apache.spark.sql.catalyst.plans.logical.CacheTableAsSelect;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OverwriteByExpression;
import org.apache.spark.sql.catalyst.plans.logical.ReturnAnswer;
import org.apache.spark.sql.catalyst.plans.logical.UncacheTable;
import org.apache.spark.sql.catalyst.util.QuotingUtils;
import org.apache.spark.sql.execution.command.CreateDataSourceTableAsSelectCommand;
import org.apache.spark.sql.execution.command.CreateViewCommand;
import org.apache.spark.sql.execution.command.DescribeQueryCommand;
import org.apache.spark.sql.execution.command.ExplainCommand;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/** What a checkpointed query ends in. Decided at the root of the whole plan; what is not known is refused by name. */
sealed interface Sink {
    /** Files of one of Spark's own formats, appended to a directory. */
    record Files(InsertIntoHadoopFsRelationCommand command) implements Sink {}

    /** A write that keeps nothing, for its side effects. */
    record Noop(LogicalPlan write) implements Sink {}

    /** A bare action: collect, foreachPartition. */
    record Action() implements Sink {}

    /** Nothing runs: a view is defined, a plan explained. */
    record Definition() implements Sink {}

    /** File formats whose writers go through the commit protocol file by file. */
    Set<String> FILE_FORMATS = Set.of(
            "ParquetFileFormat",
            "OrcFileFormat",
            "CSVFileFormat",
            "JsonFileFormat",
            "TextFileFormat",
            "XmlFileFormat",
            "AvroFileFormat");

    /** @param plan analyzed or optimized root that holds the checkpoint */
    static Sink of(LogicalPlan plan, StageCheckpointKeys checkpoint) {
        LogicalPlan root = plan instanceof ReturnAnswer answer ? answer.child() : plan;
        if (root instanceof InsertIntoHadoopFsRelationCommand insert) {
            return files(insert, checkpoint);
        }
        if (root instanceof AppendData append && isNoop(append.table())) {
            return new Noop(append);
        }
        if (root instanceof OverwriteByExpression overwrite && isNoop(overwrite.table())) {
            return new Noop(overwrite);
        }
        if (root instanceof CreateViewCommand
                || root instanceof ExplainCommand
                || root instanceof DescribeQueryCommand
                || root instanceof UncacheTable) {
            return new Definition();
        }
        if (root instanceof CreateDataSourceTableAsSelectCommand create) {
            throw createsTable(create, checkpoint);
        }
        if (root instanceof SaveIntoDataSourceCommand save) {
            throw refuse(
                    checkpoint,
                    "writes through the data source "
                            + save.dataSource().getClass().getSimpleName().replace("$", "")
                            + ", which reads the query in its own way",
                    "Write files with mode append, or do the work in foreachPartition.");
        }
        if (root instanceof CacheTable || root instanceof CacheTableAsSelect) {
            throw SparkErrors.refuse(
                    ErrorCondition.UNSUPPORTED_ACTION,
                    "The query with the checkpoint '" + checkpoint.store()
                            + "' would be cached: its rows would count as"
                            + " processed once they are in the cache, and be lost with it. Cache below the checkpoint, or"
                            + " a query without it.");
        }
        if (root instanceof Command) {
            throw refuse(
                    checkpoint,
                    "is the command " + root.nodeName() + ", which cannot be resumed",
                    "Write files with mode append (or INSERT INTO a table of files), or use collect or"
                            + " foreachPartition.");
        }
        return new Action();
    }

    private static RuntimeException createsTable(
            CreateDataSourceTableAsSelectCommand create, StageCheckpointKeys checkpoint) {
        CatalogTable table = create.table();
        List<String> partitions = list(table.partitionColumnNames()).stream()
                .map(QuotingUtils::quoteIfNeeded)
                .toList();
        return refuse(
                checkpoint,
                "creates the table " + table.identifier().quotedString()
                        + " from the query, which works once and cannot be resumed",
                "Create the table first: CREATE TABLE IF NOT EXISTS "
                        + table.identifier().quotedString() + " ("
                        + create.query().schema().toDDL() + ") USING "
                        + table.provider().get()
                        + (partitions.isEmpty() ? "" : " PARTITIONED BY (" + String.join(", ", partitions) + ")")
                        + ". Then append to it: .mode(\"append\").saveAsTable(\""
                        + table.identifier().table() + "\"), or INSERT INTO.");
    }

    private static boolean isNoop(org.apache.spark.sql.catalyst.analysis.NamedRelation table) {
        return table instanceof DataSourceV2Relation relation
                && relation.table().name().equals("noop-table");
    }

    private static Files files(InsertIntoHadoopFsRelationCommand insert, StageCheckpointKeys checkpoint) {
        String target = insert.outputPath().toString();
        if (insert.mode() == SaveMode.Overwrite) {
            throw refuse(
                    checkpoint,
                    "overwrites " + target + ", and with it what earlier runs have published",
                    "Use .mode(\"append\") or INSERT INTO.");
        }
        if (insert.mode() != SaveMode.Append) {
            throw refuse(
                    checkpoint,
                    "writes to " + target + " with the mode " + insert.mode()
                            + ", which works once and cannot be resumed (it is the default of save())",
                    "Use .mode(\"append\").");
        }
        String format = insert.fileFormat().getClass().getSimpleName();
        if (!FILE_FORMATS.contains(format)) {
            throw refuse(
                    checkpoint,
                    "writes the file format " + format.replace("FileFormat", ""),
                    "Supported are Parquet, ORC, CSV, JSON, text, XML and Avro.");
        }
        if (insert.bucketSpec().isDefined()) {
            throw refuse(
                    checkpoint,
                    "writes bucketed files to " + target + ", and appending to buckets breaks their promise",
                    "Leave bucketBy out.");
        }
        return new Files(insert);
    }

    private static RuntimeException refuse(StageCheckpointKeys checkpoint, String what, String remedy) {
        return SparkErrors.refuse(
                ErrorCondition.UNSUPPORTED_SINK,
                "The query with the checkpoint '" + checkpoint.store() + "' " + what + ". " + remedy);
    }
}
