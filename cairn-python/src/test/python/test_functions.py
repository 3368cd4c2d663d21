"""Python functions above a checkpoint: what is processed, when, and what is sealed if they fail."""

import os

import functions
import pytest
from pyspark.errors import PySparkException
from pyspark.sql.functions import pandas_udf

every_kind = pytest.mark.parametrize("kind", functions.ALL, ids=lambda kind: kind.__name__)


def rows(frame):
    return sorted(tuple(row) for row in frame.collect())


def values(ids):
    return [(id, id * 10) for id in ids]


def write(frame, path):
    frame.write.mode("append").parquet(str(path))


class Work:
    """Ten times the id; counts its calls, and fails at one id."""

    def __init__(self, spark, fails_at=None):
        calls = self.calls = spark.sparkContext.accumulator(0)

        def work(id):
            if id == fails_at:
                raise ValueError("broken at %d" % id)
            calls.add(1)
            return int(id) * 10

        self.function = work


@every_kind
def test_a_function_is_called_only_for_rows_that_no_earlier_run_has_sealed(spark, cairn, store, tmp_path, kind):
    source, output = str(tmp_path / "in"), str(tmp_path / "out")

    def run():
        work = Work(spark)
        frame = spark.read.parquet(source).transform(cairn.checkpoint(str(store), "id"))
        write(frame.transform(kind(work.function)), output)
        return work.calls.value

    write(spark.range(0, 35, 1, 2), source)
    assert run() == 35
    assert run() == 0
    write(spark.range(35, 60, 1, 1), source)
    assert run() == 25
    assert rows(spark.read.parquet(output)) == values(range(60))
    assert store.sealed == list(range(60))


# Two partitions of 30 rows in batches of 10; the first row, one in the middle and the last row of each batch.
@pytest.mark.parametrize("position", [0, 5, 9, 10, 15, 19, 20, 25, 29])
@every_kind
def test_nothing_of_a_partition_is_sealed_when_its_function_raises(spark, store, tmp_path, kind, position):
    output = tmp_path / "out"
    frame = spark.range(0, 60, 1, 2).hint("checkpoint", str(store), "id")
    broken = frame.transform(kind(Work(spark, fails_at=30 + position).function))
    with pytest.raises(PySparkException, match="broken at %d" % (30 + position)):
        write(broken, output)
    assert store.sealed in ([], list(range(30)))

    left = 60 - len(store.sealed)
    work = Work(spark)
    write(frame.transform(kind(work.function)), output)
    assert work.calls.value == left
    assert rows(spark.read.parquet(str(output))) == values(range(60))


@every_kind
def test_nothing_of_a_partition_is_sealed_when_its_function_raises_while_rows_are_collected(spark, store, kind):
    frame = spark.range(0, 60, 1, 2).hint("checkpoint", str(store), "id")
    with pytest.raises(PySparkException, match="broken at 59"):
        frame.transform(kind(Work(spark, fails_at=59).function)).collect()
    sealed = store.sealed
    assert sealed in ([], list(range(30)))
    left = [id for id in range(60) if id not in sealed]
    assert rows(frame.transform(kind(Work(spark).function))) == values(left)


def as_pandas(frames):
    for frame in frames:
        yield frame.assign(value=frame["id"] * 10)


def reads_all_then_raises(when):
    """Reads all input ahead, gives out as many batches as told, and raises if it is the second partition's."""

    def read_ahead(frames):
        ahead = list(as_pandas(frames))
        for count, frame in enumerate(ahead):
            if count == when and frame["id"].iloc[0] >= 30:
                raise ValueError("broken after %d of %d batches" % (count, len(ahead)))
            yield frame
        if when == len(ahead) and ahead[0]["id"].iloc[0] >= 30:
            raise ValueError("broken after %d of %d batches" % (when, len(ahead)))

    return read_ahead


@pytest.mark.parametrize("when", [0, 1, 2, 3])
@pytest.mark.parametrize("sink", ["parquet", "collect", "noop"])
def test_reading_all_input_ahead_seals_nothing_until_the_output_is_out(spark, store, tmp_path, sink, when):
    output = tmp_path / "out"
    frame = spark.range(0, 60, 1, 2).hint("checkpoint", str(store), "id")

    def run(function):
        result = frame.mapInPandas(function, functions.SCHEMA)
        if sink == "parquet":
            write(result, output)
            return rows(spark.read.parquet(str(output)))
        if sink == "collect":
            return rows(result)
        return result.write.format("noop").mode("append").save()

    with pytest.raises(PySparkException, match="broken after %d of 3 batches" % when):
        run(reads_all_then_raises(when))
    sealed = store.sealed
    assert sealed in ([], list(range(30)))
    result = run(as_pandas)
    if sink == "parquet":
        assert result == values(range(60))
    if sink == "collect":
        assert result == values(id for id in range(60) if id not in sealed)
    assert store.sealed == list(range(60))


def first_batch_only(frames):
    for frame in as_pandas(frames):
        yield frame
        return


def first_batch_only_of_arrow(frames):
    for frame in frames:
        yield frame
        return


# Few rows have all gone to the Python worker before it stops; of many rows Spark still holds most.
@pytest.mark.parametrize("count", [60, 300_000])
@pytest.mark.parametrize("sink", ["parquet", "collect", "noop"])
@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_a_function_that_leaves_input_unread_fails_and_seals_nothing(spark, store, tmp_path, kind, sink, count):
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(count // 6))
    try:
        frame = spark.range(0, count, 1, 2).hint("checkpoint", str(store), "id")
        if kind == "pandas":
            frame = frame.mapInPandas(first_batch_only, functions.SCHEMA)
        else:
            frame = frame.mapInArrow(first_batch_only_of_arrow, "id long")
        with pytest.raises(PySparkException, match="CAIRN_INPUT_NOT_EXHAUSTED"):
            if sink == "parquet":
                write(frame, tmp_path / "out")
            elif sink == "collect":
                frame.collect()
            else:
                frame.write.format("noop").mode("append").save()
        assert store.sealed == []
    finally:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "10")


def test_a_function_that_reads_its_last_batch_but_does_not_ask_for_another_has_read_all(spark, store, tmp_path):
    def exactly_three(frames):
        for _ in range(3):
            frame = next(frames)
            yield frame.assign(value=frame["id"] * 10)

    frame = spark.range(0, 60, 1, 2).hint("checkpoint", str(store), "id")
    write(frame.mapInPandas(exactly_three, functions.SCHEMA), tmp_path / "out")
    assert rows(spark.read.parquet(str(tmp_path / "out"))) == values(range(60))


def test_a_function_too_large_to_travel_with_the_plan_works_as_well(spark, store, tmp_path):
    ballast = os.urandom(2_000_000)

    def large(frames):
        assert len(ballast) == 2_000_000
        yield from as_pandas(frames)

    def large_and_early(frames):
        assert len(ballast) == 2_000_000
        yield from first_batch_only(frames)

    frame = spark.range(0, 60, 1, 2).hint("checkpoint", str(store), "id")
    with pytest.raises(PySparkException) as refused:
        write(frame.mapInPandas(large_and_early, functions.SCHEMA), tmp_path / "out")
    assert refused.value.getCondition() == "CAIRN_INPUT_NOT_EXHAUSTED"
    assert store.sealed == []
    write(frame.mapInPandas(large, functions.SCHEMA), tmp_path / "out")
    assert rows(spark.read.parquet(str(tmp_path / "out"))) == values(range(60))


def test_a_pandas_udf_over_iterators_that_leaves_input_unread_seals_nothing(spark, store, tmp_path):
    from typing import Iterator

    import pandas as pd

    @pandas_udf("long")
    def first_only(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        yield next(batches)

    frame = spark.range(0, 60, 1, 2).hint("checkpoint", str(store), "id")
    with pytest.raises(PySparkException):
        write(frame.select("id", first_only("id").alias("value")), tmp_path / "out")
    assert store.sealed == []
