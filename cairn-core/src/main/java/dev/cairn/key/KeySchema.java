package dev.cairn.key;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Types of a store's key columns, in order, with the names that the source gives them today. Two schemas are
 * {@linkplain #sameKeys compatible} when their types, and the time zones that their values depend on, are equal; a source
 * column may be renamed.
 */
public record KeySchema(List<Column> columns) implements java.io.Serializable {
    /** The most columns that a key may have. */
    public static final int MAX_COLUMNS = 8;

    /**
     * @param name of the source column, for people
     * @param type its family
     * @param timeZone of the session that the values depend on, such as that of a timestamp's date; empty if they depend on
     *     none
     */
    public record Column(String name, KeyType type, String timeZone) implements java.io.Serializable {
        public Column {
            requireNonNull(name, "name");
            requireNonNull(type, "type");
            requireNonNull(timeZone, "timeZone");
        }

        /** A column whose values depend on no time zone. */
        public Column(String name, KeyType type) {
            this(name, type, "");
        }

        @Override
        public String toString() {
            return name + " " + type.label() + (timeZone.isEmpty() ? "" : " computed in the time zone " + timeZone);
        }
    }

    public KeySchema {
        columns = List.copyOf(columns);
        if (columns.isEmpty() || columns.size() > MAX_COLUMNS) {
            throw new IllegalArgumentException("a key has 1 to " + MAX_COLUMNS + " columns, not " + columns.size());
        }
    }

    public static KeySchema of(String name, KeyType type) {
        return new KeySchema(List.of(new Column(name, type)));
    }

    public int size() {
        return columns.size();
    }

    public KeyType type(int column) {
        return columns.get(column).type();
    }

    /** Whether the same input row has the same key under both. */
    public boolean sameKeys(KeySchema other) {
        return unnamed().equals(other.unnamed());
    }

    private List<Column> unnamed() {
        return columns.stream()
                .map(column -> new Column("", column.type(), column.timeZone()))
                .toList();
    }

    /** True for the one layout whose keys fit 8 bytes and are compared exactly, without a fingerprint. */
    public boolean isSingleNumber() {
        return size() == 1 && type(0).isNumber();
    }

    /** Name of the column in the store's files: {@code key}, or {@code key_1}, {@code key_2}, … for composites. */
    public String canonicalName(int column) {
        return size() == 1 ? "key" : "key_" + (column + 1);
    }

    /** The canonical names, in order. */
    public List<String> canonicalNames() {
        return IntStream.range(0, size()).mapToObj(this::canonicalName).toList();
    }

    /** For messages: {@code (doc_id string, page integer)}. */
    @Override
    public String toString() {
        return columns.stream().map(Column::toString).collect(Collectors.joining(", ", "(", ")"));
    }
}
