package dev.cairn.store;

import static dev.cairn.store.Checks.require;
import static java.util.Objects.requireNonNull;

/**
 * What a sink's task wrote and its commit needs: an Iceberg data file, a Delta add action, a staged file. The store
 * keeps it and hands it back; only the committer of the same kind reads the body.
 *
 * @param kind of committer that reads it, for example {@code file}
 * @param version of the body's format, from 1; a committer refuses one it does not know
 * @param body text in the committer's own neutral encoding (JSON, where it has the choice)
 */
public record Committable(String kind, int version, String body) {
    public Committable {
        requireNonNull(kind, "kind");
        requireNonNull(body, "body");
        require(version >= 1, "version must be at least 1: %s", version);
    }
}
