package dev.cairn.spark.fault;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.util.TaskCompletionListener;

/**
 * An operator that lets every row pass and makes something go wrong in the tasks that it runs in.
 *
 * @param when before or after the task's seal
 * @param how what goes wrong
 * @param markers existing directory that remembers what went wrong already, for processes that die
 */
public record Failing(When when, How how, String markers) implements MapPartitionsFunction<Row, Row> {
    /** At what point of a task. */
    public enum When {
        BEFORE_THE_SEAL,
        /** But before the task has ended: Spark takes it for failed. */
        AFTER_THE_SEAL
    }

    /** What happens. */
    public enum How {
        /** The first attempt of every partition fails. */
        EXCEPTION,
        /** The first process to come here dies. */
        HALT
    }

    public static Dataset<Row> in(Dataset<Row> frame, When when, How how, Path markers) {
        return frame.mapPartitions(new Failing(when, how, markers.toString()), Encoders.row(frame.schema()));
    }

    /** Called before a terminus registers its listener, and Spark calls listeners last to first: ours comes after the seal. */
    @Override
    public Iterator<Row> call(Iterator<Row> rows) {
        int partition = TaskContext.get().partitionId();
        if (when == When.AFTER_THE_SEAL) {
            TaskContext.get().addTaskCompletionListener((TaskCompletionListener) context -> fail(partition));
            return rows;
        }
        return new Iterator<>() {
            private int passed;

            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public Row next() {
                if (++passed == 2) {
                    fail(partition);
                }
                return rows.next();
            }
        };
    }

    private void fail(int partition) {
        String marker = how == How.HALT ? "halted" : "failed-" + partition;
        try {
            Files.createFile(Path.of(markers, marker));
        } catch (FileAlreadyExistsException happenedBefore) {
            return;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        if (how == How.HALT) {
            Runtime.getRuntime().halt(137);
        }
        throw new IllegalStateException("failed on purpose");
    }
}
