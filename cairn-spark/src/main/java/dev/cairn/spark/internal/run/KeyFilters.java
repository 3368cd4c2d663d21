package dev.cairn.spark.internal.run;

import dev.cairn.key.KeyFilter;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.RunIdentity;
import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkEnv;

/**
 * The key filters of this process: loaded once a run by the first task that needs one, shared by all others.
 *
 * <p>Static because tasks of one executor share nothing else. A filter is let go when its run ends in this process, when
 * another run of the same store needs one, or when memory is short.
 */
final class KeyFilters {
    /** By store id: runs of one store follow each other. */
    private static final Map<String, Loaded> FILTERS = new HashMap<>();

    private record Loaded(String runNonce, SoftReference<CompletableFuture<KeyFilter>> filter) {}

    private KeyFilters() {}

    static KeyFilter get(RunTicket ticket, Configuration configuration) {
        RunIdentity run = ticket.run();
        if (ticket.sealedKeys().isEmpty()) {
            return KeyFilter.empty(run.keys());
        }
        CompletableFuture<KeyFilter> mine = null;
        CompletableFuture<KeyFilter> filter;
        synchronized (FILTERS) {
            Loaded loaded = FILTERS.get(run.storeId());
            filter = loaded != null && loaded.runNonce().equals(run.nonce())
                    ? loaded.filter().get()
                    : null;
            if (filter == null) {
                mine = new CompletableFuture<>();
                filter = mine;
                FILTERS.put(run.storeId(), new Loaded(run.nonce(), new SoftReference<>(mine)));
            }
        }
        if (mine != null) {
            load(mine, ticket, configuration);
        }
        try {
            return filter.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private static void load(CompletableFuture<KeyFilter> into, RunTicket ticket, Configuration configuration) {
        try (CheckpointStore store =
                CheckpointStore.attach(ticket.storeLocation(), ticket.run().storeId(), configuration)) {
            into.complete(KeyFilter.load(
                    store,
                    ticket.run().keys(),
                    ticket.sealedKeys(),
                    ticket.secret(),
                    parallelism(),
                    ticket.spanningAllowed()));
        } catch (Throwable e) {
            into.completeExceptionally(e);
            // A refusal stays: every task would find the same. Other failures may pass; the next task tries again.
            if (!(e instanceof dev.cairn.RefusedException)) {
                release(ticket.run());
            }
        }
    }

    private static int parallelism() {
        int cores = SparkEnv.get().conf().getInt("spark.executor.cores", 0);
        return cores > 0 ? cores : Runtime.getRuntime().availableProcessors();
    }

    static void release(RunIdentity run) {
        synchronized (FILTERS) {
            Loaded loaded = FILTERS.get(run.storeId());
            if (loaded != null && loaded.runNonce().equals(run.nonce())) {
                FILTERS.remove(run.storeId());
            }
        }
    }
}
