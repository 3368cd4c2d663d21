package dev.cairn.cli;

import dev.cairn.store.CheckpointStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn show}: a store, or one of its runs. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100,
        header = {"Show what a store holds: its key, destination, checkpoints and epochs; or one run of it.", ""})
final class ShowCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private StoreOptions options;

    @Parameters(index = "1", arity = "0..1", paramLabel = "RUN", description = "Number of a run, from 'cairn ls'.")
    private Long run;

    ShowCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        try (CheckpointStore store = options.open()) {
            StoreReport report = new StoreReport(store);
            if (run == null) {
                console.result(options.isJson() ? StoreOptions.toJson(report.storeAsDocument()) : report.storeAsText());
            } else {
                console.result(
                        options.isJson() ? StoreOptions.toJson(report.runAsDocument(run)) : report.runAsText(run));
            }
        }
        return 0;
    }
}
