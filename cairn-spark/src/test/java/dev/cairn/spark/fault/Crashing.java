package dev.cairn.spark.fault;

import java.util.regex.Pattern;

/** A process that dies before the n-th operation that matches, and does nothing any more from then on. */
public final class Crashing implements CrashPoints.Hook {
    private final Pattern pattern;
    private final long at;
    private long matching;
    private String diedBefore;

    private Crashing(String pattern, long at) {
        this.pattern = Pattern.compile(pattern);
        this.at = at;
    }

    /**
     * @param pattern found in the operation
     * @param at number of the matching operation, from 1
     */
    public static Crashing before(String pattern, long at) {
        return new Crashing(pattern, at);
    }

    @Override
    public synchronized void before(String operation) {
        if (diedBefore == null && pattern.matcher(operation).find() && ++matching == at) {
            diedBefore = operation;
        }
        if (diedBefore != null) {
            throw new CrashPoints.Crash();
        }
    }

    public synchronized boolean isDead() {
        return diedBefore != null;
    }

    /** The operation that was not performed, for messages. */
    public synchronized String diedBefore() {
        return diedBefore;
    }
}
