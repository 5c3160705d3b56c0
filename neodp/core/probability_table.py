"""Any mechanism as a table of probabilities, to check its privacy and to measure the loss of each edge.

A mechanism need not come from neodp to be checked. All it takes is a row of probabilities for every dataset, one for
each output, however many outputs there are, and a list of neighbouring datasets with the (epsilon, delta) that each
pair is promised. The check is the exact one of :mod:`neodp.core.auditing`, and the losses are those of
:mod:`neodp.core.losses`.

>>> coin = Tabulated.from_columns(["a", "b"], ["heads", "tails"], [[0.75, 0.25], [0.5, 0.5]], ["a"], ["b"], 0.7)
>>> print(coin.audit())
private: none of 4 inequalities on 1 edge is broken, checked exactly
>>> coin.losses().epsilon.round(4).tolist()
[0.6931]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp.core import auditing
from neodp.core.auditing import Audit
from neodp.core.losses import Losses, checked_rows, losses, one_or_each, to_table
from neodp.data.files import private
from neodp.data.formatting import count
from neodp.data.kinds import checked, position
from neodp.data.tables import Problems, ReadOptions, header, numbers, read_table
from neodp.data.validation import Floats, require_range
from neodp.errors import GraphError, near

__all__ = ["Tabulated"]


@dataclass(frozen=True, eq=False)
class Tabulated:
    """A mechanism as a table.

    Attributes
    ----------
    keys : tuple of str
        The datasets.
    colors : tuple of str
        The outputs.
    rows : array of float, one row per dataset, one column per output
        The probabilities. Every entry but the largest of a row is exact; the largest stands for one minus the rest.
    source, target : arrays of int
        The two ends of each edge, as positions in `keys`.
    epsilon, delta : arrays of float
        The (epsilon, delta) that each edge is promised.
    """

    keys: tuple[str, ...]
    colors: tuple[str, ...]
    rows: Floats
    source: NDArray[Any]
    target: NDArray[Any]
    epsilon: Floats
    delta: Floats

    @classmethod
    @checked
    def from_columns(
        cls,
        keys: Sequence[str],
        outputs: Sequence[str],
        rows: Any,
        source: Sequence[str],
        target: Sequence[str],
        epsilon: ArrayLike,
        delta: ArrayLike = 0.0,
    ) -> Tabulated:
        """Build a mechanism from columns: keys, rows of probabilities, and edges by the keys of their ends.

        Raises
        ------
        GraphError
            If a row is not a distribution, a key is unknown or appears twice, or an epsilon or delta is out of range.
        """
        names = tuple(map(str, keys))
        place = {key: i for i, key in enumerate(names)}
        if len(place) < len(names):
            twice = next(key for key in names if names.count(key) > 1)
            raise GraphError(f"dataset {twice!r} occurs twice", "give every dataset one row")
        table = checked_rows(rows, lambda row: f"dataset {names[row]!r}")
        if table.shape != (len(names), len(outputs)):
            raise GraphError(
                f"there are {len(names)} datasets and {len(outputs)} outputs, and a table of {table.shape}",
                "give one row per dataset, one column per output",
            )
        ends = [[_position(place, str(key)) for key in end] for end in (source, target)]
        one, two = (np.array(end, np.int64) for end in ends)
        if len(one) != len(two):
            raise GraphError(f"there are {len(one)} sources and {len(two)} targets", "give every edge two ends")
        limits = []
        for name, values in (("epsilon", epsilon), ("delta", delta)):
            column = one_or_each(name, values, len(one))
            require_range(name, column, lambda edge: f"edge {names[one[edge]]!r} – {names[two[edge]]!r}")
            limits.append(column)
        return cls(names, tuple(map(str, outputs)), table, one, two, *limits)

    @classmethod
    @checked
    def from_tables(
        cls,
        nodes: str | PathLike[str],
        edges: str | PathLike[str],
        *,
        epsilon: float | None = None,
        delta: float = 0.0,
        options: ReadOptions | None = None,
    ) -> Tabulated:
        """Read a mechanism from two tables: ``key`` and a column per output; ``source,target[,epsilon][,delta]``.

        `epsilon` and `delta` fill the gaps, and `options` say how to read the tables if the tables do not say it.
        """
        outputs = [name for name in header(nodes, options) if name != "key"]
        if len(outputs) < 2:
            raise GraphError(
                f"{nodes} has {count(len(outputs), 'column')} of probabilities", "give one for each output"
            )
        table = read_table(nodes, ("key", *outputs), numbers=outputs, options=options)
        limits = ("epsilon", "delta")
        links = read_table(edges, ("source", "target"), limits, numbers=limits, closed=True, options=options)
        problems = Problems(table.place)
        rows = np.column_stack([numbers(table[name], name, problems) for name in outputs])
        given = []
        for name, default in (("epsilon", epsilon), ("delta", delta)):
            column = links.get(name)
            if column is None and default is None:
                raise GraphError(f"{links.source} has no column {name!r}", f"add it, or give --{name} for all edges")
            if column is None:
                given.append(np.full(len(links["source"]), default))
            else:
                found = numbers(column, name, problems, place=links.place, required=default is None)
                given.append(np.asarray(found if default is None else found.fill_null(default)))
        problems.raise_if_any()
        ends = (links[name].to_pylist() for name in ("source", "target"))
        return cls.from_columns(table["key"].to_pylist(), outputs, rows, *ends, *given)

    @property
    def edges(self) -> int:
        """The number of edges."""
        return len(self.source)

    def key(self, vertex: int) -> str:
        """Return the key of the dataset at a position."""
        return self.keys[position("vertex", vertex, len(self.keys))]

    @checked
    def audit(self, *, worst: int = 5) -> Audit:
        """Check every inequality on every edge, without a tolerance."""
        return auditing.audit_rows(self, self.rows, worst)

    def losses(self) -> Losses:
        """Return the least epsilon at its delta, and the least delta at its epsilon, of every edge; rounded up."""
        return losses(self.rows, self.source, self.target, self.epsilon, self.delta)

    @checked
    def write_losses(self, path: str | PathLike[str]) -> None:
        """Write the losses as a CSV or Parquet file: source, target, epsilon, delta, least_epsilon, least_delta."""
        import pyarrow.csv
        import pyarrow.parquet

        table = to_table(self.keys, self.source, self.target, self.epsilon, self.delta, self.losses())
        target = Path(path)
        if target.suffix.lower() not in (".csv", ".parquet"):
            raise GraphError(f"{target} has no known ending", "name it .csv or .parquet")
        write = pyarrow.parquet.write_table if target.suffix.lower() == ".parquet" else pyarrow.csv.write_csv
        with private(target) as file:
            write(table, file)


def _position(place: dict[str, int], key: str) -> int:
    if key not in place:
        raise GraphError(f"an edge has the end {key!r}, which is not a dataset", near(key, place) or "correct the edge")
    return place[key]
