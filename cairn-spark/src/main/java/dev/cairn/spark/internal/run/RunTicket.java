package dev.cairn.spark.internal.run;

import dev.cairn.run.TaskCheckpoint.OnSealed;
import dev.cairn.store.RunIdentity;
import dev.cairn.store.SealedKeys;
import java.io.Serializable;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;

/**
 * What a task needs to take part in a run; travels with every task.
 *
 * @param storeLocation canonical location of the store
 * @param run the run's identity
 * @param sealedKeys where the keys to skip lie
 * @param secret of 16 bytes, drawn for this run: keeps fingerprints of keys from being guessed
 * @param onSealed what a repeated task does that finds its partition sealed
 * @param spanningAllowed whether one key in several checkpoints of a failed run is accepted
 * @param configuration Hadoop's, for the store's file system
 */
record RunTicket(
        String storeLocation,
        RunIdentity run,
        SealedKeys sealedKeys,
        byte[] secret,
        OnSealed onSealed,
        boolean spanningAllowed,
        Broadcast<SerializableConfiguration> configuration)
        implements Serializable {}
