package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.seq;

import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** Stands on top of a checkpointed query that ends in no sink of ours; seals a task when its rows were consumed. */
public final class CheckpointTerminus extends LogicalPlan implements UnaryNode {
    private final LogicalPlan child;

    public CheckpointTerminus(LogicalPlan child) {
        this.child = Objects.requireNonNull(child, "child");
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
        return new CheckpointTerminus(newChild);
    }

    @Override
    public LogicalPlan withNewChildrenInternal(IndexedSeq<LogicalPlan> newChildren) {
        return withNewChildInternal(newChildren.apply(0));
    }

    @Override
    public int productArity() {
        return 1;
    }

    @Override
    public Object productElement(int n) {
        return child;
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof CheckpointTerminus;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CheckpointTerminus that && child.equals(that.child);
    }

    @Override
    public int hashCode() {
        return 31 * child.hashCode() + 1;
    }
}
