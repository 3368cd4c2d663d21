package dev.cairn.cli;

import java.time.Duration;
import java.util.Locale;

/** Figures as people write them. */
final class Text {
    private Text() {}

    static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** {@code 1 row}, {@code 12,345 rows}. */
    static String count(long number, String noun) {
        return count(number) + " " + noun + (number == 1 ? "" : "s");
    }

    /** {@code 0.4 s}, {@code 2 min 5 s}, {@code 3 h 10 min}. */
    static String duration(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds < 10) {
            return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
        }
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        return seconds / 3600 + " h " + seconds % 3600 / 60 + " min";
    }
}
