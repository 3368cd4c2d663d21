package dev.cairn.spark.internal.run;

import dev.cairn.spark.internal.ScalaInterop;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the runs of actions that have no sink of ours: nothing is called when such an action is over, but Spark reports
 * the end of its execution.
 */
public final class RunEnds extends SparkListener {
    private static final Logger LOG = LoggerFactory.getLogger(RunEnds.class);

    /** Static because the plan node reaches it by its context only; one context is all that a process has. */
    private static final Map<SparkContext, RunEnds> BY_CONTEXT = new ConcurrentHashMap<>();

    private final SparkContext context;
    private final Map<Long, CheckpointedRun> byExecution = new ConcurrentHashMap<>();

    private RunEnds(SparkContext context) {
        this.context = context;
    }

    /** Ends the run when that execution ends. */
    public static void endWith(SparkContext context, long execution, CheckpointedRun run) {
        RunEnds ends = BY_CONTEXT.computeIfAbsent(context, c -> {
            RunEnds listener = new RunEnds(c);
            c.addSparkListener(listener);
            return listener;
        });
        CheckpointedRun other = ends.byExecution.putIfAbsent(execution, run);
        if (other != null) {
            run.failed("the plan was executed twice by one action");
            throw new IllegalStateException("execution " + execution + " already has run " + other.number());
        }
    }

    /**
     * Waits until the ends of executions that are over have been reported: a run that starts now must not take its
     * finished predecessor for a living one.
     */
    public static void settle(SparkContext context) {
        RunEnds ends = BY_CONTEXT.get(context);
        if (ends != null && !ends.byExecution.isEmpty()) {
            try {
                context.listenerBus().waitUntilEmpty();
            } catch (java.util.concurrent.TimeoutException e) {
                // The bus is busy with a running query. At worst the head watches its predecessor's heartbeat.
                LOG.debug("Listener bus did not drain", e);
            }
        }
    }

    @Override
    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionEnd end) {
            CheckpointedRun run = byExecution.get(end.executionId());
            if (run != null) {
                Optional<String> error =
                        ScalaInterop.<String>optional(end.errorMessage()).filter(text -> !text.isEmpty());
                end(run, error);
                byExecution.remove(end.executionId()); // only now: see settle
            }
        }
    }

    private static void end(CheckpointedRun run, Optional<String> error) {
        try {
            if (error.isPresent()) {
                run.failed(error.get());
            } else {
                run.succeeded(0);
            }
        } catch (RuntimeException e) {
            // Nobody is left to tell: the action has returned. The next run finds no end and decides by the heartbeat.
            LOG.warn("Run {} is over, but its end could not be written to the store's log", run.number(), e);
        }
    }

    @Override
    public void onApplicationEnd(SparkListenerApplicationEnd end) {
        byExecution.values().forEach(run -> end(run, Optional.of("the application ended")));
        byExecution.clear();
        BY_CONTEXT.remove(context);
    }
}
