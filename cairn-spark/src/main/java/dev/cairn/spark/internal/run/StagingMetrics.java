package dev.cairn.spark.internal.run;

import dev.cairn.spark.internal.ScalaInterop;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;

/**
 * What the plan node shows in Spark's UI.
 *
 * @param admitted rows given to the operators above
 * @param skipped rows whose key was sealed before
 * @param sealed tasks that sealed a checkpoint
 * @param bytesStaged bytes of keys written to the store
 * @param filterMillis time that tasks waited for the sealed keys to be loaded
 */
public record StagingMetrics(
        SQLMetric admitted, SQLMetric skipped, SQLMetric sealed, SQLMetric bytesStaged, SQLMetric filterMillis)
        implements Serializable {
    /** Names in the UI and in plan descriptions. */
    public static final String ADMITTED = "rows admitted";

    public static final String SKIPPED = "rows skipped";
    public static final String SEALED = "tasks sealed";

    public static StagingMetrics create(SparkContext context) {
        return new StagingMetrics(
                SQLMetrics.createMetric(context, ADMITTED),
                SQLMetrics.createMetric(context, SKIPPED),
                SQLMetrics.createMetric(context, SEALED),
                SQLMetrics.createSizeMetric(context, "keys staged", -1),
                SQLMetrics.createTimingMetric(context, "time to load sealed keys", -1));
    }

    public scala.collection.immutable.Map<String, SQLMetric> asSparkMetrics() {
        Map<String, SQLMetric> byName = new LinkedHashMap<>();
        byName.put("rowsAdmitted", admitted);
        byName.put("rowsSkipped", skipped);
        byName.put("tasksSealed", sealed);
        byName.put("keysStaged", bytesStaged);
        byName.put("filterTime", filterMillis);
        return ScalaInterop.scalaMap(byName);
    }
}
