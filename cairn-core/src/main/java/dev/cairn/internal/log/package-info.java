/** The JSON forms of what a store holds besides checkpoints: the log's entries, {@code store.json}, the heartbeat. */
package dev.cairn.internal.log;
