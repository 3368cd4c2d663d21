package dev.cairn.storage;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.PositionOutputStream;

/**
 * A storage in which one call goes wrong, chosen by its number. What a process does through one instance is that
 * process; the storage below survives it.
 */
public final class FaultyStorage implements Storage {
    /** What goes wrong. */
    public enum Fault {
        /** The process dies before the call: this one and every later one throw {@link Crash}. */
        CRASH,
        /** The call is not performed, and says so with an {@link IOException}. */
        FAIL,
        /** The call is performed, and an {@link IOException} takes the place of its reply. */
        LOSE_REPLY,
        /** Something else happens before the call, which then goes well. */
        INTERRUPT
    }

    /** The process is dead. An error, so that nothing that handles exceptions handles it. */
    public static final class Crash extends Error {
        private static final long serialVersionUID = 1L;

        public Crash() {
            super("crashed on purpose", null, false, false);
        }
    }

    @FunctionalInterface
    private interface Call<T> {
        T perform() throws IOException;
    }

    private final Storage delegate;
    private final Fault fault;
    private final long at;
    private final Runnable event;
    private long calls;
    private boolean crashed;

    private FaultyStorage(Storage delegate, Fault fault, long at, Runnable event) {
        this.delegate = requireNonNull(delegate, "delegate");
        this.fault = requireNonNull(fault, "fault");
        this.at = at;
        this.event = requireNonNull(event, "event");
    }

    /** @param at number of the call, from 1; 0 for never */
    public static FaultyStorage with(Storage delegate, Fault fault, long at) {
        return new FaultyStorage(delegate, fault, at, () -> {});
    }

    /** Runs the event before the call with that number: another process that acts in between. */
    public static FaultyStorage interrupted(Storage delegate, long at, Runnable event) {
        return new FaultyStorage(delegate, Fault.INTERRUPT, at, event);
    }

    /** A storage that only counts. */
    public static FaultyStorage counting(Storage delegate) {
        return with(delegate, Fault.FAIL, 0);
    }

    /** How many calls there were. */
    public synchronized long calls() {
        return calls;
    }

    /** From now on the process is dead. */
    public synchronized void crash() {
        crashed = true;
    }

    private <T> T call(Call<T> call) throws IOException {
        boolean now;
        synchronized (this) {
            if (crashed) {
                throw new Crash();
            }
            calls++;
            now = calls == at;
            if (now && fault == Fault.CRASH) {
                crashed = true;
                throw new Crash();
            }
        }
        if (now && fault == Fault.FAIL) {
            throw new IOException("failed on purpose");
        }
        if (now && fault == Fault.INTERRUPT) {
            event.run();
        }
        T result = call.perform();
        if (now && fault == Fault.LOSE_REPLY) {
            throw new IOException("reply lost on purpose");
        }
        return result;
    }

    @Override
    public String location() {
        return delegate.location();
    }

    @Override
    public byte[] read(String name) throws IOException {
        return call(() -> delegate.read(name));
    }

    @Override
    public InputFile open(String name) throws IOException {
        return call(() -> delegate.open(name));
    }

    @Override
    public List<ObjectInfo> list(String directory) throws IOException {
        return call(() -> delegate.list(directory));
    }

    @Override
    public boolean isEmpty() throws IOException {
        return call(delegate::isEmpty);
    }

    @Override
    public PendingObject create(String name) throws IOException {
        PendingObject object = call(() -> delegate.create(name));
        return new PendingObject() {
            @Override
            public PositionOutputStream stream() {
                return object.stream();
            }

            @Override
            public Publication publish() throws IOException {
                return call(object::publish);
            }

            @Override
            public void abort() {
                object.abort();
            }
        };
    }

    @Override
    public void overwrite(String name, byte[] content) throws IOException {
        call(() -> {
            delegate.overwrite(name, content);
            return null;
        });
    }

    @Override
    public void delete(String name) throws IOException {
        call(() -> {
            delegate.delete(name);
            return null;
        });
    }

    @Override
    public int removeLeftovers(String directory, Duration minimumAge) throws IOException {
        return call(() -> delegate.removeLeftovers(directory, minimumAge));
    }

    /** The storage below stays open. */
    @Override
    public void close() {}
}
