package dev.cairn.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cairn.ErrorCondition;
import dev.cairn.spark.internal.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tables in the documentation list what the code has: no more, no less. */
class DocumentationTest {
    private static final Path DOCS = Path.of("..", "docs");

    private static List<String> rows(String page, String pattern) throws IOException {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(Files.readString(DOCS.resolve(page)))
                .results()
                .map(match -> String.join(" ", groups(match)))
                .toList();
    }

    private static List<String> groups(MatchResult match) {
        return java.util.stream.IntStream.rangeClosed(1, match.groupCount())
                .mapToObj(match::group)
                .toList();
    }

    @Test
    void everyErrorConditionIsDocumentedWithItsSqlState() throws IOException {
        assertThat(rows("errors.md", "^\\| `(CAIRN_\\w+)` \\| (\\w{5}) \\|"))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(ErrorCondition.values())
                        .map(condition -> condition.conditionName() + " " + condition.sqlState())
                        .toList());
    }

    @Test
    void everySettingIsDocumentedWithItsDefault() throws IOException {
        assertThat(rows("settings.md", "^\\| `(spark\\.cairn\\.\\w+)` \\| `([^`]*)` \\|"))
                .containsExactlyElementsOf(Settings.ALL.stream()
                        .map(setting -> setting.name() + " " + setting.defaultText())
                        .toList());
    }
}
