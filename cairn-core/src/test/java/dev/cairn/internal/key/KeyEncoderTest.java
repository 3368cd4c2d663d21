package dev.cairn.internal.key;

import static dev.cairn.key.Keys.encoding;
import static dev.cairn.key.Keys.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cairn.key.Keys;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class KeyEncoderTest {
    private static String hex(Object... key) {
        return HexFormat.of().formatHex(encoding(key(key)));
    }

    @Test
    void is_the_encoding_of_the_store_format() {
        assertThat(hex((Object) null)).isEqualTo("00");
        assertThat(hex("")).isEqualTo("01");
        assertThat(hex("ab")).isEqualTo("036162");
        assertThat(hex("x".repeat(127))).startsWith("800178").hasSize(2 * 129);
        assertThat(hex(0L)).isEqualTo("01");
        assertThat(hex(-1L)).isEqualTo("0201");
        assertThat(hex(1L)).isEqualTo("0202");
        assertThat(hex(300L)).isEqualTo("035802");
        assertThat(hex(Long.MIN_VALUE)).isEqualTo("09ffffffffffffffff");
        assertThat(hex(Long.MAX_VALUE)).isEqualTo("09feffffffffffffff");
        assertThat(hex("a", null, 7L)).isEqualTo("026100020e");
    }

    @Test
    void tells_keys_apart_that_are_equal_when_written_one_after_the_other() {
        assertThat(hex("a", "bc")).isNotEqualTo(hex("ab", "c"));
        assertThat(hex("", null)).isNotEqualTo(hex(null, ""));
        assertThat(hex((Object) null)).isNotEqualTo(hex(""));
        assertThat(hex(1L << 53)).isNotEqualTo(hex((1L << 53) + 1));
    }

    record Pair(List<Object> first, List<Object> second) {}

    @Provide
    Arbitrary<Pair> pairs() {
        return Keys.schemas().flatMap(schema -> {
            Arbitrary<List<Object>> keys = Keys.keysOf(schema);
            return keys.flatMap(
                    first -> Arbitraries.oneOf(keys, Arbitraries.just(first)).map(second -> new Pair(first, second)));
        });
    }

    @Property(tries = 2000)
    void two_keys_have_one_encoding_if_and_only_if_they_are_equal(@ForAll("pairs") Pair pair) {
        assertThat(Arrays.equals(encoding(pair.first()), encoding(pair.second())))
                .isEqualTo(pair.first().equals(pair.second()));
    }

    @Property(tries = 2000)
    void two_keys_have_one_slot_if_and_only_if_they_are_equal(@ForAll("pairs") Pair pair) {
        KeySlot first = slot(pair.first());
        KeySlot second = slot(pair.second());
        assertThat(first.low() == second.low() && first.high() == second.high())
                .isEqualTo(pair.first().equals(pair.second()));
    }

    @Property
    void a_slot_is_exact_up_to_15_bytes_and_a_hash_beyond(@ForAll("pairs") Pair pair) {
        KeySlot slot = slot(pair.first());
        byte[] encoding = encoding(pair.first());
        assertThat(slot.high() < 0).isEqualTo(encoding.length > 15);
        if (encoding.length <= 15) {
            byte[] expected = Arrays.copyOf(encoding, 16);
            expected[15] = (byte) encoding.length;
            java.nio.ByteBuffer bytes = java.nio.ByteBuffer.wrap(expected).order(java.nio.ByteOrder.LITTLE_ENDIAN);
            assertThat(slot.low()).isEqualTo(bytes.getLong(0));
            assertThat(slot.high()).isEqualTo(bytes.getLong(8));
        }
    }

    @Test
    void what_an_encoder_held_before_leaves_no_trace_in_a_slot() {
        KeyEncoder encoder = Keys.encode(key("zzzzzzzzzzzzzzzzzzzzzzzzz"));
        encoder.reset();
        encoder.addLong(5);
        KeySlot slot = new KeySlot(new byte[16]);
        slot.compute(encoder);
        assertThat(slot.low()).isEqualTo(slot(key(5L)).low());
        assertThat(slot.high()).isEqualTo(slot(key(5L)).high());
    }

    @Test
    void a_string_encoded_in_place_is_encoded_as_any_other() {
        KeyEncoder inPlace = new KeyEncoder();
        KeyEncoder other = new KeyEncoder();
        KeySlot slot = new KeySlot(new byte[16]);
        for (int length : IntStream.concat(
                        IntStream.range(0, 300), IntStream.of(16_382, 16_383, 16_384, 2_097_150, 2_097_151, 2_097_152))
                .toArray()) {
            // Nothing but the value, what is before it, and one byte after it.
            byte[] source = new byte[5 + length + 1];
            Arrays.fill(source, (byte) 'x');
            source[0] = 7;
            source[source.length - 1] = 9;
            other.reset();
            other.addBytes(source, 5, length);
            inPlace.encodeInPlace(source, 5, length);
            assertThat(inPlace.length()).isEqualTo(other.length());
            assertThat(Arrays.compare(
                            inPlace.buffer(),
                            inPlace.offset(),
                            inPlace.offset() + inPlace.length(),
                            other.buffer(),
                            0,
                            other.length()))
                    .isZero();
            assertThat(source[0]).isEqualTo((byte) 7);
            assertThat(source[source.length - 1]).isEqualTo((byte) 9);
            slot.compute(inPlace);
            long low = slot.low();
            long high = slot.high();
            slot.compute(other);
            assertThat(low).isEqualTo(slot.low());
            assertThat(high).isEqualTo(slot.high());
        }
        inPlace.reset();
        inPlace.addLong(5);
        slot.compute(inPlace);
        assertThat(slot.low()).isEqualTo(slot(key(5L)).low());
    }

    private static KeySlot slot(List<Object> key) {
        KeySlot slot = new KeySlot(new byte[16]);
        slot.compute(Keys.encode(key));
        return slot;
    }
}
