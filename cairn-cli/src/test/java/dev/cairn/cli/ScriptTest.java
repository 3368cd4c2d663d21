package dev.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScriptTest {
    @TempDir
    private Path directory;

    @Test
    void statementsEndWithASemicolonAndTheLastOneNeedsNone() {
        assertThat(sqlOf("SELECT 1; SELECT 2 ;\n;SELECT 3")).containsExactly("SELECT 1", "SELECT 2", "SELECT 3");
    }

    @Test
    void aSemicolonInAStringANameOrACommentEndsNothing() {
        assertThat(sqlOf("SELECT 'a;b', \"c;d\", `e;f` /* g;h */ -- i;j\nFROM t; SELECT 2"))
                .containsExactly("SELECT 'a;b', \"c;d\", `e;f` /* g;h */ -- i;j\nFROM t", "SELECT 2");
    }

    @Test
    void anApostropheInACommentOpensNoString() {
        assertThat(sqlOf("-- it's one\nSELECT 1; SELECT 2")).containsExactly("SELECT 1", "SELECT 2");
    }

    @Test
    void commentsAloneAreNoStatement() {
        assertThat(sqlOf("-- nothing\n/* here; */\n")).isEmpty();
        assertThat(sqlOf("SELECT 1;\n-- the end\n")).containsExactly("SELECT 1");
    }

    @Test
    void aHintIsNoComment() {
        assertThat(sqlOf("SELECT /*+ CHECKPOINT('s', 'k') */ * FROM t"))
                .containsExactly("SELECT /*+ CHECKPOINT('s', 'k') */ * FROM t");
    }

    @Test
    void aStatementKnowsItsNumberItsLineAndItsFirstWords() {
        Statement second = Script.split("SELECT 1;\n\n-- what it does\nINSERT INTO t\n  SELECT 2")
                .get(1);

        assertThat(second.number()).isEqualTo(2);
        assertThat(second.line()).isEqualTo(4);
        assertThat(second.headline()).isEqualTo("INSERT INTO t SELECT 2");
    }

    @Test
    void aLongStatementIsCutInMessages() {
        assertThat(Script.split("SELECT " + "x".repeat(100)).get(0).headline())
                .hasSize(60)
                .endsWith("…");
    }

    @Test
    void environmentVariablesAreReplaced() {
        assertThat(substitute("SELECT '${env:NAME}'", Map.of("NAME", "ada"))).isEqualTo("SELECT 'ada'");
    }

    @Test
    void aDefaultStandsInForAVariableThatIsNotSet() {
        assertThat(substitute("LIMIT ${env:ROWS:-10}", Map.of())).isEqualTo("LIMIT 10");
        assertThat(substitute("LIMIT ${env:ROWS:-10}", Map.of("ROWS", "5"))).isEqualTo("LIMIT 5");
    }

    @Test
    void aDefaultMayBeAVariableItself() {
        assertThat(substitute("'${env:OUT:-${env:HOME}/out}'", Map.of("HOME", "/home/ada")))
                .isEqualTo("'/home/ada/out'");
    }

    @Test
    void aValueIsNotLookedIntoAgain() {
        assertThat(substitute("'${env:A}'", Map.of("A", "${script:dir}", "B", "b")))
                .isEqualTo("'${script:dir}'");
    }

    @Test
    void theScriptKnowsItsDirectory() {
        assertThat(substitute("'${script:dir}/data'", Map.of())).isEqualTo("'" + directory + "/data'");
    }

    @Test
    void otherVariablesAreLeftToSpark() {
        assertThat(substitute("SELECT ${x}, '$5'", Map.of())).isEqualTo("SELECT ${x}, '$5'");
    }

    @Test
    void aVariableWithoutValueAndDefaultIsRefused() {
        assertThatThrownBy(() -> substitute("SELECT '${env:NAME}'", Map.of()))
                .isInstanceOf(CommandException.class)
                .hasMessage(
                        "The environment variable NAME is not set, and the script gives it no default. Set it, or write"
                                + " ${env:NAME:-default}.");
    }

    private static List<String> sqlOf(String text) {
        return Script.split(text).stream().map(Statement::sql).toList();
    }

    private String substitute(String sql, Map<String, String> environment) {
        try {
            Script script = Script.read(Files.writeString(directory.resolve("script.sql"), sql));
            return script.substitute(script.statements().get(0), environment);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
