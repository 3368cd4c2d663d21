package dev.cairn.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.explode;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sequence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.FilterFunction;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operators between the checkpoint and the sink, those above all that buffer rows or read ahead. */
class OperatorsAboveTest extends SparkTest {
    private static final int ROWS = 60;
    private static final int PARTITIONS = 3;

    /** Every id that a function of these tests has seen. */
    private static final Set<Long> SEEN = ConcurrentHashMap.newKeySet();

    @BeforeEach
    void nothingWasSeen() {
        SEEN.clear();
    }

    private Dataset<Row> frame() {
        return checkpointed(spark.range(0, ROWS, 1, PARTITIONS).toDF(), "id");
    }

    private static Dataset<Long> longs(Dataset<Row> frame) {
        return frame.as(Encoders.LONG());
    }

    private void write(Dataset<?> frame) {
        frame.toDF().write().mode("append").parquet(path("out"));
    }

    static Stream<Arguments> mapOnly() {
        return Stream.of(
                operator("typed map", f -> longs(f).map((MapFunction<Long, Long>) id -> id * 2, Encoders.LONG())
                        .toDF()),
                operator("typed filter", f -> longs(f).filter((FilterFunction<Long>) id -> id % 3 == 0)
                        .toDF()),
                operator("flatMap", f -> longs(f).flatMap(
                                (FlatMapFunction<Long, Long>)
                                        id -> List.of(id, -id).iterator(),
                                Encoders.LONG())
                        .toDF()),
                operator("lazy mapPartitions", f -> longs(f).mapPartitions(
                                (MapPartitionsFunction<Long, Long>) rows -> rows, Encoders.LONG())
                        .toDF()),
                operator("mapPartitions that reads everything first", f -> longs(f).mapPartitions(
                                (MapPartitionsFunction<Long, Long>) rows -> {
                                    List<Long> all = new ArrayList<>();
                                    rows.forEachRemaining(all::add);
                                    return all.iterator();
                                },
                                Encoders.LONG())
                        .toDF()),
                operator("explode", f -> f.select(col("id"), explode(sequence(lit(1), lit(3))))),
                operator("inline", f -> f.selectExpr("inline(array(struct(id, 1), struct(id, 2)))")),
                operator("stack", f -> f.selectExpr("stack(2, id, id + 1)")),
                operator("unpivot", f -> f.selectExpr("id", "id AS a", "id AS b")
                        .unpivot(
                                new org.apache.spark.sql.Column[] {col("id")},
                                new org.apache.spark.sql.Column[] {col("a"), col("b")},
                                "name",
                                "value")),
                operator("coalesce", f -> f.coalesce(2)),
                operator("rand", f -> f.filter("rand() >= 0").withColumn("u", org.apache.spark.sql.functions.uuid())));
    }

    private static Arguments operator(String name, UnaryOperator<Dataset<Row>> above) {
        return Arguments.of(name, above);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mapOnly")
    void everyMapOnlyOperatorIsProcessedOnce(String name, UnaryOperator<Dataset<Row>> above) {
        for (String codegen : List.of("true", "false")) {
            withConf(Map.of("spark.sql.codegen.wholeStage", codegen), () -> {
                String out = path("out-" + codegen);
                Dataset<Row> input = spark.range(0, ROWS, 1, PARTITIONS).toDF();
                String store = path("store-" + codegen);
                for (int i = 0; i < 2; i++) {
                    above.apply(input.hint("checkpoint", store, "id"))
                            .write()
                            .mode("append")
                            .parquet(out);
                    assertThat(spark.read().parquet(out).count())
                            .isEqualTo(above.apply(input).count());
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9, 10, 18, 19})
    void aFailureAtAnyRowOfAReadAheadSealsNothingOfItsPartition(int position) {
        MapPartitionsFunction<Long, Long> readsAhead = rows -> new FailingReadAhead(rows, position);
        assertThatThrownBy(() -> write(longs(frame()).mapPartitions(readsAhead, Encoders.LONG())))
                .hasStackTraceContaining("row " + position);
        SEEN.add(-1L); // from now on nothing fails
        write(longs(frame()).mapPartitions(readsAhead, Encoders.LONG()));
        assertThat(output("out"))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, ROWS).mapToObj(id -> "[" + id + "]").toList());
    }

    @Test
    void aFunctionThatLeavesInputUnreadMakesTheCommitFail() {
        MapPartitionsFunction<Long, Long> stopsEarly =
                rows -> rows.hasNext() ? List.of(rows.next()).iterator() : rows;
        assertThatThrownBy(() -> write(longs(frame()).mapPartitions(stopsEarly, Encoders.LONG())))
                .isInstanceOf(CheckpointException.class)
                .hasMessageStartingWith("[CAIRN_INPUT_NOT_EXHAUSTED]");
        write(frame());
        assertThat(output("out")).hasSize(ROWS);
    }

    @Test
    void aConsumerThatStopsEarlyFailsAndIsNotSealed() {
        assertThatThrownBy(() -> frame().foreachPartition((ForeachPartitionFunction<Row>) rows -> {
                    if (rows.hasNext()) {
                        SEEN.add(rows.next().getLong(0));
                    }
                }))
                .hasStackTraceContaining("[CAIRN_INPUT_NOT_EXHAUSTED]");
        assertThat(frame().collectAsList()).hasSize(ROWS);
    }

    @Test
    void rowsReadAheadThatTheConsumerNeverSawAreNotSealed() {
        MapPartitionsFunction<Long, Long> readsAhead = rows -> {
            List<Long> all = new ArrayList<>();
            rows.forEachRemaining(all::add);
            return all.iterator();
        };
        Dataset<Long> frame = longs(frame()).mapPartitions(readsAhead, Encoders.LONG());
        assertThatThrownBy(() -> frame.foreachPartition((ForeachPartitionFunction<Long>) rows -> {
                    if (rows.hasNext()) {
                        SEEN.add(rows.next());
                    }
                }))
                .hasStackTraceContaining("stopped before the last one");
        assertThat(frame().collectAsList()).hasSize(ROWS);
    }

    @Test
    void aConsumerThatFailsIsAskedAgainForItsPartitionOnly() {
        assertThatThrownBy(() -> frame().foreachPartition((ForeachPartitionFunction<Row>) rows -> {
                    while (rows.hasNext()) {
                        long id = rows.next().getLong(0);
                        if (id == 45) {
                            throw new IllegalStateException("sold out");
                        }
                    }
                }))
                .hasStackTraceContaining("sold out");
        assertThat(frame().collectAsList()).hasSizeBetween(ROWS / PARTITIONS, ROWS);
    }

    @Test
    void aStoreInsideTheTargetIsRefused() {
        Dataset<Row> frame = spark.range(3).toDF().hint("checkpoint", path("out") + "/checkpoints", "id");
        assertThatThrownBy(() -> write(frame)).hasMessageContaining("lie inside each other");
        Dataset<Row> other = spark.range(3).toDF().hint("checkpoint", directory.toString(), "id");
        assertThatThrownBy(() -> write(other)).hasMessageContaining("lie inside each other");
        assertThat(directory).isEmptyDirectory();
    }

    /** Reads its whole input before it gives the first row, and fails when it is to give a certain one. */
    private static final class FailingReadAhead implements Iterator<Long> {
        private final Iterator<Long> all;
        private final int failing;
        private int index;

        FailingReadAhead(Iterator<Long> rows, int failing) {
            List<Long> read = new ArrayList<>();
            rows.forEachRemaining(read::add);
            this.all = read.iterator();
            this.failing = failing;
        }

        @Override
        public boolean hasNext() {
            return all.hasNext();
        }

        @Override
        public Long next() {
            long id = all.next();
            if (index++ == failing && SEEN.isEmpty() && id >= 20 && id < 40) {
                throw new IllegalStateException("row " + failing);
            }
            return id;
        }
    }
}
