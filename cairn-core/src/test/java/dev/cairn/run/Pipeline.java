package dev.cairn.run;

import static java.util.Objects.requireNonNull;

import dev.cairn.StoreAccessException;
import dev.cairn.commit.Committer;
import dev.cairn.commit.FakeCatalog;
import dev.cairn.commit.InMemoryCommitter;
import dev.cairn.key.KeyFilter;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import dev.cairn.storage.Storage;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Committable;
import dev.cairn.store.Destination;
import dev.cairn.store.Figures;
import dev.cairn.store.LogEntry;
import dev.cairn.store.Mode;
import dev.cairn.store.Outcome;
import dev.cairn.store.RunIdentity;
import dev.cairn.store.SealedKeys;
import dev.cairn.store.Sealing;
import dev.cairn.store.StoreState;
import dev.cairn.store.Writer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A pipeline as the head's tests drive it: rows are numbers and their own keys; a task turns each row into one
 * committable; how rows fall into tasks changes from run to run, as it may in real jobs.
 */
final class Pipeline {
    static final KeySchema KEYS = KeySchema.of("id", KeyType.INTEGER);
    static final Destination TABLE = new Destination("fake", "table");

    /** Nothing ever waits in tests: a silent head is watched without time passing. */
    static final Pace PACE = new Pace(Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC), d -> {});

    /** Long enough that only the beat of a run's start happens by itself. */
    static final Duration INTERVAL = Duration.ofDays(1);

    final Storage storage;
    final FakeCatalog catalog = new FakeCatalog();
    Sealing sealing = Sealing.TASK;
    int rows;
    int tasks = 3;

    Pipeline(Storage storage, int rows) {
        this.storage = requireNonNull(storage, "storage");
        this.rows = rows;
    }

    /** Work of one task of a run: what it will seal. */
    record Task(RunIdentity run, int partition, SortedSet<Integer> rows) {}

    CheckpointStore store() {
        return store(storage);
    }

    CheckpointStore store(Storage through) {
        return CheckpointStore.openOrCreate(through, writer("opener"));
    }

    StoreState state() {
        return store().fold();
    }

    static Writer writer(String application) {
        return new Writer(application, "worker-7", "ada", UUID.randomUUID().toString());
    }

    InMemoryCommitter committer() {
        return catalog.committer(TABLE);
    }

    RunRequest request(String application, boolean takeover) {
        return new RunRequest(writer(application), KEYS, Mode.KEY, sealing, INTERVAL, takeover);
    }

    ActiveRun start(String application) {
        return start(application, storage, committer(), false);
    }

    ActiveRun takeOver(String application) {
        return start(application, storage, committer(), true);
    }

    ActiveRun start(String application, Storage through, Committer committer, boolean takeover) {
        return Head.start(store(through), request(application, takeover), committer, HeadListener.NONE, PACE);
    }

    /** The run's tasks that have rows to process. */
    List<Task> plan(ActiveRun run) {
        SortedSet<Integer> sealed = sealedRows(run);
        List<Task> planned = new ArrayList<>();
        for (int partition = 0; partition < tasks; partition++) {
            SortedSet<Integer> mine = new TreeSet<>();
            for (int row = 0; row < rows; row++) {
                if ((row + run.identity().run()) % tasks == partition && !sealed.contains(row)) {
                    mine.add(row);
                }
            }
            if (!mine.isEmpty()) {
                planned.add(new Task(run.identity(), partition, mine));
            }
        }
        return planned;
    }

    static SortedSet<Integer> sealedRows(ActiveRun run) {
        SortedSet<Integer> sealed = new TreeSet<>();
        for (SealedKeys.Group group : run.sealedKeys().groups()) {
            group.partitionSet().stream()
                    .mapToObj(partition -> new CheckpointId(group.run(), partition))
                    .flatMap(id -> run.store().readCheckpoint(id, group.sealing()).committables().stream())
                    .forEach(committable -> sealed.add(Integer.valueOf(committable.body())));
        }
        return sealed;
    }

    static Checkpoint seal(CheckpointStore store, Task task) {
        return seal(store, task, 0);
    }

    /** Seals as a task's attempts do: whoever finds the partition sealed takes what is there. */
    static Checkpoint seal(CheckpointStore store, Task task, int attempt) {
        try {
            TaskCheckpoint open = TaskCheckpoint.open(
                    store,
                    task.run(),
                    task.partition(),
                    attempt,
                    attempt > 0,
                    TaskCheckpoint.OnSealed.RETURN_STORED,
                    KeyFilter.empty(KEYS));
            open.inputOpened();
            task.rows().forEach(open::admitLong);
            open.inputExhausted();
            List<Committable> output = task.rows().stream()
                    .map(row -> new Committable("fake", 1, Integer.toString(row)))
                    .toList();
            TaskCheckpoint.Seal seal = open.seal(open.replaysStored() ? List.of() : output, List.of());
            return seal instanceof TaskCheckpoint.Seal.Sealed sealed
                    ? sealed.checkpoint()
                    : ((TaskCheckpoint.Seal.AlreadySealed) seal).checkpoint();
        } catch (StoreAccessException failed) {
            if (attempt == 3) {
                throw failed;
            }
            return seal(store, task, attempt + 1);
        }
    }

    /** Seals every task, commits, and ends with success. */
    void complete(ActiveRun run) {
        List<Checkpoint> reported = new ArrayList<>();
        for (Task task : plan(run)) {
            reported.add(seal(run.store(), task));
        }
        run.commit(reported);
        run.end(Outcome.SUCCEEDED, "", Figures.ZERO);
    }

    /** A whole run that nothing disturbs. */
    void run(String application) {
        try (ActiveRun run = start(application)) {
            complete(run);
        }
    }

    /** What an operator does about an epoch of which the head cannot tell what became of it. */
    void resolveByHand() {
        CheckpointStore store = store();
        StoreState state = store.fold();
        state.openEpoch().ifPresent(open -> {
            LogEntry entry = catalog.winnerOf(store.id(), open.number())
                    .<LogEntry>map(
                            nonce -> new LogEntry.Committed(writer("operator"), Instant.EPOCH, open.number(), nonce))
                    .orElseGet(() -> new LogEntry.CommitIntended(
                            writer("operator"),
                            Instant.EPOCH,
                            open.number(),
                            UUID.randomUUID().toString(),
                            committer().base(),
                            open.newestIntent().checkpoints()));
            store.append(state.nextEntry(), entry);
        });
    }

    /** The rows of the destination, ascending, each as often as it was published. */
    List<Integer> published() {
        return catalog.published().stream().map(Integer::valueOf).sorted().toList();
    }

    /** What the destination must hold: every row once. */
    List<Integer> everyRowOnce() {
        List<Integer> every = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            every.add(row);
        }
        return every;
    }
}
