package dev.cairn.spark.internal.sink;

import dev.cairn.ErrorCondition;
import dev.cairn.OutputLostException;
import dev.cairn.RefusedException;
import dev.cairn.StoreAccessException;
import dev.cairn.commit.CommitOutcome;
import dev.cairn.commit.Committer;
import dev.cairn.commit.EpochTag;
import dev.cairn.commit.Presence;
import dev.cairn.storage.Storage;
import dev.cairn.storage.Storages;
import dev.cairn.store.Committable;
import dev.cairn.store.Destination;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Publishes epochs of files in a directory.
 *
 * <p>The decisive point of a commit is the creation of the epoch's record: the first head to create it decides which
 * files the epoch has. After that the files are renamed, one by one, and anybody may finish what a killed head began,
 * because a rename from a name that only this checkpoint has to a name that only this checkpoint has can be repeated.
 */
public final class FileCommitter implements Committer {
    private final FileLayout layout;
    private final FileSystem fileSystem;
    private final Storage own;
    private final PublicationLog publications;
    private final String storeLocation;
    private final Configuration configuration;
    private final boolean missingOutputAllowed;

    /**
     * @param target directory that is written to, qualified
     * @param storeId the store's UUID
     * @param storeLocation where the store lies, for people and to find it again
     * @param missingOutputAllowed whether a run may start although the target has lost the record of what the store
     *     published there
     * @throws dev.cairn.RefusedException if the target's file system has no atomic creation of files
     */
    public FileCommitter(
            Path target,
            String storeId,
            String storeLocation,
            boolean missingOutputAllowed,
            Configuration configuration) {
        this.storeLocation = storeLocation;
        this.configuration = configuration;
        this.missingOutputAllowed = missingOutputAllowed;
        this.layout = new FileLayout(target, storeId);
        try {
            this.fileSystem = target.getFileSystem(configuration);
            this.own = Storages.open(layout.own().toString(), configuration);
        } catch (IOException e) {
            throw access("open", target, e);
        }
        this.publications = new PublicationLog(own);
    }

    /** Refuses a store and a target that lie inside each other. Creates nothing. */
    public static void requireApart(String store, Path target, Configuration configuration) {
        try (Storage ofStore = Storages.open(store, configuration);
                Storage ofTarget = Storages.open(target.toString(), configuration)) {
            String storeLocation = ofStore.location();
            String targetLocation = ofTarget.location();
            if ((storeLocation + "/").startsWith(targetLocation + "/")
                    || (targetLocation + "/").startsWith(storeLocation + "/")) {
                throw new RefusedException(
                        ErrorCondition.INVALID_STORE_LOCATION,
                        "The checkpoint store " + storeLocation + " and the target " + targetLocation
                                + " lie inside each"
                                + " other, so readers of the target would read the store's files. Put the store"
                                + " elsewhere, for example beside the target.");
            }
        } catch (IOException e) {
            throw access("open", target, e);
        }
    }

    @Override
    public Destination destination() {
        return new Destination(StagedFile.KIND, layout.target().toString());
    }

    @Override
    public String base() {
        return "";
    }

    @Override
    public OptionalLong highestEpoch(String storeId) {
        try {
            return publications.highestEpoch();
        } catch (IOException e) {
            throw access("list", layout.own(), e);
        }
    }

    @Override
    public void beforeRun(boolean publishedBefore) {
        if (publishedBefore
                && !missingOutputAllowed
                && highestEpoch(layout.storeId()).isEmpty()) {
            throw new OutputLostException(
                    ErrorCondition.OUTPUT_LOST,
                    "The output of the checkpoint store with the id " + layout.storeId() + " is gone from "
                            + layout.target() + ": the store has published there, and the record of it, "
                            + layout.own() + ", does not exist. The rows of that output count as processed, so this run"
                            + " would not make them again. To begin anew, delete the store too, or name a new one. If the"
                            + " output was moved elsewhere on purpose, set spark.cairn.missingOutput=allowed for one run; and"
                            + " leave the directory " + FileLayout.ROOT + " in its place the next time.");
        }
        TargetOwners.enter(layout, storeLocation, configuration);
    }

    /** Directories below the target, relative to it, that the newest epoch published files in. */
    public Set<String> directoriesOfNewestEpoch() {
        try {
            OptionalLong newest = publications.highestEpoch();
            return newest.isEmpty()
                    ? Set.of()
                    : publications.read(newest.getAsLong()).orElseThrow().files().stream()
                            .map(StagedFile::directory)
                            .collect(Collectors.toSet());
        } catch (IOException e) {
            throw access("read the record of published files in", layout.own(), e);
        }
    }

    @Override
    public Presence isCommitted(EpochTag tag, String base) {
        requireOwn(tag);
        try {
            Optional<Publication> begun = publications.read(tag.epoch());
            if (begun.isEmpty()) {
                return new Presence.Absent();
            }
            publish(begun.get());
            return new Presence.Committed(begun.get().nonce());
        } catch (IOException e) {
            throw access("publish files in", layout.target(), e);
        }
    }

    @Override
    public CommitOutcome commit(EpochTag tag, String base, List<Committable> committables) {
        requireOwn(tag);
        List<StagedFile> files = committables.stream().map(StagedFile::of).toList();
        Publication publication;
        try {
            publication = publications.decide(new Publication(tag.epoch(), tag.nonce(), files));
        } catch (IOException e) {
            return new CommitOutcome.Unknown(
                    "The record of epoch " + tag.epoch() + " in " + layout.own() + " may or may not have been written.",
                    e);
        }
        try {
            publish(publication);
        } catch (IOException e) {
            return new CommitOutcome.Unknown(
                    "Not all files of epoch " + tag.epoch() + " could be published in " + layout.target() + ".", e);
        }
        return new CommitOutcome.Committed(publication.nonce());
    }

    private void requireOwn(EpochTag tag) {
        if (!tag.storeId().equals(layout.storeId())) {
            throw new IllegalArgumentException(
                    "an epoch of store " + tag.storeId() + " for the committer of store " + layout.storeId());
        }
    }

    private void publish(Publication publication) throws IOException {
        List<StagedFile> files = publication.files();
        int done = publications.published(publication.epoch());
        while (done < files.size() || done == 0) {
            int end = Math.min(files.size(), done + PublicationLog.BATCH);
            List<Path> directories = new ArrayList<>();
            for (StagedFile file : files.subList(done, end)) {
                Path target = file.targetPath(layout.target());
                publish(file, target, publication.epoch());
                if (!directories.contains(target.getParent())) {
                    directories.add(target.getParent());
                }
            }
            for (Path directory : directories) {
                FileDurability.force(directory);
            }
            publications.recordPublished(publication.epoch(), end);
            if (end == files.size()) {
                publications.removeLeftovers();
                return;
            }
            done = end;
        }
    }

    private void publish(StagedFile file, Path target, long epoch) throws IOException {
        Path staged = file.stagedPath(layout.target());
        if (!exists(staged)) {
            if (exists(target)) {
                return;
            }
            throw new OutputLostException(
                    ErrorCondition.OUTPUT_LOST,
                    "Epoch " + epoch + " cannot be completed: the file " + staged
                            + " is gone, and it was not published as "
                            + target
                            + " either. Somebody deleted it. Restore it and run the job again; or begin anew with a new"
                            + " store and an empty target.");
        }
        fileSystem.mkdirs(target.getParent());
        IOException failed = null;
        try {
            if (fileSystem.rename(staged, target)) {
                return;
            }
        } catch (IOException e) {
            failed = e;
        }
        // Another head may be finishing the same epoch, and have been faster with this file.
        if (exists(staged) || !exists(target)) {
            throw failed != null
                    ? failed
                    : new IOException("The file system did not rename " + staged + " to " + target + ".");
        }
    }

    private boolean exists(Path path) throws IOException {
        return find(path).isPresent();
    }

    private Optional<FileStatus> find(Path path) throws IOException {
        try {
            return Optional.of(fileSystem.getFileStatus(path));
        } catch (FileNotFoundException absent) {
            return Optional.empty();
        }
    }

    @Override
    public List<String> missing(Collection<Committable> committables) {
        List<String> missing = new ArrayList<>();
        try {
            for (Committable committable : committables) {
                StagedFile file = StagedFile.of(committable);
                Path staged = file.stagedPath(layout.target());
                Optional<FileStatus> status = find(staged);
                if (status.isEmpty() && !exists(file.targetPath(layout.target()))) {
                    missing.add(staged.toString());
                } else if (status.isPresent() && status.get().getLen() != file.length()) {
                    missing.add(
                            staged + " (it has " + status.get().getLen() + " bytes instead of " + file.length() + ")");
                }
            }
        } catch (IOException e) {
            throw access("look for staged files in", layout.own(), e);
        }
        return missing;
    }

    private static StoreAccessException access(String what, Path where, IOException cause) {
        return new StoreAccessException(
                ErrorCondition.STORE_ACCESS,
                "Could not " + what + " " + where + ": " + cause.getMessage()
                        + ". Check that the file system answers and"
                        + " that the job may write there, then run it again: nothing is lost.",
                cause);
    }

    @Override
    public void close() {
        try {
            own.close();
        } catch (IOException e) {
            throw access("close", layout.own(), e);
        }
    }
}
