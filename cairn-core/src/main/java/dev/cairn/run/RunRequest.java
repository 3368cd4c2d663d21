package dev.cairn.run;

import static java.util.Objects.requireNonNull;

import dev.cairn.key.KeySchema;
import dev.cairn.store.Mode;
import dev.cairn.store.Sealing;
import dev.cairn.store.Writer;
import java.time.Duration;

/**
 * A run that somebody wants to start. Its destination is the committer's.
 *
 * @param writer who runs it; its nonce is the run's
 * @param keys types and names of the key columns
 * @param mode what the store remembers
 * @param sealing what is sealed at once
 * @param heartbeatInterval how often the head shows that it lives; positive
 * @param takeover start even while another run is visibly alive
 */
public record RunRequest(
        Writer writer, KeySchema keys, Mode mode, Sealing sealing, Duration heartbeatInterval, boolean takeover) {
    public RunRequest {
        requireNonNull(writer, "writer");
        requireNonNull(keys, "keys");
        requireNonNull(mode, "mode");
        requireNonNull(sealing, "sealing");
        if (heartbeatInterval.isNegative() || heartbeatInterval.isZero()) {
            throw new IllegalArgumentException("heartbeat interval must be positive: " + heartbeatInterval);
        }
    }
}
