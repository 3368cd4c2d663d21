package dev.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RunCommandTest extends CommandLineTest {
    @Test
    void resultsArePrintedAsTablesAndStatementsWithoutResultPrintNothing() {
        Result result = run("""
                SET spark.sql.shuffle.partitions = 2;
                CREATE TEMPORARY VIEW v AS SELECT 1;
                SELECT id, 'a;b' AS text, array(1.5) AS list, X'CAFE' AS bytes, id AS id FROM range(3);
                """, "--rows", "2");

        assertThat(result.out().lines())
                .containsExactly(
                        "+----+------+-------+-------+----+",
                        "| id | text | list  | bytes | id |",
                        "+----+------+-------+-------+----+",
                        "|  0 | a;b  | [1.5] | CAFE  |  0 |",
                        "|  1 | a;b  | [1.5] | CAFE  |  1 |",
                        "+----+------+-------+-------+----+");
        assertThat(result.err()).isEqualTo("Only the first 2 rows; --rows prints more.\n");
        assertThat(result.exitCode()).isZero();
    }

    @Test
    void aStatementThatSparkRefusesIsNamedAndNothingAfterItRuns() {
        Result result = run("SELECT 1 AS one;\nSELECT two FROM (SELECT 1 AS one);\nSELECT 3 AS three");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).contains("one").doesNotContain("three");
        assertThat(result.err())
                .startsWith("cairn: statement 2 of 3 failed (line 2: SELECT two FROM (SELECT 1 AS one))\n"
                        + "[UNRESOLVED_COLUMN.WITH_SUGGESTION]")
                .doesNotContain("\tat ")
                .doesNotContain("Project");
    }

    @Test
    void aCheckpointedStatementResumesAndItsStoreTellsWhatHappened() throws IOException {
        Path store = directory.resolve("store");
        Path table = directory.resolve("table");
        String create = "CREATE TABLE t (id BIGINT) USING parquet LOCATION '" + table + "';\n";
        String insert =
                "INSERT INTO t SELECT %s FROM (SELECT /*+ CHECKPOINT('" + store + "', 'id') */ * FROM input);\n";
        String input = "CREATE TEMPORARY VIEW input AS SELECT id FROM range(0, 6, 1, 3);\n";
        String count = "SELECT count(*) AS n, count(DISTINCT id) AS d FROM t";
        Path failing = write("embed.sql", create + input + insert.formatted("fail_on_three(id)") + count);

        Result failed = runFile(failing);

        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.err())
                .contains("cairn: statement 3 of 4 failed (line 3: INSERT INTO t SELECT fail_on_three(id) FROM")
                .contains("three is one too many")
                .doesNotContain("\tat ");

        Result repaired = runFile(write("embed.sql", create + input + insert.formatted("id") + count));

        assertThat(repaired.exitCode()).isZero();
        assertThat(repaired.err()).contains("skipped").contains("epoch 1 committed in");
        assertThat(repaired.out()).contains("| 6 | 6 |");

        Result runs = cairn("ls", store.toString());
        assertThat(runs.out()).contains("| failed    |").contains("| succeeded |");

        JsonNode document = new ObjectMapper()
                .readTree(cairn("show", "--json", store.toString()).out());
        JsonNode last = document.at("/runs/1");
        assertThat(last.at("/outcome").asText()).isEqualTo("succeeded");
        assertThat(last.at("/keys/0/name").asText()).isEqualTo("id");
        assertThat(last.at("/destination/kind").asText()).isEqualTo("file");
        assertThat(last.at("/figures/rowsAdmitted").asLong()
                        + last.at("/figures/rowsSkipped").asLong())
                .isEqualTo(6);
        assertThat(document.at("/epochs/0/state").asText()).isEqualTo("committed");
        assertThat(document.at("/pending")).isEmpty();

        Result shown = cairn("show", store.toString());
        assertThat(shown.out()).contains("key          (id integer)").contains("| committed |");

        Result run = cairn("show", store.toString(), last.at("/number").asText());
        assertThat(run.out()).contains("outcome      succeeded").contains("| committed |");

        Result missing = cairn("show", store.toString(), "99");
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err()).contains("has no run 99. Its runs are [0, ");
    }
}
