package dev.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ConsoleTest {
    private static final String CLEAR = "\r\u001b[K";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void theLiveLineStaysBelowWhatIsSaid() {
        Console console = console(true, 80);

        console.live("1 of 2");
        console.say("hello");
        console.live("2 of 2");
        console.live("");

        assertThat(err.toString()).isEqualTo("1 of 2" + CLEAR + "hello\n1 of 2" + CLEAR + "2 of 2" + CLEAR);
    }

    @Test
    void theLiveLineNeverWraps() {
        console(true, 30).live("x".repeat(50));

        assertThat(err.toString()).isEqualTo("x".repeat(29));
    }

    @Test
    void aTerminalThatDoesNotKnowItsWidthIsTakenForAUsualOne() {
        console(true, 0).live("x".repeat(200));

        assertThat(err.toString()).isEqualTo("x".repeat(99));
    }

    @Test
    void withoutATerminalThereIsNoLiveLine() {
        console(false, 80).live("1 of 2");

        assertThat(err.toString()).isEmpty();
    }

    @Test
    void resultsGoToOutAndNothingElseDoes() {
        Console console = console(true, 80);

        console.live("1 of 2");
        console.result("42");

        assertThat(out.toString()).isEqualTo("42\n");
    }

    @Test
    void nothingFollowsTheLastWord() {
        Console console = console(true, 80);

        console.live("1 of 2");
        console.sayLast("Interrupted");
        console.live("2 of 2");
        console.say("done");

        assertThat(err.toString()).isEqualTo("1 of 2" + CLEAR + "Interrupted\n");
    }

    private Console console(boolean terminal, int width) {
        return new Console(new PrintWriter(out), new PrintWriter(err), terminal, width);
    }
}
