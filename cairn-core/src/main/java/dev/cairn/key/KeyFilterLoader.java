package dev.cairn.key;

import static java.util.Objects.requireNonNull;

import dev.cairn.CairnException;
import dev.cairn.ErrorCondition;
import dev.cairn.RefusedException;
import dev.cairn.StoreAccessException;
import dev.cairn.internal.file.CheckpointFiles;
import dev.cairn.internal.file.KeysFileReader;
import dev.cairn.internal.key.KeyEncoder;
import dev.cairn.internal.key.KeySlot;
import dev.cairn.internal.key.SlotTable;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.SealedKeys;
import dev.cairn.store.SealedKeys.ForgottenKeys;
import dev.cairn.store.SealedKeys.Group;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Fills a {@link SlotTable} from the files of a store. Used once.
 *
 * <p>Spanning is found without another pass: while keys of runs that did not succeed are loaded, every element carries
 * the number of the file it came from, and an element that is there already tells where from.
 */
final class KeyFilterLoader {
    private static final SlotTable.OnPresent KEEP = (low, high, present, added) -> present;
    /** The newest {@code forgotten} entry that names a key decides; tags ascend with the entries. */
    private static final SlotTable.OnPresent NEWEST = (low, high, present, added) -> Math.max(present, added);

    private final CheckpointFiles files;
    private final KeySchema keys;
    private final byte[] secret;
    private final int parallelism;
    private final boolean findSpanning;
    /** By entry, ascending: index is the tag of its keys in {@link #forgottenKeys}. */
    private final List<ForgottenKeys> forgotten;
    /** Index is the tag of its keys. */
    private final List<Source> sources = new ArrayList<>();

    private final SlotTable table;
    /** Null if nothing was forgotten. */
    private SlotTable forgottenKeys;
    /**
     * Keys that are sealed by more than one run: only possible for those forgotten and processed again, or when the
     * earlier run's entry still counts; so few. The table's tag can name one of the runs only.
     */
    private final Map<SealedAgain, Integer> sealedAgain = new HashMap<>();

    private final AtomicReference<Spanning> spanning = new AtomicReference<>();

    private record Source(CheckpointId id, Group group) {}

    private record SealedAgain(long low, long high, long run) {}

    /** Two files of one run hold one key. */
    private record Spanning(Source first, Source second, long low, long high) {}

    KeyFilterLoader(
            CheckpointFiles files,
            KeySchema keys,
            SealedKeys sealed,
            byte[] secret,
            int parallelism,
            boolean spanningAllowed) {
        if (secret.length != KeyFilter.SECRET_BYTES) {
            throw new IllegalArgumentException(
                    "the secret has " + KeyFilter.SECRET_BYTES + " bytes, not " + secret.length);
        }
        if (parallelism < 1) {
            throw new IllegalArgumentException("parallelism must be at least 1: " + parallelism);
        }
        this.files = requireNonNull(files, "files");
        this.keys = requireNonNull(keys, "keys");
        this.secret = secret.clone();
        this.parallelism = parallelism;
        this.forgotten = sealed.forgotten().stream()
                .sorted(java.util.Comparator.comparingLong(ForgottenKeys::entry))
                .toList();
        for (Group group : sealed.groups()) {
            group.partitionSet().stream()
                    .forEach(partition -> sources.add(new Source(new CheckpointId(group.run(), partition), group)));
        }
        this.findSpanning = !spanningAllowed && sealed.groups().stream().anyMatch(group -> !group.succeeded());
        this.table = new SlotTable(!keys.isSingleInteger(), findSpanning, secret, expectedKeys(sealed));
    }

    /** The log's figures are for people, and nothing depends on them: too much room is a waste that is bounded here. */
    private static long expectedKeys(SealedKeys sealed) {
        long most = Runtime.getRuntime().maxMemory() / 4 / 25;
        return Math.min(
                most, sealed.groups().stream().mapToLong(Group::expectedKeys).sum());
    }

    SlotTable load() {
        if (!forgotten.isEmpty()) {
            forgottenKeys = new SlotTable(!keys.isSingleInteger(), true, secret);
            forEach(forgotten.size(), () -> new Filler(forgottenKeys, NEWEST)::readForgotten);
        }
        forEach(sources.size(), () -> new Filler(table, findSpanning ? this::merge : KEEP)::readSource);
        if (spanning.get() != null) {
            throw spans(spanning.get());
        }
        forgottenKeys = null;
        table.dropTags();
        return table;
    }

    /** What one thread does with the item of that index. */
    private interface Work {
        void accept(int index);
    }

    private interface WorkSupplier {
        Work newWork();
    }

    /** Works on every index, each thread taking the next one. The first error ends all and is thrown. */
    private void forEach(int count, WorkSupplier supplier) {
        int threads = Math.min(parallelism, count);
        if (threads == 0) {
            return;
        }
        AtomicInteger next = new AtomicInteger();
        ExecutorService executor = Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, "cairn-key-filter");
            thread.setDaemon(true);
            return thread;
        });
        try {
            ExecutorCompletionService<Void> running = new ExecutorCompletionService<>(executor);
            for (int i = 0; i < threads; i++) {
                running.submit(() -> {
                    Work work = supplier.newWork();
                    int index;
                    while ((index = next.getAndIncrement()) < count && spanning.get() == null) {
                        work.accept(index);
                    }
                    return null;
                });
            }
            for (int i = 0; i < threads; i++) {
                running.take().get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CairnException cairn) {
                throw cairn;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException("loading sealed keys failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreAccessException(
                    ErrorCondition.STORE_ACCESS, "The thread was interrupted while sealed keys were loaded.", e);
        } finally {
            // Makes the others take no more work even if they do not listen to interrupts.
            next.set(count);
            executor.shutdownNow();
        }
    }

    /** Reads files into a table; owned by one thread. */
    private final class Filler {
        private final SlotTable.Batch batch;
        private final KeyEncoder encoder = new KeyEncoder();
        private final KeySlot slot = new KeySlot(secret);

        Filler(SlotTable table, SlotTable.OnPresent onPresent) {
            this.batch = table.newBatch(onPresent);
        }

        void readForgotten(int index) {
            String object = forgotten.get(index).object();
            try (KeysFileReader reader = KeysFileReader.open(files.open(object), object, keys)) {
                read(reader, index, -1);
            }
        }

        void readSource(int index) {
            Source source = sources.get(index);
            try (KeysFileReader reader = open(source)) {
                read(reader, index, firstForgottenAfter(source.group().namedAt()));
            }
        }

        /** @param forgottenFrom keys whose forgotten tag is at least this are left out; -1 for none */
        private void read(KeysFileReader reader, int tag, int forgottenFrom) {
            if (keys.isSingleInteger()) {
                while (reader.next()) {
                    if (reader.isNull(0)) {
                        if (forgottenFrom < 0 || forgottenKeys.tagOfNull() < forgottenFrom) {
                            batch.addNull(tag);
                        }
                    } else {
                        long key = reader.longValue(0);
                        if (forgottenFrom < 0 || forgottenKeys.tagOfLong(key) < forgottenFrom) {
                            batch.addLong(key, tag);
                        }
                    }
                }
            } else {
                while (reader.next()) {
                    reader.encode(encoder);
                    slot.compute(encoder);
                    if (forgottenFrom < 0 || forgottenKeys.tagOf(slot.low(), slot.high()) < forgottenFrom) {
                        batch.add(slot.low(), slot.high(), tag);
                    }
                }
            }
            // Per file, so that nothing is left in a batch when its thread finds no more work.
            batch.flush();
        }
    }

    private KeysFileReader open(Source source) {
        return KeysFileReader.openCheckpoint(
                files.open(source.id(), source.group().sealing()),
                keys,
                source.id(),
                source.group().sealing());
    }

    /** The smallest tag whose entry is later than the given one; -1 if there is none. */
    private int firstForgottenAfter(long entry) {
        for (int i = 0; i < forgotten.size(); i++) {
            if (forgotten.get(i).entry() > entry) {
                return i;
            }
        }
        return -1;
    }

    /** A key was added that is there already: was it sealed by another task of the same run? */
    private int merge(long low, long high, int present, int added) {
        Source first = sources.get(present);
        Source second = sources.get(added);
        if (first.id().run() == second.id().run()) {
            note(first, second, low, high);
        } else if (!second.group().succeeded()) {
            synchronized (sealedAgain) {
                Integer earlier = sealedAgain.putIfAbsent(
                        new SealedAgain(low, high, second.id().run()), added);
                if (earlier != null) {
                    note(sources.get(earlier), second, low, high);
                }
            }
        }
        return present;
    }

    private void note(Source first, Source second, long low, long high) {
        // A group is the part of a run that one entry named, and all groups of a run know how it ended.
        if (!second.group().succeeded() && first.id().partition() != second.id().partition()) {
            spanning.compareAndSet(null, new Spanning(first, second, low, high));
        }
    }

    private RefusedException spans(Spanning found) {
        Source first = found.first();
        Source second = found.second();
        return new RefusedException(
                ErrorCondition.KEY_SPANS_TASKS,
                "The key " + example(found) + " was sealed by two tasks of run "
                        + first.id().run() + ", partitions "
                        + Math.min(first.id().partition(), second.id().partition()) + " and "
                        + Math.max(first.id().partition(), second.id().partition())
                        + ", and that run did not succeed: rows with this key that a third task had not processed yet"
                        + " would be skipped for ever. Make the key unique, for example by adding a column to it; or bring all"
                        + " rows of a key into one task, by repartition(col(key)) below the checkpoint; and begin with a"
                        + " new store and an empty target. If it is fine that such rows are lost, set"
                        + " spark.cairn.keySpanning=allowed.");
    }

    /** The table does not hold the key itself, so this looks for it in the file. */
    private String example(Spanning found) {
        KeyEncoder encoder = new KeyEncoder();
        KeySlot slot = new KeySlot(secret);
        try (KeysFileReader reader = open(found.second())) {
            while (reader.next()) {
                boolean same;
                if (keys.isSingleInteger()) {
                    // Null is the one key of a narrow table that is told by its second half.
                    same = reader.isNull(0)
                            ? found.high() != 0
                            : found.high() == 0 && reader.longValue(0) == found.low();
                } else {
                    reader.encode(encoder);
                    slot.compute(encoder);
                    same = slot.low() == found.low() && slot.high() == found.high();
                }
                if (same) {
                    return describe(reader.values());
                }
            }
        }
        throw new IllegalStateException("key of " + found.second().id() + " is not in its file any more");
    }

    private String describe(List<Object> values) {
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < values.size(); i++) {
            Object value = values.get(i);
            text.append(i == 0 ? "" : ", ").append(keys.columns().get(i).name()).append(" = ");
            if (value instanceof String string) {
                text.append('\'')
                        .append(string.length() > 200 ? string.substring(0, 200) + "…" : string)
                        .append('\'');
            } else {
                text.append(value);
            }
        }
        return text.append(')').toString();
    }
}
