package dev.cairn.cli;

import dev.cairn.CairnException;
import dev.cairn.spark.CheckpointException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.AnalysisException;

/** Says what went wrong in one message without stack traces. */
final class Errors {
    private Errors() {}

    static String describe(Throwable error) {
        if (error instanceof CommandException) {
            return clean(error); // it has been described already, with the statement that failed
        }
        List<Throwable> chain = chain(error);
        for (Throwable cause : chain) {
            if (cause instanceof CheckpointException) {
                return clean(cause); // the one with the condition, by which to look it up
            }
        }
        for (int i = chain.size() - 1; i >= 0; i--) {
            if (chain.get(i) instanceof CairnException) {
                return clean(chain.get(i));
            }
        }
        // What failed in a task arrives wrapped in the story of the stage, which says nothing that the cause does not.
        List<Throwable> told = chain.stream().filter(t -> !isStory(t)).toList();
        if (told.isEmpty()) {
            return clean(error);
        }
        Throwable first = told.get(0);
        Throwable last = told.get(told.size() - 1);
        String message = clean(first);
        if (last != first) {
            String cause = clean(last);
            message = message.contains(cause) ? message : message + "\nCause: " + cause;
        }
        return message;
    }

    private static boolean isStory(Throwable error) {
        String message = String.valueOf(error.getMessage());
        return message.contains("Job aborted due to stage failure")
                || message.contains("[TASK_WRITE_FAILED]")
                || (error instanceof SparkThrowable spark && "TASK_WRITE_FAILED".equals(spark.getCondition()));
    }

    private static List<Throwable> chain(Throwable error) {
        List<Throwable> chain = new ArrayList<>();
        for (Throwable t = error; t != null && !chain.contains(t); t = t.getCause()) {
            chain.add(t);
        }
        return chain;
    }

    private static String clean(Throwable error) {
        boolean speaksForItself = error instanceof CairnException
                || error instanceof CommandException
                || (error instanceof SparkThrowable spark && spark.getCondition() != null);
        // An analysis error's full message ends with the plan, which helps nobody but Spark's developers.
        String message = error instanceof AnalysisException analysis ? analysis.getSimpleMessage() : error.getMessage();
        if (message == null || message.isBlank()) {
            return error.getClass().getName();
        }
        String text = message.lines()
                .takeWhile(line -> !line.startsWith("\tat ") && !line.startsWith("Driver stacktrace:"))
                .collect(Collectors.joining("\n"))
                .strip();
        return speaksForItself ? text : error.getClass().getSimpleName() + ": " + text;
    }
}
