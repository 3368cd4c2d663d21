package dev.cairn.spark.fault;

import java.util.regex.Pattern;

/** Takes the whole process down, as the kernel does, before the n-th operation that matches. */
public final class Halting implements CrashPoints.Hook {
    private final Pattern pattern;
    private final long at;
    private long matching;

    private Halting(String pattern, long at) {
        this.pattern = Pattern.compile(pattern);
        this.at = at;
    }

    public static Halting before(String pattern, long at) {
        return new Halting(pattern, at);
    }

    @Override
    public synchronized void before(String operation) {
        if (pattern.matcher(operation).find() && ++matching == at) {
            Runtime.getRuntime().halt(137);
        }
    }
}
