package dev.cairn.storage;

import static java.util.Objects.requireNonNull;

/**
 * One object as a listing shows it.
 *
 * @param name relative to the storage's root, with {@code /} between its parts
 * @param length in bytes
 */
public record ObjectInfo(String name, long length) {
    public ObjectInfo {
        requireNonNull(name, "name");
    }
}
