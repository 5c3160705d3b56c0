"""Blocks on a cluster: the same steps as in :mod:`neodp.blocks.local`, carried out by Spark.

The folder of blocks is on storage that all machines share, under the same path. Spark receives the numbers of the
blocks that have work, groups them by number (``groupBy("block").applyInArrow``), and calls the step of each on some
executor; small results come back, such as the number of messages sent. A round ends when all of its steps are done, and
a run ends when no block has mail, that is, when no label has changed.

Messages go through files, not through Spark's shuffle. They are the same bytes either way, but the files of a round are
also its checkpoint: a step can be run again, or twice at the same time, with the same result
(:mod:`neodp.blocks.work`). So the result is right whatever Spark does when an executor dies or is slow, no lineage has
to be kept or cut, and if the driver is killed, the run can continue on the cluster or on one machine.

The storage must rename files atomically, as local disks and NFS do; HDFS and object stores have to be mounted.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from neodp.errors import NeodpError

if TYPE_CHECKING:
    import pyarrow as pa

    from neodp.blocks.local import Map

__all__ = ["executors"]

T = TypeVar("T")
ATTEMPTS = 4
"""The number of times a step is tried before the run fails: a single failure may be an accident."""
AT_ONCE = 1000
"""The greatest number of tasks into which a round is divided."""


@contextmanager
def executors(master: str) -> Iterator[Map]:
    """Yield a ``Map`` that calls functions for blocks on a Spark cluster.

    Parameters
    ----------
    master : str
        The Spark master: ``"spark://HOST:PORT"``, ``"yarn"``, ``"k8s://…"``, or ``"local[2]"`` for two local threads.

    Raises
    ------
    NeodpError
        If PySpark or Java is missing, the master does not answer, or a step keeps failing.
    """
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise NeodpError("the engine spark needs PySpark", "pip install '.[spark]' in the checkout; Java 17") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder
    builder = builder.master(_with_attempts(master)).appName("neodp")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.task.maxFailures": str(ATTEMPTS),
        "spark.sql.adaptive.enabled": "false",  # it would put small rounds into one task
    }
    if master.startswith("local"):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except Exception as e:  # Java is missing, or the master is wrong: py4j and PySpark have errors of many kinds
        raise NeodpError(
            f"Spark does not start with the master {master!r}: {str(e).splitlines()[0]}",
            "check that Java 17 is installed and the master is right, as in local[2] or spark://HOST:7077",
        ) from None
    try:
        yield partial(_on, session)
    except PySparkException as e:
        raise NeodpError(
            f"Spark gave up a step after {ATTEMPTS} tries: {_reason(e)}",
            "run it again to continue from there, with or without Spark",
        ) from None
    finally:
        session.stop()


def _on(session: Any, function: Callable[[int], T], blocks: Iterable[int]) -> list[T]:
    """Return the function's result for each block, in order; if steps failed with a neodp error, raise the first."""
    numbers = list(blocks)
    if not numbers:
        return []
    session.conf.set("spark.sql.shuffle.partitions", str(min(len(numbers), AT_ONCE)))
    frame = session.createDataFrame([(number,) for number in numbers], "block int")
    grouped = frame.groupBy("block")
    rows = grouped.applyInArrow(lambda group: _call(function, group), "block int, result binary").collect()
    found = {row.block: pickle.loads(row.result) for row in rows}  # what our own steps returned
    for number in numbers:
        if isinstance(found[number], NeodpError):
            raise found[number]
    return [found[number] for number in numbers]


def _call(function: Callable[[int], T], group: pa.Table) -> pa.Table:
    """Call the function for the block of a group, on an executor."""
    import pyarrow as pa

    number: int = group["block"][0].as_py()
    result: Any
    try:
        result = function(number)
    except NeodpError as e:
        result = e
    columns = {"block": pa.array([number], pa.int32()), "result": pa.array([pickle.dumps(result)], pa.binary())}
    return pa.table(columns)


def _with_attempts(master: str) -> str:
    """Add the number of attempts to the name of a local master, which otherwise tries a task only once."""
    if master.startswith("local[") and master.endswith("]") and "," not in master:
        return f"{master[:-1]},{ATTEMPTS}]"
    return f"local[1,{ATTEMPTS}]" if master == "local" else master


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if "Exception" in line or "Error" in line]
    return lines[-1] if lines else str(error).splitlines()[0]
