package dev.cairn.internal.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Equal decimals have equal text, others another. */
class DecimalTextTest {
    private final DecimalText text = new DecimalText();

    private String text() {
        return new String(text.buffer(), text.offset(), text.length(), StandardCharsets.US_ASCII);
    }

    private String of(BigDecimal value) {
        text.set(value);
        return text();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0",
        "0, 5, 0",
        "7, 0, 7",
        "-7, 0, -7",
        "700, 0, 700",
        "150, 2, 1.5",
        "1500, 4, 0.15",
        "-1, 3, -0.001",
        "-1000, 3, -1",
        "9223372036854775807, 38, 0.00000000000000000009223372036854775807",
        "-9223372036854775808, 18, -9.223372036854775808",
    })
    void theShortestPlainTextIsTaken(long unscaled, int scale, String expected) {
        text.set(unscaled, scale);
        assertThat(text()).isEqualTo(expected);
        assertThat(of(BigDecimal.valueOf(unscaled, scale))).isEqualTo(expected);
    }

    @Property
    void bothWaysToMakeItAgreeAndTheTextIsTheNumber(@ForAll long unscaled, @ForAll @IntRange(max = 38) int scale) {
        BigDecimal value = BigDecimal.valueOf(unscaled, scale);
        String whole = of(value);
        text.set(unscaled, scale);
        assertThat(text()).isEqualTo(whole);
        assertThat(new BigDecimal(whole)).isEqualByComparingTo(value);
    }

    @Property
    void theScaleDoesNotMatter(@ForAll BigInteger unscaled, @ForAll @IntRange(max = 30) int scale) {
        BigDecimal value = new BigDecimal(unscaled, scale);
        assertThat(of(value.setScale(scale + 7))).isEqualTo(of(value));
    }

    @Test
    void numbersOfAnySizeFit() {
        assertThat(of(new BigDecimal("1E+200"))).isEqualTo("1" + "0".repeat(200));
        assertThat(of(new BigDecimal("2"))).isEqualTo("2");
    }
}
