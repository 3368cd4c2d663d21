package dev.cairn.store;

import static java.util.Objects.requireNonNull;

/**
 * Where a store's pipeline publishes to. A store is bound to one destination by its first run.
 *
 * @param kind of the sink, for example {@code file}, {@code iceberg}; {@code none} for jobs without a sink of ours
 * @param identity what stays the same as long as it is the same destination: a path, a table's UUID and branch; empty
 *     for {@code none}
 */
public record Destination(String kind, String identity) {
    /** Jobs whose output Cairn does not publish: collect, foreachPartition, side effects. */
    public static final Destination NONE = new Destination("none", "");

    public Destination {
        requireNonNull(kind, "kind");
        requireNonNull(identity, "identity");
    }

    public boolean isNone() {
        return equals(NONE);
    }

    @Override
    public String toString() {
        return isNone() ? "no sink" : kind + " " + identity;
    }
}
