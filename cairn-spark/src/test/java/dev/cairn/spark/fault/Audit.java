package dev.cairn.spark.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cairn.store.CheckpointStore;
import dev.cairn.store.StoreState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/** Looks at a store and a target directory from the outside, and finds what should not be there. */
public final class Audit {
    /** {@code .pending} holds what a killed process began to write; it ages away. */
    private static final String OF_TARGET = "(\\.?part-\\d{5}-[0-9a-f-]{36}-r\\d+\\S*\\.parquet(\\.crc)?"
            + "|\\.?_SUCCESS(\\.crc)?"
            + "|_cairn/[0-9a-f-]{36}/store\\.json"
            + "|_cairn/[0-9a-f-]{36}/epochs/\\d{20}\\.(json|published-\\d{10})"
            + "|_cairn/[0-9a-f-]{36}/\\.pending/(epochs\\+|store\\.json)\\S+)";

    private static final String OF_STORE = "(store\\.json|heartbeat|log/\\d{20}\\.json"
            + "|checkpoints/\\d{20}/\\d{10}\\.parquet"
            + "|\\.pending/(log|store|heartbeat)\\S*)";

    private Audit() {}

    /** Everything below the directory that a user could stumble over, hidden files included. */
    public static List<String> files(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    /** After a run that succeeded: nothing is staged, pending, open or foreign, and the log can be read. */
    public static StoreState assertSettled(String store, Path storeDirectory, Path target) throws IOException {
        assertThat(files(target)).as("files of the target").allSatisfy(name -> assertThat(name)
                .matches(OF_TARGET));
        assertThat(files(storeDirectory)).as("objects of the store").allSatisfy(name -> assertThat(name)
                .matches(OF_STORE));
        StoreState state = fold(store);
        assertThat(state.openEpoch()).as("open epoch").isEmpty();
        assertThat(state.pending().size()).as("pending checkpoints").isZero();
        return state;
    }

    public static StoreState fold(String store) {
        try (CheckpointStore opened = CheckpointStore.open(store, new Configuration())) {
            return opened.fold();
        }
    }
}
