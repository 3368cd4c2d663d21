package dev.cairn.run;

import static java.util.Objects.requireNonNull;

import dev.cairn.storage.ObjectInfo;
import dev.cairn.storage.PendingObject;
import dev.cairn.storage.Storage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.parquet.io.InputFile;

/** A storage that passes everything on, for tests to override one thing. */
class DelegatingStorage implements Storage {
    private final Storage delegate;

    DelegatingStorage(Storage delegate) {
        this.delegate = requireNonNull(delegate, "delegate");
    }

    @Override
    public String location() {
        return delegate.location();
    }

    @Override
    public byte[] read(String name) throws IOException {
        return delegate.read(name);
    }

    @Override
    public InputFile open(String name) throws IOException {
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
        return delegate.create(name);
    }

    @Override
    public void overwrite(String name, byte[] content) throws IOException {
        delegate.overwrite(name, content);
    }

    @Override
    public void delete(String name) throws IOException {
        delegate.delete(name);
    }

    @Override
    public int removeLeftovers(String directory, Duration minimumAge) throws IOException {
        return delegate.removeLeftovers(directory, minimumAge);
    }

    @Override
    public void close() {}
}
