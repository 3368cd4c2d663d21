package dev.cairn.spark.internal.plan;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** The check that Spark runs on every analyzed plan. */
public final class CheckCheckpoints extends AbstractFunction1<LogicalPlan, BoxedUnit> {
    @Override
    public BoxedUnit apply(LogicalPlan plan) {
        CheckpointCheck.analyzed(plan);
        return BoxedUnit.UNIT;
    }
}
