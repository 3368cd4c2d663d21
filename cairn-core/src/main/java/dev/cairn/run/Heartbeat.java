package dev.cairn.run;

import static java.util.Objects.requireNonNull;

import dev.cairn.internal.log.Beat;
import dev.cairn.internal.log.ProcessMark;
import dev.cairn.store.CheckpointStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows other heads that this one lives, by overwriting the store's heartbeat with a counter that grows. Advisory: the
 * log alone fences. A beat that fails is logged, and the next one tries again.
 */
final class Heartbeat implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

    private final CheckpointStore store;
    private final long run;
    private final String nonce;
    private final Duration interval;
    private final Optional<ProcessMark> process = ProcessMark.current();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private long counter;

    Heartbeat(CheckpointStore store, long run, String nonce, Duration interval) {
        this.store = requireNonNull(store, "store");
        this.run = run;
        this.nonce = requireNonNull(nonce, "nonce");
        this.interval = requireNonNull(interval, "interval");
    }

    /** Beats once before it returns, so that even a run that is killed soon after can be told by its process. */
    void start() {
        beat();
        Thread thread = new Thread(this::beatUntilStopped, "cairn-heartbeat-run-" + run);
        thread.setDaemon(true);
        thread.start();
    }

    private void beatUntilStopped() {
        try {
            while (!stopped.await(interval.toNanos(), TimeUnit.NANOSECONDS)) {
                beat();
            }
        } catch (InterruptedException askedToStop) {
            stopped.countDown();
        }
    }

    /** One beat. Yields to a later run: this head is fenced, and beating on would hide the later run's life. */
    synchronized void beat() {
        try {
            if (isStopped()) {
                return;
            }
            if (store.readHeartbeat().filter(beat -> beat.run() > run).isPresent()) {
                LOG.warn(
                        "Run {} no longer beats: a later run has taken the checkpoint store {}.",
                        run,
                        store.location());
                close();
                return;
            }
            counter++;
            store.writeHeartbeat(new Beat(run, nonce, counter, process));
        } catch (RuntimeException failed) {
            LOG.warn("A heartbeat of run {} failed; trying again in {}.", run, interval, failed);
        }
    }

    boolean isStopped() {
        return stopped.getCount() == 0;
    }

    /** Stops at once, without waiting for a beat that is under way. */
    @Override
    public void close() {
        stopped.countDown();
    }
}
