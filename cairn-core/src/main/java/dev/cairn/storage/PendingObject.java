package dev.cairn.storage;

import java.io.IOException;
import org.apache.parquet.io.PositionOutputStream;

/**
 * An object being written and not yet visible to anybody. Exactly one of {@link #publish()} and {@link #abort()} ends
 * it; owned by one thread.
 */
public interface PendingObject {
    /** What became of a publication. */
    enum Publication {
        /** The object is visible under its name, whole and durable. */
        PUBLISHED,
        /**
         * The name is taken. On storages that repeat lost requests this may be the caller's own object: read it back
         * and compare its nonce before believing that somebody else was first.
         */
        TAKEN
    }

    /**
     * Where the content goes. Closing this stream does <em>not</em> publish; that is what {@link #publish()} is for, so
     * that an error on the way cannot make half an object visible.
     */
    PositionOutputStream stream();

    /**
     * Makes the object visible under its name if and only if the name is free, atomically and durably: when this
     * returns {@code PUBLISHED} the object survives the loss of the process and of the machine as far as the storage
     * promises it at all.
     *
     * @throws IOException if the outcome is unknown: the object may or may not be visible
     */
    Publication publish() throws IOException;

    /** Gives the object up. Nothing becomes visible. Never throws for an object that is gone already. */
    void abort();
}
