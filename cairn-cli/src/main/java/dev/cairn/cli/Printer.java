package dev.cairn.cli;

import static org.apache.spark.sql.functions.hex;

import dev.cairn.cli.ResultTable.Heading;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.command.SetCommand;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructField;

/** Prints what a statement returns. */
final class Printer {
    private final Console console;
    private final int maxRows;
    private final boolean full;

    Printer(Console console, int maxRows, boolean full) {
        this.console = console;
        this.maxRows = maxRows;
        this.full = full;
    }

    void print(Dataset<Row> result) {
        StructField[] fields = result.schema().fields();
        if (fields.length == 0 || isSetting(result)) {
            return;
        }
        Dataset<Row> text = asText(result, fields);
        // A checkpointed query is run to its end, whatever is printed of it: a limit would leave rows unread.
        List<Row> rows = (isCheckpointed(result) ? text : text.limit(maxRows + 1)).collectAsList();
        boolean more = rows.size() > maxRows;
        List<List<String>> cells = rows.stream()
                .limit(maxRows)
                .map(row -> IntStream.range(0, fields.length)
                        .mapToObj(row::getString)
                        .toList())
                .toList();
        List<Heading> headings = new ArrayList<>();
        for (StructField field : fields) {
            headings.add(new Heading(field.name(), field.dataType() instanceof NumericType));
        }
        console.result(ResultTable.render(headings, cells, full));
        if (more) {
            console.say("Only the first " + Text.count(maxRows, "row") + "; --rows prints more.");
        }
    }

    /** As Spark's own cast writes it. */
    private static Dataset<Row> asText(Dataset<Row> result, StructField[] fields) {
        // Names may repeat; positions do not.
        String[] names =
                IntStream.range(0, fields.length).mapToObj(i -> "c" + i).toArray(String[]::new);
        Dataset<Row> named = result.toDF(names);
        Column[] columns = IntStream.range(0, fields.length)
                .mapToObj(i -> fields[i].dataType() instanceof BinaryType
                        ? hex(named.col(names[i]))
                        : named.col(names[i]).cast("string"))
                .toArray(Column[]::new);
        return named.select(columns);
    }

    private static boolean isCheckpointed(Dataset<Row> result) {
        return plan(result)
                .find(node -> node.nodeName().equals(ProgressListener.NODE))
                .isDefined();
    }

    /** {@code SET k = v} returns what it was told; nobody wants to see that again. */
    private static boolean isSetting(Dataset<Row> result) {
        return plan(result) instanceof SetCommand set
                && set.kv().isDefined()
                && set.kv().get()._2().isDefined();
    }

    private static LogicalPlan plan(Dataset<Row> result) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) result)
                .queryExecution()
                .analyzed();
    }
}
