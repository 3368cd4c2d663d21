package dev.cairn.internal.storage;

import java.util.regex.Pattern;

/** The names that {@link dev.cairn.storage.Storage} allows. */
public final class ObjectNames {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");

    private ObjectNames() {}

    /** @throws IllegalArgumentException if an object cannot have this name */
    public static String requireObject(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("Not the name of an object: '" + name + "'. The parts of a name are"
                    + " separated by '/' and consist of letters, digits, '.', '-' and '_'; none begins with a dot.");
        }
        return name;
    }

    /** As {@link #requireObject}, for a directory: empty is the root. */
    public static String requireDirectory(String name) {
        return name.isEmpty() ? name : requireObject(name);
    }
}
