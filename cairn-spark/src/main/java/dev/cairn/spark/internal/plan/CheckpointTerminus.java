package dev.cairn.spark.internal.plan;

import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Stands on top of a checkpointed query that ends in no sink of ours; seals a task when its rows were consumed. */
public final class CheckpointTerminus extends LogicalNode {

    public CheckpointTerminus(LogicalPlan child) {
        super(child);
    }

    @Override
    public LogicalPlan withNewChildInternal(LogicalPlan newChild) {
        return new CheckpointTerminus(newChild);
    }

    @Override
    protected List<Object> arguments() {
        return List.of(child());
    }
}
