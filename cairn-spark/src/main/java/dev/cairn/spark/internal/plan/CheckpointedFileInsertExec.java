package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.seq;

import dev.cairn.CairnException;
import dev.cairn.ErrorCondition;
import dev.cairn.run.TaskCheckpoint.OnSealed;
import dev.cairn.spark.internal.ScalaInterop;
import dev.cairn.spark.internal.Settings;
import dev.cairn.spark.internal.SparkErrors;
import dev.cairn.spark.internal.run.CheckpointedRun;
import dev.cairn.spark.internal.run.RunHandle;
import dev.cairn.spark.internal.sink.FileCommitter;
import dev.cairn.spark.internal.sink.StagingCommitProtocol;
import dev.cairn.spark.internal.sink.TablePartitions;
import dev.cairn.store.CheckpointStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetOutputCommitter;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.command.CommandUtils;
import org.apache.spark.sql.execution.datasources.FileFormatWriter;
import org.apache.spark.sql.execution.datasources.FileFormatWriter$;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.util.SchemaUtils;
import scala.collection.immutable.Seq;

/**
 * Executes Spark's insert into a directory of files as a checkpointed run: the same writers, but committed through {@link
 * StagingCommitProtocol}. Stands for Spark's own node only where a plan holds a checkpoint, so that other queries, and
 * the commit protocol that a user may have configured for them, are not touched.
 */
public final class CheckpointedFileInsertExec extends PhysicalNode {
    private static final long serialVersionUID = 1L;

    private final InsertIntoHadoopFsRelationCommand command;
    private boolean executed;

    public CheckpointedFileInsertExec(InsertIntoHadoopFsRelationCommand command, SparkPlan child) {
        super(child);
        this.command = Objects.requireNonNull(command, "command");
    }

    @Override
    public InternalRow[] executeCollect() {
        executeOnce();
        return new InternalRow[0];
    }

    @Override
    public RDD<InternalRow> doExecute() {
        executeOnce();
        return sparkContext().emptyRDD(ScalaInterop.classTag(InternalRow.class));
    }

    /** Spark may ask a command for its (empty) result several times; it has its effect once. */
    private synchronized void executeOnce() {
        if (!executed) {
            executed = true;
            insert(session());
        }
    }

    private void insert(SparkSession session) {
        StageCheckpointKeysExec checkpoint = Plans.checkpointExec(child())
                .orElseThrow(() -> new IllegalStateException("a checkpointed insert stands above a checkpoint"));
        if (!command.fileFormat().allowDuplicatedColumnNames()) {
            SchemaUtils.checkColumnNameDuplication(
                    command.outputColumnNames(), session.sessionState().conf().caseSensitiveAnalysis());
        }
        refuseOtherCommitters(session);
        Configuration configuration = session.sessionState().newHadoopConfWithOptions(command.options());
        FileSystem fileSystem = fileSystem(configuration);
        Path target = fileSystem.makeQualified(command.outputPath());

        Optional<TablePartitions> partitions = TablePartitions.of(session, command);
        partitions.ifPresent(listed -> listed.refuseElsewhere(session, checkpoint.store(), target, fileSystem));
        try {
            FileCommitter.requireApart(checkpoint.store(), target, configuration);
        } catch (CairnException e) {
            throw SparkErrors.translate(e);
        }
        boolean missingOutputAllowed =
                Settings.MISSING_OUTPUT_ALLOWED.in(session.sessionState().conf());
        CheckpointedRun run = CheckpointedRun.start(
                session,
                checkpoint.store(),
                checkpoint.keySchema(),
                OnSealed.RETURN_STORED,
                store -> new FileCommitter(target, store.id(), store.location(), missingOutputAllowed, configuration));
        RunHandle handle = new RunHandle(run);
        try {
            if (run.active().newestEpochIsUnattended()) {
                partitions.ifPresent(listed -> listed.add(session, newestDirectories(run, target, configuration)));
            }
            StagingCommitProtocol protocol = new StagingCommitProtocol(run, handle, target, configuration);
            handle.inScope(session.sparkContext(), checkpoint.nodeId(), () -> {
                write(session, protocol, target, configuration);
                return null;
            });
            partitions.ifPresent(listed -> {
                listed.add(session, newestDirectories(run, target, configuration));
                listed.add(session, listed.named());
            });
            run.succeeded(protocol.tasks());
        } catch (Throwable failure) {
            run.failed(SparkErrors.ownOr(failure));
            throw SparkErrors.translate(failure);
        }
        refresh(session, fileSystem);
    }

    private static Set<String> newestDirectories(CheckpointedRun run, Path target, Configuration configuration) {
        CheckpointStore store = run.active().store();
        try (FileCommitter committer = new FileCommitter(target, store.id(), store.location(), true, configuration)) {
            return committer.directoriesOfNewestEpoch();
        }
    }

    /** Someone who has chosen how files are committed must not find them committed otherwise. */
    private static void refuseOtherCommitters(SparkSession session) {
        Map<String, String> set = ScalaInterop.map(session.sessionState().conf().getAllConfs());
        refuseOther(set, SQLConf.FILE_COMMIT_PROTOCOL_CLASS().key(), SQLHadoopMapReduceCommitProtocol.class.getName());
        refuseOther(set, SQLConf.OUTPUT_COMMITTER_CLASS().key(), "");
        refuseOther(set, SQLConf.PARQUET_OUTPUT_COMMITTER_CLASS().key(), ParquetOutputCommitter.class.getName());
    }

    private static void refuseOther(Map<String, String> set, String setting, String standard) {
        String value = set.getOrDefault(setting, standard);
        if (!value.equals(standard)) {
            throw SparkErrors.refuse(
                    ErrorCondition.UNSUPPORTED_SINK,
                    "The setting " + setting + " is " + value
                            + ", but files of a checkpointed query are committed by Cairn, together with its keys. Unset"
                            + " it for this query: spark.conf.unset(\"" + setting + "\").");
        }
    }

    private FileSystem fileSystem(Configuration configuration) {
        try {
            return command.outputPath().getFileSystem(configuration);
        } catch (IOException e) {
            throw SparkErrors.translate(e);
        }
    }

    private void write(SparkSession session, StagingCommitProtocol protocol, Path target, Configuration configuration) {
        FileFormatWriter$.MODULE$.write(
                session,
                child(),
                command.fileFormat(),
                protocol,
                new FileFormatWriter.OutputSpec(
                        target.toString(), ScalaInterop.scalaMap(Map.of()), command.outputColumns()),
                configuration,
                command.partitionColumns(),
                command.bucketSpec(),
                seq(command.basicWriteJobStatsTracker(configuration)),
                command.options(),
                command.staticPartitions().size());
    }

    private void refresh(SparkSession session, FileSystem fileSystem) {
        if (command.fileIndex().isDefined()) {
            command.fileIndex().get().refresh();
        }
        session.sharedState().cacheManager().recacheByPath(session, command.outputPath(), fileSystem);
        if (command.catalogTable().isDefined()) {
            CommandUtils.updateTableStats(session, command.catalogTable().get());
        }
    }

    @Override
    public scala.collection.immutable.Map<String, SQLMetric> metrics() {
        return command.metrics();
    }

    @Override
    public Seq<Attribute> output() {
        return command.output();
    }

    @Override
    public SparkPlan withNewChildInternal(SparkPlan newChild) {
        return new CheckpointedFileInsertExec(command, newChild);
    }

    @Override
    public String nodeName() {
        return "CheckpointedFileInsert";
    }

    @Override
    protected List<Object> arguments() {
        return List.of(command, child());
    }
}
