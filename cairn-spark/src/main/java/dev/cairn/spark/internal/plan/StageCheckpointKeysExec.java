package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;

import dev.cairn.key.KeySchema;
import dev.cairn.spark.internal.ScalaInterop;
import dev.cairn.spark.internal.run.RunHandle;
import dev.cairn.spark.internal.run.StagingMetrics;
import dev.cairn.spark.internal.run.TaskKeys;
import java.util.List;
import java.util.Objects;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BindReferences;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.expressions.package$;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.CodegenSupport;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * Executes {@link StageCheckpointKeys}: offers every row's key to the task's checkpoint and passes the row on if it is
 * admitted. Generated code and interpreted code do the same.
 *
 * <p>Holds no state of a run: adaptive execution copies nodes, and one compiled plan serves all tasks. Which run it
 * works for is found through the scope that the sink or the terminus opened around the execution.
 */
public final class StageCheckpointKeysExec extends PhysicalNode implements CodegenSupport {
    private static final long serialVersionUID = 1L;

    private final String store;
    private final Seq<Expression> keys;
    private final KeySchema schema;
    private final String nodeId;

    private CodegenSupport parent;
    private transient StagingMetrics metrics;
    private transient String taskKeys;

    public StageCheckpointKeysExec(
            String store, Seq<Expression> keys, KeySchema schema, String nodeId, SparkPlan child) {
        super(child);
        this.store = Objects.requireNonNull(store, "store");
        this.keys = Objects.requireNonNull(keys, "keys");
        this.schema = Objects.requireNonNull(schema, "schema");
        this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
    }

    public String store() {
        return store;
    }

    public KeySchema keySchema() {
        return schema;
    }

    public String nodeId() {
        return nodeId;
    }

    @Override
    public Partitioning outputPartitioning() {
        return child().outputPartitioning();
    }

    @Override
    public Seq<SortOrder> outputOrdering() {
        return child().outputOrdering();
    }

    @Override
    public synchronized Map<String, SQLMetric> metrics() {
        return stagingMetrics().asSparkMetrics();
    }

    private synchronized StagingMetrics stagingMetrics() {
        if (metrics == null) {
            metrics = StagingMetrics.create(sparkContext());
        }
        return metrics;
    }

    @Override
    public RDD<InternalRow> doExecute() {
        RunHandle handle = RunHandle.inScope(sparkContext(), nodeId, store);
        handle.bind(stagingMetrics());
        StageKeysEvaluator.Factory factory =
                new StageKeysEvaluator.Factory(handle, stagingMetrics(), boundKeys(), schema);
        RDD<InternalRow> input = child().execute();
        handle.readsFrom(input);
        return input.mapPartitionsWithEvaluator(factory, ScalaInterop.classTag(InternalRow.class));
    }

    private List<Expression> boundKeys() {
        return list(keys).stream().map(this::bind).toList();
    }

    private Expression bind(Expression key) {
        return BindReferences.bindReference(key, package$.MODULE$.AttributeSeq(child().output()), false);
    }

    @Override
    public Seq<RDD<InternalRow>> inputRDDs() {
        Seq<RDD<InternalRow>> inputs = ((CodegenSupport) child()).inputRDDs();
        RunHandle handle = RunHandle.inScope(sparkContext(), nodeId, store);
        list(inputs).forEach(handle::readsFrom);
        return inputs;
    }

    @Override
    public CodegenSupport parent() {
        return parent;
    }

    @Override
    public void parent_$eq(CodegenSupport parent) {
        this.parent = parent;
    }

    @Override
    public String doProduce(CodegenContext ctx) {
        RunHandle handle = RunHandle.inScope(sparkContext(), nodeId, store);
        handle.bind(stagingMetrics());
        String handleTerm = ctx.addReferenceObj("checkpointRun", handle, RunHandle.class.getName());
        String metricsTerm = ctx.addReferenceObj("checkpointMetrics", stagingMetrics(), StagingMetrics.class.getName());
        taskKeys = ctx.addMutableState(
                TaskKeys.class.getName(),
                "checkpointKeys",
                ScalaInterop.function(name -> name + " = " + handleTerm + ".open(" + metricsTerm + ");"),
                true,
                true);
        String childCode = ((CodegenSupport) child()).produce(ctx, this);
        // The child's code falls through only when its input has ended; when it must pause, it returns.
        return childCode + "\n" + taskKeys + ".inputExhausted();\n";
    }

    @Override
    public String doConsume(CodegenContext ctx, Seq<ExprCode> input, ExprCode row) {
        StringBuilder code = new StringBuilder("do {\n");
        ctx.currentVars_$eq(input);
        ctx.INPUT_ROW_$eq(null);
        List<Expression> bound = boundKeys();
        if (bound.size() == 1) {
            ExprCode key = bound.get(0).genCode(ctx);
            code.append(key.code()).append('\n');
            String admitted = taskKeys + ".admit(" + key.value() + ")";
            if (bound.get(0).nullable()) {
                admitted = "(" + key.isNull() + " ? " + taskKeys + ".admitNull() : " + admitted + ")";
            }
            code.append("if (!").append(admitted).append(") continue;\n");
        } else {
            for (int i = 0; i < bound.size(); i++) {
                ExprCode key = bound.get(i).genCode(ctx);
                String put = taskKeys + ".put(" + i + ", " + key.value() + ");";
                code.append(key.code()).append('\n');
                if (bound.get(i).nullable()) {
                    code.append("if (" + key.isNull() + ") { " + taskKeys + ".putNull(" + i + "); } else { " + put
                            + " }\n");
                } else {
                    code.append(put).append('\n');
                }
            }
            code.append("if (!" + taskKeys + ".admit()) continue;\n");
        }
        return code.append(consume(ctx, input, null))
                .append("\n} while (false);\n")
                .toString();
    }

    @Override
    public SparkPlan withNewChildInternal(SparkPlan newChild) {
        return new StageCheckpointKeysExec(store, keys, schema, nodeId, newChild);
    }

    @Override
    public String nodeName() {
        return "StageCheckpointKeys";
    }

    @Override
    public String argString(int maxFields) {
        return keys.mkString("[", ", ", "]") + " at " + store;
    }

    @Override
    protected List<Object> arguments() {
        return List.of(store, keys, schema, nodeId, child());
    }
}
