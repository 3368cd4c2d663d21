package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;
import static dev.cairn.spark.internal.ScalaInterop.scalaMap;
import static dev.cairn.spark.internal.ScalaInterop.seq;

import dev.cairn.spark.internal.ScalaInterop;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogUtils;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.command.CreateDataSourceTableAsSelectCommand;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * {@code df.write.mode("append").saveAsTable("t")} of a checkpointed query, for a table that exists, is the insert that it
 * amounts to. Spark's own command executes its query in its own way, out of reach.
 */
public final class AppendToTable extends Rule<LogicalPlan> {
    private final SparkSession session;

    public AppendToTable(SparkSession session) {
        this.session = session;
    }

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        if (plan instanceof CreateDataSourceTableAsSelectCommand create
                && create.mode() == SaveMode.Append
                && session.sessionState().catalog().tableExists(create.table().identifier())
                && !Plans.checkpoints(create.query()).isEmpty()) {
            return insert(create.table(), create.query());
        }
        return plan;
    }

    private LogicalPlan insert(CatalogTable table, LogicalPlan query) {
        Map<String, String> options =
                new HashMap<>(ScalaInterop.map(table.storage().properties()));
        ScalaInterop.<URI>optional(table.storage().locationUri())
                .ifPresent(uri -> options.put("path", CatalogUtils.URIToString(uri)));
        LogicalPlan write = new DataSource(
                        session,
                        table.provider().get(),
                        seq(),
                        Option.empty(),
                        table.partitionColumnNames(),
                        table.bucketSpec(),
                        scalaMap(options),
                        Option.apply(table))
                .planForWriting(SaveMode.Append, query);
        return write instanceof InsertIntoHadoopFsRelationCommand insert ? resolved(insert) : write;
    }

    /** Names are resolved before this rule runs. */
    private static LogicalPlan resolved(InsertIntoHadoopFsRelationCommand insert) {
        List<Attribute> columns = list(insert.query().output());
        Seq<Attribute> partitionColumns = seq(list(insert.partitionColumns()).stream()
                .map(wanted -> columns.stream()
                        .filter(column -> column.name().equalsIgnoreCase(wanted.name()))
                        .findFirst()
                        .orElseThrow())
                .toList());
        return new InsertIntoHadoopFsRelationCommand(
                insert.outputPath(),
                insert.staticPartitions(),
                insert.ifPartitionNotExists(),
                partitionColumns,
                insert.bucketSpec(),
                insert.fileFormat(),
                insert.options(),
                insert.query(),
                insert.mode(),
                insert.catalogTable(),
                insert.fileIndex(),
                insert.outputColumnNames());
    }
}
