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
 * <p>Owns one growing buffer that is used again for every key that is not encoded in place. Not thread-safe.
 */
public final class KeyEncoder {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Room that an integer or a length may touch beyond its end. */
    private static final int SLACK = 16;

    /** Values this long are not copied if they need not be; then the encoding is longer than any that is inlined. */
    private static final int MIN_IN_PLACE = KeySlot.MAX_INLINE;
    /** The number before a longer value may take more than four bytes. */
    private static final int MAX_IN_PLACE = (1 << 28) - 2;

    private byte[] buffer = new byte[256];
    private int length;
    /** Where the encoding is: the buffer, or where {@link #encodeInPlace} found the value. */
    private byte[] bytes = buffer;

    private int offset;

    /** Begins a key. */
    public void reset() {
        length = 0;
        bytes = buffer;
        offset = 0;
    }

    /**
     * Makes the whole key of a single character string, without copying it if it is long.
     *
     * @param source where the encoding is from now on; up to four bytes before the offset are overwritten, and nothing
     *     may change it while the encoding is used
     */
    public void encodeInPlace(byte[] source, int start, int count) {
        reset();
        if (count < MIN_IN_PLACE || count > MAX_IN_PLACE) {
            addBytes(source, start, count);
            return;
        }
        int number = count + 1;
        int prefix = (38 - Integer.numberOfLeadingZeros(number)) / 7;
        int at = start - prefix;
        bytes = source;
        offset = at;
        length = prefix + count;
        while (number > 0x7F) {
            source[at++] = (byte) (number | 0x80);
            number >>>= 7;
        }
        source[at] = (byte) number;
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

    /**
     * Holds the encoding from {@link #offset()}; valid until the next call that adds. An encoding that is shorter than 16
     * bytes can be read as if it had 16.
     */
    public byte[] buffer() {
        return bytes;
    }

    /** Where in the buffer the encoding begins. */
    public int offset() {
        return offset;
    }

    /** Length of the encoding in bytes. */
    public int length() {
        return length;
    }

    private void ensure(int more) {
        if (buffer.length - length < more) {
            buffer = Arrays.copyOf(buffer, Buffers.grown(buffer.length, Math.addExact(length, more)));
            bytes = buffer;
        }
    }
}
