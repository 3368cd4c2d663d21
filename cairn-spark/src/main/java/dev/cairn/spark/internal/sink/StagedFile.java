package dev.cairn.spark.internal.sink;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cairn.ErrorCondition;
import dev.cairn.StoreDamagedException;
import dev.cairn.store.Committable;
import org.apache.hadoop.fs.Path;

/**
 * A file that a task wrote out of readers' sight, and the name under which it is to be published. Both are relative to
 * the target directory and never lead outside it.
 *
 * @param staged where it lies
 * @param target where it is to be
 * @param length in bytes
 */
record StagedFile(String staged, String target, long length) {
    static final String KIND = "file";
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    StagedFile {
        requireNonNull(staged, "staged");
        requireNonNull(target, "target");
    }

    Path stagedPath(Path directory) {
        return below(directory, staged);
    }

    Path targetPath(Path directory) {
        return below(directory, target);
    }

    /** The directory that it is published in, relative to the target; empty for the target itself. */
    String directory() {
        return target.substring(0, Math.max(0, target.lastIndexOf('/')));
    }

    /** Not through a URI: the parts of the name are taken as they are. */
    private static Path below(Path directory, String relative) {
        Path path = directory;
        for (String part : relative.split("/")) {
            path = new Path(path, new Path(null, null, part));
        }
        return path;
    }

    Committable toCommittable() {
        return new Committable(KIND, VERSION, toJson().toString());
    }

    ObjectNode toJson() {
        return JSON.createObjectNode()
                .put("staged", staged)
                .put("target", target)
                .put("length", length);
    }

    static StagedFile of(Committable committable) {
        if (!committable.kind().equals(KIND)) {
            throw damaged("its kind is '" + committable.kind() + "', and files are expected", null);
        }
        if (committable.version() > VERSION) {
            throw new StoreDamagedException(
                    ErrorCondition.STORE_TOO_NEW,
                    "A committable of version " + committable.version()
                            + " was sealed by a newer Cairn; this one reads up" + " to version " + VERSION
                            + ". Use the newer Cairn.");
        }
        try {
            return of(JSON.readTree(committable.body()));
        } catch (JsonProcessingException e) {
            throw damaged("it is not JSON", e);
        }
    }

    static StagedFile of(JsonNode json) {
        JsonNode staged = json.path("staged");
        JsonNode target = json.path("target");
        JsonNode length = json.path("length");
        if (!staged.isTextual() || !target.isTextual() || !length.isIntegralNumber()) {
            throw damaged("a field is missing: " + json, null);
        }
        return new StagedFile(inside(staged.asText()), inside(target.asText()), length.asLong());
    }

    /** What the store says must never make us touch anything outside the target. */
    private static String inside(String name) {
        for (String part : name.split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..")) {
                throw damaged("the name '" + name + "' does not lie below the target", null);
            }
        }
        return name;
    }

    private static StoreDamagedException damaged(String cause, Throwable from) {
        return new StoreDamagedException(
                ErrorCondition.STORE_DAMAGED,
                "A sealed file cannot be published: " + cause + ". The store or the target's publication record was"
                        + " changed by something else than Cairn; restore it from a backup.",
                from);
    }
}
