"""Spark Connect: the client is pure Python, plans travel to a server that has the extension."""

import os
import subprocess
import sys

CLIENT = """
import sys
import cairn
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

directory = sys.argv[1]
spark = SparkSession.builder.remote("local[2]").getOrCreate()
assert not hasattr(spark.range(1), "_jdf")
cairn.require_active(spark)
print("version", cairn.version(spark))

def run(count):
    docs = spark.range(0, count, 1, 2).transform(cairn.checkpoint(directory + "/store", "id"))
    docs.selectExpr("id", "id * 2 AS twice").write.mode("append").parquet(directory + "/out")

run(5)
run(8)
print("output", [tuple(row) for row in spark.read.parquet(directory + "/out").orderBy("id").collect()])

fresh = spark.range(0, 6, 1, 2).hint("checkpoint", directory + "/collected", "id")
print("collected", sorted(row.id for row in fresh.collect()), sorted(row.id for row in fresh.collect()))

look = spark.range(0, 6, 1, 2).hint("checkpoint", directory + "/looked", "id")
try:
    look.count()
except PySparkException as e:
    print("refused", e.getCondition(), e.getSqlState())
try:
    cairn.preview(look)
except NotImplementedError as e:
    print("preview", e)
spark.stop()
"""


def test_checkpoints_work_through_spark_connect(jar, tmp_path):
    script = tmp_path / "client.py"
    script.write_text(CLIENT)
    environment = dict(os.environ, PYTHONPATH=jar)
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(
        "spark.jars %s\nspark.sql.extensions dev.cairn.spark.CairnExtensions\n"
        "spark.ui.enabled false\nspark.cairn.heartbeatInterval 200ms\n" % jar
    )
    environment["SPARK_CONF_DIR"] = str(conf)
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = dict(line.split(" ", 1) for line in done.stdout.strip().split("\n"))
    assert lines["output"] == str([(id, id * 2) for id in range(8)])
    assert lines["collected"] == "[0, 1, 2, 3, 4, 5] []"
    assert lines["refused"] == "CAIRN_UNSUPPORTED_OPERATOR 0A000"
    assert "classic PySpark" in lines["preview"]
