package dev.cairn.internal.file;

import dev.cairn.storage.PendingObject;
import dev.cairn.store.Checkpoint;
import dev.cairn.store.CheckpointId;
import dev.cairn.store.Sealing;
import java.io.IOException;
import java.util.Optional;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** For tests that let one of the operations fail. */
public class DelegatingFiles implements CheckpointFiles {
    private final CheckpointFiles delegate;

    public DelegatingFiles(CheckpointFiles delegate) {
        this.delegate = delegate;
    }

    public static InputFile failing(String message) {
        return new InputFile() {
            @Override
            public long getLength() throws IOException {
                throw new IOException(message);
            }

            @Override
            public SeekableInputStream newStream() throws IOException {
                throw new IOException(message);
            }
        };
    }

    @Override
    public PendingObject create(CheckpointId id, Sealing sealing) {
        return delegate.create(id, sealing);
    }

    @Override
    public Optional<Checkpoint> find(CheckpointId id, Sealing sealing) {
        return delegate.find(id, sealing);
    }

    @Override
    public InputFile open(CheckpointId id, Sealing sealing) {
        return delegate.open(id, sealing);
    }

    @Override
    public InputFile open(String object) {
        return delegate.open(object);
    }
}
