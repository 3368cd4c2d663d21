"""The jar with Spark's own commands, each as a process of its own."""

import os
import subprocess

import pyspark
import pytest

EXTENSION = "dev.cairn.spark.CairnExtensions"
VERSION = os.environ.get("CAIRN_VERSION", "0.1.0")


@pytest.fixture
def run(tmp_path, jar):
    """Runs one of Spark's commands with Cairn's jar and gives back what it printed."""

    def run(command, *arguments, extension=EXTENSION, stdin=None, fails=False):
        line = [os.path.join(os.path.dirname(pyspark.__file__), "bin", command), "--master", "local[2]"]
        line += ["--jars", jar, "--conf", "spark.ui.enabled=false", "--conf", "spark.sql.warehouse.dir=%s" % tmp_path]
        if extension:
            line += ["--conf", "spark.sql.extensions=%s" % extension]
        done = subprocess.run(
            line + list(arguments), cwd=tmp_path, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout if not fails else done.stdout + done.stderr

    return run


SQL = """
SELECT cairn_version();
CREATE TABLE IF NOT EXISTS docs (file_id STRING, text STRING) USING parquet LOCATION '%(dir)s/docs';
CREATE TABLE IF NOT EXISTS lengths (file_id STRING, length INT) USING parquet LOCATION '%(dir)s/lengths';
INSERT INTO docs VALUES ('a', 'one'), ('b', 'three');
INSERT INTO lengths SELECT file_id, length(text)
  FROM (SELECT /*+ CHECKPOINT('%(dir)s/store', 'file_id') */ * FROM docs);
INSERT INTO docs VALUES ('c', 'seventeen');
INSERT INTO lengths SELECT file_id, length(text)
  FROM (SELECT /*+ CHECKPOINT('%(dir)s/store', 'file_id') */ * FROM docs);
SELECT * FROM lengths ORDER BY file_id;
"""


def test_spark_sql_runs_a_script_with_checkpoints(run, tmp_path):
    script = tmp_path / "job.sql"
    script.write_text(SQL % {"dir": tmp_path})
    output = run("spark-sql", "--conf", "spark.sql.catalogImplementation=in-memory", "-f", str(script))
    assert output.split() == [VERSION, "a", "3", "b", "5", "c", "9"]


def test_without_the_extension_the_version_function_fails_the_script(run, tmp_path):
    script = tmp_path / "job.sql"
    script.write_text(SQL % {"dir": tmp_path})
    arguments = ["--conf", "spark.sql.catalogImplementation=in-memory", "-f", str(script)]
    assert "cairn_version" in run("spark-sql", *arguments, extension=None, fails=True)
    assert not (tmp_path / "lengths").exists()


JOB = """
import cairn
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
cairn.require_active(spark)
for count in (5, 8):
    docs = spark.range(count).transform(cairn.checkpoint("%(dir)s/store", "id"))
    docs.selectExpr("id", "id * 2 AS twice").write.mode("append").parquet("%(dir)s/out")
print([tuple(row) for row in spark.read.parquet("%(dir)s/out").orderBy("id").collect()])
"""


def test_spark_submit_runs_a_job_that_takes_the_module_out_of_the_jar(run, jar, tmp_path):
    script = tmp_path / "job.py"
    script.write_text(JOB % {"dir": tmp_path})
    output = run("spark-submit", "--py-files", jar, str(script))
    assert output.strip() == str([(id, id * 2) for id in range(8)])


def test_spark_submit_without_the_extension_fails_where_the_job_asks_for_it(run, jar, tmp_path):
    script = tmp_path / "job.py"
    script.write_text(JOB % {"dir": tmp_path})
    output = run("spark-submit", "--py-files", jar, str(script), extension=None, fails=True)
    assert "[CAIRN_EXTENSION_MISSING] This Spark session runs without Cairn" in output
    assert not (tmp_path / "out").exists()


SCALA = """
import dev.cairn.spark._
Cairn.requireActive(spark)
for (count <- Seq(5, 8)) {
  val docs = spark.range(count).transform(Checkpoint.at("%(dir)s/store").on("id").applyTo(_))
  docs.withColumn("twice", $"id" * 2).write.mode("append").parquet("%(dir)s/out")
}
println("output: " + spark.read.parquet("%(dir)s/out").as[(Long, Long)].collect().toSeq.sorted.mkString(" "))
"""


def test_spark_shell_takes_the_java_api(run, tmp_path):
    output = run("spark-shell", stdin=SCALA % {"dir": tmp_path})
    assert "output: " + " ".join("(%d,%d)" % (id, id * 2) for id in range(8)) in output
