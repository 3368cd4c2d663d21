package dev.cairn.internal.log;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Identifies one process among all processes of all machines, as Linux' {@code /proc} tells it. Lets a restart on the
 * same machine see at once that the head before it is gone, instead of watching for a heartbeat that cannot come.
 *
 * @param pid process id within its namespace
 * @param startTicks when it started, in clock ticks since boot: tells it from a later process with the same id. Unlike
 *     wall-clock times it does not move when the clock is adjusted.
 * @param bootId random id of the machine's boot
 * @param pidNamespace in which the process id means something: containers have their own
 */
public record ProcessMark(long pid, long startTicks, String bootId, String pidNamespace) {
    private static final Path PROC = Path.of("/proc");

    public ProcessMark {
        requireNonNull(bootId, "bootId");
        requireNonNull(pidNamespace, "pidNamespace");
    }

    /** This process; empty where there is no {@code /proc} that tells. */
    public static Optional<ProcessMark> current() {
        return current(PROC, ProcessHandle.current().pid());
    }

    static Optional<ProcessMark> current(Path proc, long pid) {
        try {
            return Optional.of(new ProcessMark(pid, startTicks(proc, pid), bootId(proc), pidNamespace(proc)));
        } catch (IOException | RuntimeException unknown) {
            return Optional.empty();
        }
    }

    /** Whether the process is known to have ended. False means only that it cannot be told. */
    public boolean isGone() {
        return isGone(PROC);
    }

    boolean isGone(Path proc) {
        try {
            // Process ids of another machine, an earlier boot or another container say nothing here.
            if (!bootId.equals(bootId(proc)) || !pidNamespace.equals(pidNamespace(proc))) {
                return false;
            }
            // Where /proc hides other users' processes, process 1 is hidden too: then absence proves nothing.
            startTicks(proc, 1);
            return startTicks(proc, pid) != startTicks;
        } catch (NoSuchFileException absent) {
            return absent.getFile() != null
                    && absent.getFile().equals(stat(proc, pid).toString());
        } catch (IOException | RuntimeException unknown) {
            return false;
        }
    }

    private static String bootId(Path proc) throws IOException {
        return Files.readString(proc.resolve("sys/kernel/random/boot_id")).strip();
    }

    private static String pidNamespace(Path proc) throws IOException {
        return Files.readSymbolicLink(proc.resolve("self/ns/pid")).toString();
    }

    private static Path stat(Path proc, long pid) {
        return proc.resolve(Long.toString(pid)).resolve("stat");
    }

    /** Field 22 of {@code stat}; the second field is the program's name in parentheses and may hold anything. */
    private static long startTicks(Path proc, long pid) throws IOException {
        String stat = Files.readString(stat(proc, pid), java.nio.charset.StandardCharsets.ISO_8859_1);
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19]);
    }
}
