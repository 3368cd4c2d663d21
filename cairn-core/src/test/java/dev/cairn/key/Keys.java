package dev.cairn.key;

import dev.cairn.internal.file.KeyColumns;
import dev.cairn.internal.key.KeyEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Keys as tests write them: a list of one {@link String}, {@link Long} or null per column. */
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
            } else if (value instanceof Long number) {
                columns.putLong(i, number);
            } else {
                byte[] bytes = ((String) value).getBytes(StandardCharsets.UTF_8);
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
            } else if (value instanceof Long number) {
                encoder.addLong(number);
            } else {
                byte[] bytes = ((String) value).getBytes(StandardCharsets.UTF_8);
                encoder.addBytes(bytes, 0, bytes.length);
            }
        }
        return encoder;
    }

    public static byte[] encoding(List<Object> key) {
        KeyEncoder encoder = encode(key);
        return Arrays.copyOf(encoder.buffer(), encoder.length());
    }

    /** Single strings, single integers, and composites of both. */
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
            columns.add(
                    schema.type(i) == KeyType.STRING
                            ? strings().map(value -> (Object) value).injectNull(0.1)
                            : integers().map(value -> (Object) value).injectNull(0.1));
        }
        return Combinators.combine(columns).as(Keys::unmodifiable);
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
