package dev.cairn.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Entry point of {@code bin/cairn}. */
@Command(
        name = "cairn",
        versionProvider = VersionProvider.class,
        mixinStandardHelpOptions = true,
        subcommands = {RunCommand.class, ListCommand.class, ShowCommand.class},
        synopsisSubcommandLabel = "COMMAND",
        usageHelpWidth = 100,
        header = {"Cairn makes expensive batch pipelines on Apache Spark resumable.", ""},
        description = {
            "",
            "A pipeline marks where its input is read with a checkpoint hint:",
            "",
            "    INSERT INTO embeddings",
            "    SELECT id, embed(text) FROM (SELECT /*+ CHECKPOINT('.cairn/embed-docs', 'id') */ * FROM docs)",
            "",
            "Run it, stop it, run it again: rows whose key was sealed are skipped, and what was produced from"
                    + " them is published exactly once.",
            ""
        },
        footer = {
            "",
            "Try it:",
            "    bin/cairn run examples/code-search/pipeline.sql     (stop it with Ctrl-C, then repeat)",
            "    bin/cairn ls .cairn/code-search/checkpoints",
            "",
            "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted."
        })
public final class Main implements Runnable {
    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int INTERRUPTED = 130;

    @Spec
    private CommandSpec spec;

    public static void main(String[] args) {
        // Before the first logger is made. Spark would print its INFO otherwise.
        System.setProperty("log4j2.configurationFile", "dev/cairn/cli/log4j2.properties");
        if (Arrays.asList(args).contains("--verbose")) {
            System.setProperty("cairn.log.spark", "info");
        }
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        // Only bin/cairn can tell whether stderr is a terminal.
        boolean terminal = Boolean.getBoolean("cairn.terminal");
        System.exit(execute(new Console(out, err, terminal, Integer.getInteger("cairn.columns", 0)), out, err, args));
    }

    /** Runs a command line in this process; results go to {@code out}, everything else to {@code err}. */
    static int execute(PrintWriter out, PrintWriter err, String... args) {
        return execute(new Console(out, err, false, 0), out, err, args);
    }

    private static int execute(Console console, PrintWriter out, PrintWriter err, String... args) {
        CommandLine.IFactory factory = CommandLine.defaultFactory();
        CommandLine commands = new CommandLine(new Main(), new CommandLine.IFactory() {
            @Override
            public <K> K create(Class<K> type) throws Exception {
                if (type == RunCommand.class) {
                    return type.cast(new RunCommand(console));
                }
                if (type == ListCommand.class) {
                    return type.cast(new ListCommand(console));
                }
                if (type == ShowCommand.class) {
                    return type.cast(new ShowCommand(console));
                }
                return factory.create(type);
            }
        });
        commands.setOut(out);
        commands.setErr(err);
        commands.setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF));
        commands.setParameterExceptionHandler((error, arguments) -> usage(error));
        commands.setExecutionExceptionHandler((error, command, parsed) -> {
            console.live("");
            console.say("cairn: " + Errors.describe(error));
            if (parsed.subcommand() != null && parsed.subcommand().hasMatchedOption("--verbose")) {
                error.printStackTrace(err);
            }
            return error instanceof CommandException told ? told.exitCode() : FAILED;
        });
        return commands.execute(args);
    }

    private static int usage(ParameterException error) {
        CommandLine command = error.getCommandLine();
        command.getErr().println("cairn: " + error.getMessage());
        if (!CommandLine.UnmatchedArgumentException.printSuggestions(error, command.getErr())) {
            command.getErr().println("See '" + command.getCommandSpec().qualifiedName() + " --help'.");
        }
        command.getErr().flush();
        return USAGE;
    }

    /** Without a command there is nothing to do: say what there is. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Give a command: run, ls or show.");
    }
}
