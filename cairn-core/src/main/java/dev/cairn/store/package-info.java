/**
 * The vocabulary of a checkpoint store: {@link dev.cairn.store.CheckpointStore} holds {@link dev.cairn.store.Run runs},
 * which seal {@link dev.cairn.store.Checkpoint checkpoints}, which are published in {@link dev.cairn.store.Epoch
 * epochs}; every decision is a {@link dev.cairn.store.LogEntry log entry}.
 */
package dev.cairn.store;
