package dev.cairn.cli;

import dev.cairn.run.ActiveRun;
import dev.cairn.run.HeadListener;
import dev.cairn.store.Run;
import java.time.Duration;
import java.util.function.Supplier;

/** Tells the user what the head does that takes time, or that an earlier run left over. */
final class RunMessages implements HeadListener {
    private final Console console;
    private final Supplier<Progress> progress;

    /** @param progress of the statement that runs */
    RunMessages(Console console, Supplier<Progress> progress) {
        this.console = console;
        this.progress = progress;
    }

    @Override
    public void watching(Run previous, Duration atMost) {
        console.say("Run " + previous.number() + " of "
                + previous.started().writer().describe()
                + " did not say that it ended; watching its heartbeat for at most "
                + Text.duration(atMost) + ".");
    }

    @Override
    public void resolved(long epoch) {
        console.say("Epoch " + epoch + ", which an earlier run left open, is committed.");
    }

    @Override
    public void started(ActiveRun run) {
        progress.get().run(run.store().location(), run.identity().run());
        console.say("Run " + run.identity().run() + " of " + run.store().location() + ".");
    }

    @Override
    public void committed(long epoch, long checkpoints) {
        progress.get().committed(epoch);
    }
}
