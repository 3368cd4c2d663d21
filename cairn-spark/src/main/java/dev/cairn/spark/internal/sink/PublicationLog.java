package dev.cairn.spark.internal.sink;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cairn.ErrorCondition;
import dev.cairn.StoreDamagedException;
import dev.cairn.storage.ObjectInfo;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.Storage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of a store's epochs in a target directory. An epoch's record is created once, and whoever creates it has
 * decided the epoch. Beside it, in steps of {@value #BATCH} files, stands how far its publication got: a file that is
 * neither staged nor published is lost unless the record says that it was published, in which case somebody has moved
 * it on.
 */
final class PublicationLog {
    static final int BATCH = 100;
    /** A record takes moments to write: what is older than this was left by a dead head. */
    private static final Duration LEFTOVER_AGE = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(PublicationLog.class);
    private static final int FORMAT = 1;
    private static final String DIRECTORY = "epochs";
    private static final Pattern RECORD = Pattern.compile("epochs/(\\d{20})\\.json");
    private static final Pattern PROGRESS = Pattern.compile("epochs/(\\d{20})\\.published-(\\d{10})");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Storage storage;

    PublicationLog(Storage storage) {
        this.storage = storage;
    }

    OptionalLong highestEpoch() throws IOException {
        OptionalLong highest = OptionalLong.empty();
        for (ObjectInfo object : storage.list(DIRECTORY)) {
            Matcher matcher = RECORD.matcher(object.name());
            if (matcher.matches()) {
                long epoch = Long.parseLong(matcher.group(1));
                highest = OptionalLong.of(Math.max(epoch, highest.orElse(epoch)));
            }
        }
        return highest;
    }

    Optional<Publication> read(long epoch) throws IOException {
        Optional<byte[]> content = storage.readIfPresent(recordName(epoch));
        return content.isEmpty() ? Optional.empty() : Optional.of(parse(epoch, content.get()));
    }

    /**
     * Records the publication if the epoch has no record yet.
     *
     * @return the epoch's record: the given one, or the one that was there first
     */
    Publication decide(Publication publication) throws IOException {
        String name = recordName(publication.epoch());
        IOException lostReply = null;
        try {
            if (create(name, format(publication)) == PendingObject.Publication.PUBLISHED) {
                return publication;
            }
        } catch (IOException e) {
            lostReply = e;
        }
        Optional<Publication> recorded = read(publication.epoch());
        if (recorded.isEmpty()) {
            throw lostReply != null ? lostReply : new IOException(name + " is taken, but cannot be read.");
        }
        return recorded.get();
    }

    /** How many files of the epoch are known to be published. */
    int published(long epoch) throws IOException {
        int published = 0;
        for (ObjectInfo object : storage.list(DIRECTORY)) {
            Matcher matcher = PROGRESS.matcher(object.name());
            if (matcher.matches() && Long.parseLong(matcher.group(1)) == epoch) {
                published = Math.max(published, Integer.parseInt(matcher.group(2)));
            }
        }
        return published;
    }

    void recordPublished(long epoch, int files) throws IOException {
        // Another head may be finishing the same epoch: then the record is there already, which is as good.
        create(String.format("%s/%020d.published-%010d", DIRECTORY, epoch, files), new byte[0]);
    }

    /** Removes what killed heads began to write. Failing to clean harms nobody; the next epoch tries again. */
    void removeLeftovers() {
        try {
            storage.removeLeftovers(DIRECTORY, LEFTOVER_AGE);
        } catch (IOException e) {
            LOG.warn("Could not remove leftovers in {}; a later run will", storage.location(), e);
        }
    }

    private PendingObject.Publication create(String name, byte[] content) throws IOException {
        PendingObject object = storage.create(name);
        boolean written = false;
        try {
            object.stream().write(content);
            written = true;
        } finally {
            if (!written) {
                object.abort();
            }
        }
        return object.publish();
    }

    private static String recordName(long epoch) {
        return String.format("%s/%020d.json", DIRECTORY, epoch);
    }

    private static byte[] format(Publication publication) throws IOException {
        ObjectNode json = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("epoch", publication.epoch())
                .put("nonce", publication.nonce());
        ArrayNode files = json.putArray("files");
        publication.files().forEach(file -> files.add(file.toJson()));
        return JSON.writeValueAsBytes(json);
    }

    private Publication parse(long epoch, byte[] content) {
        JsonNode json;
        try {
            json = JSON.readTree(content);
        } catch (IOException e) {
            throw damaged(epoch, "it is not JSON", e);
        }
        if (json.path("format").asInt(0) > FORMAT) {
            throw new StoreDamagedException(
                    ErrorCondition.STORE_TOO_NEW,
                    "The publication record " + storage.location() + "/" + recordName(epoch) + " has format "
                            + json.path("format").asInt() + "; this Cairn reads up to " + FORMAT
                            + ". Use the newer Cairn.");
        }
        if (json.path("format").asInt(0) < 1
                || json.path("epoch").asLong(-1) != epoch
                || !json.path("nonce").isTextual()
                || !json.path("files").isArray()) {
            throw damaged(epoch, "a field is missing or wrong", null);
        }
        List<StagedFile> files = new ArrayList<>();
        json.path("files").forEach(file -> files.add(StagedFile.of(file)));
        return new Publication(epoch, json.path("nonce").asText(), files);
    }

    private StoreDamagedException damaged(long epoch, String cause, IOException from) {
        return new StoreDamagedException(
                ErrorCondition.STORE_DAMAGED,
                "The publication record " + storage.location() + "/" + recordName(epoch) + " cannot be used: " + cause
                        + ". Restore it from a backup.",
                from);
    }
}
