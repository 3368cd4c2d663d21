/**
 * The protocol of a run: {@link dev.cairn.run.Head} starts it and commits, {@link dev.cairn.run.TaskCheckpoint} seals.
 */
package dev.cairn.run;
