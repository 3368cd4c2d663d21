package dev.cairn.spark.internal.plan;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset$;
import scala.runtime.AbstractPartialFunction;

/** Takes the checkpoint out of a frame. */
public final class Preview {
    private Preview() {}

    public static <T> Dataset<T> of(Dataset<T> frame) {
        org.apache.spark.sql.classic.Dataset<T> classic = (org.apache.spark.sql.classic.Dataset<T>) frame;
        LogicalPlan plan = classic.queryExecution().analyzed().transformUp(new AbstractPartialFunction<>() {
            @Override
            public boolean isDefinedAt(LogicalPlan node) {
                return node instanceof StageCheckpointKeys;
            }

            @Override
            public LogicalPlan apply(LogicalPlan node) {
                return ((StageCheckpointKeys) node).child();
            }
        });
        return Dataset$.MODULE$.apply(classic.sparkSession(), plan, classic.encoder());
    }
}
