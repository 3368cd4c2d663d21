package dev.cairn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cairn.storage.ObjectInfo;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.PendingObject.Publication;
import dev.cairn.storage.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import org.apache.parquet.io.SeekableInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every storage must do to hold a store. Subclasses bring one place, empty at the start of each test. */
public abstract class CheckpointStoreContract {
    private static final int RACERS = 8;

    /** Another instance for the same place, as another process would open it. */
    protected abstract Storage open() throws IOException;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Publication create(Storage storage, String name, byte[] content) throws IOException {
        PendingObject object = storage.create(name);
        object.stream().write(content);
        return object.publish();
    }

    private static List<String> names(Storage storage, String directory) throws IOException {
        return storage.list(directory).stream().map(ObjectInfo::name).sorted().toList();
    }

    private static <T> List<T> race(IntFunction<Callable<T>> racer) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(RACERS);
        try {
            CyclicBarrier start = new CyclicBarrier(RACERS);
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < RACERS; i++) {
                Callable<T> body = racer.apply(i);
                futures.add(threads.submit(() -> {
                    start.await();
                    return body.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private static Writer writer(String nonce) {
        return new Writer("contract", "host", "user", nonce);
    }

    private static LogEntry entry(String nonce) {
        return new LogEntry.Voided(writer(nonce), Instant.EPOCH, CheckpointSet.empty(), "contract");
    }

    @Test
    void publishedObjectIsReadBackByAnotherProcess() throws IOException {
        try (Storage one = open();
                Storage other = open()) {
            assertThat(create(one, "log/a.json", bytes("content"))).isEqualTo(Publication.PUBLISHED);

            assertThat(other.read("log/a.json")).isEqualTo(bytes("content"));
            assertThat(other.list("log")).containsExactly(new ObjectInfo("log/a.json", 7));
        }
    }

    @Test
    void objectIsInvisibleBeforeItIsPublished() throws IOException {
        try (Storage storage = open()) {
            PendingObject object = storage.create("log/a.json");
            object.stream().write(bytes("content"));
            object.stream().flush();
            object.stream().close();

            assertThat(storage.list("log")).isEmpty();
            assertThat(storage.list("")).isEmpty();
            assertThat(storage.readIfPresent("log/a.json")).isEmpty();
            object.abort();
        }
    }

    @Test
    void abortedObjectLeavesNothing() throws IOException {
        try (Storage storage = open()) {
            PendingObject object = storage.create("log/a.json");
            object.stream().write(bytes("content"));
            object.abort();
            object.abort();

            assertThat(storage.list("log")).isEmpty();
            assertThat(storage.removeLeftovers("", Duration.ZERO)).isZero();
            assertThat(create(storage, "log/a.json", bytes("other"))).isEqualTo(Publication.PUBLISHED);
        }
    }

    @Test
    void takenNameKeepsItsFirstContent() throws IOException {
        try (Storage storage = open()) {
            create(storage, "log/a.json", bytes("first"));

            assertThat(create(storage, "log/a.json", bytes("second"))).isEqualTo(Publication.TAKEN);

            assertThat(storage.read("log/a.json")).isEqualTo(bytes("first"));
            assertThat(storage.removeLeftovers("", Duration.ZERO)).isZero();
        }
    }

    @Test
    void nameTakenWhileWritingIsSeenWhenPublishing() throws IOException {
        try (Storage storage = open()) {
            PendingObject slow = storage.create("log/a.json");
            slow.stream().write(bytes("slow"));
            create(storage, "log/a.json", bytes("fast"));

            assertThat(slow.publish()).isEqualTo(Publication.TAKEN);
            assertThat(storage.read("log/a.json")).isEqualTo(bytes("fast"));
        }
    }

    @Test
    void exactlyOneOfManyRacersCreatesAnObject() throws Exception {
        for (int round = 0; round < 10; round++) {
            String name = "log/" + round + ".json";
            List<Publication> publications = race(i -> () -> {
                try (Storage storage = open()) {
                    return create(storage, name, bytes("racer " + i));
                }
            });

            assertThat(publications).containsOnlyOnce(Publication.PUBLISHED);
            try (Storage storage = open()) {
                int winner = publications.indexOf(Publication.PUBLISHED);
                assertThat(storage.read(name)).isEqualTo(bytes("racer " + winner));
            }
        }
    }

    @Test
    void contentOfManyMegabytesStreamsThroughAndIsReadInParts() throws IOException {
        byte[] content = new byte[9_000_001];
        new Random(7).nextBytes(content);
        try (Storage storage = open()) {
            PendingObject object = storage.create("checkpoints/1/0.parquet");
            for (int from = 0; from < content.length; from += 100_000) {
                assertThat(object.stream().getPos()).isEqualTo(from);
                object.stream().write(content, from, Math.min(100_000, content.length - from));
            }
            object.publish();

            assertThat(storage.read("checkpoints/1/0.parquet")).isEqualTo(content);
            assertThat(storage.open("checkpoints/1/0.parquet").getLength()).isEqualTo(content.length);
            try (SeekableInputStream in =
                    storage.open("checkpoints/1/0.parquet").newStream()) {
                byte[] part = new byte[1000];
                in.seek(8_000_000);
                in.readFully(part);
                assertThat(in.getPos()).isEqualTo(8_001_000);
                assertThat(part).isEqualTo(java.util.Arrays.copyOfRange(content, 8_000_000, 8_001_000));
                in.seek(5);
                assertThat((byte) in.read()).isEqualTo(content[5]);
            }
        }
    }

    @Test
    void emptyObjectIsAnObject() throws IOException {
        try (Storage storage = open()) {
            assertThat(create(storage, "log/a.json", new byte[0])).isEqualTo(Publication.PUBLISHED);

            assertThat(storage.list("log")).containsExactly(new ObjectInfo("log/a.json", 0));
            assertThat(storage.read("log/a.json")).isEmpty();
        }
    }

    @Test
    void listingShowsOnlyWhatIsDirectlyBelow() throws IOException {
        try (Storage storage = open()) {
            create(storage, "store.json", bytes("1"));
            create(storage, "log/a.json", bytes("2"));
            create(storage, "log/deeper/b.json", bytes("3"));
            create(storage, "logs/c.json", bytes("4"));

            assertThat(names(storage, "")).containsExactly("store.json");
            assertThat(names(storage, "log")).containsExactly("log/a.json");
            assertThat(names(storage, "log/deeper")).containsExactly("log/deeper/b.json");
            assertThat(names(storage, "absent")).isEmpty();
        }
    }

    @Test
    void listingShowsEveryOneOfThousands() throws IOException {
        try (Storage storage = open()) {
            List<String> created = new ArrayList<>();
            for (int i = 0; i < 1100; i++) {
                String name = String.format("log/%05d.json", i);
                create(storage, name, bytes("x"));
                created.add(name);
            }

            assertThat(names(storage, "log")).isEqualTo(created);
        }
    }

    @Test
    void overwriteReplacesAndCreates() throws IOException {
        try (Storage storage = open()) {
            storage.overwrite("heartbeat", bytes("a longer content"));
            storage.overwrite("heartbeat", bytes("short"));

            assertThat(storage.read("heartbeat")).isEqualTo(bytes("short"));
            assertThat(names(storage, "")).containsExactly("heartbeat");
        }
    }

    @Test
    void absentObjectIsToldFromAFailure() throws IOException {
        try (Storage storage = open()) {
            assertThatThrownBy(() -> storage.read("log/absent.json")).isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> storage.open("log/absent.json").getLength())
                    .isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> {
                        try (SeekableInputStream in =
                                storage.open("log/absent.json").newStream()) {
                            in.read();
                        }
                    })
                    .isInstanceOf(NoSuchFileException.class);
            storage.delete("log/absent.json");
        }
    }

    @Test
    void deletedObjectIsGoneAndItsNameFree() throws IOException {
        try (Storage storage = open()) {
            create(storage, "log/a.json", bytes("first"));
            storage.delete("log/a.json");

            assertThat(storage.readIfPresent("log/a.json")).isEmpty();
            assertThat(create(storage, "log/a.json", bytes("second"))).isEqualTo(Publication.PUBLISHED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/a",
                "a/",
                "a//b",
                "..",
                "../a",
                "a/../b",
                ".",
                "./a",
                ".hidden",
                "a/.hidden",
                "a b",
                "a%2Fb",
                "a\\b",
                "a:b",
                "a?b",
                "a#b",
                "ä",
                "a\n",
                "a\u0000"
            })
    void namesThatCouldLeadElsewhereAreRefused(String name) throws IOException {
        try (Storage storage = open()) {
            assertThatThrownBy(() -> storage.create(name)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> storage.read(name)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> storage.open(name)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> storage.overwrite(name, new byte[0])).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> storage.delete(name)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void leftoversOfDeadWritersAreRemovedBelowTheirDirectoryOnly() throws IOException {
        try (Storage dead = open();
                Storage storage = open()) {
            dead.create("checkpoints/1/0.parquet").stream().write(bytes("half"));
            dead.create("checkpoints/1/1.parquet").stream().write(bytes("half"));
            dead.create("checkpoints/11/0.parquet").stream().write(bytes("half"));
            create(storage, "checkpoints/1/2.parquet", bytes("whole"));

            assertThat(storage.removeLeftovers("checkpoints/1", Duration.ofHours(1)))
                    .isZero();
            assertThat(removeAll(dead, storage, "checkpoints/1")).isEqualTo(2);
            assertThat(removeAll(dead, storage, "checkpoints/1")).isZero();
            assertThat(removeAll(dead, storage, "")).isEqualTo(1);
            assertThat(names(storage, "checkpoints/1")).containsExactly("checkpoints/1/2.parquet");
        }
    }

    /** For storages whose instances share no leftovers, such as those in memory: asks the writer's own instance too. */
    private static int removeAll(Storage dead, Storage storage, String directory) throws IOException {
        return storage.removeLeftovers(directory, Duration.ZERO) + dead.removeLeftovers(directory, Duration.ZERO);
    }

    @Test
    void writerWhoseLeftoverWasRemovedPublishesNothingSilently() throws IOException {
        try (Storage storage = open()) {
            PendingObject zombie = storage.create("checkpoints/1/0.parquet");
            zombie.stream().write(bytes("late"));
            storage.removeLeftovers("checkpoints/1", Duration.ZERO);

            assertThatThrownBy(zombie::publish).isInstanceOf(IOException.class);
            assertThat(storage.list("checkpoints/1")).isEmpty();
        }
    }

    @Test
    void placeIsEmptyUntilSomethingIsThere() throws IOException {
        try (Storage storage = open()) {
            assertThat(storage.isEmpty()).isTrue();
            storage.create("log/a.json").abort();
            assertThat(storage.isEmpty()).isTrue();
            create(storage, "store.json", bytes("x"));
            assertThat(storage.isEmpty()).isFalse();
        }
    }

    @Test
    void twoOpenersOfANewStoreAgreeOnItsId() throws Exception {
        List<String> ids = race(i -> () ->
                CheckpointStore.openOrCreate(open(), writer("creator " + i)).id());

        assertThat(ids).containsOnly(ids.get(0));
        try (CheckpointStore store = CheckpointStore.open(open())) {
            assertThat(store.id()).isEqualTo(ids.get(0));
        }
    }

    @Test
    void exactlyOneOfManyRacersAppendsAnEntry() throws Exception {
        try (CheckpointStore store = CheckpointStore.openOrCreate(open(), writer("creator"))) {
            for (long number = 0; number < 10; number++) {
                long entry = number;
                List<Boolean> appended = race(i -> () -> {
                    try (CheckpointStore mine = CheckpointStore.attach(open(), store.id())) {
                        return mine.append(entry, entry("racer " + i));
                    }
                });

                assertThat(appended).containsOnlyOnce(true);
                assertThat(store.readEntry(entry)).isEqualTo(entry("racer " + appended.indexOf(true)));
            }
            assertThat(store.fold().nextEntry()).isEqualTo(10);
        }
    }

    @Test
    void checkpointsOfARunAreListedByKind() throws Exception {
        try (CheckpointStore store = CheckpointStore.openOrCreate(open(), writer("creator"))) {
            for (int partition : new int[] {0, 1, 17}) {
                PendingObject object = store.createCheckpoint(new CheckpointId(40, partition), Sealing.TASK);
                object.stream().write(bytes("x"));
                object.publish();
            }
            store.createCheckpoint(new CheckpointId(40, 5), Sealing.JOB).publish();
            PendingObject staged = store.createCheckpoint(new CheckpointId(40, 6), Sealing.TASK);

            assertThat(store.sealedPartitions(40, Sealing.TASK)).hasToString("0-1,17");
            assertThat(store.sealedPartitions(40, Sealing.JOB)).hasToString("5");
            assertThat(store.sealedPartitions(41, Sealing.TASK)).isEqualTo(PartitionSet.empty());
            assertThat(store.findCheckpoint(new CheckpointId(40, 6), Sealing.TASK))
                    .isEqualTo(Optional.empty());
            staged.abort();
        }
    }
}
