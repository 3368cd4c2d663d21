package dev.cairn.key;

import static java.util.Objects.requireNonNull;

import dev.cairn.internal.file.CheckpointFiles;
import dev.cairn.internal.key.KeyEncoder;
import dev.cairn.internal.key.KeySlot;
import dev.cairn.internal.key.SipHash;
import dev.cairn.internal.key.SlotTable;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.SealedKeys;

/**
 * The set of sealed keys, for skipping. Immutable once loaded, shared by all tasks of a process, packed in primitive
 * arrays: no object per key.
 *
 * <p>Null equals null and differs from the empty string. A single integer column is compared exactly. So is every key
 * whose encoding has up to 15 bytes, which a string of 14 bytes and any single integer of a composite has; longer ones
 * are compared by SipHash-2-4-128 under a secret, of which 127 bits are kept: the odds that any of a billion keys is
 * skipped wrongly are below 1e-20, whoever chose the keys.
 *
 * <p>Memory per key, in bytes: about 15 for a single integer column, 26 otherwise. While it is loaded up to 5 more, and
 * then what counts is how often each key was sealed.
 *
 * <p>Thread-safe, but tasks look keys up through a {@link Lookup} each.
 */
public final class KeyFilter {
    /** Length of the secret in bytes. */
    public static final int SECRET_BYTES = SipHash.KEY_BYTES;

    private final KeySchema keys;
    private final SlotTable table;
    private final byte[] secret;

    KeyFilter(KeySchema keys, SlotTable table, byte[] secret) {
        this.keys = requireNonNull(keys, "keys");
        this.table = requireNonNull(table, "table");
        this.secret = secret.clone();
    }

    /** Nothing is sealed. */
    public static KeyFilter empty(KeySchema keys) {
        return new KeyFilter(keys, SlotTable.empty(!keys.isSingleNumber()), new byte[SECRET_BYTES]);
    }

    /**
     * Reads the sealed keys of a store, several files at a time. The calling thread waits.
     *
     * @param keys types of the store's keys
     * @param sealed what to read
     * @param secret {@value #SECRET_BYTES} random bytes, drawn per run or per process and told nobody; copied
     * @param parallelism how many files are read at the same time, at least 1
     * @param spanningAllowed whether one key may have been sealed by several tasks of a run that did not succeed
     * @throws dev.cairn.RefusedException if it may not, and was
     * @throws dev.cairn.StoreDamagedException if a file is missing, damaged, or has other key columns
     * @throws dev.cairn.StoreAccessException if the storage did not answer, or the thread was interrupted; its interrupt
     *     status is kept
     */
    public static KeyFilter load(
            CheckpointStore store,
            KeySchema keys,
            SealedKeys sealed,
            byte[] secret,
            int parallelism,
            boolean spanningAllowed) {
        return load(CheckpointFiles.of(store), keys, sealed, secret, parallelism, spanningAllowed);
    }

    static KeyFilter load(
            CheckpointFiles files,
            KeySchema keys,
            SealedKeys sealed,
            byte[] secret,
            int parallelism,
            boolean spanningAllowed) {
        if (sealed.isEmpty()) {
            return empty(keys);
        }
        SlotTable table = new KeyFilterLoader(files, keys, sealed, secret, parallelism, spanningAllowed).load();
        return new KeyFilter(keys, table, secret);
    }

    /** The keys' types. */
    public KeySchema schema() {
        return keys;
    }

    public boolean isEmpty() {
        return table.size() == 0;
    }

    /** Number of different keys. */
    public long size() {
        return table.size();
    }

    /** Bytes of memory that the keys take. */
    public long memoryBytes() {
        return table.memoryBytes();
    }

    /** For one thread to look keys up through. */
    public Lookup newLookup() {
        return new Lookup();
    }

    /**
     * Looks keys up; allocates nothing per key. Fastest for keys that come in about the order in which they were sealed,
     * each task's for themselves. Owned by one thread.
     */
    public final class Lookup {
        private final SlotTable.Cursor cursor = table.newCursor();
        private final KeySlot slot = new KeySlot(secret);
        private final KeyEncoder encoder = new KeyEncoder();
        private final boolean exact = keys.isSingleNumber();

        private Lookup() {}

        /** Single integer column: whether the key is sealed. */
        public boolean containsLong(long key) {
            if (exact) {
                return cursor.containsLong(key);
            }
            encoder.reset();
            encoder.addLong(key);
            return contains(encoder);
        }

        /** Single column: whether the null key is sealed. */
        public boolean containsNull() {
            if (exact) {
                return table.containsNull();
            }
            encoder.reset();
            encoder.addNull();
            return contains(encoder);
        }

        /** Whether the key in the encoder is sealed; not for a single integer column. */
        public boolean contains(KeyEncoder key) {
            slot.compute(key);
            return cursor.contains(slot.low(), slot.high());
        }
    }
}
