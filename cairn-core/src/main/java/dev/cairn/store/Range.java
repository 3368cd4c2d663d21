package dev.cairn.store;

import static dev.cairn.store.Checks.require;
import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A half-open byte range of one source file, with what identifies that version of the file.
 *
 * @param path the file's location, an opaque string as the source gave it
 * @param start first byte, inclusive
 * @param end last byte, exclusive
 * @param fileLength length of the whole file in bytes
 * @param modificationTime of the file, in milliseconds since 1970-01-01T00:00Z as the file system gave it
 * @param etag entity tag or version of the file, where the file system has one
 */
public record Range(String path, long start, long end, long fileLength, long modificationTime, Optional<String> etag) {
    public Range {
        requireNonNull(path, "path");
        requireNonNull(etag, "etag");
        require(start >= 0 && start < end, "not a range: [%s, %s)", start, end);
    }
}
