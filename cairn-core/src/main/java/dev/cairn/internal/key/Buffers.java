package dev.cairn.internal.key;

/** Sizes of growing arrays. */
public final class Buffers {
    /** The longest array that every virtual machine can make. */
    public static final int MAX_LENGTH = Integer.MAX_VALUE - 16;

    private Buffers() {}

    /**
     * The next length of an array that must hold at least {@code required}: doubled, as far as arrays go.
     *
     * @throws IllegalArgumentException if no array is that long
     */
    public static int grown(int current, int required) {
        if (required > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "a key of " + required + " bytes is too long: choose a shorter key column");
        }
        return (int) Math.max(required, Math.min(2L * current, MAX_LENGTH));
    }
}
