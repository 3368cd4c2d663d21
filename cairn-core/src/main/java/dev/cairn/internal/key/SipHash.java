package dev.cairn.internal.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * SipHash-2-4 with 128 bits of output, by Aumasson and Bernstein: a keyed hash whose collisions cannot be crafted
 * without the key.
 *
 * <p>The result of {@link #hash} is left in two fields, so that hashing allocates nothing. Not thread-safe; cheap to
 * create, one per thread.
 */
public final class SipHash {
    /** Length of a key in bytes. */
    public static final int KEY_BYTES = 16;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long k0;
    private final long k1;
    private long low;
    private long high;

    /** @param key of {@value #KEY_BYTES} bytes; copied */
    public SipHash(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("a SipHash key has " + KEY_BYTES + " bytes, not " + key.length);
        }
        this.k0 = (long) LONG.get(key, 0);
        this.k1 = (long) LONG.get(key, 8);
    }

    /** First eight bytes of the last hash, as a little-endian number. */
    public long low() {
        return low;
    }

    /** Last eight bytes of the last hash, as a little-endian number. */
    public long high() {
        return high;
    }

    /** Hashes a part of an array. */
    public void hash(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        long v0 = k0 ^ 0x736f6d6570736575L;
        long v1 = k1 ^ 0x646f72616e646f6dL ^ 0xee;
        long v2 = k0 ^ 0x6c7967656e657261L;
        long v3 = k1 ^ 0x7465646279746573L;

        int position = offset;
        for (int end = offset + (length & ~7); position < end; position += 8) {
            long word = (long) LONG.get(bytes, position);
            v3 ^= word;
            for (int round = 0; round < 2; round++) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= word;
        }

        // The last word: what is left of the input, and the length's low byte on top.
        long last = (long) length << 56;
        int left = length & 7;
        if (length >= 8) {
            // Reads the last eight bytes, of which those are shifted out that were seen; in two steps if that is all.
            last |= (long) LONG.get(bytes, position + left - 8) >>> 8 >>> (56 - 8 * left);
        } else {
            for (int i = 0; i < left; i++) {
                last |= (bytes[position + i] & 0xFFL) << (8 * i);
            }
        }
        v3 ^= last;
        for (int round = 0; round < 2; round++) {
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
        }
        v0 ^= last;

        v2 ^= 0xee;
        for (int half = 0; half < 2; half++) {
            for (int round = 0; round < 4; round++) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            if (half == 0) {
                low = v0 ^ v1 ^ v2 ^ v3;
                v1 ^= 0xdd;
            } else {
                high = v0 ^ v1 ^ v2 ^ v3;
            }
        }
    }
}
