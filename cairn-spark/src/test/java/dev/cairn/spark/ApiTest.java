package dev.cairn.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cairn.run.ActiveRun;
import dev.cairn.run.HeadListener;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

/** What a program calls beside the hint. */
class ApiTest extends SparkTest {
    private Dataset<Row> input() {
        return spark.range(0, 20, 1, 2).selectExpr("id", "id % 4 AS page");
    }

    @Test
    void theBuilderMarksAFrameAsTheHintDoes() {
        Checkpoint checkpoint = Checkpoint.at(store()).on("id", "page");
        for (int expected : List.of(20, 0)) {
            Dataset<Row> frame = input().transform(checkpoint::applyTo);
            assertThat(frame.filter(col("page").geq(0)).collectAsList()).hasSize(expected);
        }
        assertThat(checkpointed(input(), "id", "page").collectAsList()).isEmpty();
    }

    @Test
    void aPreviewShowsEverythingAndStartsNothing() throws Exception {
        Dataset<Row> frame = checkpointed(input(), "id").filter("page = 1");
        assertThat(Cairn.preview(frame).count()).isEqualTo(5);
        assertThat(Cairn.preview(frame).takeAsList(2)).hasSize(2);
        assertThat(Cairn.preview(frame).schema()).isEqualTo(frame.schema());
        assertThat(files("store")).isEmpty();
        frame.collectAsList();
        assertThat(Cairn.preview(frame).count()).isEqualTo(5);
    }

    @Test
    void sqlKnowsTheVersion() {
        assertThat(rows(spark.sql("SELECT cairn_version()"))).containsExactly("[" + Cairn.version() + "]");
        assertThat(Cairn.version()).matches("\\d+\\.\\d+\\.\\d+.*");
        Cairn.requireActive(spark);
    }

    @Test
    void anInsertMayBeAskedForItsEmptyResult() {
        spark.sql("CREATE TABLE asked (id BIGINT) USING parquet LOCATION '" + path("out") + "'");
        try {
            String insert = "INSERT INTO asked SELECT * FROM (SELECT /*+ CHECKPOINT('" + store()
                    + "', 'id') */ * FROM range(9))";
            assertThat(spark.sql(insert).collectAsList()).isEmpty();
            assertThat(spark.table("asked").count()).isEqualTo(9);
        } finally {
            spark.sql("DROP TABLE asked");
        }
    }

    @Test
    void listenersHearOfRunsAndEpochs() {
        List<String> heard = new ArrayList<>();
        Cairn.addListener(spark, new HeadListener() {
            @Override
            public void started(ActiveRun run) {
                if (run.store().location().endsWith(directory.getFileName() + "/store")) {
                    heard.add("run " + run.identity().run());
                }
            }

            @Override
            public void committed(long epoch, long checkpoints) {
                heard.add("epoch " + epoch + " of " + checkpoints);
            }
        });
        checkpointed(input(), "id").write().mode("append").parquet(path("out"));
        assertThat(heard).containsExactly("run 0", "epoch 1 of 2");
    }
}
