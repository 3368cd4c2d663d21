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
import dev.cairn.internal.key.SlotTableBuilder;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.SealedKeys;
import dev.cairn.store.SealedKeys.ForgottenKeys;
import dev.cairn.store.SealedKeys.Group;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Makes a {@link SlotTable} from the files of a store. Used once.
 *
 * <p>Spanning is found without another pass: every key has a position in the order of loading, which tells the file it
 * came from, and a key that is there already tells its position.
 */
final class KeyFilterLoader {
    /** The newest {@code forgotten} entry that names a key decides; tags ascend with the entries. */
    private static final SlotTableBuilder.OnPresent NEWEST = (low, high, present, added) -> Math.max(present, added);

    private final CheckpointFiles files;
    private final KeySchema keys;
    private final byte[] secret;
    private final int parallelism;
    private final boolean findSpanning;
    /** By entry, ascending: index is the tag of its keys in {@link #forgottenKeys}. */
    private final List<ForgottenKeys> forgotten;

    private final List<Source> sources = new ArrayList<>();
    /** By the position of their first key. Read in any order; each has as many positions as it has keys, if any. */
    private final ConcurrentSkipListMap<Long, Source> byPosition = new ConcurrentSkipListMap<>();

    private final AtomicLong positions = new AtomicLong();
    /** Null if nothing was forgotten. */
    private SlotTable forgottenKeys;
    /**
     * Keys that are sealed by more than one run: only possible for those forgotten and processed again, or when the
     * earlier run's entry still counts; so few. The table can name one of the runs only.
     */
    private final Map<SealedAgain, Long> sealedAgain = new HashMap<>();

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
    }

    SlotTable load() {
        if (!forgotten.isEmpty()) {
            SlotTableBuilder builder = new SlotTableBuilder(!keys.isSingleNumber(), true, secret, NEWEST);
            forEach(forgotten.size(), () -> new Filler(builder)::readForgotten);
            forgottenKeys = build(builder, 0);
        }
        SlotTableBuilder builder =
                new SlotTableBuilder(!keys.isSingleNumber(), false, secret, findSpanning ? this::merge : null);
        forEach(sources.size(), () -> new Filler(builder)::readSource);
        forgottenKeys = null;
        SlotTable table = build(builder, positions.get());
        if (spanning.get() != null) {
            throw spans(spanning.get());
        }
        return table;
    }

    private SlotTable build(SlotTableBuilder builder, long positions) {
        forEach(builder.beginBuilding(positions), () -> builder.newWorker()::build);
        return builder.table();
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
        private final SlotTableBuilder.Batch batch;
        private final KeyEncoder encoder = new KeyEncoder();
        private final KeySlot slot = new KeySlot(secret);

        Filler(SlotTableBuilder builder) {
            this.batch = builder.newBatch();
        }

        void readForgotten(int index) {
            String object = forgotten.get(index).object();
            try (KeysFileReader reader = KeysFileReader.open(files.open(object), object, keys)) {
                read(reader, index, 0, -1);
            }
        }

        void readSource(int index) {
            Source source = sources.get(index);
            try (KeysFileReader reader = open(source)) {
                long first = positions.getAndAdd(reader.rows());
                if (reader.rows() > 0) {
                    byPosition.put(first, source);
                }
                read(reader, first, 1, firstForgottenAfter(source.group().namedAt()));
            }
        }

        /**
         * Rows of one key often follow each other: only the first of them is added.
         *
         * @param first number of the first key
         * @param step from the number of a key that is added to the next one's
         * @param forgottenFrom keys whose forgotten tag is at least this are left out; -1 for none
         */
        private void read(KeysFileReader reader, long first, int step, int forgottenFrom) {
            long number = first;
            if (keys.isSingleNumber()) {
                boolean any = false;
                boolean lastNull = false;
                long last = 0;
                while (reader.next()) {
                    boolean isNull = reader.isNull(0);
                    long key = isNull ? 0 : reader.longValue(0);
                    if (any && lastNull == isNull && last == key) {
                        continue;
                    }
                    any = true;
                    lastNull = isNull;
                    last = key;
                    if (forgottenFrom >= 0
                            && (isNull ? forgottenKeys.tagOfNull() : forgottenKeys.tagOfLong(key)) >= forgottenFrom) {
                        continue;
                    }
                    if (isNull) {
                        batch.addNull(number);
                    } else {
                        batch.addLong(key, number);
                    }
                    number += step;
                }
            } else {
                // No slot is all zero.
                long lastLow = 0;
                long lastHigh = 0;
                while (reader.next()) {
                    reader.encode(encoder);
                    slot.compute(encoder);
                    long low = slot.low();
                    long high = slot.high();
                    if (low == lastLow && high == lastHigh) {
                        continue;
                    }
                    lastLow = low;
                    lastHigh = high;
                    if (forgottenFrom < 0 || forgottenKeys.tagOf(low, high) < forgottenFrom) {
                        batch.add(low, high, number);
                        number += step;
                    }
                }
            }
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
    private long merge(long low, long high, long present, long added) {
        Source first = sourceAt(present);
        Source second = sourceAt(added);
        if (first.id().run() == second.id().run()) {
            note(first, second, low, high);
        } else if (!second.group().succeeded()) {
            synchronized (sealedAgain) {
                Long earlier = sealedAgain.putIfAbsent(
                        new SealedAgain(low, high, second.id().run()), added);
                if (earlier != null) {
                    note(sourceAt(earlier), second, low, high);
                }
            }
        }
        return present;
    }

    private Source sourceAt(long position) {
        return byPosition.floorEntry(position).getValue();
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
                if (keys.isSingleNumber()) {
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
