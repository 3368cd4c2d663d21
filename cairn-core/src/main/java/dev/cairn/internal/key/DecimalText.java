package dev.cairn.internal.key;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/**
 * The text that stands for a decimal key: plain digits, a point only where a fraction follows, no trailing zeros of the
 * fraction, no exponent; so equal numbers have equal text, whatever their scale. Part of the store's format.
 *
 * <p>Holds one text at a time, in a buffer that is used again. Not thread-safe.
 */
public final class DecimalText {
    /** Digits of a long, sign and point, and as many zeros after the point as the largest scale has. */
    private byte[] buffer = new byte[80];

    private int offset;
    private int length;

    /** Makes the text of {@code unscaled x 10^-scale}; allocates nothing. The scale is from 0 to 38. */
    public void set(long unscaled, int scale) {
        long rest = unscaled;
        int fraction = scale;
        while (fraction > 0 && rest % 10 == 0) {
            rest /= 10;
            fraction--;
        }
        int at = buffer.length;
        int digits = 0;
        // At least one digit stands before the point.
        while (rest != 0 || digits <= fraction) {
            if (digits == fraction && fraction > 0) {
                buffer[--at] = '.';
            }
            // The remainder of a negative number is negative or zero.
            buffer[--at] = (byte) ('0' + Math.abs((int) (rest % 10)));
            rest /= 10;
            digits++;
        }
        if (unscaled < 0) {
            buffer[--at] = '-';
        }
        offset = at;
        length = buffer.length - at;
    }

    /** Makes the text of a number of any size. */
    public void set(BigDecimal value) {
        byte[] text = value.signum() == 0
                ? new byte[] {'0'}
                : ascii(value.stripTrailingZeros().toPlainString());
        if (text.length > buffer.length) {
            buffer = new byte[text.length];
        }
        offset = buffer.length - text.length;
        length = text.length;
        System.arraycopy(text, 0, buffer, offset, length);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Holds the text from {@link #offset()}; valid until the next {@code set}. */
    public byte[] buffer() {
        return buffer;
    }

    public int offset() {
        return offset;
    }

    /** Length in bytes, one a character. */
    public int length() {
        return length;
    }
}
