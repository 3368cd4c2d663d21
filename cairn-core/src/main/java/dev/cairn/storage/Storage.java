package dev.cairn.storage;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.parquet.io.InputFile;

/**
 * The few operations on a file system or object store that a checkpoint store is made of. Objects are created once and
 * never changed, except through {@link #overwrite}.
 *
 * <p>Names are relative to the storage's root; their parts are separated by {@code /} and consist of letters, digits,
 * {@code .}, {@code -} and {@code _}, the first character of a part never being a dot. Implementations refuse others
 * ({@link IllegalArgumentException}), so that nothing written in a store can lead outside it.
 *
 * <p>Thread-safe. An absent object is {@link java.nio.file.NoSuchFileException}; every other {@link IOException}
 * means that the storage did not do as asked, and says nothing about the object.
 */
public interface Storage extends AutoCloseable {
    /** The root's canonical location: equal for two storages if and only if they are the same place. */
    String location();

    /** The whole object. */
    byte[] read(String name) throws IOException;

    /** For reading parts of an object. The object need not be opened before the first read. */
    InputFile open(String name) throws IOException;

    /**
     * The objects directly below a directory, in no order; empty if there is no such directory. Sees every object
     * published before the call began. Pending objects and the storage's own temporaries are not among them.
     *
     * @param directory without a trailing slash; empty for the root
     */
    List<ObjectInfo> list(String directory) throws IOException;

    /**
     * Whether nothing at all is below the root but the storage's own temporaries and hidden files: a directory that a
     * new store may take. The default sees objects directly below the root only; storages that can see more, do.
     */
    default boolean isEmpty() throws IOException {
        return list("").isEmpty();
    }

    /** Starts an object that will be created if its name is free. Content streams to the storage as it is written. */
    PendingObject create(String name) throws IOException;

    /** Replaces an object's content, or creates it. Readers see the old content or the new, never a part. */
    void overwrite(String name, byte[] content) throws IOException;

    /** Deletes the object if it is there. */
    void delete(String name) throws IOException;

    /**
     * Removes what {@linkplain #create started} and never published objects left behind, if it is at least as old as
     * given and below the directory.
     *
     * @param directory below which the objects would have appeared
     * @param minimumAge by the storage's own clock; {@link Duration#ZERO} for all
     * @return how many were removed
     */
    int removeLeftovers(String directory, Duration minimumAge) throws IOException;

    /** Releases what this instance holds; the objects stay. */
    @Override
    void close() throws IOException;

    /** {@link #read}, with an absent object as an empty result. */
    default Optional<byte[]> readIfPresent(String name) throws IOException {
        try {
            return Optional.of(read(name));
        } catch (java.nio.file.NoSuchFileException absent) {
            return Optional.empty();
        }
    }
}
