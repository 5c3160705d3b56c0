"""Input tables of a study: the accuracy of a mechanism, and the weights of a prior.

Both may be in any table format that neodp reads, with one row per dataset: ``key,p_true`` for a mechanism computed by
another program, and ``key,weight`` for a prior. Invalid numbers are rejected, and the error says where.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from neodp.data.kinds import checked
from neodp.data.tables import Problems, numbers, read_table
from neodp.data.validation import Floats
from neodp.errors import GraphError
from neodp.study.comparison import Accuracy

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_accuracy", "read_weights", "weights"]


@checked
def read_accuracy(path: str | PathLike[str]) -> Accuracy:
    r"""Read the accuracy of a mechanism from a table of ``key,p_true``.

    Raises
    ------
    GraphError
        If the file cannot be read, or a ``p_true`` is not a probability; the message names the dataset.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "mine.csv")
    ...     _ = file.write_text("key,p_true\n1,0.58\n2,0.76\n")
    ...     read_accuracy(file).true
    array([0.58, 0.76])
    """
    import pyarrow as pa

    table = read_table(path, ("key", "p_true"), numbers=("p_true",))
    problems = Problems(table.place)
    true = np.asarray(numbers(table["p_true"], "p_true", problems))
    wrong = np.flatnonzero(~((true >= 0.0) & (true <= 1.0)))
    hint = "give a probability from 0 to 1"
    problems.add_rows("p_true", "out of range", wrong, lambda row: float(true[row]), hint=hint)
    problems.raise_if_any()
    return Accuracy(str(path), table["key"].cast(pa.string()), true, 1.0 - true)


@checked
def read_weights(path: str | PathLike[str]) -> dict[str, float]:
    """Read the weight of each dataset from a table of ``key,weight``, for :func:`neodp.study.prior`.

    Raises
    ------
    GraphError
        If the file cannot be read, or a weight is not a number.
    """
    import pyarrow as pa

    table = read_table(path, ("key", "weight"), numbers=("weight",))
    problems = Problems(table.place)
    found = numbers(table["weight"], "the weight", problems)
    keys = table["key"].cast(pa.string()).to_pylist()
    first: dict[str, int] = {}
    twice = [row for row, key in enumerate(keys) if first.setdefault(key, row) != row]
    problems.add_rows("the key", "there twice", twice, keys.__getitem__, hint="give each dataset one weight")
    problems.raise_if_any()
    return dict(zip(keys, found.to_pylist(), strict=True))


def weights(keys: pa.Array, values: pa.Array, place: str) -> dict[str, float]:
    """Return a mapping from keys to weights, given two columns; `place` names their origin in error messages.

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
