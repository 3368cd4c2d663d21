package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.seq;

import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * A logical node over one child: what Scala's case classes would bring. Spark copies nodes
 * through their constructor, so {@link #arguments} are the constructor's, in its order, the child last.
 */
abstract class LogicalNode extends LogicalPlan implements UnaryNode {
    private final LogicalPlan child;

    LogicalNode(LogicalPlan child) {
        this.child = Objects.requireNonNull(child, "child");
    }

    /** What the node is made of; two nodes of one class with equal arguments are equal. */
    protected abstract List<Object> arguments();

    @Override
    public final LogicalPlan child() {
        return child;
    }

    @Override
    public final Seq<LogicalPlan> children() {
        return seq(child);
    }

    @Override
    public Seq<Attribute> output() {
        return child.output();
    }

    @Override
    public final LogicalPlan withNewChildrenInternal(IndexedSeq<LogicalPlan> newChildren) {
        return withNewChildInternal(newChildren.apply(0));
    }

    @Override
    public final int productArity() {
        return arguments().size();
    }

    @Override
    public final Object productElement(int n) {
        return arguments().get(n);
    }

    @Override
    public final boolean canEqual(Object other) {
        return getClass().isInstance(other);
    }

    @Override
    public final boolean equals(Object other) {
        return this == other || canEqual(other) && arguments().equals(((LogicalNode) other).arguments());
    }

    @Override
    public final int hashCode() {
        return arguments().hashCode();
    }
}
