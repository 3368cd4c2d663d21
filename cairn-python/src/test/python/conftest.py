import glob
import os
import sys

import functions
import pyarrow.parquet
import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

# Of the environment that the tests run in, in workers and in the commands that tests start.
os.environ["PYSPARK_PYTHON"] = sys.executable

EXTENSION = "dev.cairn.spark.CairnExtensions"


@pytest.fixture(scope="session")
def jar():
    return os.environ["CAIRN_JAR"]


@pytest.fixture(scope="session")
def spark(jar):
    """One session for all tests, started as a notebook would: the jar is both a Java and a Python package."""
    session = (
        SparkSession.builder.master("local[2]")
        .appName("cairn-python-test")
        .config("spark.jars", jar)
        .config("spark.submit.pyFiles", jar)
        .config("spark.sql.extensions", EXTENSION)
        .config("spark.cairn.heartbeatInterval", "200ms")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        # Several batches in every partition, so that the end of a batch is not the end of a task.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "10")
        .config("spark.sql.execution.python.udf.maxRecordsPerBatch", "10")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def cairn(spark):
    """The module out of the jar."""
    import cairn as module

    return module


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


class Store:
    """A checkpoint store, looked into from outside."""

    def __init__(self, path):
        self.path = path

    def __str__(self):
        return str(self.path)

    @property
    def sealed(self):
        """The keys of all sealed checkpoints, sorted."""
        keys = []
        for file in glob.glob(str(self.path / "checkpoints" / "*" / "[0-9]*.parquet")):
            keys += pyarrow.parquet.ParquetFile(file).read().column("key").to_pylist()
        return sorted(keys)


def pytest_collection_modifyitems(items):
    """Python workers cannot import test modules, so their functions travel by value."""
    for module in {item.module for item in items}:
        cloudpickle.register_pickle_by_value(module)
    cloudpickle.register_pickle_by_value(functions)
