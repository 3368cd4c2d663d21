package dev.cairn.spark.fault;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A Java process with this one's class path and what Spark needs, so that something real can be killed. */
public final class Jvm implements AutoCloseable {
    private static final long MINUTES = 4;

    private final Process process;
    private final Path log;

    private Jvm(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * @param log where its output goes
     * @param options of the virtual machine
     */
    public static Jvm start(
            Path log, Map<String, String> environment, List<String> options, Class<?> main, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-")
                        || argument.startsWith("-Djdk.")
                        || argument.startsWith("-Dio.netty."))
                .forEach(command::add);
        command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
        command.addAll(options);
        command.add(main.getName());
        command.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().putAll(environment);
        return new Jvm(builder.start(), log);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits until the condition holds or the process has ended; true if the condition held in its life. */
    public boolean awaitWhileAlive(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
        while (!condition.getAsBoolean()) {
            if (!process.isAlive()) {
                return false;
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("waited in vain: " + output());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return process.isAlive();
    }

    /** SIGKILL. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Its exit value. */
    public int await() throws InterruptedException {
        if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
            throw new IllegalStateException("does not end: " + output());
        }
        return process.exitValue();
    }

    /** What it has printed. */
    public String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
