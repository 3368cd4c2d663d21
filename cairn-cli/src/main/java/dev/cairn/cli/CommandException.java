package dev.cairn.cli;

/** A command cannot do what it was asked to; its message is all that the user needs. */
final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean usage;

    private CommandException(String message, boolean usage, Throwable cause) {
        super(message, cause);
        this.usage = usage;
    }

    static CommandException failure(String message, Throwable cause) {
        return new CommandException(message, false, cause);
    }

    /** The command line itself is wrong. */
    static CommandException usage(String message) {
        return new CommandException(message, true, null);
    }

    int exitCode() {
        return usage ? Main.USAGE : Main.FAILED;
    }
}
