package dev.cairn.cli;

import dev.cairn.store.CheckpointStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code cairn ls}: a store's runs. */
@Command(
        name = "ls",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100,
        header = {"List the runs of a store, with what became of them.", ""})
final class ListCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private StoreOptions options;

    ListCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        try (CheckpointStore store = options.open()) {
            StoreReport report = new StoreReport(store);
            console.result(options.isJson() ? StoreOptions.toJson(report.runsAsDocument()) : report.runsAsText());
        }
        return 0;
    }
}
