package dev.cairn.cli;

import dev.cairn.cli.Progress.Rows;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.execution.SparkPlanInfo;
import org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Follows the checkpoint of the statement that runs, through the metrics of its plan node.
 *
 * <p>All methods of a listener are called from one thread of Spark's; only {@link #current} is shared.
 */
final class ProgressListener extends SparkListener {
    /** The plan node and its metrics, as they show in Spark's UI too. */
    static final String NODE = "StageCheckpointKeys";

    static final String ADMITTED = "rows admitted";
    static final String SKIPPED = "rows skipped";

    private final Map<Integer, Integer> tasksOfStage = new HashMap<>();
    private final Set<Long> admitted = new HashSet<>();
    private final Set<Long> skipped = new HashSet<>();
    private int checkpointedStage = -1;
    private volatile Progress current;

    /** A statement begins: what is seen from now on is its own. */
    void follow(Progress progress) {
        current = progress;
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionStart start) {
            if (find(start.sparkPlanInfo())) {
                checkpointedStage = -1;
            }
        } else if (event instanceof SparkListenerSQLAdaptiveExecutionUpdate update) {
            find(update.sparkPlanInfo());
        }
    }

    /** Adaptive execution makes new nodes; their metrics are the same, but need not be. */
    private boolean find(SparkPlanInfo plan) {
        boolean found = plan.nodeName().equals(NODE);
        if (found) {
            CollectionConverters.asJava(plan.metrics()).forEach(metric -> {
                if (metric.name().equals(ADMITTED)) {
                    admitted.add(metric.accumulatorId());
                } else if (metric.name().equals(SKIPPED)) {
                    skipped.add(metric.accumulatorId());
                }
            });
        }
        for (SparkPlanInfo child : CollectionConverters.asJava(plan.children())) {
            found |= find(child);
        }
        return found;
    }

    @Override
    public void onStageSubmitted(SparkListenerStageSubmitted event) {
        tasksOfStage.put(event.stageInfo().stageId(), event.stageInfo().numTasks());
    }

    @Override
    public void onExecutorMetricsUpdate(SparkListenerExecutorMetricsUpdate event) {
        Progress progress = current;
        if (progress != null) {
            CollectionConverters.asJava(event.accumUpdates())
                    .forEach(update -> rows(CollectionConverters.asJava(update._4()))
                            .ifPresent(rows -> {
                                at((Integer) update._2(), progress);
                                progress.running((Long) update._1(), rows);
                            }));
        }
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd event) {
        Progress progress = current;
        if (progress == null) {
            return;
        }
        long task = event.taskInfo().taskId();
        if (!Success$.MODULE$.equals(event.reason())) {
            progress.failed(task);
            return;
        }
        Optional<Rows> rows = rows(CollectionConverters.asJava(event.taskInfo().accumulables()));
        rows.ifPresent(found -> at(event.stageId(), progress));
        // A task that met no row says nothing of the metrics, and has ended all the same.
        if (rows.isPresent() || event.stageId() == checkpointedStage) {
            progress.ended(task, rows.orElse(Rows.NONE), event.taskInfo().duration());
        }
    }

    /** A stage gives itself away by the metrics that its tasks report. */
    private void at(int stage, Progress progress) {
        if (stage != checkpointedStage) {
            checkpointedStage = stage;
            progress.tasks(tasksOfStage.getOrDefault(stage, 0));
        }
    }

    private Optional<Rows> rows(Iterable<AccumulableInfo> updates) {
        Rows rows = Rows.NONE;
        boolean found = false;
        for (AccumulableInfo update : updates) {
            boolean isAdmitted = admitted.contains(update.id());
            if (isAdmitted || skipped.contains(update.id())) {
                found = true;
                long value = update.update().isDefined() && update.update().get() instanceof Number number
                        ? Math.max(0, number.longValue())
                        : 0;
                rows = rows.plus(isAdmitted ? new Rows(value, 0) : new Rows(0, value));
            }
        }
        return found ? Optional.of(rows) : Optional.empty();
    }
}
