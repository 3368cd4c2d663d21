package dev.cairn.commit;

import static java.util.Objects.requireNonNull;

/**
 * The identity of one catalog commit of one store, written into the catalog beside the data.
 *
 * @param storeId the store's UUID
 * @param epoch number of the commit, from 1, without gaps
 * @param nonce of the intent; an epoch that was intended again has several, and the catalog decides which one won
 * @param run that commits, for people
 */
public record EpochTag(String storeId, long epoch, String nonce, long run) {
    public EpochTag {
        requireNonNull(storeId, "storeId");
        requireNonNull(nonce, "nonce");
    }
}
