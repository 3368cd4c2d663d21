package dev.cairn.spark.fault;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A process that stands still before the first operation that matches, until it is woken. */
public final class Pausing implements CrashPoints.Hook {
    private final Pattern pattern;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch woken = new CountDownLatch(1);
    private boolean used;

    private Pausing(String pattern) {
        this.pattern = Pattern.compile(pattern);
    }

    public static Pausing at(String pattern) {
        return new Pausing(pattern);
    }

    @Override
    public void before(String operation) {
        synchronized (this) {
            if (used || !pattern.matcher(operation).find()) {
                return;
            }
            used = true;
        }
        reached.countDown();
        await(woken);
    }

    /** Waits until the process stands still. */
    public void awaitReached() {
        await(reached);
    }

    public void wake() {
        woken.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("waited in vain");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
