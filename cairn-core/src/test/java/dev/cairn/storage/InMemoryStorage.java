package dev.cairn.storage;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.SeekableInputStream;

/** A storage in memory, as strict as a real one: for tests of everything above storages. Thread-safe. */
public final class InMemoryStorage implements Storage {
    private static final Pattern PART = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*");

    private final String location = "memory:" + UUID.randomUUID();
    private final Clock clock;
    private final TreeMap<String, byte[]> objects = new TreeMap<>();
    private final Map<Pending, Instant> pending = new HashMap<>();

    public InMemoryStorage() {
        this(Clock.systemUTC());
    }

    /** @param clock tells how old leftovers are */
    public InMemoryStorage(Clock clock) {
        this.clock = clock;
    }

    /** For tests: how many objects were started and neither published nor aborted. */
    public synchronized int pendingObjects() {
        return pending.size();
    }

    /** For tests: all names, ascending. */
    public synchronized List<String> names() {
        return List.copyOf(objects.keySet());
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public synchronized byte[] read(String name) throws IOException {
        check(name);
        byte[] content = objects.get(name);
        if (content == null) {
            throw new NoSuchFileException(name);
        }
        return content.clone();
    }

    @Override
    public InputFile open(String name) {
        check(name);
        return new InputFile() {
            @Override
            public long getLength() throws IOException {
                return content(name).length;
            }

            @Override
            public SeekableInputStream newStream() throws IOException {
                return new Input(content(name));
            }

            @Override
            public String toString() {
                return location + "/" + name;
            }
        };
    }

    private synchronized byte[] content(String name) throws IOException {
        byte[] content = objects.get(name);
        if (content == null) {
            throw new NoSuchFileException(name);
        }
        return content;
    }

    @Override
    public synchronized List<ObjectInfo> list(String directory) {
        String prefix = directory.isEmpty() ? "" : check(directory) + "/";
        SortedMap<String, byte[]> below = objects.tailMap(prefix);
        List<ObjectInfo> found = new ArrayList<>();
        for (Map.Entry<String, byte[]> entry : below.entrySet()) {
            String name = entry.getKey();
            if (!name.startsWith(prefix)) {
                break;
            }
            if (name.indexOf('/', prefix.length()) < 0) {
                found.add(new ObjectInfo(name, entry.getValue().length));
            }
        }
        return found;
    }

    @Override
    public synchronized PendingObject create(String name) {
        Pending object = new Pending(check(name));
        pending.put(object, clock.instant());
        return object;
    }

    @Override
    public synchronized void overwrite(String name, byte[] content) {
        objects.put(check(name), content.clone());
    }

    @Override
    public synchronized void delete(String name) {
        objects.remove(check(name));
    }

    @Override
    public synchronized int removeLeftovers(String directory, Duration minimumAge) {
        String prefix = directory.isEmpty() ? "" : check(directory) + "/";
        Instant youngest = clock.instant().minus(minimumAge);
        int before = pending.size();
        pending.entrySet()
                .removeIf(entry -> entry.getKey().name.startsWith(prefix)
                        && !entry.getValue().isAfter(youngest));
        return before - pending.size();
    }

    @Override
    public void close() {}

    private static String check(String name) {
        for (String part : name.split("/", -1)) {
            if (!PART.matcher(part).matches()) {
                throw new IllegalArgumentException("not an object's name: '" + name + "'");
            }
        }
        return name;
    }

    private final class Pending implements PendingObject {
        private final String name;
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private boolean ended;

        private Pending(String name) {
            this.name = name;
        }

        @Override
        public PositionOutputStream stream() {
            return new PositionOutputStream() {
                @Override
                public long getPos() {
                    return content.size();
                }

                @Override
                public void write(int b) {
                    requireOpen();
                    content.write(b);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) {
                    requireOpen();
                    content.write(bytes, offset, length);
                }
            };
        }

        private void requireOpen() {
            if (ended) {
                throw new IllegalStateException(name + " was published or aborted already");
            }
        }

        @Override
        public Publication publish() throws IOException {
            requireOpen();
            ended = true;
            synchronized (InMemoryStorage.this) {
                if (pending.remove(this) == null) {
                    throw new IOException(name + " was removed as a leftover");
                }
                return objects.putIfAbsent(name, content.toByteArray()) == null
                        ? Publication.PUBLISHED
                        : Publication.TAKEN;
            }
        }

        @Override
        public void abort() {
            ended = true;
            synchronized (InMemoryStorage.this) {
                pending.remove(this);
            }
        }
    }

    private static final class Input extends SeekableInputStream {
        private final byte[] content;
        private int position;

        private Input(byte[] content) {
            this.content = content;
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public void seek(long newPosition) throws IOException {
            if (newPosition < 0 || newPosition > content.length) {
                throw new EOFException("no position " + newPosition + " in " + content.length + " bytes");
            }
            position = (int) newPosition;
        }

        @Override
        public int read() {
            return position < content.length ? content[position++] & 0xFF : -1;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            if (position == content.length && length > 0) {
                return -1;
            }
            int count = Math.min(length, content.length - position);
            System.arraycopy(content, position, bytes, offset, count);
            position += count;
            return count;
        }

        @Override
        public void readFully(byte[] bytes) throws IOException {
            readFully(bytes, 0, bytes.length);
        }

        @Override
        public void readFully(byte[] bytes, int offset, int length) throws IOException {
            if (length > content.length - position) {
                throw new EOFException("fewer than " + length + " bytes left");
            }
            System.arraycopy(content, position, bytes, offset, length);
            position += length;
        }

        @Override
        public int read(ByteBuffer buffer) {
            int count = Math.min(buffer.remaining(), content.length - position);
            if (count == 0 && buffer.hasRemaining()) {
                return -1;
            }
            buffer.put(content, position, count);
            position += count;
            return count;
        }

        @Override
        public void readFully(ByteBuffer buffer) throws IOException {
            if (buffer.remaining() > content.length - position) {
                throw new EOFException("fewer than " + buffer.remaining() + " bytes left");
            }
            read(buffer);
        }
    }
}
