"""Preferences: the order in which each dataset puts the colours, converted from any of its forms, and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import Places, given_positions, is_text, item, positions
from neodp.errors import GraphError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["colors_of_first", "preferences"]


def preferences(
    preference: Any,
    keys: pa.StringArray,
    colors: Sequence[str],
    color: NDArray[np.int8] | None = None,
    places: Places | None = None,
) -> NDArray[np.int8] | None:
    """Convert preference in any of the forms of ``from_columns`` to rows of positions, best first; None if absent."""
    places = places or Places()
    if preference is None or getattr(preference, "null_count", -1) == len(preference):
        return None
    if isinstance(preference, Mapping):
        rows_of = dict(zip(positions(preference, keys, "a preference").tolist(), preference.values(), strict=True))
        preference = [rows_of.get(v) for v in range(len(keys))]
    if len(preference) != len(keys):
        raise GraphError(f"there are {len(keys)} datasets and {len(preference)} preferences", "give one per dataset")
    rows, length = _positions(preference, colors, keys, places)
    given = rows[:, 0] >= 0
    wrong = np.flatnonzero((length != 0) & (np.sort(rows, axis=1) != np.arange(len(colors))).any(axis=1))
    if len(wrong):
        row = int(wrong[0])
        names = item(preference, row)
        raise GraphError(
            f"{places.node(row, keys[row].as_py())}: the preference is {', '.join(map(str, names))}",
            f"name each of {', '.join(colors)} once, best first",
        )
    if color is not None and (wrong := np.flatnonzero(given & (rows[:, 0] != color))).size:
        row = int(wrong[0])
        raise GraphError(
            f"{places.node(row, keys[row].as_py())} has the colour {colors[color[row]]} and prefers "
            f"{colors[rows[row, 0]]}",
            "name its colour first",
        )
    return rows if given.any() else None


def colors_of_first(preference: Any) -> list[str] | None:
    """Return all colours that the first preference names, sorted; None if none does."""
    rows = preference.values() if isinstance(preference, Mapping) else preference
    if rows is None or isinstance(rows, np.ndarray):
        return None
    first = next((item([row], 0) for row in rows if item([row], 0) is not None), None)
    return sorted(first) if _is_names(first) and first else None


def _positions(
    preference: Any, colors: Sequence[str], keys: pa.StringArray, places: Places
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Convert rows of names or positions to positions, -1 if invalid; return also their lengths, 0 if not given."""
    import pyarrow as pa
    import pyarrow.compute as pc

    k = len(colors)
    rows = np.full((len(preference), k), -1, np.int8)
    if isinstance(preference, np.ndarray) and preference.ndim == 2 and preference.dtype.kind in "iu":
        given = (preference != -1).any(axis=1)
        if preference.shape[1] != k:
            return rows, np.full(len(preference), preference.shape[1])
        inside = ((preference >= 0) & (preference < k)).all(axis=1)
        rows[inside] = preference[inside]
        return rows, np.where(given, k, 0)
    if isinstance(preference, list | tuple) and all(
        row is None or given_positions(row) is not None for row in preference
    ):
        for v, row in enumerate(preference):
            if row is not None and len(row) == k and all(0 <= c < k for c in row):
                rows[v] = row
        return rows, np.array([0 if row is None or set(row) == {-1} else len(row) for row in preference])
    if not isinstance(preference, pa.Array | pa.ChunkedArray):
        try:
            if any(isinstance(row, str) for row in preference):  # which Arrow takes for a list of letters
                raise TypeError
            preference = pa.array(preference, pa.list_(pa.string()))
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
            row = next(i for i, x in enumerate(preference) if not _is_names(x))
            raise GraphError(
                f"{places.node(row, keys[row].as_py())}: the preference is {preference[row]!r}",
                f"name each of {', '.join(colors)} once, best first",
            ) from None
    elif not (pa.types.is_list(preference.type) or pa.types.is_large_list(preference.type)):
        raise GraphError(f"preference is a column of {preference.type}", "give one of lists of colours, best first")
    if isinstance(preference, pa.ChunkedArray):
        preference = preference.combine_chunks()
    preference = preference.cast(pa.list_(pa.string()))
    length = pc.fill_null(pc.list_value_length(preference), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    fits = preference.filter(pa.array(length == k))
    found = pc.fill_null(pc.index_in(fits.flatten(), pa.array(colors, pa.string())), -1).to_numpy(zero_copy_only=False)
    rows[length == k] = found.reshape(-1, k)
    return rows, length


def _is_names(x: Any) -> bool:
    return x is None or (isinstance(x, Sequence) and not isinstance(x, str) and all(map(is_text, x)))
