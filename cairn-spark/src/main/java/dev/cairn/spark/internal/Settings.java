package dev.cairn.spark.internal;

import dev.cairn.ErrorCondition;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.apache.spark.network.util.JavaUtils;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Cairn's settings, one typed definition each. All are session settings: {@code --conf}, {@code spark.conf.set} or SQL's
 * {@code SET}.
 */
public final class Settings {
    private static final String PREFIX = "spark.cairn.";

    /**
     * One setting.
     *
     * @param name full name
     * @param defaultText default as one would write it
     * @param meaning what it does, with unit and range
     * @param parser from text; {@link IllegalArgumentException} for a value it cannot have
     */
    public record Setting<T>(String name, String defaultText, String meaning, Function<String, T> parser) {
        /** Its value in a session. */
        public T in(SQLConf conf) {
            String text = conf.getConfString(name, defaultText);
            try {
                return parser.apply(text.trim());
            } catch (IllegalArgumentException e) {
                throw SparkErrors.refuse(
                        ErrorCondition.INVALID_SETTING,
                        "The setting " + name + " cannot be '" + text + "': " + meaning + " Set it to a value such as '"
                                + defaultText + "', its default.");
            }
        }
    }

    public static final Setting<Boolean> TAKEOVER = new Setting<>(
            PREFIX + "takeover",
            "false",
            "true starts a run even while another run on the same store is visibly alive; the other one then fails.",
            Settings::parseBoolean);

    public static final Setting<Duration> HEARTBEAT_INTERVAL = new Setting<>(
            PREFIX + "heartbeatInterval",
            "5s",
            "how often a running head shows that it lives, from 100ms to 10min. A run that follows one that never ended"
                    + " watches for at most three of them.",
            text -> {
                Duration interval = Duration.ofMillis(JavaUtils.timeStringAsMs(text));
                if (interval.toMillis() < 100 || interval.toMinutes() > 10) {
                    throw new IllegalArgumentException(text);
                }
                return interval;
            });

    public static final Setting<Boolean> KEY_SPANNING_ALLOWED = new Setting<>(
            PREFIX + "keySpanning",
            "refused",
            "'refused' stops a run that finds one key sealed by several tasks of a run that did not succeed; 'allowed'"
                    + " accepts that such rows may be lost.",
            Settings::parseAllowed);

    public static final Setting<Boolean> MISSING_OUTPUT_ALLOWED = new Setting<>(
            PREFIX + "missingOutput",
            "refused",
            "'refused' stops a run whose target has lost the record of what the store published there, as when its output"
                    + " was deleted; 'allowed' goes on, and what was published is not made again.",
            Settings::parseAllowed);

    /** All of them, by name. */
    public static final List<Setting<?>> ALL =
            List.of(HEARTBEAT_INTERVAL, KEY_SPANNING_ALLOWED, MISSING_OUTPUT_ALLOWED, TAKEOVER);

    /** So many wrong letters are taken for a slip. */
    private static final int NEARLY = 4;

    private Settings() {}

    private static Boolean parseAllowed(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "refused" -> false;
            case "allowed" -> true;
            default -> throw new IllegalArgumentException(text);
        };
    }

    private static Boolean parseBoolean(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(text);
        };
    }

    /** Refuses names below {@code spark.cairn.} that mean nothing: a mistyped setting must not be ignored. */
    public static void refuseUnknown(SQLConf conf) {
        List<String> known = ALL.stream().map(Setting::name).toList();
        for (String name : ScalaInterop.map(conf.getAllConfs()).keySet()) {
            if (name.startsWith(PREFIX) && !known.contains(name)) {
                String nearest = known.stream()
                        .min(java.util.Comparator.comparingInt(candidate -> distance(name, candidate)))
                        .orElseThrow();
                throw SparkErrors.refuse(
                        ErrorCondition.INVALID_SETTING,
                        "There is no setting " + name + "."
                                + (distance(name, nearest) <= NEARLY ? " Did you mean " + nearest + "?" : "")
                                + " Known are " + String.join(", ", known) + ".");
            }
        }
    }

    private static int distance(String a, String b) {
        return org.apache.commons.text.similarity.LevenshteinDistance.getDefaultInstance()
                .apply(a, b);
    }
}
