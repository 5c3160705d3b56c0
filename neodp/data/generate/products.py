"""Products: graphs of words, in which two words are neighbours iff they differ in one place, by neighbouring values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.data.generate.arguments import named_colors
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Bools, Floats, Ints
from neodp.errors import GraphError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["WordPlace", "build", "coordinate", "letter", "product", "shares", "texts"]


class WordPlace(NamedTuple):
    """The possible values at one place: their names, their contributions to the sum, and the pairs of neighbours.

    A contribution is one number, or with plurality one number for each option.
    """

    labels: pa.StringArray
    adds: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]


def coordinate(length: int) -> WordPlace:
    """Return the place of a coordinate 0, …, length - 1: each value adds itself; neighbours differ by one."""
    values = np.arange(length)
    return WordPlace(texts(values), values, values[:-1], values[1:])


def letter(letters: range, each: bool) -> WordPlace:
    """Return the place of a letter: any two are neighbours; only the letter 1 adds 1, or `each` adds to its own sum."""
    values = np.array(letters)
    lower, upper = np.triu_indices(len(letters), 1)
    adds = np.eye(len(letters), dtype=np.int64) if each else (values == 1).astype(np.int64)
    return WordPlace(texts(values), adds, lower, upper)


def shares(people: int, k: int) -> WordPlace:
    """Return all ways to share votes among k options, each with a sum of its own; neighbours differ in one vote."""
    if (people + 1) ** (k - 1) >= 2**63:
        raise GraphError(f"{people:,} people and {k} options are too many", "take fewer options")
    votes = np.zeros((1, 0), np.int64)
    rest = np.array([people])
    for _ in range(k - 1):  # one option more, with any number of the votes that are left
        row = np.repeat(np.arange(len(rest)), rest + 1)
        number = np.arange(len(row)) - np.searchsorted(row, row)
        votes = np.column_stack([votes[row], number])
        rest = rest[row] - number
    votes = np.column_stack([votes, rest])
    weight = (people + 1) ** np.arange(k - 2, -1, -1, dtype=np.int64)
    code = votes[:, :-1] @ weight
    lower, upper = [], []
    for i, j in itertools.combinations(range(k), 2):
        some = np.flatnonzero(votes[:, i] > 0)
        changed = code[some] - weight[i] + (weight[j] if j < k - 1 else 0)
        lower.append(some)
        upper.append(np.searchsorted(code, changed))
    names = reduce(lambda words, column: _paired(words, texts(column)), votes.T[1:], texts(votes[:, 0]))
    return WordPlace(names, votes, np.concatenate(lower), np.concatenate(upper))


def _paired(words: pa.StringArray, labels: pa.StringArray) -> pa.StringArray:
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(words, labels, "-")


def product(
    places: Sequence[WordPlace],
    separator: str,
    threshold: int | None,
    epsilon: Floats,
    delta: Floats,
    colors: Sequence[str],
    name: str,
) -> DatasetGraph:
    """Build the graph of all words, with epsilon and delta per place; by plurality if there is no threshold."""
    total = reduce(_outer_sum, (place.adds for place in places))
    keys = reduce(lambda words, labels: _joined(words, labels, separator), (place.labels for place in places))
    index = np.arange(len(total), dtype=np.int32)
    source: list[Ints] = []
    target: list[Ints] = []
    stride = len(total)
    for place in places:
        stride //= len(place.labels)
        words = index.reshape(-1, len(place.labels), stride)
        source.append(words.take(place.lower, axis=1).ravel())
        target.append(words.take(place.upper, axis=1).ravel())
    edges = [len(column) for column in source]
    return build(
        keys,
        np.argsort(-total, axis=1, kind="stable").astype(np.int8) if threshold is None else total >= threshold,
        np.concatenate(source),
        np.concatenate(target),
        np.repeat(epsilon, edges),
        np.repeat(delta, edges),
        colors,
        name,
    )


def _outer_sum(sums: NDArray[np.int64], adds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return every sum plus every contribution."""
    return (sums[:, None] + adds[None, :]).reshape(-1, *adds.shape[1:])


def _joined(words: pa.StringArray, labels: pa.StringArray, separator: str) -> pa.StringArray:
    """Return every word followed by every label."""
    import pyarrow as pa
    import pyarrow.compute as pc

    before = words.take(pa.array(np.repeat(np.arange(len(words)), len(labels))))
    after = labels.take(pa.array(np.tile(np.arange(len(labels)), len(words))))
    return pc.binary_join_element_wise(before, after, separator)


def texts(numbers: NDArray[Any]) -> pa.StringArray:
    """Return numbers as text."""
    import pyarrow as pa

    return pa.array(numbers).cast(pa.string())


def build(
    keys: pa.StringArray,
    answer: Bools | NDArray[np.int8],
    source: Ints,
    target: Ints,
    epsilon: Floats,
    delta: Floats,
    colors: Sequence[str],
    name: str,
) -> DatasetGraph:
    """Build a graph of trusted columns; `answer` marks the first of two colours, or holds each dataset's order."""
    k = 2 if answer.ndim == 1 else answer.shape[1]
    return DatasetGraph(
        keys=keys,
        colors=named_colors(colors, k),
        color=(~answer).astype(np.int8) if answer.ndim == 1 else answer[:, 0].astype(np.int8),
        source=source,
        target=target,
        epsilon=epsilon,
        delta=delta,
        alpha=np.full((len(keys), k), np.nan),
        name=name,
        preference=None if answer.ndim == 1 else answer.astype(np.int8),
    )
