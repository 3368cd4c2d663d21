package dev.cairn.internal.file;

import dev.cairn.internal.key.Buffers;
import dev.cairn.internal.key.KeyEncoder;
import dev.cairn.key.KeySchema;
import dev.cairn.key.KeyType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Keys on their way into a file: one packed buffer per column, laid out as the values of a Parquet page in PLAIN
 * encoding already. Adding a key makes no object.
 *
 * <p>A row is begun by putting a value for each column, in any order, and ended by {@link #accept()} or
 * {@link #rollback()}. Not thread-safe.
 *
 * <p>Memory: up to twice {@value #ROW_GROUP_BYTES} bytes together, or twice the largest key if that is larger; little
 * for few keys, because buffers grow as they fill.
 */
public final class KeyColumns {
    /** A row group is due when the columns hold this many bytes of values. */
    public static final int ROW_GROUP_BYTES = 4 << 20;
    /** A row group is due when it has this many rows, whatever they take: nulls take next to nothing. */
    public static final int ROW_GROUP_ROWS = 1 << 20;

    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final KeySchema schema;
    private final Column[] columns;
    private final int allPut;
    private int put;
    private int rows;
    private int position;

    public KeyColumns(KeySchema schema) {
        this.schema = schema;
        this.columns = new Column[schema.size()];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = new Column(schema.type(i));
        }
        this.allPut = (1 << columns.length) - 1;
    }

    public KeySchema schema() {
        return schema;
    }

    /** Rows accepted since the last {@link #clear()}. */
    public int rows() {
        return rows;
    }

    /** Whether the rows should be written as a row group now. */
    public boolean isFull() {
        if (rows >= ROW_GROUP_ROWS) {
            return true;
        }
        long bytes = 0;
        for (Column column : columns) {
            bytes += column.size;
        }
        return bytes >= ROW_GROUP_BYTES;
    }

    public void putNull(int column) {
        Column target = columns[column];
        target.end = target.size;
        target.isNull = true;
        put |= 1 << column;
    }

    public void putLong(int column, long value) {
        Column target = columns[column];
        if (target.bytes) {
            throw wrongType(column);
        }
        target.ensure(Long.BYTES);
        LONG.set(target.data, target.size, value);
        target.end = target.size + Long.BYTES;
        target.isNull = false;
        put |= 1 << column;
    }

    /**
     * Makes room for a value of a column of bytes.
     *
     * @return the buffer to copy its bytes to, beginning at {@link #position()}; valid until the next call
     */
    public byte[] reserve(int column, int length) {
        Column target = columns[column];
        if (!target.bytes) {
            throw wrongType(column);
        }
        if (length < 0 || length > Buffers.MAX_LENGTH - Column.HEADROOM - Integer.BYTES) {
            throw new IllegalArgumentException("a key column's value cannot have " + length + " bytes");
        }
        target.ensure(Integer.BYTES + length);
        INT.set(target.data, target.size, length);
        position = target.size + Integer.BYTES;
        target.end = position + length;
        target.isNull = false;
        put |= 1 << column;
        return target.data;
    }

    /** Whether null was put into the column for the row in the making. */
    public boolean isPutNull(int column) {
        return columns[column].isNull;
    }

    /** The value that was put into a column of numbers for the row in the making, not being null. */
    public long putLongValue(int column) {
        return (long) LONG.get(columns[column].data, columns[column].size);
    }

    /** Where the value reserved last begins. */
    public int position() {
        return position;
    }

    /**
     * Gives the row that was put to an encoder, which holds it until it is accepted or another is put.
     *
     * @throws IllegalStateException if a column has no value yet
     */
    public void encode(KeyEncoder encoder) {
        requireComplete();
        if (columns.length == 1 && columns[0].bytes && !columns[0].isNull) {
            // Overwrites the value's length, which is written again if the row is accepted.
            int start = columns[0].size + Integer.BYTES;
            encoder.encodeInPlace(columns[0].data, start, columns[0].end - start);
            return;
        }
        encoder.reset();
        for (Column column : columns) {
            if (column.isNull) {
                encoder.addNull();
            } else if (column.bytes) {
                int start = column.size + Integer.BYTES;
                encoder.addBytes(column.data, start, column.end - start);
            } else {
                encoder.addLong((long) LONG.get(column.data, column.size));
            }
        }
    }

    /** Keeps the row that was put. */
    public void accept() {
        requireComplete();
        for (Column column : columns) {
            column.accept(rows);
        }
        rows++;
        put = 0;
    }

    /** Leaves the row that was put out again. */
    public void rollback() {
        // The next put overwrites it: nothing counts before size has moved.
        put = 0;
    }

    /** Forgets all rows and keeps the buffers. */
    public void clear() {
        for (Column column : columns) {
            column.clear(rows);
        }
        rows = 0;
        put = 0;
    }

    private void requireComplete() {
        if (put != allPut) {
            throw new IllegalStateException(
                    "a row's key lacks a value: every column of " + schema + " must be put before the row is admitted");
        }
    }

    private IllegalArgumentException wrongType(int column) {
        return new IllegalArgumentException(
                "column " + schema.columns().get(column).name() + " holds "
                        + schema.type(column).label() + " values");
    }

    /** A column's page, ready to be compressed or written. */
    Page page(int column) {
        return columns[column].page(rows);
    }

    /** Bytes of a page; valid until the columns change. */
    record Page(byte[] bytes, int offset, int length) {}

    private static final class Column {
        /** Room before the values for the definition levels of a page without nulls. */
        static final int HEADROOM = 16;

        /** Whether values are bytes; otherwise numbers. */
        private final boolean bytes;
        /** Values of the accepted rows in [HEADROOM, size), the value of the row in the making in [size, end). */
        private byte[] data = new byte[1024];

        private int size = HEADROOM;
        private int end = HEADROOM;
        private boolean isNull;
        /** One bit per accepted row, least significant first: set if there is a value. Parquet's bit-packed levels. */
        private byte[] present = new byte[32];

        private int nulls;

        Column(KeyType type) {
            this.bytes = !type.isNumber();
        }

        void ensure(int more) {
            int required = Math.addExact(size, more);
            if (required > data.length) {
                data = Arrays.copyOf(data, Buffers.grown(data.length, required));
            }
        }

        void accept(int row) {
            if (row >>> 3 >= present.length) {
                present = Arrays.copyOf(present, 2 * present.length);
            }
            if (isNull) {
                nulls++;
            } else {
                present[row >>> 3] |= (byte) (1 << (row & 7));
                if (bytes) {
                    INT.set(data, size, end - size - Integer.BYTES);
                }
            }
            size = end;
        }

        void clear(int rows) {
            Arrays.fill(present, 0, (rows + 7) >>> 3, (byte) 0);
            size = HEADROOM;
            end = HEADROOM;
            nulls = 0;
            if (data.length > 4 * ROW_GROUP_BYTES) {
                // One huge key must not cost its memory for the rest of the task.
                data = new byte[1024];
            }
        }

        /** Definition levels (length as four bytes, then the RLE hybrid) followed by the values. */
        Page page(int rows) {
            if (nulls == 0) {
                // A single run of ones; written right before the values, so that nothing is copied.
                int varint = varintLength(rows << 1);
                int start = HEADROOM - Integer.BYTES - varint - 1;
                INT.set(data, start, varint + 1);
                writeVarint(data, start + Integer.BYTES, rows << 1);
                data[HEADROOM - 1] = 1;
                return new Page(data, start, size - start);
            }
            int groups = (rows + 7) >>> 3;
            int header = groups << 1 | 1;
            int levels = varintLength(header) + groups;
            byte[] page = new byte[Math.addExact(Integer.BYTES + levels, size - HEADROOM)];
            INT.set(page, 0, levels);
            int at = writeVarint(page, Integer.BYTES, header);
            System.arraycopy(present, 0, page, at, groups);
            System.arraycopy(data, HEADROOM, page, at + groups, size - HEADROOM);
            return new Page(page, 0, page.length);
        }

        private static int varintLength(int value) {
            return (38 - Integer.numberOfLeadingZeros(value | 1)) / 7;
        }

        private static int writeVarint(byte[] target, int offset, int value) {
            int at = offset;
            int rest = value;
            while ((rest & ~0x7F) != 0) {
                target[at++] = (byte) (rest | 0x80);
                rest >>>= 7;
            }
            target[at++] = (byte) rest;
            return at;
        }
    }
}
