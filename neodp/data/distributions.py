"""Distributions over the colours: converted from any of their forms, and checked.

*A distribution is exact in every entry but the largest*, which stands for one minus the rest. With two colours, one
number determines a whole distribution.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neodp.compiled.labels import SMALLEST
from neodp.data.kinds import wrong_kind
from neodp.data.tables.problems import Problems
from neodp.data.validation import Floats, Places, is_number, positions
from neodp.errors import GraphError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["distribution", "distributions", "own_and_rest", "plain"]


def distributions(
    alpha: Any, keys: pa.StringArray, k: int, places: Places | None = None, problems: Problems | None = None
) -> Floats:
    """Convert alpha in any of the forms of ``from_columns`` to rows of doubles, the largest entry one minus the rest.

    Rows that are not distributions are added to the `problems`; if there is no such list, they raise an error.
    """
    places = places or Places()
    n = len(keys)
    rows = np.full((n, k), np.nan)
    if alpha is None:
        return rows
    if not isinstance(alpha, Iterable) or isinstance(alpha, str | bytes):
        raise wrong_kind("alpha", alpha, "one value per dataset, or a mapping from keys")
    if isinstance(alpha, Mapping):
        where = positions(alpha, keys, "alpha")
        values: Any = list(alpha.values())
    else:
        where = np.arange(n)
        values = (
            alpha
            if isinstance(alpha, np.ndarray)
            else alpha.to_pylist()
            if hasattr(alpha, "to_pylist")
            else list(alpha)
        )
        if len(values) != n:
            raise GraphError(f"there are {n} datasets and {len(values)} values of alpha", "give one per dataset")

    def place(row: int) -> str:
        return places.node(row, keys[row].as_py())

    if isinstance(values, np.ndarray) and values.ndim == 2:
        if values.shape[1] != k:
            raise GraphError(f"alpha has {values.shape[1]} columns", f"give one for each of the {k} colours")
        rows[:] = values
    elif isinstance(values, np.ndarray):
        if values.dtype.kind not in "fiub" or values.ndim != 1:
            raise wrong_kind("alpha", values.tolist(), "numbers")
        _first(rows, where, values.astype(np.float64), k, place)
    else:
        single = [isinstance(x, int | float | np.number) for x in values]
        first = np.flatnonzero(single)
        _first(rows, where[first], np.array([float(values[i]) for i in first]), k, place)
        for i, x in enumerate(values):
            if single[i] or x is None:
                continue
            if not isinstance(x, Iterable) or len(x := list(x)) != k or not all(map(is_number, x)):
                raise GraphError(
                    f"{place(int(where[i]))}: alpha is {x!r}",
                    f"give a number, or one for each of the {k} colours",
                )
            rows[where[i]] = x
    given = np.flatnonzero(~np.isnan(rows).all(axis=1))
    part = rows[given]
    inside = np.asarray(((part >= 0.0) & (part <= 1.0)).all(axis=1))
    whole = np.abs(np.where(inside[:, None], part, 0.0).sum(axis=1) - 1.0) <= 1e-9
    tiny = ((part > 0.0) & (part < SMALLEST)).any(axis=1)
    found = Problems(place) if problems is None else problems
    for complaint, wrong, said, hint in (
        ("out of range", ~inside, "", "give probabilities from 0 to 1"),
        ("not a distribution", inside & ~whole, " and does not add up to 1", "correct it"),
        ("too small", inside & whole & tiny, "", f"give 0 or at least {SMALLEST!r}"),
    ):
        found.add_rows(
            "alpha",
            complaint,
            given[wrong],
            lambda row: plain(rows[row]),
            hint=hint,
            place=place,
            alone=lambda row, said=said: f"{place(row)}: alpha is {_shown(rows[row])}{said}",  # type: ignore[misc]
        )
    if problems is None:
        found.raise_if_any()
    right = inside & whole & ~tiny
    given, part = given[right], part[right]
    largest = part.argmax(axis=1)
    rest = part.copy()
    rest[np.arange(len(part)), largest] = 0.0
    remainder = 1.0 - rest.sum(axis=1)
    # with more than two colours, a largest entry that is correct up to rounding stays as it is
    off = (k == 2) | (np.abs(part.max(axis=1, initial=0.0) - remainder) > k * 2.0**-52)
    part[np.flatnonzero(off), largest[off]] = remainder[off]
    rows[given] = part + 0.0
    return rows


def _first(rows: Floats, where: NDArray[Any], values: Floats, k: int, place: Any) -> None:
    """Fill in rows that are given by Pr[first colour] alone."""
    given = ~np.isnan(values)
    if k > 2 and given.any():
        raise GraphError(
            f"{place(int(where[np.argmax(given)]))}: alpha is one number",
            f"give one for each of the {k} colours",
        )
    rows[where, 0], rows[where, 1] = values, 1.0 - values


def _shown(row: Floats) -> str:
    return ", ".join(repr(float(x)) for x in row)


def distribution(chances: Sequence[float], k: int | None = None, place: str = "the boundary") -> Floats:
    """Return one distribution over k outputs, by default one per chance; it is checked as in ``distributions``.

    Examples
    --------
    >>> distribution([0.25, 0.5, 0.25])
    array([0.25, 0.5 , 0.25])
    """
    import pyarrow as pa

    if k is not None and len(chances) != k:
        raise GraphError(f"alpha on {place} has {len(chances)} numbers", f"give one for each of the {k} colours")
    row: Floats = distributions([list(chances)], pa.array([place]), len(chances))[0]
    return row


def own_and_rest(rows: Floats, color: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return, per row, the chance of one colour, and the chance of all the others.

    The second is a sum, not one minus the first, and so distinguishes chances close to certainty.

    Examples
    --------
    >>> own_and_rest(np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([1, 0]))
    (array([0.75, 0.5 ]), array([0.25, 0.5 ]))
    """
    own, rest = rows[np.arange(len(rows)), color], np.zeros(len(rows))
    for c in range(rows.shape[1]):
        rest += np.where(color == c, 0.0, rows[:, c])
    return own, rest


def plain(row: Floats) -> float | list[float]:
    """Return a distribution as one number if that states it exactly, else as a list."""
    if len(row) == 2 and row[1] == 1.0 - row[0]:
        return float(row[0])
    return [float(x) for x in row]
