"""Tables that a study reads: how accurate a mechanism is, and how likely each dataset is.

Both are CSV or Parquet files with one row per dataset: ``key,p_true`` for a mechanism that somebody else has computed,
and ``key,weight`` for a prior. Invalid numbers are rejected, and the error says where.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from neodp.columns import Floats
from neodp.errors import GraphError
from neodp.study.comparison import Accuracy
from neodp.tables import read_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["is_table", "read_accuracy", "read_weights", "weights"]


def is_table(path: str | PathLike[str]) -> bool:
    """Whether a name is that of a table: it ends in ``.csv`` or ``.parquet``."""
    return Path(path).suffix.lower() in (".csv", ".parquet")


def read_accuracy(path: str | PathLike[str]) -> Accuracy:
    """The accuracy of a mechanism from a table of ``key,p_true``.

    Raises
    ------
    GraphError
        If the file cannot be read, or a ``p_true`` is not a probability; the message names the dataset.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "mine.csv")
    ...     _ = file.write_text("key,p_true\\n1,0.58\\n2,0.76\\n")
    ...     read_accuracy(file).true
    array([0.58, 0.76])
    """
    path = Path(path)
    columns = read_table(path, ("key", "p_true"))
    true = _numbers(columns["p_true"], "p_true", str(path))
    wrong = np.flatnonzero(~((true >= 0.0) & (true <= 1.0)))
    if len(wrong):
        key = columns["key"][int(wrong[0])].as_py()
        raise GraphError(f"{path}: p_true of {key!r} is {true[wrong[0]]}", "give a probability from 0 to 1")
    return Accuracy(str(path), columns["key"], true, 1.0 - true)


def read_weights(path: str | PathLike[str]) -> dict[str, float]:
    """The weight of each dataset from a table of ``key,weight``, for :func:`neodp.study.prior`.

    Raises
    ------
    GraphError
        If the file cannot be read, or a weight is not a number.
    """
    columns = read_table(Path(path), ("key", "weight"))
    return weights(columns["key"], columns["weight"], str(path))


def weights(keys: pa.Array, values: pa.Array, place: str) -> dict[str, float]:
    """Two columns as a weight per dataset; `place` says in an error where the columns are from.

    Raises
    ------
    GraphError
        If a value is not a number.
    """
    return dict(zip(keys.to_pylist(), _numbers(values, "the weight", place).tolist(), strict=True))


def _numbers(column: pa.Array, name: str, place: str) -> Floats:
    found = []
    for value in column.to_pylist():
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            raise GraphError(f"{place}: {name} is {value!r}", "give numbers") from None
    return np.array(found, np.float64)
