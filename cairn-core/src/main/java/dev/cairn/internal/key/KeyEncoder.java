package dev.cairn.internal.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The canonical encoding of a key: its columns' encodings one after the other.
 *
 * <ul>
 *   <li>null: one byte 0.
 *   <li>character string of n UTF-8 bytes: n + 1 as an unsigned LEB128 number, then the bytes.
 *   <li>integer: one byte 1 + n, then the n low bytes of the zigzag form, least significant first; n is the smallest
 *       from 0 to 8 that loses nothing.
 * </ul>
 *
 * <p>Each column's encoding tells where it ends, so under one schema no encoding is a prefix of another's and two keys
 * have the same encoding if and only if they are equal. Digests in the store are over this encoding: it is part of the
 * format.
 *
 * <p>Owns one growing buffer that is used again for every key. Not thread-safe.
 */
public final class KeyEncoder {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Room that an integer or a length may touch beyond its end. */
    private static final int SLACK = 16;

    private byte[] buffer = new byte[256];
    private int length;

    /** Begins a key. */
    public void reset() {
        length = 0;
    }

    public void addNull() {
        ensure(SLACK);
        buffer[length++] = 0;
    }

    public void addLong(long value) {
        ensure(SLACK);
        long zigzag = (value << 1) ^ (value >> 63);
        int bytes = (64 - Long.numberOfLeadingZeros(zigzag) + 7) >>> 3;
        buffer[length] = (byte) (1 + bytes);
        // Writes eight bytes always; those beyond the number's own are overwritten by what follows, or never read.
        LONG.set(buffer, length + 1, zigzag);
        length += 1 + bytes;
    }

    public void addBytes(byte[] source, int offset, int count) {
        ensure(Math.addExact(count, SLACK));
        long rest = count + 1L;
        while (rest > 0x7F) {
            buffer[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[length++] = (byte) rest;
        System.arraycopy(source, offset, buffer, length, count);
        length += count;
    }

    /** Holds the encoding from index 0; valid until the next call that adds. At least 16 bytes long. */
    public byte[] buffer() {
        return buffer;
    }

    /** Length of the encoding in bytes. */
    public int length() {
        return length;
    }

    private void ensure(int more) {
        if (buffer.length - length < more) {
            buffer = Arrays.copyOf(buffer, Buffers.grown(buffer.length, Math.addExact(length, more)));
        }
    }
}
