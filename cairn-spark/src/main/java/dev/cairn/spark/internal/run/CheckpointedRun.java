package dev.cairn.spark.internal.run;

import dev.cairn.FencedException;
import dev.cairn.commit.Committer;
import dev.cairn.key.KeySchema;
import dev.cairn.run.ActiveRun;
import dev.cairn.run.Head;
import dev.cairn.run.HeadListener;
import dev.cairn.run.RunRequest;
import dev.cairn.run.TaskCheckpoint.OnSealed;
import dev.cairn.spark.internal.Listeners;
import dev.cairn.spark.internal.ScalaInterop;
import dev.cairn.spark.internal.Settings;
import dev.cairn.spark.internal.SparkErrors;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Epoch;
import dev.cairn.store.Figures;
import dev.cairn.store.Mode;
import dev.cairn.store.Outcome;
import dev.cairn.store.Sealing;
import dev.cairn.store.Writer;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.util.SerializableConfiguration;

/**
 * One run, on the driver: from the moment its execution starts until it is ended in the log. Thread-safe, because an end
 * may be reported by Spark's listener thread.
 */
public final class CheckpointedRun {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SparkContext context;
    private final CheckpointStore store;
    private final Committer committer;
    private final ActiveRun active;
    private final RunTicket ticket;
    private final long startedNanos = System.nanoTime();

    private volatile StagingMetrics metrics;
    private volatile boolean ended;
    private long epochs;

    private CheckpointedRun(
            SparkContext context,
            CheckpointStore store,
            Committer committer,
            ActiveRun active,
            Function<ActiveRun, RunTicket> ticket) {
        this.context = context;
        this.store = store;
        this.committer = committer;
        this.active = active;
        this.ticket = ticket.apply(active);
    }

    /**
     * Starts a run.
     *
     * @param location of the store, as the user wrote it
     * @param committers makes the committer of the run's destination; closed with the run
     */
    public static CheckpointedRun start(
            SparkSession session,
            String location,
            KeySchema keys,
            OnSealed onSealed,
            Function<CheckpointStore, Committer> committers) {
        SQLConf conf = session.sessionState().conf();
        Settings.refuseUnknown(conf);
        RunEnds.settle(session.sparkContext());
        RunRequest request = new RunRequest(
                writer(session.sparkContext()),
                keys,
                Mode.KEY,
                Sealing.TASK,
                Settings.HEARTBEAT_INTERVAL.in(conf),
                Settings.TAKEOVER.in(conf));
        boolean spanningAllowed = Settings.KEY_SPANNING_ALLOWED.in(conf);
        Configuration configuration = session.sessionState().newHadoopConf();
        HeadListener listener = Listeners.of(session);
        CheckpointStore store = null;
        Committer committer = null;
        ActiveRun active = null;
        try {
            store = CheckpointStore.openOrCreate(location, configuration, request.writer());
            committer = committers.apply(store);
            active = Head.start(store, request, committer, listener);
            Broadcast<SerializableConfiguration> broadcast = session.sparkContext()
                    .broadcast(
                            new SerializableConfiguration(configuration),
                            ScalaInterop.classTag(SerializableConfiguration.class));
            byte[] secret = new byte[16];
            RANDOM.nextBytes(secret);
            CheckpointStore opened = store;
            return new CheckpointedRun(
                    session.sparkContext(),
                    store,
                    committer,
                    active,
                    a -> new RunTicket(
                            opened.location(),
                            a.identity(),
                            a.sealedKeys(),
                            secret,
                            onSealed,
                            spanningAllowed,
                            broadcast));
        } catch (Throwable failure) {
            if (active != null) {
                active.close();
            }
            if (committer != null) {
                committer.close();
            }
            if (store != null) {
                store.close();
            }
            throw SparkErrors.translate(failure);
        }
    }

    private static Writer writer(SparkContext context) {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "unknown";
        }
        return new Writer(
                context.appName() + " (" + context.applicationId() + ")",
                host,
                context.sparkUser(),
                UUID.randomUUID().toString());
    }

    public ActiveRun active() {
        return active;
    }

    public long number() {
        return active.identity().run();
    }

    RunTicket ticket() {
        return ticket;
    }

    void bind(StagingMetrics ofNode) {
        metrics = ofNode;
    }

    boolean isEnded() {
        return ended;
    }

    /** Publishes what is pending, see {@link ActiveRun#commit}. */
    public Optional<Epoch> commit(Collection<Checkpoint> reported) {
        Optional<Epoch> epoch = active.commit(reported);
        epochs += epoch.isPresent() ? 1 : 0;
        return epoch;
    }

    public void succeeded(long tasks) {
        end(Outcome.SUCCEEDED, "", tasks);
    }

    /** Ends the run after a failure, which is what matters: that the end could not be written is added to it. */
    public void failed(Throwable failure) {
        if (failure instanceof FencedException) {
            close();
            return;
        }
        try {
            failed(String.valueOf(failure.getMessage()));
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    void failed(String message) {
        end(Outcome.FAILED, message.lines().findFirst().orElse(""), 0);
    }

    private synchronized void end(Outcome outcome, String message, long tasks) {
        if (ended) {
            return;
        }
        // A cancelled query interrupts its thread, and an interrupted thread cannot write files.
        boolean interrupted = Thread.interrupted();
        try {
            active.end(outcome, message, figures(tasks));
        } finally {
            close();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Figures figures(long tasks) {
        StagingMetrics m = metrics;
        long millis = (System.nanoTime() - startedNanos) / 1_000_000;
        if (m == null) {
            return new Figures(0, 0, 0, tasks, epochs, millis);
        }
        return new Figures(
                m.admitted().value(),
                m.skipped().value(),
                m.sealed().value(),
                Math.max(tasks, m.sealed().value()),
                epochs,
                millis);
    }

    private synchronized void close() {
        if (ended) {
            return;
        }
        ended = true;
        active.close();
        committer.close();
        store.close();
        KeyFilters.release(ticket.run());
        if (!context.isStopped()) {
            ticket.configuration().destroy();
        }
    }
}
