package dev.cairn.store;

import static dev.cairn.store.Checks.require;

import java.util.HexFormat;

/**
 * An order-independent digest of a multiset of keys: the sum, modulo 2^64 in each half, of the keys' SipHash-2-4-128
 * under a key derived from the run's nonce. Equal multisets of one run have equal digests.
 *
 * @param high sum of the upper halves
 * @param low sum of the lower halves
 */
public record KeyDigest(long high, long low) {
    public static final KeyDigest ZERO = new KeyDigest(0, 0);

    /** Reads the 32 hexadecimal digits that {@link #toString()} gives. */
    public static KeyDigest parse(String text) {
        require(text.length() == 32, "not a digest: '%s'", text);
        return new KeyDigest(HexFormat.fromHexDigitsToLong(text, 0, 16), HexFormat.fromHexDigitsToLong(text, 16, 32));
    }

    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(high) + hex.toHexDigits(low);
    }
}
