package dev.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cairn.cli.ResultTable.Heading;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultTableTest {
    private static final List<Heading> HEADINGS = List.of(Heading.text("name"), Heading.number("n"));

    @Test
    void numbersAreAlignedToTheRightAndNullIsSaid() {
        assertThat(ResultTable.render(HEADINGS, List.of(Arrays.asList("ada", "7"), Arrays.asList(null, "1234")), false)
                        .lines())
                .containsExactly(
                        "+------+------+",
                        "| name | n    |",
                        "+------+------+",
                        "| ada  |    7 |",
                        "| NULL | 1234 |",
                        "+------+------+");
    }

    @Test
    void wideCellsAreCutAndLineBreaksKeptOutOfTheWay() {
        String table = ResultTable.render(HEADINGS, List.of(List.of("a\n  b" + "c".repeat(100), "1")), false);

        assertThat(table).contains("| a ⏎ bccc").contains("c… |");
        assertThat(table.lines()).hasSize(5);
    }

    @Test
    void everythingIsShownOnRequest() {
        String table = ResultTable.render(HEADINGS, List.of(List.of("a\n  b" + "c".repeat(100), "1")), true);

        assertThat(table).contains("c".repeat(100));
    }
}
