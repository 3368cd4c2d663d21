package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.seq;

import dev.cairn.spark.internal.ScalaInterop;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * Marks the point of a plan at which keys are staged. Passes its child's rows on, less those whose key is sealed.
 *
 * <p>Spark's optimizer knows nothing of this node, and that is what keeps filters from being pushed below it: rules that
 * move operators list the nodes they may cross. Column pruning, which is allowed, follows {@code references}, the key.
 */
public final class StageCheckpointKeys extends LogicalPlan implements UnaryNode {
    private final String store;
    private final Seq<Expression> keys;
    /** Given once, when the hint is resolved: copies of the node that the optimizer makes stay the same checkpoint. */
    private final String nodeId;

    private final LogicalPlan child;

    public StageCheckpointKeys(String store, Seq<Expression> keys, String nodeId, LogicalPlan child) {
        this.store = Objects.requireNonNull(store, "store");
        this.keys = Objects.requireNonNull(keys, "keys");
        this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
        this.child = Objects.requireNonNull(child, "child");
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
    public LogicalPlan child() {
        return child;
    }

    @Override
    public Seq<LogicalPlan> children() {
        return seq(child);
    }

    @Override
    public Seq<Attribute> output() {
        return child.output();
    }

    @Override
    public LogicalPlan withNewChildInternal(LogicalPlan newChild) {
        return new StageCheckpointKeys(store, keys, nodeId, newChild);
    }

    @Override
    public LogicalPlan withNewChildrenInternal(IndexedSeq<LogicalPlan> newChildren) {
        return withNewChildInternal(newChildren.apply(0));
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
    public int productArity() {
        return 4;
    }

    @Override
    public Object productElement(int n) {
        return switch (n) {
            case 0 -> store;
            case 1 -> keys;
            case 2 -> nodeId;
            case 3 -> child;
            default -> throw new IndexOutOfBoundsException(n);
        };
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof StageCheckpointKeys;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StageCheckpointKeys that
                && store.equals(that.store)
                && keys.equals(that.keys)
                && nodeId.equals(that.nodeId)
                && child.equals(that.child);
    }

    @Override
    public int hashCode() {
        return Objects.hash(store, keys, nodeId, child);
    }
}
