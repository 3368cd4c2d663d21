package dev.cairn.spark.internal.sink;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * What an epoch publishes in a directory.
 *
 * @param epoch number
 * @param nonce of the intent that was first to be recorded, and so won
 * @param files in the order in which they are published
 */
record Publication(long epoch, String nonce, List<StagedFile> files) {
    Publication {
        requireNonNull(nonce, "nonce");
        files = List.copyOf(files);
    }
}
