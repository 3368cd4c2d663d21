package dev.cairn.spark.internal.plan;

import dev.cairn.spark.internal.ScalaInterop;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.collection.immutable.Seq;

/**
 * Marks the point of a plan at which keys are staged. Passes its child's rows on, less those whose key is sealed.
 *
 * <p>Spark's optimizer knows nothing of this node, and that is what keeps filters from being pushed below it: rules that
 * move operators list the nodes they may cross. Column pruning, which is allowed, follows {@code references}, the key.
 */
public final class StageCheckpointKeys extends LogicalNode {
    private final String store;
    private final Seq<Expression> keys;
    /** Given once, when the hint is resolved: copies of the node that the optimizer makes stay the same checkpoint. */
    private final String nodeId;

    public StageCheckpointKeys(String store, Seq<Expression> keys, String nodeId, LogicalPlan child) {
        super(child);
        this.store = Objects.requireNonNull(store, "store");
        this.keys = Objects.requireNonNull(keys, "keys");
        this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
    }

    /** Location as the user wrote it. */
    public String store() {
        return store;
    }

    public List<Expression> keys() {
        return ScalaInterop.list(keys);
    }

    public Seq<Expression> keySeq() {
        return keys;
    }

    public String nodeId() {
        return nodeId;
    }

    @Override
    public LogicalPlan withNewChildInternal(LogicalPlan newChild) {
        return new StageCheckpointKeys(store, keys, nodeId, newChild);
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
        return List.of(store, keys, nodeId, child());
    }
}
