package dev.cairn.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn run}: the statements of a script, one after the other, in one embedded session. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100,
        header = {"Run a script of SQL statements in an embedded Spark session.", ""},
        description = {
            "",
            "Statements end with a semicolon. Before a statement runs,",
            "    $${env:NAME}             becomes the environment variable NAME,",
            "    $${env:NAME:-default}    the same, or the default where it is not set,",
            "    $${script:dir}           the directory of the script.",
            "",
            "Jars lie on the script's class path if they are given with --jars, or if they lie beside the script"
                    + " as a Maven module leaves them: target/*.jar and target/lib/*.jar. A jar may bring functions of its"
                    + " own (dev.cairn.cli.SqlFunctions).",
            "",
            "A statement with a checkpoint can be stopped at any time, with Ctrl-C or by a crash; the same command"
                    + " again resumes it.",
            ""
        })
final class RunCommand implements Callable<Integer> {
    /** How long an interrupted run may take to say in its store that it ended. */
    private static final long GRACE_MILLIS = 3_000;

    private final Console console;

    @Parameters(paramLabel = "SCRIPT", description = "File of SQL statements.")
    private Path file;

    @Option(
            names = "--master",
            paramLabel = "M",
            description = "Spark master. Default: local[*], all cores of this machine.")
    private String master;

    @Option(names = "--conf", paramLabel = "K=V", description = "Spark setting; may be repeated.")
    private Map<String, String> settings = Map.of();

    @Option(
            names = "--jars",
            paramLabel = "JAR",
            split = ",",
            description = "More jars, separated by commas; may be repeated.")
    private List<Path> jars = List.of();

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Rows to print of each result. Default: ${DEFAULT-VALUE}.")
    private int rows = 1000;

    @Option(names = "--full", description = "Print cells in full instead of cutting them.")
    private boolean full;

    @Option(names = "--verbose", description = "Show Spark's log, and stack traces of errors.")
    private boolean verbose;

    private volatile boolean interrupted;

    RunCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Script script = Script.read(file);
        CountDownLatch ended = new CountDownLatch(1);
        Thread onShutdown = new Thread(() -> onShutdown(ended), "interrupted");
        Runtime.getRuntime().addShutdownHook(onShutdown);
        try {
            run(script);
            return 0;
        } catch (RuntimeException e) {
            if (interrupted) {
                return Main.INTERRUPTED;
            }
            throw e;
        } finally {
            ended.countDown();
            if (!interrupted) {
                forget(onShutdown);
            }
        }
    }

    private void run(Script script) {
        console.live("Starting Spark…");
        try (Session session = Session.start(script, settings, master, jars, console)) {
            for (Statement statement : script.statements()) {
                try {
                    session.execute(statement, new Printer(console, rows, full));
                } catch (Exception e) { // Spark throws checked ones without declaring them
                    if (e instanceof CommandException told && told.exitCode() == Main.USAGE) {
                        throw told;
                    }
                    throw CommandException.failure(
                            "statement " + statement.number() + " of "
                                    + script.statements().size() + " failed (line " + statement.line() + ": "
                                    + statement.headline() + ")\n" + Errors.describe(e),
                            e);
                }
            }
        } finally {
            console.live("");
        }
    }

    /**
     * Ctrl-C, or kill. Whatever runs may be stopped at any instant; it is only given a moment to say that it ended, which
     * spares the next run the wait for its heartbeat.
     */
    private void onShutdown(CountDownLatch ended) {
        interrupted = true;
        console.sayLast("Interrupted; run the same command again to resume.");
        if (!verbose) {
            // Libraries that are stopped in the middle complain, past every log.
            System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        }
        try {
            SparkSession.getActiveSession().foreach(spark -> {
                spark.sparkContext().cancelAllJobs();
                return null;
            });
            ended.await(GRACE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException | RuntimeException e) {
            // The process ends either way.
        }
        Runtime.getRuntime().halt(Main.INTERRUPTED);
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // Interrupted in the very moment of ending: the hook runs.
        }
    }
}
