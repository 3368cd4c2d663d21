package dev.cairn.run;

import dev.cairn.store.Run;
import java.time.Duration;

/** Told what a head does, for people. Methods are called from the head's thread and must not block. */
public interface HeadListener {
    HeadListener NONE = new HeadListener() {};

    /** The previous run never said that it ended; the head watches its heartbeat for at most that long. */
    default void watching(Run previous, Duration atMost) {}

    /** An epoch that an earlier head left open turned out to be committed, or was committed now. */
    default void resolved(long epoch) {}

    /** The run began. */
    default void started(ActiveRun run) {}

    /** An epoch of that many checkpoints was committed. */
    default void committed(long epoch, long checkpoints) {}
}
