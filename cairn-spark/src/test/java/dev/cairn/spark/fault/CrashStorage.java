package dev.cairn.spark.fault;

import dev.cairn.storage.ObjectInfo;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.Storage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.PositionOutputStream;

/** Local files, with {@link CrashPoints} before everything that changes them. */
final class CrashStorage implements Storage {
    private final Storage delegate;

    CrashStorage(Storage delegate) {
        this.delegate = delegate;
    }

    private void before(String verb, String name) throws IOException {
        CrashPoints.before(verb + " " + location() + "/" + name);
    }

    @Override
    public String location() {
        return CrashPoints.SCHEME + delegate.location().substring("file".length());
    }

    @Override
    public byte[] read(String name) throws IOException {
        return delegate.read(name);
    }

    @Override
    public InputFile open(String name) throws IOException {
        before("open", name);
        return delegate.open(name);
    }

    @Override
    public List<ObjectInfo> list(String directory) throws IOException {
        return delegate.list(directory);
    }

    @Override
    public boolean isEmpty() throws IOException {
        return delegate.isEmpty();
    }

    @Override
    public PendingObject create(String name) throws IOException {
        before("create", name);
        PendingObject object = delegate.create(name);
        return new PendingObject() {
            @Override
            public PositionOutputStream stream() {
                return object.stream();
            }

            @Override
            public Publication publish() throws IOException {
                before("publish", name);
                Publication publication = object.publish();
                before("reply to", name);
                return publication;
            }

            @Override
            public void abort() {
                object.abort();
            }
        };
    }

    @Override
    public void overwrite(String name, byte[] content) throws IOException {
        before("overwrite", name);
        delegate.overwrite(name, content);
    }

    @Override
    public void delete(String name) throws IOException {
        before("delete", name);
        delegate.delete(name);
    }

    @Override
    public int removeLeftovers(String directory, Duration minimumAge) throws IOException {
        before("clean", directory);
        return delegate.removeLeftovers(directory, minimumAge);
    }

    @Override
    public void close() throws IOException {
        delegate.close();
    }
}
