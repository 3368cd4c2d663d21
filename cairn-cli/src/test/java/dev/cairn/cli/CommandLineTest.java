package dev.cairn.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The base of tests that give a command line and look at what it prints. */
abstract class CommandLineTest {
    @TempDir
    Path directory;

    /**
     * @param exitCode of the process, were it one
     * @param out results
     * @param err everything else
     */
    record Result(int exitCode, String out, String err) {}

    static Result cairn(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Main.execute(new PrintWriter(out), new PrintWriter(err), args);
        return new Result(exitCode, out.toString(), err.toString());
    }

    Result run(String sql, String... more) {
        return runFile(write("script.sql", sql), more);
    }

    Result runFile(Path script, String... more) {
        String[] args = {
            "run",
            script.toString(),
            "--master",
            "local[2]",
            "--conf",
            "spark.sql.warehouse.dir=" + directory.resolve("warehouse"),
            "--conf",
            "spark.cairn.heartbeatInterval=200ms"
        };
        String[] all = java.util.Arrays.copyOf(args, args.length + more.length);
        System.arraycopy(more, 0, all, args.length, more.length);
        return cairn(all);
    }

    Path write(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
