package dev.cairn.run;

import dev.cairn.internal.file.CheckpointFiles;
import dev.cairn.internal.file.DelegatingFiles;
import dev.cairn.key.KeyFilter;
import dev.cairn.key.KeyFilters;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import dev.cairn.run.TaskCheckpoint.OnSealed;
import dev.cairn.storage.InMemoryStorage;
import dev.cairn.storage.PendingObject;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.RunIdentity;
import dev.cairn.store.SealedKeys;
import dev.cairn.store.Sealing;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.parquet.io.PositionOutputStream;

/**
 * Prints what staging, looking up and loading cost per row, on one core. Run it by hand:
 * {@code java -cp … dev.cairn.run.StagingBenchmark [rows [rounds of staging]]}.
 */
public final class StagingBenchmark {
    private StagingBenchmark() {}

    private static final KeySchema STRING = KeySchema.of("id", KeyType.STRING);
    private static final KeySchema INTEGER = KeySchema.of("id", KeyType.INTEGER);

    public static void main(String[] args) {
        int rows = args.length > 0 ? Integer.parseInt(args[0]) : 10_000_000;
        byte[] uuids = uuids(rows);
        byte[] sequential = sequential(rows);
        int stagingRounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        for (int round = 0; round < stagingRounds; round++) {
            System.out.println("--- round " + round);
            KeyFilter none = KeyFilter.empty(STRING);
            stage("stage 36-byte random strings", STRING, uuids, 36, rows, 1, none);
            stage("stage 12-byte counting strings", STRING, sequential, 12, rows, 1, none);
            stage("stage counting integers", INTEGER, null, 0, rows, 1, KeyFilter.empty(INTEGER));
        }
        System.out.println("--- filters of " + rows + " keys from 20 files, 2 threads");
        for (int round = 0; round < 2; round++) {
            load(STRING, uuids, 36, rows, true);
            load(STRING, uuids, 36, rows, false);
            load(INTEGER, null, 0, rows, true);
        }
    }

    private static void load(KeySchema keys, byte[] values, int width, int rows, boolean succeeded) {
        InMemoryStorage storage =
                stage("  (staging for the filter)", keys, values, width, rows, 20, KeyFilter.empty(keys));
        SealedKeys sealed =
                new SealedKeys(List.of(new SealedKeys.Group(1, succeeded, Sealing.TASK, "0-19", 2)), List.of());
        long start = now();
        KeyFilter filter = KeyFilters.load(CheckpointFiles.in(storage), keys, sealed, 2);
        print("load " + keys + (succeeded ? "" : ", looking for spanning"), start, rows);
        System.out.printf(
                "    %.1f bytes of memory per key, %d keys%n",
                filter.memoryBytes() / (double) filter.size(), filter.size());
        stage("  skip all rows in order: " + keys, keys, values, width, rows, 1, filter);
        // Every task meets the rows of its own file in order, but tasks come in another order.
        skip("  skip all rows, files shuffled: " + keys, keys, values, width, blocks(rows, rows / 20), filter);
        skip("  skip all rows, runs of 100 rows shuffled: " + keys, keys, values, width, blocks(rows, 100), filter);
        skip("  skip all rows, shuffled: " + keys, keys, values, width, blocks(rows, 1), filter);
        if (width > 0) {
            byte[] others = uuids(rows, 7);
            stage("  look up and stage new rows: " + keys, keys, others, width, rows, 1, filter);
        }
    }

    /** Looks rows up in the order given. Copies them into that order before, so that only the filter is out of order. */
    private static void skip(String what, KeySchema keys, byte[] values, int width, int[] order, KeyFilter filter) {
        byte[] ordered = new byte[values == null ? 0 : values.length];
        for (int i = 0; i < order.length && width > 0; i++) {
            System.arraycopy(values, order[i] * width, ordered, i * width, width);
        }
        RunIdentity run = new RunIdentity("store", 1, "nonce", keys, Sealing.TASK);
        long start = now();
        TaskCheckpoint task = TaskCheckpoint.open(new Discarding(), run, 0, 0, false, OnSealed.RETURN_STORED, filter);
        for (int i = 0; i < order.length; i++) {
            if (width == 0) {
                task.admitLong(1_000_000_000L + order[i]);
            } else {
                byte[] buffer = task.reserve(0, width);
                System.arraycopy(ordered, i * width, buffer, task.position(), width);
                task.admit();
            }
        }
        print(what, start, order.length);
        if (task.rowsSkipped() != order.length) {
            throw new IllegalStateException("not all rows were skipped");
        }
        task.abort();
    }

    /** The numbers below a limit in blocks, whose order is shuffled. */
    private static int[] blocks(int rows, int block) {
        int[] starts = new int[rows / block];
        Random random = new Random(3);
        for (int i = 0; i < starts.length; i++) {
            int at = random.nextInt(i + 1);
            starts[i] = starts[at];
            starts[at] = i * block;
        }
        int[] order = new int[starts.length * block];
        for (int i = 0; i < order.length; i++) {
            order[i] = starts[i / block] + i % block;
        }
        return order;
    }

    private static InMemoryStorage stage(
            String what, KeySchema keys, byte[] values, int width, int rows, int tasks, KeyFilter filter) {
        InMemoryStorage storage = new InMemoryStorage();
        // One task is for measuring, so its bytes go nowhere; many are for loading them again.
        CheckpointFiles files = tasks == 1 ? new Discarding() : CheckpointFiles.in(storage);
        long bytes = 0;
        RunIdentity run = new RunIdentity("store", 1, "nonce", keys, Sealing.TASK);
        long start = now();
        int perTask = rows / tasks;
        for (int partition = 0; partition < tasks; partition++) {
            TaskCheckpoint task = TaskCheckpoint.open(files, run, partition, 0, false, OnSealed.RETURN_STORED, filter);
            for (int i = partition * perTask, end = i + perTask; i < end; i++) {
                if (width == 0) {
                    task.admitLong(1_000_000_000L + i);
                } else {
                    byte[] buffer = task.reserve(0, width);
                    System.arraycopy(values, i * width, buffer, task.position(), width);
                    task.admit();
                }
            }
            task.seal(List.of(), List.of());
            bytes += task.bytesStaged();
        }
        print(what, start, rows);
        System.out.printf("    %.2f bytes per row in the store%n", bytes / (double) rows);
        return storage;
    }

    /** Publishes into nothing. */
    private static final class Discarding extends DelegatingFiles {
        Discarding() {
            super(CheckpointFiles.in(new InMemoryStorage()));
        }

        @Override
        public PendingObject create(CheckpointId id, Sealing sealing) {
            return new PendingObject() {
                @Override
                public PositionOutputStream stream() {
                    return new PositionOutputStream() {
                        private long position;

                        @Override
                        public long getPos() {
                            return position;
                        }

                        @Override
                        public void write(int b) {
                            position++;
                        }

                        @Override
                        public void write(byte[] bytes, int offset, int length) {
                            position += length;
                        }
                    };
                }

                @Override
                public Publication publish() {
                    return Publication.PUBLISHED;
                }

                @Override
                public void abort() {}
            };
        }
    }

    /** CPU time of the whole process, which other work on the machine disturbs less than the time of day. */
    private static long now() {
        return ((com.sun.management.OperatingSystemMXBean)
                        java.lang.management.ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static void print(String what, long start, int rows) {
        System.out.printf("%-60s %7.1f ns of CPU per row%n", what, (now() - start) / (double) rows);
    }

    private static byte[] uuids(int rows) {
        return uuids(rows, 1);
    }

    private static byte[] uuids(int rows, long seed) {
        Random random = new Random(seed);
        byte[] values = new byte[rows * 36];
        for (int i = 0; i < rows; i++) {
            byte[] uuid =
                    new UUID(random.nextLong(), random.nextLong()).toString().getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(uuid, 0, values, i * 36, 36);
        }
        return values;
    }

    private static byte[] sequential(int rows) {
        byte[] values = new byte[rows * 12];
        for (int i = 0; i < rows; i++) {
            byte[] key = "doc-00000000".getBytes(StandardCharsets.US_ASCII);
            for (int at = 11, rest = i; rest > 0; at--, rest /= 10) {
                key[at] = (byte) ('0' + rest % 10);
            }
            System.arraycopy(key, 0, values, i * 12, 12);
        }
        return values;
    }
}
