package dev.cairn.spark.internal;

import dev.cairn.run.ActiveRun;
import dev.cairn.run.HeadListener;
import dev.cairn.store.Run;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who is told what heads do, per session. The log always is. */
public final class Listeners {
    private static final Logger LOG = LoggerFactory.getLogger("dev.cairn");

    /** Static because Spark's session has no place to hang things on; weak, so that sessions can go. */
    private static final Map<SparkSession, List<HeadListener>> BY_SESSION =
            Collections.synchronizedMap(new WeakHashMap<>());

    private Listeners() {}

    public static void add(SparkSession session, HeadListener listener) {
        BY_SESSION.computeIfAbsent(session, s -> new CopyOnWriteArrayList<>()).add(listener);
    }

    public static HeadListener of(SparkSession session) {
        List<HeadListener> own = BY_SESSION.getOrDefault(session, List.of());
        return own.isEmpty() ? LOGGING : new Several(own);
    }

    /** For sessions in which nobody listens: a wait must never be silent. */
    private static final HeadListener LOGGING = new HeadListener() {
        @Override
        public void watching(Run previous, Duration atMost) {
            LOG.warn(
                    "Run {} of {} did not end. Watching for at most {} s whether it is still alive, then going on",
                    previous.number(),
                    previous.started().writer().describe(),
                    atMost.toSeconds());
        }

        @Override
        public void resolved(long epoch) {
            LOG.info("Epoch {}, which an earlier run left open, is committed", epoch);
        }

        @Override
        public void started(ActiveRun run) {
            LOG.info("Run {} started on {}", run.identity().run(), run.store().location());
        }

        @Override
        public void committed(long epoch, long checkpoints) {
            LOG.info("Epoch {} is committed with {} checkpoints", epoch, checkpoints);
        }
    };

    private record Several(List<HeadListener> listeners) implements HeadListener {
        @Override
        public void watching(Run previous, Duration atMost) {
            listeners.forEach(listener -> listener.watching(previous, atMost));
        }

        @Override
        public void resolved(long epoch) {
            listeners.forEach(listener -> listener.resolved(epoch));
        }

        @Override
        public void started(ActiveRun run) {
            listeners.forEach(listener -> listener.started(run));
        }

        @Override
        public void committed(long epoch, long checkpoints) {
            listeners.forEach(listener -> listener.committed(epoch, checkpoints));
        }
    }
}
