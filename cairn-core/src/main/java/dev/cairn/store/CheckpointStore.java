package dev.cairn.store;

import static java.util.Objects.requireNonNull;

import dev.cairn.ErrorCondition;
import dev.cairn.RefusedException;
import dev.cairn.StoreAccessException;
import dev.cairn.StoreDamagedException;
import dev.cairn.internal.file.CheckpointFileReader;
import dev.cairn.internal.log.Beat;
import dev.cairn.internal.log.LogJson;
import dev.cairn.internal.log.StoreFile;
import dev.cairn.storage.ObjectInfo;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.PendingObject.Publication;
import dev.cairn.storage.Storage;
import dev.cairn.storage.Storages;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.io.InputFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory that holds all state of one pipeline: an id, a log, and sealed checkpoints. Thread-safe.
 *
 * <p>This class knows names and formats; the rules by which a run uses them are those of {@link dev.cairn.run.Head} and
 * {@link dev.cairn.run.TaskCheckpoint}.
 */
public final class CheckpointStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointStore.class);

    /** How often a creation is tried whose reply got lost. Repeating is safe: the same bytes under the same name. */
    private static final int CREATE_ATTEMPTS = 3;

    /** From here on entries are read in parallel: object stores answer slowly, but many at once. */
    private static final int PARALLEL_READS_FROM = 64;

    private static final int PARALLEL_READS = 16;

    /**
     * How many runs back leftovers are looked for. Every start looks, so a zombie's leftovers are met this many times; a
     * pipeline of thousands of runs must not pay a request for each of them.
     */
    private static final int LEFTOVER_RUNS = 8;

    /** An entry of the log takes moments to write: what is older than this was left by a dead writer. */
    private static final Duration ENTRY_LEFTOVER_AGE = Duration.ofHours(1);

    private final Storage storage;
    private final String id;

    /** Names that were warned of: a foreign object is worth one line, not one per listing. */
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    private volatile StoreState newest = StoreState.EMPTY;

    private CheckpointStore(Storage storage, String id) {
        this.storage = requireNonNull(storage, "storage");
        this.id = requireNonNull(id, "id");
    }

    /**
     * Opens a store that exists.
     *
     * @throws dev.cairn.RefusedException if there is no store at the location, or it says it lies elsewhere
     * @throws dev.cairn.StoreDamagedException if {@code store.json} cannot be read
     * @throws dev.cairn.StoreAccessException if the storage did not answer
     */
    public static CheckpointStore open(String location, Configuration configuration) {
        return closingOnFailure(Storages.open(location, configuration), CheckpointStore::open);
    }

    /** For tests and tools that bring their own storage. As {@link #open(String, Configuration)}. */
    public static CheckpointStore open(Storage storage) {
        return opened(storage, readStoreFile(storage).orElseThrow(() -> absent(storage)));
    }

    /**
     * Opens a store, and creates it first where the location is absent or an empty directory. Of several creators one
     * wins, and all open the winner's store.
     *
     * @param creator for people
     * @throws dev.cairn.RefusedException if the location holds other things, or a store that says it lies elsewhere
     * @throws dev.cairn.StoreDamagedException if there is a log without a readable {@code store.json}
     * @throws dev.cairn.StoreAccessException if the storage did not answer
     */
    public static CheckpointStore openOrCreate(String location, Configuration configuration, Writer creator) {
        return closingOnFailure(Storages.open(location, configuration), storage -> openOrCreate(storage, creator));
    }

    /** For tasks: the store is known to exist with this id; reads nothing. */
    public static CheckpointStore attach(String location, String id, Configuration configuration) {
        return new CheckpointStore(Storages.open(location, configuration), id);
    }

    /** For tests and tools that bring their own storage. As {@link #attach(String, String, Configuration)}. */
    public static CheckpointStore attach(Storage storage, String id) {
        return new CheckpointStore(storage, id);
    }

    /** For tests and tools that bring their own storage. */
    public static CheckpointStore openOrCreate(Storage storage, Writer creator) {
        Optional<StoreFile> existing = readStoreFile(storage);
        if (existing.isEmpty()) {
            requireFree(storage);
            existing = Optional.of(createStoreFile(storage, creator));
        }
        return opened(storage, existing.get());
    }

    private static CheckpointStore closingOnFailure(
            Storage storage, java.util.function.Function<Storage, CheckpointStore> opening) {
        try {
            return opening.apply(storage);
        } catch (RuntimeException failed) {
            try {
                storage.close();
            } catch (IOException alsoFailed) {
                failed.addSuppressed(alsoFailed);
            }
            throw failed;
        }
    }

    private static CheckpointStore opened(Storage storage, StoreFile file) {
        if (!file.location().equals(storage.location())) {
            throw new RefusedException(
                    ErrorCondition.STORE_COPIED,
                    "The checkpoint store at " + storage.location() + " says that it lies at " + file.location()
                            + ". It was moved or copied, and a copy does not know what its original has published since."
                            + " Run from " + file.location()
                            + ", or name a new, empty directory to start a new store.");
        }
        return new CheckpointStore(storage, file.id().toString());
    }

    private static Optional<StoreFile> readStoreFile(Storage storage) {
        return access(storage, "reading " + StoreNames.STORE_FILE, () -> storage.readIfPresent(StoreNames.STORE_FILE)
                .map(content -> StoreFile.decode(describe(storage, StoreNames.STORE_FILE), content)));
    }

    /** The location may become a store: nothing is there, neither of ours nor of anybody else. */
    private static void requireFree(Storage storage) {
        access(storage, "listing the store", () -> {
            boolean hasLog = storage.list(StoreNames.LOG).stream()
                    .anyMatch(object -> StoreNames.logEntryNumber(object.name()).isPresent());
            boolean hasOthers = !hasLog && !storage.isEmpty();
            // Another creator may have been faster: its store.json comes before everything else.
            if ((hasLog || hasOthers)
                    && storage.readIfPresent(StoreNames.STORE_FILE).isEmpty()) {
                throw hasLog ? withoutStoreFile(storage) : notEmpty(storage);
            }
            return null;
        });
    }

    private static RuntimeException absent(Storage storage) {
        boolean hasLog = access(storage, "listing the log", () -> storage.list(StoreNames.LOG).stream()
                .anyMatch(object -> StoreNames.logEntryNumber(object.name()).isPresent()));
        return hasLog
                ? withoutStoreFile(storage)
                : new RefusedException(
                        ErrorCondition.INVALID_STORE_LOCATION,
                        "There is no checkpoint store at " + storage.location()
                                + ". Check the location; a store is created by the first run that uses it.");
    }

    private static StoreDamagedException withoutStoreFile(Storage storage) {
        return new StoreDamagedException(
                ErrorCondition.STORE_DAMAGED,
                "Object " + describe(storage, StoreNames.STORE_FILE) + " is missing, and the store's log is there."
                        + " Without it the store's identity in catalogs is unknown. Restore the object from a copy.");
    }

    private static RefusedException notEmpty(Storage storage) {
        return new RefusedException(
                ErrorCondition.INVALID_STORE_LOCATION,
                "'" + storage.location() + "' cannot hold a checkpoint store: it is not empty and not a store."
                        + " Name an empty directory, or one that does not exist yet.");
    }

    private static StoreFile createStoreFile(Storage storage, Writer creator) {
        StoreFile file = new StoreFile(
                UUID.randomUUID(),
                storage.location(),
                Clock.systemUTC().instant().truncatedTo(ChronoUnit.MILLIS),
                creator);
        create(storage, StoreNames.STORE_FILE, file.encode());
        return readStoreFile(storage).orElseThrow(() -> withoutStoreFile(storage));
    }

    /** The store's identity in catalogs: a UUID. */
    public String id() {
        return id;
    }

    /** Canonical. */
    public String location() {
        return storage.location();
    }

    public Storage storage() {
        return storage;
    }

    /**
     * Reads the whole log.
     *
     * @throws StoreDamagedException if an entry is missing, cannot be read, or contradicts the ones before it
     * @throws StoreAccessException if the storage did not answer
     */
    public StoreState fold() {
        return fold(StoreState.EMPTY);
    }

    /**
     * Reads what was appended since.
     *
     * @param known a state of this store
     */
    public StoreState fold(StoreState known) {
        long end = logEnd(known.nextEntry());
        List<LogEntry> entries = readEntries(known.nextEntry(), end);
        StoreState state = known.with(known.nextEntry(), entries, location());
        newest = state;
        return state;
    }

    /** Number after the newest entry. Lists rather than probing on from what is known: only so is a gap seen. */
    private long logEnd(long known) {
        TreeSet<Long> numbers = new TreeSet<>();
        for (ObjectInfo object : list(StoreNames.LOG)) {
            OptionalLong number = StoreNames.logEntryNumber(object.name());
            if (number.isPresent()) {
                numbers.add(number.getAsLong());
            } else {
                warnForeign(object.name());
            }
        }
        long expected = 0;
        for (long number : numbers) {
            if (number != expected) {
                throw missingEntry(expected, numbers.last());
            }
            expected++;
        }
        if (expected < known) {
            throw missingEntry(expected, known - 1);
        }
        return expected;
    }

    private StoreDamagedException missingEntry(long missing, long newestEntry) {
        return new StoreDamagedException(
                ErrorCondition.STORE_DAMAGED,
                "Object " + describe(storage, StoreNames.logEntry(missing))
                        + " is missing, and the log goes on to entry " + newestEntry
                        + ". Cairn never deletes entries of the log. Restore the object from a copy.");
    }

    private List<LogEntry> readEntries(long from, long end) {
        if (end - from < PARALLEL_READS_FROM) {
            List<LogEntry> entries = new ArrayList<>();
            for (long number = from; number < end; number++) {
                entries.add(readEntry(number));
            }
            return entries;
        }
        ExecutorService readers = Executors.newFixedThreadPool(PARALLEL_READS, task -> {
            Thread thread = new Thread(task, "cairn-log-reader");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<LogEntry>> reads = new ArrayList<>();
            for (long number = from; number < end; number++) {
                long entry = number;
                reads.add(readers.submit(() -> readEntry(entry)));
            }
            List<LogEntry> entries = new ArrayList<>(reads.size());
            for (Future<LogEntry> read : reads) {
                entries.add(read.get());
            }
            return entries;
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (failed.getCause() instanceof Error cause) {
                throw cause;
            }
            throw new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw inaccessible(storage, "reading the log", interrupted);
        } finally {
            readers.shutdownNow();
        }
    }

    /**
     * Reads one entry.
     *
     * @throws StoreDamagedException if there is no such entry, or it cannot be read
     */
    public LogEntry readEntry(long number) {
        String name = StoreNames.logEntry(number);
        byte[] content = access(storage, "reading " + name, () -> storage.readIfPresent(name))
                .orElseThrow(() -> missingEntry(number, number));
        return LogJson.decode(number, describe(storage, name), content);
    }

    /**
     * Appends an entry if its number is free. Durable when this returns true. A lost reply is settled by reading back:
     * every entry carries its writer's nonce, and since one writer appends several, the whole entry is compared.
     *
     * @param number the state's {@link StoreState#nextEntry()}: whoever appends has folded all entries before
     * @return whether the entry with this number is the given one
     * @throws dev.cairn.StoreAccessException if it cannot be told
     */
    public boolean append(long number, LogEntry entry) {
        return create(storage, StoreNames.logEntry(number), LogJson.encode(number, entry));
    }

    /**
     * Creates the object if its name is free, and settles every doubt: an error leaves open whether the object is there,
     * and a taken name may be taken by an earlier attempt of our own.
     */
    private static boolean create(Storage storage, String name, byte[] content) {
        IOException doubt = null;
        for (int attempt = 0; attempt < CREATE_ATTEMPTS; attempt++) {
            try {
                if (publish(storage, name, content) == Publication.PUBLISHED) {
                    return true;
                }
                return Arrays.equals(storage.read(name), content);
            } catch (IOException failed) {
                if (doubt != null) {
                    failed.addSuppressed(doubt);
                }
                doubt = failed;
            }
        }
        throw inaccessible(storage, "creating " + name, doubt);
    }

    private static Publication publish(Storage storage, String name, byte[] content) throws IOException {
        PendingObject object = storage.create(name);
        try {
            object.stream().write(content);
        } catch (IOException | RuntimeException failed) {
            object.abort();
            throw failed;
        }
        return object.publish();
    }

    /** Which partitions of the run have a checkpoint file of that kind now. */
    public PartitionSet sealedPartitions(long run, Sealing sealing) {
        BitSet partitions = new BitSet();
        for (ObjectInfo object : list(StoreNames.checkpoints(run))) {
            StoreNames.partition(object.name(), sealing).ifPresent(partitions::set);
            if (!StoreNames.isCheckpoint(object.name())) {
                warnForeign(object.name());
            }
        }
        return PartitionSet.of(partitions.stream().toArray());
    }

    /**
     * Everything of a checkpoint but its keys.
     *
     * @throws StoreDamagedException if its file is missing or cannot be read
     * @throws StoreAccessException if the storage did not answer
     */
    public Checkpoint readCheckpoint(CheckpointId id, Sealing sealing) {
        return findCheckpoint(id, sealing)
                .orElseThrow(() -> new StoreDamagedException(
                        ErrorCondition.STORE_DAMAGED,
                        "Object " + describe(storage, StoreNames.checkpoint(id, sealing))
                                + " is missing, and the store needs it. Cairn deletes no sealed checkpoint. Restore the"
                                + " object from a backup, or begin anew with a new store and an empty target."));
    }

    /** The checkpoint if its file exists. */
    public Optional<Checkpoint> findCheckpoint(CheckpointId id, Sealing sealing) {
        String name = StoreNames.checkpoint(id, sealing);
        return access(storage, "reading " + name, () -> {
            try {
                return Optional.of(CheckpointFileReader.readCheckpoint(storage.open(name), id, sealing));
            } catch (NoSuchFileException | FileNotFoundException absent) {
                return Optional.empty();
            }
        });
    }

    /** For reading a checkpoint's keys. */
    public InputFile openCheckpoint(CheckpointId id, Sealing sealing) {
        String name = StoreNames.checkpoint(id, sealing);
        return access(storage, "opening " + name, () -> storage.open(name));
    }

    /** Starts a checkpoint's file. */
    public PendingObject createCheckpoint(CheckpointId id, Sealing sealing) {
        String name = StoreNames.checkpoint(id, sealing);
        return access(storage, "creating " + name, () -> storage.create(name));
    }

    /** The newest heartbeat. Empty also if it cannot be understood: it is advisory, and no reason to stop a run. */
    public Optional<Beat> readHeartbeat() {
        Optional<byte[]> content =
                access(storage, "reading " + StoreNames.HEARTBEAT, () -> storage.readIfPresent(StoreNames.HEARTBEAT));
        try {
            return content.map(bytes -> Beat.decode(describe(storage, StoreNames.HEARTBEAT), bytes));
        } catch (StoreDamagedException unreadable) {
            if (warned.add(StoreNames.HEARTBEAT)) {
                LOG.warn("Ignoring an unreadable heartbeat.", unreadable);
            }
            return Optional.empty();
        }
    }

    /** Replaces the heartbeat. */
    public void writeHeartbeat(Beat beat) {
        access(storage, "writing " + StoreNames.HEARTBEAT, () -> {
            storage.overwrite(StoreNames.HEARTBEAT, beat.encode());
            return null;
        });
    }

    /**
     * Removes what tasks of the runs before that one left half-written. Looks at the newest of them only: each start
     * does. Their seals cannot count any more, so this is safe even while such a task still writes.
     *
     * @return how many were removed
     */
    public int removeLeftovers(long beforeRun, Duration minimumAge) {
        StoreState state = newest.nextEntry() >= beforeRun ? newest : fold(newest);
        List<Long> earlier = state.runs().stream()
                .map(Run::number)
                .filter(number -> number < beforeRun)
                .toList();
        return access(storage, "removing leftovers", () -> {
            int removed = storage.removeLeftovers(
                    StoreNames.LOG, minimumAge.compareTo(ENTRY_LEFTOVER_AGE) > 0 ? minimumAge : ENTRY_LEFTOVER_AGE);
            for (long run : earlier.subList(Math.max(0, earlier.size() - LEFTOVER_RUNS), earlier.size())) {
                removed += storage.removeLeftovers(StoreNames.checkpoints(run), minimumAge);
            }
            return removed;
        });
    }

    /** Removes what tasks of that run left half-written. */
    public int removeLeftoversOf(long run) {
        return access(
                storage,
                "removing leftovers",
                () -> storage.removeLeftovers(StoreNames.checkpoints(run), Duration.ZERO));
    }

    /** Releases the storage; nothing of the store changes. */
    @Override
    public void close() {
        access(storage, "closing the storage", () -> {
            storage.close();
            return null;
        });
    }

    @Override
    public String toString() {
        return location();
    }

    private List<ObjectInfo> list(String directory) {
        return access(storage, "listing " + directory, () -> storage.list(directory));
    }

    private void warnForeign(String name) {
        if (warned.add(name)) {
            LOG.warn("Ignoring {}: it is no object of a checkpoint store.", describe(storage, name));
        }
    }

    private static String describe(Storage storage, String name) {
        return name + " of the checkpoint store " + storage.location();
    }

    private static <T> T access(Storage storage, String action, Callable<T> call) {
        try {
            return call.call();
        } catch (RuntimeException failed) {
            throw failed;
        } catch (Exception failed) {
            throw inaccessible(storage, action, failed);
        }
    }

    private static StoreAccessException inaccessible(Storage storage, String action, Exception cause) {
        return new StoreAccessException(
                ErrorCondition.STORE_ACCESS,
                "The storage of the checkpoint store " + storage.location() + " failed while " + action + ": " + cause
                        + ". Nothing is known to be wrong with the store. Check the storage, then run again.",
                cause);
    }
}
