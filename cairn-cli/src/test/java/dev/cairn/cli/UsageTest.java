package dev.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UsageTest extends CommandLineTest {
    @Test
    void theVersionNamesCairnAndSpark() {
        assertThat(cairn("--version").out()).matches("cairn \\d+\\.\\d+\\.\\d+ \\(Spark 4\\.1\\.\\d+, Java \\d+\\)\\R");
    }

    @Test
    void theHelpShowsTheHintAndWhatToTry() {
        Result help = cairn("--help");

        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).contains("CHECKPOINT(").contains("bin/cairn run examples/code-search/pipeline.sql");
    }

    @Test
    void theHelpOfRunShowsTheVariablesAsTheyAreWritten() {
        assertThat(cairn("run", "--help").out())
                .contains("${env:NAME} ")
                .contains("${env:NAME:-default}")
                .contains("${script:dir}");
    }

    @Test
    void withoutACommandTheCommandsAreNamed() {
        assertThat(cairn())
                .isEqualTo(new Result(2, "", "cairn: Give a command: run, ls or show.\nSee 'cairn --help'.\n"));
    }

    @Test
    void anUnknownOptionIsWrongUsage() {
        Result result = cairn("run", "--nonsense", "x.sql");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).startsWith("cairn: Unknown option: '--nonsense'");
    }

    @Test
    void aScriptThatIsNotThereIsWrongUsage() {
        Result result = cairn("run", "no-such.sql");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).startsWith("cairn: There is no script no-such.sql (seen from ");
    }

    @Test
    void aJarThatIsNotThereIsWrongUsage() {
        Result result = run("SELECT 1", "--jars", "no-such.jar");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).isEqualTo("cairn: There is no jar no-such.jar. Correct --jars.\n");
    }

    @Test
    void aStoreThatIsNotThereIsOneClearError() {
        Result result = cairn("ls", directory.resolve("nothing").toString());

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("cairn: ").contains("nothing").doesNotContain("\tat ");
    }
}
