package dev.cairn.store;

import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of a store's objects. A name is ours only if it matches exactly. */
final class StoreNames {
    static final String STORE_FILE = "store.json";
    static final String HEARTBEAT = "heartbeat";
    static final String LOG = "log";
    static final String CHECKPOINTS = "checkpoints";

    private static final Pattern LOG_ENTRY = Pattern.compile(LOG + "/([0-9]{20})\\.json");
    private static final Pattern CHECKPOINT = Pattern.compile("[0-9]{20}/([0-9]{10})(\\.job)?\\.parquet");

    private StoreNames() {}

    static String logEntry(long number) {
        return String.format(Locale.ROOT, "%s/%020d.json", LOG, number);
    }

    static OptionalLong logEntryNumber(String name) {
        Matcher matcher = LOG_ENTRY.matcher(name);
        return matcher.matches() ? parse(matcher.group(1)) : OptionalLong.empty();
    }

    static String checkpoints(long run) {
        return String.format(Locale.ROOT, "%s/%020d", CHECKPOINTS, run);
    }

    static String checkpoint(CheckpointId id, Sealing sealing) {
        return String.format(Locale.ROOT, "%s/%010d%s", checkpoints(id.run()), id.partition(), suffix(sealing));
    }

    private static String suffix(Sealing sealing) {
        return switch (sealing) {
            case TASK -> ".parquet";
            case JOB -> ".job.parquet";
        };
    }

    /** Whether this names a checkpoint of either kind. */
    static boolean isCheckpoint(String name) {
        return partition(name, Sealing.TASK).isPresent()
                || partition(name, Sealing.JOB).isPresent();
    }

    /** The partition of a checkpoint of that kind. */
    static OptionalInt partition(String name, Sealing sealing) {
        if (!name.startsWith(CHECKPOINTS + "/")) {
            return OptionalInt.empty();
        }
        Matcher matcher = CHECKPOINT.matcher(name.substring(CHECKPOINTS.length() + 1));
        if (!matcher.matches() || (matcher.group(2) != null) != (sealing == Sealing.JOB)) {
            return OptionalInt.empty();
        }
        long partition = Long.parseLong(matcher.group(1));
        return partition <= Integer.MAX_VALUE ? OptionalInt.of((int) partition) : OptionalInt.empty();
    }

    private static OptionalLong parse(String digits) {
        try {
            return OptionalLong.of(Long.parseLong(digits));
        } catch (NumberFormatException tooLarge) {
            return OptionalLong.empty();
        }
    }
}
