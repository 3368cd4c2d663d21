package dev.cairn.key;

/**
 * The set of sealed keys, for skipping. Immutable once loaded, shared by all tasks of a process, packed in primitive
 * arrays: no object per key.
 */
public final class KeyFilter {
    private KeyFilter() {}

    /** Nothing is sealed. */
    public static KeyFilter empty(KeySchema keys) {
        throw new UnsupportedOperationException();
    }

    public static KeyFilter load(
            dev.cairn.store.CheckpointStore store,
            KeySchema keys,
            dev.cairn.store.SealedKeys sealed,
            byte[] secret,
            int parallelism,
            boolean spanningAllowed) {
        throw new UnsupportedOperationException();
    }
}
