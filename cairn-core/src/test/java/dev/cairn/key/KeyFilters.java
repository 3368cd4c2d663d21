package dev.cairn.key;

import dev.cairn.internal.file.CheckpointFiles;
import dev.cairn.store.SealedKeys;
import java.security.SecureRandom;

/** Lets tests and benchmarks of other packages load filters from files that are no whole store. */
public final class KeyFilters {
    private KeyFilters() {}

    public static KeyFilter load(CheckpointFiles files, KeySchema keys, SealedKeys sealed, int parallelism) {
        byte[] secret = new byte[KeyFilter.SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return KeyFilter.load(files, keys, sealed, secret, parallelism, false);
    }
}
