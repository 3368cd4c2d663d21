package dev.cairn.cli;

/**
 * One statement of a script.
 *
 * @param number from 1
 * @param line on which it begins, from 1
 * @param sql its text, comments included, as it stands in the script
 */
record Statement(int number, int line, String sql) {
    private static final int HEADLINE = 60;

    /** Its first words without comments, for messages. */
    String headline() {
        String words = skipComments(sql).replaceAll("\\s+", " ").strip();
        return words.length() <= HEADLINE
                ? words
                : words.substring(0, HEADLINE - 1).stripTrailing() + "…";
    }

    /** The text from its first character that is neither blank nor inside a leading comment. */
    static String skipComments(String text) {
        String rest = text.stripLeading();
        while (rest.startsWith("--") || (rest.startsWith("/*") && !rest.startsWith("/*+"))) {
            String end = rest.startsWith("--") ? "\n" : "*/";
            int at = rest.indexOf(end);
            rest = at < 0 ? "" : rest.substring(at + end.length()).stripLeading();
        }
        return rest;
    }
}
