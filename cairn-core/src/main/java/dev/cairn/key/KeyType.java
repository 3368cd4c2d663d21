package dev.cairn.key;

/**
 * The families of key columns. Values of one family are the same key when they are equal, whatever the width or
 * declaration of the column: a store keeps working when {@code int} becomes {@code bigint}.
 */
public enum KeyType {
    /** Character strings of any declaration, compared by their UTF-8 bytes. Stored as Parquet {@code BINARY (STRING)}. */
    STRING("string"),
    /** Signed integers of up to 64 bits. Stored as Parquet {@code INT64}. */
    INTEGER("integer");

    private final String label;

    KeyType(String label) {
        this.label = label;
    }

    /** The name used in the store's log and in messages. */
    public String label() {
        return label;
    }

    /** @throws IllegalArgumentException if no family has this label */
    public static KeyType ofLabel(String label) {
        for (KeyType type : values()) {
            if (type.label.equals(label)) {
                return type;
            }
        }
        throw new IllegalArgumentException("no such key type: '" + label + "'");
    }
}
