package dev.cairn.store;

import static java.util.Objects.requireNonNull;

import dev.cairn.key.KeySchema;

/**
 * What the tasks of a run need to know of it.
 *
 * @param storeId the store's UUID
 * @param run number
 * @param nonce of the run; the key of its {@link KeyDigest digests} derives from it
 * @param keys types and names of the key columns
 * @param sealing what is sealed at once
 */
public record RunIdentity(String storeId, long run, String nonce, KeySchema keys, Sealing sealing)
        implements java.io.Serializable {
    public RunIdentity {
        requireNonNull(storeId, "storeId");
        requireNonNull(nonce, "nonce");
        requireNonNull(keys, "keys");
        requireNonNull(sealing, "sealing");
    }
}
