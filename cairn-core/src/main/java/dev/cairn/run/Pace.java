package dev.cairn.run;

import static java.util.Objects.requireNonNull;

import java.time.Clock;
import java.time.Duration;

/**
 * How a head passes time; tests bring their own.
 *
 * @param clock for the times in the log, which are for people
 * @param pause between two looks at another head's heartbeat
 */
record Pace(Clock clock, Pause pause) {
    static final Pace REAL = new Pace(Clock.systemUTC(), duration -> Thread.sleep(duration.toMillis()));

    interface Pause {
        void of(Duration duration) throws InterruptedException;
    }

    Pace {
        requireNonNull(clock, "clock");
        requireNonNull(pause, "pause");
    }
}
