package dev.cairn.spark.internal.sink;

import static dev.cairn.spark.internal.ScalaInterop.list;
import static dev.cairn.spark.internal.ScalaInterop.scalaMap;
import static dev.cairn.spark.internal.ScalaInterop.seq;

import dev.cairn.ErrorCondition;
import dev.cairn.spark.internal.ScalaInterop;
import dev.cairn.spark.internal.SparkErrors;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.command.AlterTableAddPartitionCommand;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.PartitioningUtils;
import scala.Option;
import scala.Tuple2;

/**
 * The partitions of a table that the session catalog keeps a list of: files in a directory that is not in the list are not
 * read.
 *
 * @param table whose partitions are listed
 */
public record TablePartitions(CatalogTable table, InsertIntoHadoopFsRelationCommand insert) {

    /** Of the insert's table, if there is one and its partitions are listed. */
    public static java.util.Optional<TablePartitions> of(
            SparkSession session, InsertIntoHadoopFsRelationCommand insert) {
        return ScalaInterop.<CatalogTable>optional(insert.catalogTable())
                .filter(table -> session.sessionState().conf().manageFilesourcePartitions()
                        && !list(table.partitionColumnNames()).isEmpty()
                        && table.tracksPartitionsInCatalog())
                .map(table -> new TablePartitions(table, insert));
    }

    /** Refuses a table of which a partition that may be written to lies elsewhere than below the table. */
    public void refuseElsewhere(SparkSession session, String store, Path target, FileSystem fileSystem) {
        List<CatalogTablePartition> partitions = list(session.sessionState()
                .catalog()
                .listPartitions(table.identifier(), Option.apply(insert.staticPartitions())));
        for (CatalogTablePartition partition : partitions) {
            Path usual = new Path(target, PartitioningUtils.getPathFragment(partition.spec(), table.partitionSchema()));
            Path actual = fileSystem.makeQualified(new Path(partition.location()));
            if (!actual.equals(usual)) {
                throw SparkErrors.refuse(
                        ErrorCondition.UNSUPPORTED_SINK,
                        "The query with the checkpoint '" + store + "' inserts into the table "
                                + table.identifier().quotedString() + ", whose partition "
                                + PartitioningUtils.getPathFragment(partition.spec(), table.partitionSchema())
                                + " lies elsewhere, at " + actual
                                + ", and files can be published only below the table's own"
                                + " directory " + target
                                + ". Move the partition there, or insert into a table without it.");
            }
        }
    }

    /** Adds the partitions that lie in the directories and are not in the list. Repeating it changes nothing. */
    public void add(SparkSession session, Collection<String> directories) {
        List<Tuple2<scala.collection.immutable.Map<String, String>, Option<String>>> partitions = new ArrayList<>();
        for (String directory : directories) {
            if (directory.isEmpty()) {
                continue; // published before the table had partitions
            }
            partitions.add(new Tuple2<>(PartitioningUtils.parsePathFragment(directory), Option.empty()));
        }
        if (!partitions.isEmpty()) {
            new AlterTableAddPartitionCommand(table.identifier(), seq(partitions), true).run(session);
        }
    }

    /** The directory of the one partition that the insert names in full; none if it leaves a value open. */
    public List<String> named() {
        Map<String, String> named = ScalaInterop.map(insert.staticPartitions());
        return named.size() == list(insert.partitionColumns()).size()
                ? List.of(PartitioningUtils.getPathFragment(scalaMap(named), insert.partitionColumns()))
                : List.of();
    }
}
