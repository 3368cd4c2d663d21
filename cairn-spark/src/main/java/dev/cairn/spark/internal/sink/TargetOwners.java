package dev.cairn.spark.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cairn.CairnException;
import dev.cairn.ErrorCondition;
import dev.cairn.RefusedException;
import dev.cairn.StoreAccessException;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.Storage;
import dev.cairn.storage.Storages;
import dev.cairn.store.CheckpointStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * Which checkpoint stores have written to a target: each leaves a note of where it lies, {@code _cairn/STOREID/store.json}.
 *
 * <p>Several pipelines may write to one target. But when a store is deleted and its output is not, a new store in its
 * place would make the same output again, beside the old one; that is found out here.
 */
final class TargetOwners {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NOTE = "store.json";
    private static final Pattern STORE_ID = Pattern.compile("[0-9a-f-]{36}");

    private TargetOwners() {}

    /**
     * Refuses a store that is new to the target while the target holds output of one that is gone; else leaves the store's
     * note.
     *
     * @param storeLocation where the store of the layout lies
     */
    static void enter(FileLayout layout, String storeLocation, Configuration configuration) {
        try (Storage own = Storages.open(layout.own().toString(), configuration)) {
            if (own.readIfPresent(NOTE).isEmpty()) {
                requireNoOrphan(layout.target(), storeLocation, configuration);
                write(own, layout.storeId(), storeLocation);
            }
        } catch (IOException e) {
            throw new StoreAccessException(
                    ErrorCondition.STORE_ACCESS,
                    "Could not read or write below " + layout.own().getParent() + ": " + e.getMessage()
                            + ". Check that the file system answers and that the job may write there, then run it again:"
                            + " nothing has run.",
                    e);
        }
    }

    private static void write(Storage own, String storeId, String storeLocation) throws IOException {
        byte[] content = JSON.writeValueAsBytes(
                JSON.createObjectNode().put("format", 1).put("id", storeId).put("location", storeLocation));
        PendingObject object = own.create(NOTE);
        try {
            object.stream().write(content);
        } catch (IOException | RuntimeException e) {
            object.abort();
            throw e;
        }
        // Another head of the same store may have been faster, with the same content.
        object.publish();
    }

    private static void requireNoOrphan(Path target, String storeLocation, Configuration configuration)
            throws IOException {
        for (Path other : owners(target, configuration)) {
            Optional<String> location;
            try (Storage notes = Storages.open(other.toString(), configuration)) {
                location = notes.readIfPresent(NOTE).flatMap(TargetOwners::location);
            }
            if (location.isPresent() && isGone(location.get(), other.getName(), configuration)) {
                throw new RefusedException(
                        ErrorCondition.ORPHANED_OUTPUT,
                        "The target " + target + " holds output of a checkpoint store that is gone: it lay at "
                                + location.get() + " and had the id " + other.getName() + ". The store "
                                + storeLocation
                                + " is new and knows nothing of that output, so rows that are there already would be"
                                + " processed and written again. Restore the old store; or, to begin anew, delete the output"
                                + " too. If both outputs are to stand side by side, delete the directory " + other
                                + ".");
            }
        }
    }

    /** Directories of all stores that have written to the target. */
    private static List<Path> owners(Path target, Configuration configuration) throws IOException {
        try {
            return Arrays.stream(target.getFileSystem(configuration).listStatus(new Path(target, FileLayout.ROOT)))
                    .map(FileStatus::getPath)
                    .filter(path -> STORE_ID.matcher(path.getName()).matches())
                    .toList();
        } catch (FileNotFoundException absent) {
            return List.of();
        }
    }

    /** Empty if it cannot be understood; it is a help, and no reason to stop. */
    private static Optional<String> location(byte[] note) {
        try {
            JsonNode location = JSON.readTree(new String(note, UTF_8)).path("location");
            return location.isTextual() ? Optional.of(location.asText()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether that store is provably not there any more. What cannot be read may well be alive. */
    private static boolean isGone(String location, String id, Configuration configuration) {
        try (CheckpointStore other = CheckpointStore.open(location, configuration)) {
            return !other.id().equals(id);
        } catch (CairnException e) {
            return e instanceof RefusedException && e.condition() == ErrorCondition.INVALID_STORE_LOCATION;
        }
    }
}
