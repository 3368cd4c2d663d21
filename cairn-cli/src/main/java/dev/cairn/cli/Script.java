package dev.cairn.cli;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.commons.text.StringSubstitutor;
import org.apache.spark.sql.catalyst.util.StringUtils;
import scala.jdk.javaapi.CollectionConverters;

/** A file of SQL statements, each ended by a semicolon. */
final class Script {
    private static final String ENVIRONMENT = "env:";
    private static final String DIRECTORY = "script:dir";

    private final Path file;
    private final List<Statement> statements;

    private Script(Path file, List<Statement> statements) {
        this.file = file;
        this.statements = statements;
    }

    static Script read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw CommandException.usage("There is no script " + file + " (seen from "
                    + Path.of("").toAbsolutePath() + "). Give the path of a file of SQL statements.");
        }
        try {
            return new Script(file, split(Files.readString(file)));
        } catch (MalformedInputException e) {
            throw CommandException.failure("The script " + file + " is not UTF-8 text. Save it as UTF-8.", e);
        } catch (IOException e) {
            throw CommandException.failure("The script " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Semicolons in strings, quoted identifiers and comments do not count: Spark's own splitter decides. */
    static List<Statement> split(String text) {
        List<Statement> statements = new ArrayList<>();
        int from = 0;
        for (String sql : CollectionConverters.asJava(StringUtils.splitSemiColonWithIndex(text, true))) {
            int at = text.indexOf(sql, from);
            from = at + sql.length();
            String body = Statement.skipComments(sql);
            if (!body.isEmpty()) {
                int start = at + sql.length() - body.length();
                int line = 1
                        + (int) text.substring(0, start)
                                .chars()
                                .filter(c -> c == '\n')
                                .count();
                statements.add(new Statement(statements.size() + 1, line, body.strip()));
            }
        }
        return List.copyOf(statements);
    }

    List<Statement> statements() {
        return statements;
    }

    /** File name without {@code .sql}. */
    String name() {
        return file.getFileName().toString().replaceFirst("\\.sql$", "");
    }

    /** Absolute. */
    Path directory() {
        return file.toAbsolutePath().normalize().getParent();
    }

    /**
     * The statement with {@code ${env:NAME}}, {@code ${env:NAME:-default}} and {@code ${script:dir}} replaced. Values
     * are put in as they are and not looked into again. Other variables are left to Spark.
     */
    String substitute(Statement statement, Map<String, String> environment) {
        StringSubstitutor substitutor = new StringSubstitutor(name -> {
            if (name.equals(DIRECTORY)) {
                return directory().toString();
            }
            return name.startsWith(ENVIRONMENT) ? environment.get(name.substring(ENVIRONMENT.length())) : null;
        });
        String sql = substitutor
                .setEnableSubstitutionInVariables(true)
                .setDisableSubstitutionInValues(true)
                .setEscapeChar('\0')
                .replace(statement.sql());
        // Spark would replace an unset environment variable by nothing, or leave the text: either hides a mistake.
        int unset = sql.indexOf("${" + ENVIRONMENT);
        if (unset >= 0) {
            int end = sql.indexOf('}', unset);
            String name = sql.substring(unset + 2 + ENVIRONMENT.length(), end < 0 ? sql.length() : end);
            throw CommandException.failure(
                    "The environment variable " + name + " is not set, and the script gives it no default. Set it, or"
                            + " write ${env:" + name + ":-default}.",
                    null);
        }
        return sql;
    }
}
