"""From a table of people to a dataset of a poll: one row per person, with a vote and an epsilon.

The votes are counted per group of equal epsilon. What the options are is never read off the votes, because everything
that is known before the answer must not depend on them. People with epsilon 0 are counted, but their votes are not
looked at (:mod:`neodp.polls.mechanism` says why). An invalid epsilon or vote is rejected, and the error names its row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.columns import Floats
from neodp.errors import GraphError, near
from neodp.polls.mechanism import Counts, Group, valid_epsilon

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["WORDS", "Place", "Tally", "epsilons", "tally"]

WORDS = {"yes": ("yes", "y", "true", "1"), "no": ("no", "n", "false", "0")}
"""What counts as yes and no where the options are not named, in any case."""


class Tally(NamedTuple):
    """What a table of people says.

    Attributes
    ----------
    groups : tuple of Group
        The people with an epsilon above 0, by ascending epsilon.
    counts : array of int
        The dataset that is true. Secret.
    skipped : int
        How many people have no vote, and were left out.
    silent : int
        How many people have epsilon 0; their votes were not looked at.
    """

    groups: tuple[Group, ...]
    counts: Counts
    skipped: int
    silent: int


Place: TypeAlias = Callable[[int], str]
"""How to name a row of a table in an error message."""


def epsilons(column: pa.Array, levels: Mapping[str, float], place: Place) -> Floats:
    """A column of numbers, or of names of levels, as epsilons.

    Raises
    ------
    GraphError
        If one is missing, negative, not a number, above 690, or an unknown name.

    Examples
    --------
    >>> import pyarrow as pa
    >>> epsilons(pa.array(["high", "2", "low"]), {"low": 2.0, "high": 0.3}, "row {}".format)
    array([0.3, 2. , 2. ])
    """

    def number(value: Any) -> float:
        text = _text(value)
        if text in levels:
            return levels[text]
        if text == "":
            raise GraphError("there is no epsilon", "give a number, or the name of a level")
        try:
            epsilon = float(text)
        except ValueError:
            known = f"the levels are {', '.join(levels)}" if levels else "give a number, or name levels with --levels"
            raise GraphError(f"epsilon is {text!r}", near(text, levels) or known) from None
        return valid_epsilon(epsilon)

    values, where = _decoded(column, number, place)
    return np.array(values, np.float64)[where]


def tally(
    votes: pa.Array,
    epsilon: Floats,
    place: Place,
    *,
    options: Sequence[str] | None = None,
    levels: Mapping[str, float] | None = None,
    skip_empty: bool = False,
) -> Tally:
    """Count the votes of people in groups of equal epsilon.

    Parameters
    ----------
    votes : Arrow array
        What each person chose.
    epsilon : array of float
        As from ``epsilons``.
    options : strings, optional
        What one can choose. By default yes and no, in the usual words. They are never taken from the votes: what is
        known before the answer must not depend on these.
    levels : mapping, optional
        Names for epsilons, for the groups.
    skip_empty : bool
        Leave out people without a vote, instead of refusing. Who took part is then taken as public.

    Raises
    ------
    GraphError
        If a vote is missing, or is not one of the options; the message names the first row with it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> t = tally(pa.array(["y", "N", "yes", ""]), np.array([1.0, 1.0, 0.5, 0.5]), "row {}".format, skip_empty=True)
    >>> t.groups
    (Group(epsilon=0.5, size=1, level=None), Group(epsilon=1.0, size=2, level=None))
    >>> t.counts.tolist(), t.skipped
    ([[1, 0], [1, 1]], 1)
    """
    names = options or tuple(WORDS)
    chosen = {option: i for i, option in enumerate(names)}
    if options is None:
        chosen = {word: i for i, option in enumerate(names) for word in WORDS[option]}

    def choice(value: Any) -> int:
        text = _text(value) if options is not None else _text(value).lower()
        if text == "" and skip_empty:
            return -1
        if text == "":
            raise GraphError("there is no vote", "give one, or leave such people out with --skip-empty")
        if text not in chosen:
            hint = near(text, names) or f"the options are {', '.join(names)}; name others with --options"
            raise GraphError(f"the vote is {_text(value)!r}", hint)
        return chosen[text]

    asked = np.flatnonzero(epsilon > 0.0)
    codes, where = _decoded(votes.take(asked), choice, lambda row: place(int(asked[row])))
    code = np.array(codes, np.int64)[where]
    took_part = code >= 0
    distinct, group = np.unique(epsilon[asked][took_part], return_inverse=True)
    counts = np.bincount(group * len(names) + code[took_part], minlength=len(distinct) * len(names))
    counts = counts.reshape(len(distinct), len(names))
    called = {value: name for name, value in (levels or {}).items()}
    groups = tuple(
        Group(e, size, called.get(e)) for e, size in zip(distinct.tolist(), counts.sum(axis=1).tolist(), strict=True)
    )
    return Tally(groups, counts, int((~took_part).sum()), len(epsilon) - len(asked))


def _decoded(column: pa.Array, decode: Callable[[Any], Any], place: Place) -> tuple[list[Any], NDArray[np.int64]]:
    """Each different value of a column, decoded, and which one stands in each row; an error names its first row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    coded = pc.dictionary_encode(column, null_encoding="encode")
    where = np.asarray(coded.indices, np.int64)
    values = []
    for i, value in enumerate(coded.dictionary.to_pylist()):
        try:
            values.append(decode(value))
        except GraphError as e:
            raise GraphError(f"{place(int(np.argmax(where == i)))}: {e.message}", e.hint) from None
    return values, where


def _text(value: Any) -> str:
    """A value as people write it: nothing for null, 1 for 1.0."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
