package dev.cairn.examples.codesearch;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A piece of a source file, small enough for the model to read at once.
 *
 * @param number within the file, from 0
 * @param firstLine in the file, from 1
 * @param text its lines
 */
record Chunk(int number, int firstLine, String text) {
    static final int MAX_LINES = 40;
    private static final int MIN_LINES = MAX_LINES / 2;
    private static final int MIN_CODE_LINES = 4;

    /** Comments, imports, and lines of punctuation: true of every file, so they tell none from another. */
    private static final Pattern BOILERPLATE =
            Pattern.compile("\\s*(|[{}()\\[\\];,]+|//.*|/?\\*.*|(package|import)\\s.*|@Override)\\s*");

    /** Cuts at the last blank line that leaves a chunk of a decent size, else after {@link #MAX_LINES} lines. */
    static List<Chunk> of(String text) {
        List<Chunk> chunks = new ArrayList<>();
        List<String> lines = text.lines().toList();
        for (int from = 0; from < lines.size(); ) {
            int to = end(lines, from);
            String piece = String.join("\n", lines.subList(from, to));
            if (!piece.isBlank()) {
                chunks.add(new Chunk(chunks.size(), from + 1, piece));
            }
            from = to;
        }
        return chunks;
    }

    private static int end(List<String> lines, int from) {
        int furthest = Math.min(lines.size(), from + MAX_LINES);
        if (furthest == lines.size()) {
            return furthest;
        }
        for (int to = furthest; to > from + MIN_LINES; to--) {
            if (lines.get(to - 1).isBlank()) {
                return to;
            }
        }
        return furthest;
    }

    /** Whether there is code enough in the text to search for: licences, imports and remains are not worth it. */
    static boolean isWorthKeeping(String text) {
        return text.lines().filter(line -> !BOILERPLATE.matcher(line).matches()).count() >= MIN_CODE_LINES;
    }
}
