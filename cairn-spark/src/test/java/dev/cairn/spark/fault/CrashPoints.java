package dev.cairn.spark.fault;

import java.io.IOException;

/**
 * Where processes can be made to die: before the operations at a location with the scheme
 * {@value #SCHEME}, in a checkpoint store ({@link CrashStorage}) as well as below a target directory ({@link
 * CrashFileSystem}). Such a location is the local directory of that path.
 *
 * <p>An operation is named by a verb and the path it concerns: {@code create}, {@code publish}, {@code reply to} (after
 * a publication), {@code open} (of an object of a store), {@code overwrite}, {@code delete}, {@code clean}, {@code
 * rename} (with the new path), {@code mkdirs}.
 */
public final class CrashPoints {
    public static final String SCHEME = "crash";

    /** What happens before an operation: nothing, a halt, a wait, an exception. */
    @FunctionalInterface
    public interface Hook {
        Hook NONE = operation -> {};

        void before(String operation) throws IOException;
    }

    /** The process is dead. An error, so that nothing that handles exceptions handles it. */
    public static final class Crash extends Error {
        private static final long serialVersionUID = 1L;

        public Crash() {
            super("crashed on purpose", null, false, false);
        }
    }

    private static volatile Hook hook = Hook.NONE;

    private CrashPoints() {}

    public static void set(Hook newHook) {
        hook = newHook;
    }

    static void before(String operation) throws IOException {
        hook.before(operation);
    }
}
