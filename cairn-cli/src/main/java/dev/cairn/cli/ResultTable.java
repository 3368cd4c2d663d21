package dev.cairn.cli;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import com.github.freva.asciitable.OverflowBehaviour;
import java.util.List;

/** Lines and columns for people. */
final class ResultTable {
    /** Cells are cut at this width unless everything is asked for. */
    static final int CELL_WIDTH = 60;

    /**
     * @param name header
     * @param isNumber aligned to the right
     */
    record Heading(String name, boolean isNumber) {
        static Heading text(String name) {
            return new Heading(name, false);
        }

        static Heading number(String name) {
            return new Heading(name, true);
        }
    }

    private ResultTable() {}

    /** @param full cells keep their width and their line breaks */
    static String render(List<Heading> headings, List<List<String>> rows, boolean full) {
        Column[] columns = headings.stream()
                .map(heading -> new Column()
                        .header(heading.name())
                        .headerAlign(HorizontalAlign.LEFT)
                        .dataAlign(heading.isNumber() ? HorizontalAlign.RIGHT : HorizontalAlign.LEFT)
                        .maxWidth(Integer.MAX_VALUE, OverflowBehaviour.NEWLINE))
                .toArray(Column[]::new);
        String[][] cells = rows.stream()
                .map(row -> row.stream().map(cell -> cell(cell, full)).toArray(String[]::new))
                .toArray(String[][]::new);
        return AsciiTable.getTable(AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS, columns, cells);
    }

    private static String cell(String value, boolean full) {
        String text = value == null ? "NULL" : value.replace("\t", "    ");
        if (full) {
            return text;
        }
        // One row, one line.
        String line = text.replaceAll("\\s*\\R\\s*", " ⏎ ");
        return line.length() <= CELL_WIDTH ? line : line.substring(0, CELL_WIDTH - 1) + "…";
    }
}
