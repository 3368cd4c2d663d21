"""The ways to run Python code on rows. Each takes work(id) -> value, and makes frame -> frame(id, value)."""

import pyarrow
from pyspark.sql.functions import pandas_udf, udf

SCHEMA = "id long, value long"


def python_udf(work):
    return lambda frame: frame.select("id", udf(work, "long")("id").alias("value"))


def arrow_udf(work):
    return lambda frame: frame.select("id", udf(work, "long", useArrow=True)("id").alias("value"))


def pandas(work):
    import pandas as pd

    def series(ids: pd.Series) -> pd.Series:
        return ids.map(work)

    return lambda frame: frame.select("id", pandas_udf(series, "long")("id").alias("value"))


def map_in_pandas(work):
    def batches(frames):
        for frame in frames:
            yield frame.assign(value=[work(id) for id in frame["id"]])[["id", "value"]]

    return lambda frame: frame.mapInPandas(batches, SCHEMA)


def map_in_arrow(work):
    def batches(frames):
        for frame in frames:
            ids = frame.column("id").to_pylist()
            yield pyarrow.RecordBatch.from_arrays(
                [pyarrow.array(ids, "int64"), pyarrow.array([work(id) for id in ids], "int64")], ["id", "value"]
            )

    return lambda frame: frame.mapInArrow(batches, SCHEMA)


ALL = [python_udf, arrow_udf, pandas, map_in_pandas, map_in_arrow]
