package dev.cairn.internal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.bouncycastle.crypto.macs.SipHash128;
import org.bouncycastle.crypto.params.KeyParameter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SipHashTest {
    private static byte[] counting(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private static byte[] hash(byte[] key, byte[] input, int offset, int length) {
        SipHash hash = new SipHash(key);
        hash.hash(input, offset, length);
        return ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(hash.low())
                .putLong(hash.high())
                .array();
    }

    private static byte[] oracle(byte[] key, byte[] input, int offset, int length) {
        SipHash128 mac = new SipHash128(2, 4);
        mac.init(new KeyParameter(key));
        mac.update(input, offset, length);
        byte[] result = new byte[16];
        mac.doFinal(result, 0);
        return result;
    }

    @ParameterizedTest
    @CsvSource({
        "0, a3817f04ba25a8e66df67214c7550293",
        "1, da87c1d86b99af44347659119b22fc45",
        "2, 8177228da4a45dc7fca38bdef60affe4",
        "3, 9c70b60c5267a94e5f33b6b02985ed51",
    })
    void gives_the_official_vectors(int length, String expected) {
        assertThat(HexFormat.of().formatHex(hash(counting(16), counting(length), 0, length)))
                .isEqualTo(expected);
    }

    @Test
    void agrees_with_another_implementation_on_every_length_up_to_300() {
        byte[] key = new byte[16];
        byte[] input = new byte[300];
        Random random = new Random(7);
        random.nextBytes(key);
        random.nextBytes(input);
        for (int length = 0; length <= input.length; length++) {
            assertThat(hash(key, input, 0, length)).isEqualTo(oracle(key, input, 0, length));
        }
    }

    @Property
    void agrees_with_another_implementation_wherever_the_input_begins(
            @ForAll @Size(16) byte[] key, @ForAll @Size(max = 100) byte[] input, @ForAll @IntRange(max = 20) int skip) {
        int offset = Math.min(skip, input.length);
        assertThat(hash(key, input, offset, input.length - offset))
                .isEqualTo(oracle(key, input, offset, input.length - offset));
    }

    @Test
    void refuses_a_key_of_another_length_and_a_part_outside_the_array() {
        assertThatThrownBy(() -> new SipHash(new byte[15])).hasMessageContaining("16 bytes, not 15");
        assertThatThrownBy(() -> new SipHash(new byte[16]).hash(new byte[4], 2, 3))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
