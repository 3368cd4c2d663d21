package dev.cairn.key;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;

/**
 * The families of key columns. Values of one family are the same key when they are equal, whatever the width or
 * declaration of the column: a store keeps working when {@code int} becomes {@code bigint}, or {@code decimal(10,2)}
 * becomes {@code decimal(12,4)}.
 */
public enum KeyType {
    /** Character strings of any declaration, compared by their UTF-8 bytes. */
    STRING("string", false),
    /** Signed integers of up to 64 bits. */
    INTEGER("integer", true),
    /** Bytes. */
    BINARY("binary", false),
    /** False is 0, true is 1. */
    BOOLEAN("boolean", true),
    /** Days since 1970-01-01. */
    DATE("date", true),
    /** Points in time: microseconds since 1970-01-01T00:00Z, whatever zone they are shown in. */
    TIMESTAMP("timestamp", true),
    /** Date and time without a zone: microseconds since 1970-01-01T00:00. */
    TIMESTAMP_NTZ("timestamp_ntz", true),
    /** Decimal numbers of any precision and scale, as text without trailing zeros: {@code 1.50} is {@code 1.5}. */
    DECIMAL("decimal", false);

    private static final long MICROS = 1_000_000;

    private final String label;
    private final boolean number;

    KeyType(String label, boolean number) {
        this.label = label;
        this.number = number;
    }

    /** The name used in the store's log and in messages. */
    public String label() {
        return label;
    }

    /** Whether values are held as numbers of 64 bits; otherwise as bytes. */
    public boolean isNumber() {
        return number;
    }

    /** A value for people, from the number that stands for it. */
    public Object valueFrom(long number) {
        return switch (this) {
            case INTEGER -> number;
            case BOOLEAN -> number != 0;
            case DATE -> LocalDate.ofEpochDay(number);
            case TIMESTAMP -> Instant.EPOCH.plus(number, ChronoUnit.MICROS);
            case TIMESTAMP_NTZ ->
                LocalDateTime.ofEpochSecond(
                        Math.floorDiv(number, MICROS), (int) Math.floorMod(number, MICROS) * 1000, ZoneOffset.UTC);
            case STRING, BINARY, DECIMAL -> throw new IllegalStateException(label + " is held as bytes");
        };
    }

    /** A value for people, from the bytes that stand for it. */
    public Object valueFrom(byte[] buffer, int offset, int length) {
        return switch (this) {
            case STRING -> new String(buffer, offset, length, StandardCharsets.UTF_8);
            case BINARY -> "X'" + HexFormat.of().withUpperCase().formatHex(buffer, offset, offset + length) + "'";
            case DECIMAL -> new BigDecimal(new String(buffer, offset, length, StandardCharsets.US_ASCII));
            case INTEGER, BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ ->
                throw new IllegalStateException(label + " is held as a number");
        };
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
