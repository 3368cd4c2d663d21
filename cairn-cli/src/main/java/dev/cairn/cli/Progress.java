package dev.cairn.cli;

import static java.util.Objects.requireNonNull;

import dev.cairn.store.Figures;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How far the tasks of one checkpointed statement are. Fed by {@link ProgressListener}; knows nothing of Spark.
 * Thread-safe.
 */
final class Progress {
    /** The rate is that of the last so many milliseconds: long enough to be calm, short enough to tell a change. */
    private static final long WINDOW_MILLIS = 15_000;

    private final String name;
    private final long startedMillis;
    private final Map<Long, Rows> running = new HashMap<>();
    private final Deque<Sample> samples = new ArrayDeque<>();
    private Rows ended = Rows.NONE;
    private int tasks;
    private int tasksEnded;
    private int tasksSealed;
    private long workMillis;
    private int tasksThatWorked;
    private Optional<Long> epoch = Optional.empty();
    private Optional<RunName> run = Optional.empty();

    /**
     * @param admitted given to the user's operators
     * @param skipped whose key was sealed before
     */
    record Rows(long admitted, long skipped) {
        static final Rows NONE = new Rows(0, 0);

        Rows plus(Rows other) {
            return new Rows(admitted + other.admitted, skipped + other.skipped);
        }
    }

    /**
     * @param store location
     * @param number of the run
     */
    record RunName(String store, long number) {}

    private record Sample(long atMillis, long admitted) {}

    Progress(String name, long startedMillis) {
        this.name = requireNonNull(name, "name");
        this.startedMillis = startedMillis;
        samples.add(new Sample(startedMillis, 0));
    }

    /** Whether the statement turned out to have a checkpoint. */
    synchronized boolean isCheckpointed() {
        return tasks > 0 || run.isPresent();
    }

    synchronized void tasks(int total) {
        tasks = total;
    }

    /** What a task that still runs has done so far. */
    synchronized void running(long task, Rows rows) {
        running.put(task, rows);
    }

    /** A task succeeded. One that admitted nothing had no key to seal. */
    synchronized void ended(long task, Rows rows, long millis) {
        running.remove(task);
        ended = ended.plus(rows);
        tasksEnded++;
        if (rows.admitted() > 0) {
            tasksSealed++;
            tasksThatWorked++;
            workMillis += millis;
        }
    }

    /** A task failed: what it did does not count. */
    synchronized void failed(long task) {
        running.remove(task);
    }

    synchronized void run(String store, long number) {
        run = Optional.of(new RunName(store, number));
    }

    /** The run that the statement started, once it did. */
    synchronized Optional<RunName> run() {
        return run;
    }

    synchronized void committed(long newEpoch) {
        epoch = Optional.of(newEpoch);
    }

    /** {@code 12/48 tasks · 12,345 rows · 6,789 skipped · 210 rows/s · about 2 min 5 s left}. */
    synchronized String line(long nowMillis) {
        Rows rows = rows();
        StringBuilder line = new StringBuilder(name).append(": ");
        if (tasks == 0) {
            return line.append("reading the checkpoint store").toString();
        }
        line.append(tasksEnded).append('/').append(Text.count(tasks, "task")).append(" done");
        line.append(" · ").append(Text.count(rows.admitted(), "row")).append(" processed");
        if (rows.skipped() > 0) {
            line.append(" · ").append(Text.count(rows.skipped())).append(" skipped");
        }
        double rate = rate(nowMillis, rows.admitted());
        if (rate > 0) {
            line.append(" · ").append(rate < 10 ? String.format("%.1f", rate) : Text.count(Math.round(rate)));
            line.append(" rows/s");
        }
        remaining()
                .ifPresent(left ->
                        line.append(" · about ").append(Text.duration(left)).append(" left"));
        return line.toString();
    }

    /**
     * The line when the statement has succeeded.
     *
     * @param figures as the run itself wrote them down; without them, what Spark's metrics say
     */
    synchronized String summary(Optional<Figures> figures, long nowMillis) {
        Rows rows = figures.map(told -> new Rows(told.rowsAdmitted(), told.rowsSkipped()))
                .orElseGet(this::rows);
        long sealed = figures.map(Figures::tasksSealed).orElse((long) tasksSealed);
        return name + ": " + Text.count(rows.admitted(), "row") + " processed, " + Text.count(rows.skipped())
                + " skipped, " + Text.count(sealed, "task") + " sealed, "
                + epoch.map(number -> "epoch " + number + " committed").orElse("nothing to commit")
                + " in " + Text.duration(Duration.ofMillis(nowMillis - startedMillis));
    }

    private Rows rows() {
        return running.values().stream().reduce(ended, Rows::plus);
    }

    private double rate(long nowMillis, long admitted) {
        samples.add(new Sample(nowMillis, admitted));
        while (samples.size() > 2 && samples.getFirst().atMillis() < nowMillis - WINDOW_MILLIS) {
            samples.removeFirst();
        }
        Sample oldest = samples.getFirst();
        long millis = nowMillis - oldest.atMillis();
        return millis <= 0 ? 0 : Math.max(0, admitted - oldest.admitted()) * 1000.0 / millis;
    }

    /** Skipping costs nothing to speak of, so only tasks that admitted rows tell how long a task takes. */
    private Optional<Duration> remaining() {
        int left = tasks - tasksEnded;
        if (tasksThatWorked == 0 || left == 0) {
            return Optional.empty();
        }
        int atOnce = Math.max(1, running.size());
        return Optional.of(Duration.ofMillis(workMillis / tasksThatWorked * left / atOnce));
    }
}
