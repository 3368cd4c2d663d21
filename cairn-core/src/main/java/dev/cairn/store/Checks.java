package dev.cairn.store;

/** Argument checks for the constructors of this package. */
final class Checks {
    private Checks() {}

    static void require(boolean condition, String format, Object... arguments) {
        if (!condition) {
            throw new IllegalArgumentException(String.format(format, arguments));
        }
    }
}
