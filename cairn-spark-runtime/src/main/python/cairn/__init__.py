"""Cairn for PySpark: resumable batch jobs.

The module is inside Cairn's jar, which serves twice::

    spark-submit --jars cairn-spark-runtime.jar --py-files cairn-spark-runtime.jar \\
        --conf spark.sql.extensions=dev.cairn.spark.CairnExtensions job.py

The job marks the point up to which its input is tracked::

    import cairn

    docs = spark.read.parquet("input/").transform(cairn.checkpoint("checkpoints/embed", "file_id"))
    docs.withColumn("embedding", embed("text")).write.mode("append").parquet("output/")

``DataFrame.hint("checkpoint", store, column, ...)`` does the same, but where a session runs without Cairn Spark
ignores it with no more than a warning, while :func:`checkpoint` fails. Works with classic PySpark and with Spark Connect.
"""

from pyspark.errors import AnalysisException

__all__ = ["ExtensionMissing", "checkpoint", "preview", "require_active", "version"]


class ExtensionMissing(AnalysisException):
    """Checkpoints would be ignored in the session. The condition is ``CAIRN_EXTENSION_MISSING``."""

    _CONDITION = "CAIRN_EXTENSION_MISSING"
    _SQL_STATE = "56K00"

    def __init__(self, problem):
        text = "[%s] %s SQLSTATE: %s" % (self._CONDITION, problem, self._SQL_STATE)
        super().__init__(message=text)
        self._text = text

    def getCondition(self):
        return self._CONDITION

    def getErrorClass(self):
        return self._CONDITION

    def getSqlState(self):
        return self._SQL_STATE

    def __str__(self):
        return self._text


def require_active(spark):
    """Fail if checkpoints would be ignored in the session: Spark drops hints that it does not know with a warning only.

    :param spark: the session, classic or Connect
    :raises ExtensionMissing: if the session runs without Cairn's extension or with hints disabled
    """
    if not spark.catalog.functionExists("cairn_version"):
        raise ExtensionMissing(
            "This Spark session runs without Cairn, so checkpoint hints in it would be ignored. Start it with"
            " --conf spark.sql.extensions=dev.cairn.spark.CairnExtensions --jars cairn-spark-runtime.jar, or the same as"
            " .config(\"spark.sql.extensions\", ...) and .config(\"spark.jars\", ...) of the session's builder; with"
            " Spark Connect it is the server that needs both."
        )
    if spark.conf.get("spark.sql.optimizer.disableHints", "false").lower() == "true":
        raise ExtensionMissing(
            "The setting spark.sql.optimizer.disableHints is true, so checkpoint hints in this session would be ignored."
            " Set it to false."
        )


def version(spark):
    """The version of Cairn that runs in the session, which need not be that of this module.

    :raises ExtensionMissing: if none does
    """
    require_active(spark)
    return spark.sql("SELECT cairn_version()").collect()[0][0]


def checkpoint(store, *columns):
    """A function that puts a checkpoint on a frame, for ``df.transform(...)``.

    :param store: location of the checkpoint store; created by the first run
    :param columns: names of the columns whose values, together, identify an input row
    :returns: a function from a frame to the same frame with the checkpoint on top. Nothing runs. The function raises
        :class:`ExtensionMissing` if the session runs without Cairn.
    """
    for name, value in [("store", store)] + [("column", column) for column in columns]:
        if not isinstance(value, str):
            raise TypeError(
                "the %s of a checkpoint must be a str, not %s: cairn.checkpoint(\"<store>\", \"<key column>\")"
                % (name, type(value).__name__)
            )
    if not columns:
        raise TypeError("a checkpoint needs a key: cairn.checkpoint(%r, \"<key column>\")" % store)

    def apply(frame):
        require_active(frame.sparkSession)
        return frame.hint("checkpoint", store, *columns)

    return apply


def preview(frame):
    """The same frame without its checkpoint, for looking at data: ``show``, ``count``, ``limit``.

    Executing it starts no run, and skips and seals nothing.
    """
    session = frame.sparkSession
    require_active(session)
    if hasattr(frame, "_jdf"):
        return type(frame)(session._jvm.dev.cairn.spark.Cairn.preview(frame._jdf), session)
    raise NotImplementedError(
        "cairn.preview() needs classic PySpark: a Spark Connect client cannot take the checkpoint out of a plan. Look at"
        " the frame from before the checkpoint instead."
    )
