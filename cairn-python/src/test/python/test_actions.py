"""Actions, errors and SQL from Python."""

import pytest
from pyspark.errors import AnalysisException, PySparkException


def ids(frame):
    return sorted(row[0] for row in frame.collect())


@pytest.fixture
def frame(spark, store):
    return spark.range(0, 20, 1, 2).hint("checkpoint", str(store), "id")


def refusal(action):
    """The error of an action that must be refused, as Python shows it."""
    with pytest.raises(PySparkException) as caught:
        action()
    return caught.value


def assert_one_line(error, condition, sql_state):
    assert error.getCondition() == condition
    assert error.getSqlState() == sql_state
    first, *rest = str(error).strip().split("\n")
    assert first.startswith("[%s] " % condition)
    assert first.endswith("SQLSTATE: %s" % sql_state)
    assert all(line.strip() == "" or line.startswith(("JVM stacktrace", "'", "+-", "   ")) for line in rest), rest


def test_collect_gives_the_rows_and_seals_them(spark, frame, store):
    assert ids(frame) == list(range(20))
    assert store.sealed == list(range(20))
    assert ids(spark.range(0, 25, 1, 2).hint("checkpoint", str(store), "id")) == list(range(20, 25))


@pytest.mark.parametrize("arrow", ["true", "false"])
def test_to_pandas_gives_the_rows_and_seals_them(spark, frame, store, arrow):
    spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", arrow)
    try:
        assert sorted(frame.toPandas()["id"]) == list(range(20))
        assert store.sealed == list(range(20))
        assert len(spark.range(0, 20, 1, 2).hint("checkpoint", str(store), "id").toPandas()) == 0
    finally:
        spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")


def test_to_arrow_gives_the_rows_and_seals_them(frame, store):
    assert sorted(frame.toArrow().column("id").to_pylist()) == list(range(20))
    assert store.sealed == list(range(20))


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_map_in_pandas_into_noop_is_the_way_to_side_effects(spark, frame, store, mode):
    seen = spark.sparkContext.accumulator(0)

    def send(batches):
        for batch in batches:
            seen.add(len(batch))
            yield batch[["id"]]

    def run():
        frame.mapInPandas(send, "id long").write.format("noop").mode(mode).save()
        return seen.value

    assert run() == 20
    assert store.sealed == list(range(20))
    assert run() == 20


@pytest.mark.parametrize(
    "action",
    [
        lambda frame: frame.rdd,
        lambda frame: frame.foreachPartition(lambda rows: None),
        lambda frame: frame.foreach(lambda row: None),
    ],
    ids=["rdd", "foreachPartition", "foreach"],
)
def test_rdds_are_refused_with_what_to_do_instead(frame, store, action):
    error = refusal(lambda: action(frame))
    assert_one_line(error, "CAIRN_UNSUPPORTED_ACTION", "0A000")
    assert 'mapInPandas(…).write.format("noop").mode("append").save()' in str(error)
    assert store.sealed == []


def test_local_iterators_are_refused(frame, store):
    with pytest.raises(Exception, match="toLocalIterator.* Use collect"):
        list(frame.toLocalIterator())
    assert store.sealed == []


@pytest.mark.parametrize(
    "look",
    [
        lambda frame: frame.show(),
        lambda frame: frame.count(),
        lambda frame: frame.head(3),
        lambda frame: frame.first(),
        lambda frame: frame.take(2),
        lambda frame: frame.limit(2).collect(),
        lambda frame: frame.tail(2),
        lambda frame: frame.isEmpty(),
        lambda frame: frame.groupBy().count(),
        lambda frame: frame.describe().collect(),
    ],
    ids=["show", "count", "head", "first", "take", "limit", "tail", "isEmpty", "groupBy", "describe"],
)
def test_looking_at_a_checkpointed_frame_is_refused_and_works_on_its_preview(cairn, frame, store, look):
    error = refusal(lambda: look(frame))
    assert_one_line(error, "CAIRN_UNSUPPORTED_OPERATOR", "0A000")
    assert "cairn.preview(df)" in str(error)
    look(cairn.preview(frame))
    assert not store.path.exists()


def test_a_preview_is_the_same_frame_without_its_checkpoint(cairn, frame, store):
    twice = frame.withColumn("twice", frame.id * 2).filter("id < 3")
    preview = cairn.preview(twice)
    assert sorted(preview.collect()) == [(0, 0), (1, 2), (2, 4)]
    assert preview.count() == 3
    assert preview.schema == twice.schema
    assert not store.path.exists()


def test_an_unknown_key_column_gets_sparks_suggestion(spark, store):
    error = refusal(lambda: spark.range(5).hint("checkpoint", str(store), "ix"))
    assert error.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert "Did you mean one of the following? [`id`]" in str(error)


def test_a_hint_without_a_key_says_how_to_write_it(spark, store):
    error = refusal(lambda: spark.range(5).hint("checkpoint", str(store)))
    assert_one_line(error, "CAIRN_INVALID_CHECKPOINT", "42K0B")
    assert '.hint("checkpoint", "<store>", "<key column>")' in str(error)


def test_overwriting_is_refused(frame, tmp_path):
    error = refusal(lambda: frame.write.mode("overwrite").parquet(str(tmp_path / "out")))
    assert_one_line(error, "CAIRN_UNSUPPORTED_SINK", "0A000")


def test_a_sealed_store_cannot_change_its_key(spark, frame, store, tmp_path):
    frame.collect()
    other = spark.range(0, 5).selectExpr("cast(id AS string) AS name").hint("checkpoint", str(store), "name")
    error = refusal(lambda: other.write.mode("append").parquet(str(tmp_path / "out")))
    assert_one_line(error, "CAIRN_STORE_MISMATCH", "55000")


def test_the_hint_works_in_the_from_clause_of_sql(spark, store, tmp_path):
    source, output = str(tmp_path / "in"), str(tmp_path / "out")
    spark.udf.register("double", lambda id: id * 2, "long")
    spark.sql("CREATE TABLE doubled (id BIGINT, value BIGINT) USING parquet LOCATION '%s'" % output)
    try:

        def run():
            spark.sql(
                "INSERT INTO doubled SELECT id, double(id) FROM"
                " (SELECT /*+ CHECKPOINT('%s', 'id') */ * FROM parquet.`%s`) WHERE id %% 2 = 0" % (store, source)
            )

        spark.range(0, 10).write.parquet(source)
        run()
        run()
        spark.range(10, 14).write.mode("append").parquet(source)
        run()
        assert sorted(spark.table("doubled").collect()) == [(id, id * 2) for id in range(0, 14, 2)]
        assert store.sealed == list(range(14))
    finally:
        spark.sql("DROP TABLE doubled")


def test_the_builder_refuses_what_cannot_be_a_key(cairn):
    with pytest.raises(TypeError, match="needs a key"):
        cairn.checkpoint("store")
    with pytest.raises(TypeError, match="must be a str, not int"):
        cairn.checkpoint("store", 1)


def test_several_columns_make_one_key(spark, cairn, store, tmp_path):
    output = str(tmp_path / "out")

    def run(count):
        pages = spark.range(0, count).selectExpr("concat('d', id DIV 3) AS doc", "id % 3 AS page")
        pages.transform(cairn.checkpoint(str(store), "doc", "page")).write.mode("append").parquet(output)

    run(9)
    run(12)
    assert spark.read.parquet(output).count() == 12
    assert spark.read.parquet(output).distinct().count() == 12


def test_the_version_is_that_of_the_jar(spark, cairn, jar):
    cairn.require_active(spark)
    assert jar.endswith("cairn-spark-runtime-%s.jar" % cairn.version(spark))


def test_disabled_hints_are_noticed(spark, cairn):
    spark.conf.set("spark.sql.optimizer.disableHints", "true")
    try:
        error = refusal(lambda: spark.range(3).transform(cairn.checkpoint("store", "id")))
    finally:
        spark.conf.unset("spark.sql.optimizer.disableHints")
    assert isinstance(error, AnalysisException)
    assert_one_line(error, "CAIRN_EXTENSION_MISSING", "56K00")
    assert "disableHints" in str(error)
