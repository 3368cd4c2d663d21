package dev.cairn.spark.internal.sink;

import dev.cairn.TaskFailedException;
import dev.cairn.run.TaskCheckpoint;
import dev.cairn.run.TaskCheckpoint.Seal;
import dev.cairn.spark.internal.ScalaInterop;
import dev.cairn.spark.internal.run.CheckpointedRun;
import dev.cairn.spark.internal.run.RunHandle;
import dev.cairn.spark.internal.run.TaskReport;
import dev.cairn.spark.internal.run.TaskState;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointSet;
import dev.cairn.store.Committable;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.io.FileCommitProtocol;
import org.apache.spark.internal.io.FileNameSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * Spark's file writers, with Cairn's seal and commit: files are written out of sight, a task's commit seals them
 * together with its keys, and the job's commit publishes everything that is sealed.
 *
 * <p>On the driver one instance serves the job; each task has a copy of its own.
 */
public final class StagingCommitProtocol extends FileCommitProtocol implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(StagingCommitProtocol.class);

    private final RunHandle handle;
    private final String target;
    private final String storeId;
    private final long runNumber;
    /** An empty first output still shows its schema to readers, as Spark's own does. */
    private final boolean keepsEmptyOutput;

    private final transient CheckpointedRun run;
    private final transient Configuration driverConfiguration;
    private transient int tasks;

    private transient List<StagedFile> staged;
    /** Whether a checkpoint may be visible that names this attempt's files: then they must not be removed. */
    private transient boolean maybeSealed;

    /** On the driver. */
    public StagingCommitProtocol(CheckpointedRun run, RunHandle handle, Path target, Configuration configuration) {
        this.run = run;
        this.handle = handle;
        this.target = target.toString();
        this.storeId = run.active().identity().storeId();
        this.runNumber = run.number();
        // Where keys are sealed, an earlier run has had its first output, committed or still to be.
        this.keepsEmptyOutput =
                !run.active().hasCommittedEpochs() && run.active().sealedKeys().isEmpty();
        this.driverConfiguration = configuration;
    }

    private FileLayout layout() {
        return new FileLayout(new Path(target), storeId);
    }

    /** How many tasks have ended; on the driver, after the job's commit. */
    public int tasks() {
        return tasks;
    }

    @Override
    public void setupJob(JobContext job) {
        CheckpointSet pending = run.active().pending();
        new StagingCleaner(layout(), driverConfiguration)
                .removeIf(earlier ->
                        earlier < runNumber && pending.partitions(earlier).isEmpty());
    }

    @Override
    public void setupTask(TaskAttemptContext context) {
        staged = new ArrayList<>();
        maybeSealed = false;
    }

    @Override
    public String newTaskTempFile(TaskAttemptContext context, Option<String> directory, FileNameSpec spec) {
        TaskContext task = TaskContext.get();
        FileLayout layout = layout();
        String name = layout.fileName(spec.prefix(), task.partitionId(), runNumber, spec.suffix());
        String relative = directory.isDefined() ? directory.get() + "/" + name : name;
        String stagedName = layout.stagingPrefix(runNumber, task.partitionId(), task.taskAttemptId()) + "/" + relative;
        StagedFile file = new StagedFile(stagedName, relative, 0);
        staged.add(file);
        return file.stagedPath(layout.target()).toString();
    }

    @Override
    public String newTaskTempFile(TaskAttemptContext context, Option<String> directory, String suffix) {
        return newTaskTempFile(context, directory, new FileNameSpec("", suffix));
    }

    @Override
    public String newTaskTempFileAbsPath(TaskAttemptContext context, String directory, String suffix) {
        throw new UnsupportedOperationException("partitions outside the table's directory were refused before");
    }

    @Override
    public TaskCommitMessage commitTask(TaskAttemptContext context) {
        TaskState state = handle.taskState();
        TaskCheckpoint checkpoint = state.checkpoint();
        try {
            boolean nothingToShow = checkpoint.rowsAdmitted() == 0 && !keepsEmptyOutput;
            List<Committable> outputs =
                    checkpoint.replaysStored() || nothingToShow ? List.of() : finish(context.getConfiguration());
            Seal seal = seal(checkpoint, outputs);
            if (seal instanceof Seal.Sealed own) {
                state.countSealed();
                if (outputs.isEmpty()) {
                    discard(context.getConfiguration());
                }
                return message(TaskReport.of(own.checkpoint()));
            }
            discard(context.getConfiguration());
            return message(
                    seal instanceof Seal.AlreadySealed other
                            ? TaskReport.of(other.checkpoint())
                            : TaskReport.nothing());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private Seal seal(TaskCheckpoint checkpoint, List<Committable> outputs) {
        maybeSealed = true;
        Seal seal;
        try {
            seal = checkpoint.seal(outputs, List.of());
        } catch (TaskFailedException certainlyNot) {
            maybeSealed = false;
            throw certainlyNot;
        }
        maybeSealed = seal instanceof Seal.Sealed;
        return seal;
    }

    private static TaskCommitMessage message(TaskReport report) {
        return new TaskCommitMessage(report);
    }

    /** Makes the task's files durable, and takes their lengths. */
    private List<Committable> finish(Configuration configuration) throws IOException {
        FileLayout layout = layout();
        FileSystem fileSystem = layout.target().getFileSystem(configuration);
        List<Committable> outputs = new ArrayList<>();
        for (StagedFile file : staged) {
            Path path = file.stagedPath(layout.target());
            FileDurability.force(path);
            FileDurability.force(path.getParent());
            outputs.add(new StagedFile(
                            file.staged(),
                            file.target(),
                            fileSystem.getFileStatus(path).getLen())
                    .toCommittable());
        }
        return outputs;
    }

    @Override
    public void abortTask(TaskAttemptContext context) {
        if (!maybeSealed) {
            discard(context.getConfiguration());
        }
    }

    /** Removes this attempt's files. What cannot be removed is invisible, and goes when a later run cleans up. */
    private void discard(Configuration configuration) {
        TaskContext task = TaskContext.get();
        FileLayout layout = layout();
        Path own = new StagedFile(layout.stagingPrefix(runNumber, task.partitionId(), task.taskAttemptId()), "", 0)
                .stagedPath(layout.target());
        try {
            layout.target().getFileSystem(configuration).delete(own, true);
        } catch (IOException e) {
            LOG.warn("Could not remove the unused files in {}; a later run will", own, e);
        }
    }

    @Override
    public void commitJob(JobContext job, Seq<TaskCommitMessage> messages) {
        List<Checkpoint> reported = new ArrayList<>();
        for (TaskCommitMessage message : ScalaInterop.<TaskCommitMessage>list(messages)) {
            tasks++;
            ((TaskReport) message.obj()).checkpoint().ifPresent(reported::add);
        }
        run.commit(reported);
        new StagingCleaner(layout(), driverConfiguration).removeUpTo(runNumber);
        markSuccess(job.getConfiguration());
    }

    private void markSuccess(Configuration configuration) {
        if (!configuration.getBoolean("mapreduce.fileoutputcommitter.marksuccessfuljobs", true)) {
            return;
        }
        Path marker = new Path(layout().target(), "_SUCCESS");
        try {
            FileSystem fileSystem = marker.getFileSystem(configuration);
            fileSystem.mkdirs(marker.getParent());
            fileSystem.create(marker, true).close();
        } catch (IOException e) {
            LOG.warn("The output is complete, but the marker {} could not be written", marker, e);
        }
    }

    @Override
    public void abortJob(JobContext job) {
        // What is sealed stays for the next run; what is not is invisible, and goes when the next run begins.
    }
}
