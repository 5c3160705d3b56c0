"""Checks of what a person passes: keys, numbers, texts and positions, in columns of any kind.

A person passes lists, numpy or Arrow arrays, mappings, or the text of a file. :mod:`neodp.data.graph_columns` converts
them to the columns of a graph, with :mod:`neodp.data.distributions` for alpha and :mod:`neodp.data.preferences` for
orders of the colours; this module has what they share. *Keys are strings*: if a dataset is named by something else,
such as a tuple or a whole number from networkx, it is converted with ``str``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp.data.kinds import wrong_kind
from neodp.data.tables.problems import Place
from neodp.errors import GraphError, LargeEpsilon, UnknownKey, near

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "LARGEST",
    "MAX_EPSILON",
    "UNIT",
    "Bools",
    "Floats",
    "Ints",
    "Places",
    "caution",
    "given_positions",
    "is_number",
    "is_text",
    "item",
    "keys_of",
    "large_epsilon",
    "place_of",
    "positions",
    "require_range",
    "strings",
    "unknown_key",
]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]
MAX_EPSILON = 690.0
"""The largest epsilon: e^690 and its products still fit a double, and it is indistinguishable from no privacy."""
LARGE_EPSILON = 10.0
"""The largest epsilon that is taken without a caution: the odds of a guess shift by a factor of up to 22,026."""
UNIT = 2**50
"""The number of units in an epsilon of 1, where epsilons are added up as whole numbers."""
LARGEST = {"epsilon": MAX_EPSILON, "delta": 1.0}
"""The largest value of each privacy parameter of an edge; the smallest is 0."""


def require_range(name: str, values: ArrayLike, place: Callable[[int], str] | None = None) -> None:
    """Refuse an epsilon or a delta, or a column of them, that is out of its range.

    Parameters
    ----------
    name : "epsilon" or "delta"
    values : float, or array of float
    place : callable, optional
        From a position in the column to its place, for the error message.

    Examples
    --------
    >>> require_range("delta", [0.0, 2.0], lambda row: f"edge {row + 1}")
    Traceback (most recent call last):
      ...
    neodp.errors.GraphError: edge 2: delta is 2.0; give a number from 0 to 1
    """
    column = np.atleast_1d(np.asarray(values, np.float64))
    wrong = np.flatnonzero(~((column >= 0.0) & (column <= LARGEST[name])))
    if len(wrong):
        where = "" if place is None else f"{place(int(wrong[0]))}: "
        raise GraphError(f"{where}{name} is {column[wrong[0]]}", f"give a number from 0 to {LARGEST[name]:g}")


def caution(epsilon: ArrayLike) -> None:
    """Warn, in one sentence, of an epsilon above 10 that somebody enters; it is used all the same.

    Only public epsilons are passed here: a caution that depended on people's secret epsilons would tell of them.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     caution([0.5, 20.0])
    >>> str(said[0].message)
    'epsilon 20 hardly protects anybody: it can make a guess of 50:50 about a person nearly certain; 10 is much already'
    """
    if sentence := large_epsilon(epsilon):
        warnings.warn(sentence, LargeEpsilon, stacklevel=2)


def large_epsilon(epsilon: ArrayLike) -> str | None:
    """Return the caution of epsilons of which one is above 10; None if none is.

    Examples
    --------
    >>> large_epsilon(10.0)
    """
    greatest = float(np.fmax.reduce(np.asarray(epsilon, np.float64).ravel(), initial=0.0))  # NaN is no epsilon
    if greatest <= LARGE_EPSILON:
        return None
    return (
        f"epsilon {greatest:g} hardly protects anybody: it can make a guess of 50:50 about a person nearly certain; "
        f"{LARGE_EPSILON:g} is much already"
    )


@dataclass(frozen=True)
class Places:
    """The names of datasets and edges in error messages.

    Attributes
    ----------
    nodes, edges : callables, optional
        From a row to its place in a file. If they are missing, a dataset is named by its key, and an edge by the keys
        of its ends.
    """

    nodes: Place | None = None
    edges: Place | None = None

    def node(self, row: int, key: str | None = None) -> str:
        """Return the place of a dataset."""
        if self.nodes is not None:
            return self.nodes(row)
        return f"dataset {key!r}" if key is not None else f"dataset {row} (counted from 0)"

    def edge(self, row: int, source: Any = None, target: Any = None) -> str:
        """Return the place of an edge."""
        if self.edges is not None:
            return self.edges(row)
        return f"edge {source!r} – {target!r}" if source is not None else f"edge {row} (counted from 0)"


def keys_of(keys: Any) -> list[str]:
    """Return one key, or several, as a list of strings.

    A string, and anything that cannot be iterated over, such as a whole number, is one key. Everything else is several
    keys; so a tuple that names a single dataset must be put into a list.

    Examples
    --------
    >>> keys_of("497"), keys_of(0), keys_of(["a", 1]), keys_of([("a", 1)])
    (['497'], ['0'], ['a', '1'], ["('a', 1)"])
    """
    if isinstance(keys, str) or not isinstance(keys, Iterable):
        return [str(keys)]
    return [str(key) for key in keys]


def unknown_key(message: str, key: str, keys: pa.StringArray) -> UnknownKey:
    """Return the error for a key that a graph does not have; its hint names keys that look alike."""
    return UnknownKey(message, near(key, keys[:20_000].to_pylist()) or _HINT)


_HINT = "a key is a string: for datasets from networkx, what str() makes of the node"


def place_of(text: str, column: pa.StringArray) -> int:
    """Return the position of a text in a column; -1 if it is not there, as one that is not valid Unicode never is."""
    import pyarrow.compute as pc

    return int(pc.index(column, text).as_py()) if is_text(text) else -1


def positions(given: Iterable[Any], keys: pa.StringArray, what: str) -> NDArray[np.int64]:
    """Return the positions of the datasets that a mapping names.

    Parameters
    ----------
    given : iterable
        The keys of the mapping: strings, or objects that are converted with ``str``.
    keys : Arrow array
        The keys of the graph.
    what : str
        The content of the mapping, for error messages.

    Raises
    ------
    UnknownKey
        If a key is not one of the graph's keys.
    GraphError
        If two keys are the same string.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    named = keys_of(given)
    if len(set(named)) < len(named):
        twice = next(key for i, key in enumerate(named) if key in named[:i])
        raise GraphError(f"{what} is given twice for {twice!r}", "give it once: keys are compared as str() writes them")
    texts = pa.array([key if is_text(key) else None for key in named], pa.string())
    where: NDArray[np.int64] = np.asarray(pc.fill_null(pc.index_in(texts, keys), -1), np.int64)
    if (where < 0).any():
        key = named[int(np.argmin(where))]
        raise unknown_key(f"{what} is given for {key!r}, which is not a dataset", key, keys)
    return where


def given_positions(values: Any) -> NDArray[Any] | None:
    """Return positions as an array, from an array or a list of whole numbers; None if texts are given."""
    if isinstance(values, np.ndarray):
        return values if values.dtype.kind in "iu" else None
    if not isinstance(values, list | tuple) or not values:
        return None
    whole = all(isinstance(x, int | np.integer) and not isinstance(x, bool) for x in values)
    return np.array(values) if whole else None


def strings(values: Any, what: str, place: Any) -> pa.StringArray:
    """Convert a column to Arrow strings; `what` and `place` name a value in the error message."""
    import pyarrow as pa

    if not isinstance(values, pa.Array | pa.ChunkedArray):
        try:
            values = pa.array(values, pa.string())
        except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError, TypeError, OverflowError):
            if not isinstance(values, Sequence | np.ndarray):
                raise wrong_kind(what, values, "several texts") from None
            row = next(i for i, x in enumerate(values) if not is_text(x))
            raise GraphError(f"{place(row)}: {what} is {values[row]!r}, not a text", "give a string") from None
    if values.null_count:
        row = int(np.argmax(values.is_null().to_numpy(zero_copy_only=False)))
        raise GraphError(f"{place(row)}: {what} is missing", "give a string")
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return values if pa.types.is_string(values.type) else values.cast(pa.string())


def is_text(x: Any) -> bool:
    """Return True for a string that is valid Unicode."""
    try:
        return isinstance(x, str) and bool(x.encode() is not None)
    except UnicodeEncodeError:
        return False


def is_number(x: Any) -> bool:
    """Return True if ``float`` accepts an object."""
    try:
        float(x)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def item(column: Any, row: int) -> Any:
    """Return the value in one row of a column, as a Python object."""
    item = column[row]
    return item.as_py() if hasattr(item, "as_py") else item
