package dev.cairn.internal.storage;

import static dev.cairn.internal.storage.ObjectNames.requireDirectory;
import static dev.cairn.internal.storage.ObjectNames.requireObject;

import dev.cairn.ErrorCondition;
import dev.cairn.RefusedException;
import dev.cairn.storage.ObjectInfo;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.Storage;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.SeekableInputStream;

/**
 * A directory of the local file system, or of one that is mounted like it.
 *
 * <p>An object is written to a temporary in {@code .pending}, forced to the disk, and hard-linked to its name: linking
 * fails if the name exists, which is the atomic creation that the store's protocol rests on, and what is linked is whole
 * and durable already. The directory is forced last. Whoever <em>sees</em> an object forces the directory before acting
 * on it ({@link #list}, a lost {@link PendingObject#publish()}): otherwise a decision that rests on the object could
 * survive a power failure that the object itself does not.
 *
 * <p>Uses {@code java.nio} rather than Hadoop's local file system, which has neither exclusive creation nor durability,
 * and writes checksum files of its own.
 */
public final class LocalStorage implements Storage {
    static final String SCHEME = "file";

    /** Hidden from listings by its dot. Flat, so that nobody removes a directory that somebody is about to write to. */
    private static final String PENDING = ".pending";

    /** Stands for {@code /} in the names of temporaries; no object's name contains it. */
    private static final char SEPARATOR = '+';

    private static final int BUFFER_BYTES = 128 << 10;

    private final Path root;
    private final String location;

    /** Directories that exist and whose own entry is durable. */
    private final Set<Path> durable = ConcurrentHashMap.newKeySet();

    private LocalStorage(Path root) {
        this.root = root;
        this.location = SCHEME + ":" + root;
    }

    /**
     * @param location {@code file:/path} or {@code file:///path}; the path is taken literally, without URI escapes
     * @throws RefusedException if the place cannot hold a store
     */
    public static LocalStorage at(String location) throws IOException {
        Path path;
        try {
            path = Path.of(path(location)).toAbsolutePath();
        } catch (InvalidPathException invalid) {
            throw refused(
                    location,
                    "it is not a path here (" + invalid.getMessage() + ")",
                    "Choose another directory; for letters beyond ASCII run Java under a UTF-8 locale, such as"
                            + " LC_ALL=C.UTF-8",
                    invalid);
        }
        Path root;
        Path existing;
        try {
            existing = existingAncestor(path);
            Path real = existing.toRealPath();
            root = real.resolve(existing.relativize(path)).normalize();
            existing = real;
        } catch (AccessDeniedException denied) {
            throw refused(
                    location, "'" + denied.getFile() + "' may not be read", "Grant access, or choose another", denied);
        }
        if (!Files.isDirectory(existing)) {
            String problem = existing.equals(root) ? "it is a file" : "'" + existing + "' on the way to it is a file";
            throw refused(location, problem, "Choose a directory, or a name that does not exist yet", null);
        }
        if (!existing.equals(root) && !Files.isWritable(existing)) {
            throw notWritable(location, existing, null);
        }
        return new LocalStorage(root);
    }

    private static String path(String location) {
        if (!location.startsWith(SCHEME + ":")) {
            throw new IllegalArgumentException("not a location of local files: '" + location + "'");
        }
        String path = location.substring(SCHEME.length() + 1);
        if (path.startsWith("//")) {
            int slash = path.indexOf('/', 2);
            String authority = path.substring(2, slash < 0 ? path.length() : slash);
            if (slash < 0 || !authority.isEmpty()) {
                throw refused(
                        location,
                        "it names the host '" + authority + "', and local files have none",
                        "Write file:/path or file:///path",
                        null);
            }
            path = path.substring(slash);
        }
        if (!path.startsWith("/")) {
            throw refused(location, "its path is relative", "Write the whole path, file:/path", null);
        }
        return path;
    }

    private static Path existingAncestor(Path path) throws IOException {
        Path candidate = path;
        while (true) {
            try {
                Files.readAttributes(candidate, BasicFileAttributes.class);
                return candidate;
            } catch (NoSuchFileException absent) {
                candidate = candidate.getParent();
            } catch (FileSystemException blocked) {
                // A file where a directory should be: go up until the file itself is found.
                if (!isNotDirectory(blocked)) {
                    throw blocked;
                }
                candidate = candidate.getParent();
            }
        }
    }

    private static boolean isNotDirectory(FileSystemException error) {
        return error instanceof NotDirectoryException
                || (error.getReason() != null && error.getReason().contains("Not a directory"));
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public byte[] read(String name) throws IOException {
        return Files.readAllBytes(root.resolve(requireObject(name)));
    }

    @Override
    public InputFile open(String name) {
        return new LocalInputFile(root.resolve(requireObject(name)));
    }

    @Override
    public List<ObjectInfo> list(String directory) throws IOException {
        Path path = root.resolve(requireDirectory(directory));
        String prefix = directory.isEmpty() ? "" : directory + "/";
        if (!Files.isDirectory(path)) {
            return List.of();
        }
        List<ObjectInfo> objects = new ArrayList<>();
        for (Path file : files(path)) {
            BasicFileAttributes attributes = attributesIfPresent(file);
            if (attributes != null && attributes.isRegularFile()) {
                objects.add(new ObjectInfo(prefix + file.getFileName(), attributes.size()));
            }
        }
        if (Files.isWritable(path)) {
            force(path);
        }
        return objects;
    }

    @Override
    public boolean isEmpty() throws IOException {
        return !Files.isDirectory(root) || files(root).isEmpty();
    }

    /** What is not hidden, of any kind. */
    private static List<Path> files(Path directory) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(
                directory, file -> !file.getFileName().toString().startsWith("."))) {
            List<Path> files = new ArrayList<>();
            stream.forEach(files::add);
            return files;
        } catch (NoSuchFileException absent) {
            return List.of();
        } catch (DirectoryIteratorException failed) {
            throw failed.getCause();
        }
    }

    private static BasicFileAttributes attributesIfPresent(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class);
        } catch (NoSuchFileException removedMeanwhile) {
            return null;
        }
    }

    @Override
    public PendingObject create(String name) throws IOException {
        return new LocalPendingObject(root.resolve(requireObject(name)), temporary(name));
    }

    @Override
    public void overwrite(String name, byte[] content) throws IOException {
        // Not forced to the disk: what is overwritten is advisory, and a beat that a power failure takes is no loss.
        Path target = root.resolve(requireObject(name));
        Path temporary = temporary(name);
        try {
            Files.write(temporary, content);
            Files.createDirectories(target.getParent());
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | RuntimeException failed) {
            Files.deleteIfExists(temporary);
            throw failed;
        }
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(root.resolve(requireObject(name)));
    }

    @Override
    public int removeLeftovers(String directory, Duration minimumAge) throws IOException {
        Path pending = root.resolve(PENDING);
        String prefix = directory.isEmpty() ? "" : temporaryPrefix(requireDirectory(directory));
        if (!Files.isDirectory(pending)) {
            return 0;
        }
        // By the clock of the file system, which for a mounted one is not this machine's.
        long youngest = Long.MAX_VALUE;
        if (!minimumAge.isZero()) {
            Path now = Files.createTempFile(pending, "now", "");
            youngest = Files.getLastModifiedTime(now).toMillis() - minimumAge.toMillis();
            Files.delete(now);
        }
        int removed = 0;
        for (Path file : files(pending)) {
            if (file.getFileName().toString().startsWith(prefix)) {
                BasicFileAttributes attributes = attributesIfPresent(file);
                if (attributes != null
                        && attributes.lastModifiedTime().toMillis() <= youngest
                        && Files.deleteIfExists(file)) {
                    removed++;
                }
            }
        }
        return removed;
    }

    @Override
    public void close() {}

    private static String temporaryPrefix(String name) {
        return name.replace('/', SEPARATOR) + SEPARATOR;
    }

    private Path temporary(String name) throws IOException {
        Path pending = root.resolve(PENDING);
        makeDurable(pending);
        return pending.resolve(temporaryPrefix(name) + UUID.randomUUID());
    }

    /**
     * Makes the directory and those above it, and forces the entry of each into its parent. Below the root also where
     * the directory exists: whoever made it may not have come to that yet.
     */
    private void makeDurable(Path directory) throws IOException {
        if (durable.contains(directory)) {
            return;
        }
        boolean above = !directory.startsWith(root) || directory.equals(root);
        if (!above || !Files.isDirectory(directory)) {
            makeDurable(directory.getParent());
            createDirectory(directory);
            force(directory.getParent());
        }
        durable.add(directory);
    }

    private void createDirectory(Path directory) throws IOException {
        try {
            Files.createDirectory(directory);
        } catch (FileAlreadyExistsException exists) {
            if (!Files.isDirectory(directory)) {
                throw exists;
            }
        } catch (AccessDeniedException denied) {
            throw notWritable(location, directory.getParent(), denied);
        } catch (FileSystemException readOnly) {
            if (isReadOnly(readOnly)) {
                throw notWritable(location, directory.getParent(), readOnly);
            }
            throw readOnly;
        } catch (ReadOnlyFileSystemException readOnly) {
            throw notWritable(location, directory.getParent(), readOnly);
        }
    }

    private static boolean isReadOnly(FileSystemException error) {
        return error.getReason() != null && error.getReason().contains("Read-only");
    }

    private static void force(Path directory) throws IOException {
        if (java.io.File.separatorChar == '\\') {
            return; // Windows neither opens nor needs to force directories.
        }
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static RefusedException notWritable(String location, Path directory, Throwable cause) {
        return refused(
                location,
                "'" + directory + "' is not writable for user " + System.getProperty("user.name"),
                "Grant write access, or choose another directory",
                cause);
    }

    private static RefusedException refused(String location, String problem, String remedy, Throwable cause) {
        return new RefusedException(
                ErrorCondition.INVALID_STORE_LOCATION,
                "'" + location + "' cannot hold a checkpoint store: " + problem + ". " + remedy + ".",
                cause);
    }

    private final class LocalPendingObject implements PendingObject {
        private final Path target;
        private final Path temporary;

        // A plain stream and not a channel: an interrupt must not close the file under its writer.
        private final FileOutputStream file;
        private final PositionOutputStream stream;
        private boolean ended;

        LocalPendingObject(Path target, Path temporary) throws IOException {
            this.target = target;
            this.temporary = temporary;
            try {
                this.file = new FileOutputStream(temporary.toFile());
            } catch (IOException failed) {
                if (!Files.isWritable(temporary.getParent())) {
                    throw notWritable(location, temporary.getParent(), failed);
                }
                throw failed;
            }
            this.stream = new CountingStream(new BufferedOutputStream(file, BUFFER_BYTES));
        }

        @Override
        public PositionOutputStream stream() {
            return stream;
        }

        @Override
        public Publication publish() throws IOException {
            requireOpen();
            ended = true;
            try {
                stream.flush();
                file.getFD().sync();
                file.close();
                makeDurable(target.getParent());
                return link();
            } finally {
                discard();
            }
        }

        private Publication link() throws IOException {
            Publication publication;
            try {
                Files.createLink(target, temporary);
                publication = Publication.PUBLISHED;
            } catch (FileAlreadyExistsException taken) {
                publication = Publication.TAKEN;
            } catch (UnsupportedOperationException unsupported) {
                throw noLinks(unsupported);
            } catch (FileSystemException failed) {
                String reason = String.valueOf(failed.getReason());
                if (reason.contains("not permitted") || reason.contains("not supported")) {
                    throw noLinks(failed);
                }
                throw failed;
            }
            // Also when taken: the winner may not have come to it yet, and the loser is about to believe its object.
            force(target.getParent());
            return publication;
        }

        private RefusedException noLinks(Exception cause) {
            return refused(
                    location,
                    "its file system has no hard links, and without them two runs could create one object",
                    "Choose a directory on another file system, or an object store",
                    cause);
        }

        @Override
        public void abort() {
            if (!ended) {
                ended = true;
                discard();
            }
        }

        /** Never throws: what stays behind is a leftover, and harmless. */
        private void discard() {
            try {
                file.close();
            } catch (IOException ignored) {
                // Nothing is lost: the content is given up, or linked already.
            }
            try {
                Files.deleteIfExists(temporary);
            } catch (IOException ignored) {
                // A later removeLeftovers finds it.
            }
        }

        private void requireOpen() {
            if (ended) {
                throw new IllegalStateException("published or aborted already: " + target);
            }
        }
    }

    /** Closing it flushes, and does not close what is below: that is for publish and abort. */
    private static final class CountingStream extends PositionOutputStream {
        private final OutputStream out;
        private long position;

        CountingStream(OutputStream out) {
            this.out = out;
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            position++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            position += length;
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.flush();
        }
    }

    private record LocalInputFile(Path path) implements InputFile {
        @Override
        public long getLength() throws IOException {
            return Files.size(path);
        }

        @Override
        public SeekableInputStream newStream() throws IOException {
            Files.readAttributes(path, BasicFileAttributes.class); // NoSuchFileException if absent
            FileInputStream in = new FileInputStream(path.toFile());
            return new DelegatingSeekableInputStream(in) {
                @Override
                public long getPos() throws IOException {
                    return in.getChannel().position();
                }

                @Override
                public void seek(long position) throws IOException {
                    in.getChannel().position(position);
                }
            };
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }
}
