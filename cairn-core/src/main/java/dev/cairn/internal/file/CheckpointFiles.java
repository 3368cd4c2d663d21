package dev.cairn.internal.file;

import static java.util.Objects.requireNonNull;

import dev.cairn.ErrorCondition;
import dev.cairn.StoreAccessException;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.Storage;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.CheckpointStore;
import dev.cairn.store.Sealing;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import org.apache.parquet.io.InputFile;

/** The part of a store that tasks and filters need: its files of keys. Implementations are thread-safe. */
public interface CheckpointFiles {
    /** Starts a checkpoint's file. */
    PendingObject create(CheckpointId id, Sealing sealing);

    /** The checkpoint if its file exists. */
    Optional<Checkpoint> find(CheckpointId id, Sealing sealing);

    /** For reading a checkpoint's keys. */
    InputFile open(CheckpointId id, Sealing sealing);

    /** For reading another key file. */
    InputFile open(String object);

    /** The files of a store. */
    static CheckpointFiles of(CheckpointStore store) {
        requireNonNull(store, "store");
        return new CheckpointFiles() {
            @Override
            public PendingObject create(CheckpointId id, Sealing sealing) {
                return store.createCheckpoint(id, sealing);
            }

            @Override
            public Optional<Checkpoint> find(CheckpointId id, Sealing sealing) {
                return store.findCheckpoint(id, sealing);
            }

            @Override
            public InputFile open(CheckpointId id, Sealing sealing) {
                return store.openCheckpoint(id, sealing);
            }

            @Override
            public InputFile open(String object) {
                return CheckpointFiles.open(store.storage(), object);
            }
        };
    }

    /** The files in a storage that holds no other parts of a store. */
    static CheckpointFiles in(Storage storage) {
        requireNonNull(storage, "storage");
        return new CheckpointFiles() {
            @Override
            public PendingObject create(CheckpointId id, Sealing sealing) {
                String name = FileFormat.name(id, sealing);
                try {
                    return storage.create(name);
                } catch (IOException e) {
                    throw new StoreAccessException(
                            ErrorCondition.STORE_ACCESS, "The object " + name + " could not be created: " + e, e);
                }
            }

            @Override
            public Optional<Checkpoint> find(CheckpointId id, Sealing sealing) {
                String name = FileFormat.name(id, sealing);
                try {
                    return Optional.of(CheckpointFileReader.readCheckpoint(storage.open(name), id, sealing));
                } catch (NoSuchFileException absent) {
                    return Optional.empty();
                } catch (IOException e) {
                    throw FileFormat.notRead(name, e);
                }
            }

            @Override
            public InputFile open(CheckpointId id, Sealing sealing) {
                return open(FileFormat.name(id, sealing));
            }

            @Override
            public InputFile open(String object) {
                return CheckpointFiles.open(storage, object);
            }
        };
    }

    private static InputFile open(Storage storage, String object) {
        try {
            return storage.open(object);
        } catch (NoSuchFileException e) {
            throw FileFormat.missing(object, e);
        } catch (IOException e) {
            throw FileFormat.notRead(object, e);
        }
    }
}
