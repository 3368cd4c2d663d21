package dev.cairn.key;

import dev.cairn.internal.file.KeyColumns;
import dev.cairn.internal.key.DecimalText;
import dev.cairn.internal.key.KeyEncoder;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Keys as tests write them: a list of one value per column, as {@link KeyType#valueFrom} gives it, or null. */
public final class Keys {
    private Keys() {}

    public static List<Object> key(Object... values) {
        return Collections.unmodifiableList(Arrays.asList(values));
    }

    public static KeySchema schema(KeyType... types) {
        List<KeySchema.Column> columns = new ArrayList<>();
        for (KeyType type : types) {
            columns.add(new KeySchema.Column("c" + columns.size(), type));
        }
        return new KeySchema(columns);
    }

    public static void put(KeyColumns columns, List<Object> key) {
        // From the last column to the first: the order must not matter.
        for (int i = key.size() - 1; i >= 0; i--) {
            Object value = key.get(i);
            if (value == null) {
                columns.putNull(i);
            } else if (number(value) != null) {
                columns.putLong(i, number(value));
            } else {
                byte[] bytes = bytes(value);
                byte[] buffer = columns.reserve(i, bytes.length);
                System.arraycopy(bytes, 0, buffer, columns.position(), bytes.length);
            }
        }
    }

    public static KeyEncoder encode(List<Object> key) {
        KeyEncoder encoder = new KeyEncoder();
        for (Object value : key) {
            if (value == null) {
                encoder.addNull();
            } else if (number(value) != null) {
                encoder.addLong(number(value));
            } else {
                byte[] bytes = bytes(value);
                encoder.addBytes(bytes, 0, bytes.length);
            }
        }
        return encoder;
    }

    public static byte[] encoding(List<Object> key) {
        KeyEncoder encoder = encode(key);
        return Arrays.copyOf(encoder.buffer(), encoder.length());
    }

    /** Of one to four columns of any type. */
    public static Arbitrary<KeySchema> schemas() {
        return Arbitraries.of(KeyType.class)
                .list()
                .ofMinSize(1)
                .ofMaxSize(4)
                .map(types -> schema(types.toArray(KeyType[]::new)));
    }

    public static Arbitrary<List<Object>> keysOf(KeySchema schema) {
        List<Arbitrary<Object>> columns = new ArrayList<>();
        for (int i = 0; i < schema.size(); i++) {
            columns.add(values(schema.type(i)).injectNull(0.1));
        }
        return Combinators.combine(columns).as(Keys::unmodifiable);
    }

    private static Arbitrary<Object> values(KeyType type) {
        return switch (type) {
            case STRING -> strings().map(value -> (Object) value);
            case INTEGER -> integers().map(value -> (Object) value);
            case BINARY -> Arbitraries.bytes().array(byte[].class).ofMaxSize(20).map(Keys::binary);
            case BOOLEAN -> Arbitraries.of(true, false).map(value -> (Object) value);
            case DATE -> Arbitraries.longs().between(-4_000_000, 4_000_000).map(LocalDate::ofEpochDay);
            case TIMESTAMP -> micros().map(type::valueFrom);
            case TIMESTAMP_NTZ -> micros().map(type::valueFrom);
            case DECIMAL -> Arbitraries.bigDecimals().map(Keys::stripped);
        };
    }

    private static Arbitrary<Long> micros() {
        return Arbitraries.longs().between(-70_000_000_000_000_000L, 250_000_000_000_000_000L);
    }

    private static Object binary(byte[] bytes) {
        return KeyType.BINARY.valueFrom(bytes, 0, bytes.length);
    }

    /** As it comes back from a file. */
    private static Object stripped(BigDecimal value) {
        return new BigDecimal(
                value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString());
    }

    /** The number that stands for the value; null for values that are held as bytes. */
    static Long number(Object value) {
        if (value instanceof Long number) {
            return number;
        } else if (value instanceof Boolean bool) {
            return bool ? 1L : 0L;
        } else if (value instanceof LocalDate date) {
            return date.toEpochDay();
        } else if (value instanceof Instant instant) {
            return micros(instant);
        } else if (value instanceof LocalDateTime time) {
            return micros(time.toInstant(ZoneOffset.UTC));
        }
        return null;
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1000;
    }

    /** The bytes that stand for the value. */
    private static byte[] bytes(Object value) {
        if (value instanceof BigDecimal decimal) {
            DecimalText text = new DecimalText();
            text.set(decimal);
            return Arrays.copyOfRange(text.buffer(), text.offset(), text.offset() + text.length());
        }
        String text = (String) value;
        return text.startsWith("X'")
                ? HexFormat.of().parseHex(text.substring(2, text.length() - 1))
                : text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<Object> unmodifiable(List<Object> values) {
        return Collections.unmodifiableList(new ArrayList<>(values));
    }

    /** Few letters, so that equal and nearly equal keys are common; any character; around the inline limit. */
    private static Arbitrary<String> strings() {
        return Arbitraries.oneOf(
                Arbitraries.strings().withChars("ab\0").ofMaxLength(3),
                Arbitraries.strings().ofMaxLength(20).map(Keys::wellFormed),
                Arbitraries.strings().withChars("ab").ofMinLength(11).ofMaxLength(17),
                Arbitraries.of("", "ä", "€", "😀", "x".repeat(126), "x".repeat(127), "x".repeat(128)));
    }

    /** Without half surrogates, which have no UTF-8 form. */
    private static String wellFormed(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static Arbitrary<Long> integers() {
        return Arbitraries.oneOf(
                Arbitraries.longs(),
                Arbitraries.longs().between(-3, 3),
                Arbitraries.of(Long.MIN_VALUE, Long.MAX_VALUE, 1L << 53, (1L << 53) + 1, 255L, 256L, -129L));
    }
}
