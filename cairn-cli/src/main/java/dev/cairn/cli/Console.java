package dev.cairn.cli;

import java.io.PrintWriter;

/**
 * The two streams of a command: results on the one, everything about them on the other. On a terminal the latter has a
 * last line that is redrawn in place. Thread-safe.
 */
final class Console {
    private static final int MIN_WIDTH = 20;
    private static final int DEFAULT_WIDTH = 100;
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean terminal;
    private final int width;
    private String live = "";
    private boolean ended;

    /**
     * @param terminal whether {@code err} is a terminal
     * @param width of the terminal in columns, 0 if unknown
     */
    Console(PrintWriter out, PrintWriter err, boolean terminal, int width) {
        this.out = out;
        this.err = err;
        this.terminal = terminal;
        // Terminals that do not know their size say 0.
        this.width = width < MIN_WIDTH ? DEFAULT_WIDTH : width;
    }

    boolean isTerminal() {
        return terminal;
    }

    /** A result. */
    synchronized void result(String text) {
        clear();
        out.println(text);
        out.flush();
        draw();
    }

    /** Something to know. */
    synchronized void say(String text) {
        if (ended) {
            return;
        }
        clear();
        err.println(text);
        err.flush();
        draw();
    }

    /** The last word: whoever still runs is not heard any more. */
    synchronized void sayLast(String text) {
        live("");
        say(text);
        ended = true;
    }

    /** Replaces the live line; empty removes it. Does nothing where there is no terminal. */
    synchronized void live(String line) {
        if (terminal && !ended && !line.equals(live)) {
            clear();
            live = line;
            draw();
        }
    }

    private void clear() {
        if (!live.isEmpty()) {
            err.print(CLEAR_LINE);
            err.flush();
        }
    }

    private void draw() {
        if (!live.isEmpty()) {
            // A line as wide as the terminal would wrap, and then could not be cleared.
            err.print(live.length() < width ? live : live.substring(0, width - 1));
            err.flush();
        }
    }
}
