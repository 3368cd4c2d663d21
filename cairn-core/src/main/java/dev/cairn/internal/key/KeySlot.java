package dev.cairn.internal.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Computes the 128 bits under which a key is kept in a {@link SlotTable}.
 *
 * <p>A {@linkplain KeyEncoder canonical encoding} of up to {@value #MAX_INLINE} bytes <em>is</em> its slot: the bytes,
 * zero-padded, and the length in the last byte, whose top bit is therefore clear. Longer encodings become their
 * SipHash-2-4-128 with the top bit set. So short keys are compared exactly, exact and hashed slots are never equal, and
 * no slot is all zero.
 *
 * <p>Not thread-safe; one per thread.
 */
public final class KeySlot {
    /** The longest encoding that is kept as it is, in bytes. */
    public static final int MAX_INLINE = 15;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final SipHash hash;
    private long low;
    private long high;

    /** @param secret of 16 bytes, not known to whoever chooses the keys */
    public KeySlot(byte[] secret) {
        this.hash = new SipHash(secret);
    }

    /** Computes the slot of a key that is being held by an encoder. */
    public void compute(KeyEncoder key) {
        byte[] bytes = key.buffer();
        int offset = key.offset();
        int length = key.length();
        if (length > MAX_INLINE) {
            hash.hash(bytes, offset, length);
            low = hash.low();
            high = hash.high() | Long.MIN_VALUE;
        } else if (length >= 8) {
            low = (long) LONG.get(bytes, offset);
            // Shifts by 0 to 56 bits: length 8 keeps nothing of the second word, and that is shift 64, hence two steps.
            int drop = 8 * (MAX_INLINE - length);
            high = (((long) LONG.get(bytes, offset + 8) << 8 << drop) >>> drop >>> 8) | (long) length << 56;
        } else {
            int drop = 8 * (8 - length);
            low = (long) LONG.get(bytes, offset) << drop >>> drop;
            high = (long) length << 56;
        }
    }

    /** First half of the slot computed last. */
    public long low() {
        return low;
    }

    /** Second half of the slot computed last; its top bit tells a hash from an exact key. */
    public long high() {
        return high;
    }
}
