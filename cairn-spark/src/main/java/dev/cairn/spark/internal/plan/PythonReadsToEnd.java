package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.api.python.SimplePythonFunction;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MapInArrow;
import org.apache.spark.sql.catalyst.plans.logical.MapInPandas;

/**
 * Makes Python functions over iterators fail if they return before they have taken all their input.
 *
 * <p>Spark sends Python workers their input ahead and does not ask what became of it: a checkpoint's input may be read to
 * its end although the function above it stopped at the first batch. So the check runs in the worker, around the function.
 */
final class PythonReadsToEnd {
    private static final String WRAPPER = resource();

    /** Defines what the source, the first argument, defines, and calls its {@code wrap} with the second. */
    private static final String CALL =
            "lambda source, command: (lambda scope: (exec(source, scope), scope['wrap'](command))[1])({})";

    private PythonReadsToEnd() {}

    /** The operator with its function wrapped, if it is such a one, stands above a checkpoint and is not wrapped yet. */
    static Optional<LogicalPlan> wrapped(LogicalPlan plan) {
        boolean iterates = plan instanceof MapInPandas || plan instanceof MapInArrow;
        if (!iterates || Plans.checkpoints(plan).isEmpty()) {
            return Optional.empty();
        }
        Object[] arguments = list(plan.productIterator().toSeq()).toArray();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof PythonUDF udf && !(udf.func() instanceof Wrapped)) {
                arguments[i] = udf.copy(
                        udf.name(),
                        new Wrapped(udf.func()),
                        udf.dataType(),
                        udf.children(),
                        udf.evalType(),
                        udf.udfDeterministic(),
                        udf.resultId());
                return Optional.of((LogicalPlan) plan.makeCopy(arguments));
            }
        }
        return Optional.empty();
    }

    /** A function as Spark knows it, whose pickled command builds the wrapped one. */
    private static final class Wrapped extends SimplePythonFunction {
        private static final long serialVersionUID = 1L;

        Wrapped(PythonFunction function) {
            super(
                    pickle(bytes(list(function.command()))),
                    function.envVars(),
                    function.pythonIncludes(),
                    function.pythonExec(),
                    function.pythonVer(),
                    function.broadcastVars(),
                    function.accumulator());
        }
    }

    private static byte[] bytes(List<Object> command) {
        byte[] bytes = new byte[command.size()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (Byte) command.get(i);
        }
        return bytes;
    }

    /** {@code eval(CALL)(WRAPPER, command)}, in the language of pickles, version 3. */
    private static byte[] pickle(byte[] command) {
        ByteArrayOutputStream pickle = new ByteArrayOutputStream(command.length + 2048);
        pickle.writeBytes(new byte[] {(byte) 0x80, 3});
        pickle.writeBytes("cbuiltins\neval\n".getBytes(StandardCharsets.US_ASCII));
        writeText(pickle, CALL);
        pickle.writeBytes(new byte[] {(byte) 0x85, 'R'}); // call with a tuple of one
        writeText(pickle, WRAPPER);
        write(pickle, 'B', command);
        pickle.writeBytes(new byte[] {(byte) 0x86, 'R', '.'}); // call with a tuple of two; the end
        return pickle.toByteArray();
    }

    private static void writeText(ByteArrayOutputStream pickle, String text) {
        write(pickle, 'X', text.getBytes(StandardCharsets.UTF_8));
    }

    private static void write(ByteArrayOutputStream pickle, char opcode, byte[] value) {
        pickle.write(opcode);
        for (int shift = 0; shift < 32; shift += 8) {
            pickle.write(value.length >>> shift);
        }
        pickle.writeBytes(value);
    }

    private static String resource() {
        try (InputStream in = PythonReadsToEnd.class.getResourceAsStream("/dev/cairn/spark/reads_to_end.py")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
