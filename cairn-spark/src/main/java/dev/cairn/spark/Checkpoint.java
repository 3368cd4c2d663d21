package dev.cairn.spark;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.apache.spark.sql.Dataset;

/**
 * Marks a point of a plan, the safe way: {@code Checkpoint.at("s3a://checkpoints/embed").on("file_id").applyTo(df)}. The
 * same as the hint, but fails where the session runs without Cairn, instead of being ignored. Also for {@link
 * Dataset#transform}: {@code df.transform(Checkpoint.at(…).on(…)::applyTo)}.
 */
public final class Checkpoint {
    private final String store;
    private final List<String> columns;

    private Checkpoint(String store, List<String> columns) {
        this.store = store;
        this.columns = columns;
    }

    /** @param store location of the checkpoint store; created by the first run */
    public static At at(String store) {
        return new At(requireNonNull(store, "store"));
    }

    /** A checkpoint that still lacks its key. */
    public static final class At {
        private final String store;

        private At(String store) {
            this.store = store;
        }

        /** @param column whose values, together with those of the others, identify an input row */
        public Checkpoint on(String column, String... others) {
            java.util.ArrayList<String> columns = new java.util.ArrayList<>();
            columns.add(requireNonNull(column, "column"));
            columns.addAll(List.of(others));
            return new Checkpoint(store, List.copyOf(columns));
        }
    }

    /**
     * The frame with the checkpoint on top. Nothing runs.
     *
     * @throws CheckpointException if the session runs without Cairn, or a column cannot be a key
     */
    public <T> Dataset<T> applyTo(Dataset<T> frame) {
        Cairn.requireActive(frame.sparkSession());
        Object[] arguments = new Object[columns.size() + 1];
        arguments[0] = store;
        for (int i = 0; i < columns.size(); i++) {
            arguments[i + 1] = columns.get(i);
        }
        return frame.hint("checkpoint", arguments);
    }
}
