"""Comparison of two mechanisms by dominance.

M *dominates* M' iff it answers truthfully at least as often on every dataset (paper 002, Definition 2). This is a
partial order: of two mechanisms, often neither dominates the other (Example 1), and which one is better depends on how
likely each dataset is (:mod:`neodp.study.optimum`). ``Mechanism.dominates`` decides to the last bit; the comparison
here ignores differences as small as rounding errors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.core.mechanism import Mechanism
from neodp.data.kinds import checked
from neodp.data.validation import Floats
from neodp.errors import GraphError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Accuracy", "Comparison", "Difference", "compare"]

SAME_CHANCE = 1e-9
"""The tolerance, as a fraction of the smallest of p and 1 - p: a smaller difference is a solver's rounding error."""

Verdict: TypeAlias = Literal["equal", "first", "second", "neither"]


@dataclass(frozen=True, eq=False)
class Accuracy:
    """The accuracy of a mechanism: per dataset, the chance of the true answer, and one minus that chance.

    The smaller of the two numbers is exact, so that chances close to 1 can be told apart. ``answer`` is the true answer
    of each dataset, if it is known.
    """

    name: str
    keys: pa.StringArray
    true: Floats
    false: Floats
    answer: pa.StringArray | None = None

    @classmethod
    def of(cls, mechanism: Mechanism, name: str | None = None) -> Accuracy:
        """Return the accuracy of a mechanism, with any number of colours."""
        import pyarrow as pa

        graph = mechanism.graph
        answer = pa.array(graph.colors, pa.string()).take(pa.array(graph.color))
        return cls(name or graph.name, graph.keys, mechanism.p_true, mechanism.p_false, answer)


@dataclass(frozen=True)
class Difference:
    """One dataset, and the accuracy of each of two mechanisms there."""

    key: str
    first: float
    second: float


@dataclass(frozen=True)
class Comparison:
    """The result of ``compare``.

    Attributes
    ----------
    names : two strings
    verdict : str
        The mechanism that dominates the other: "first", "second", "neither", or "equal".
    datasets, first_better, second_better : int
        The number of datasets, and the number of datasets on which each mechanism is more accurate.
    mean, worst : two floats
        The mean accuracy over all datasets, equally weighted, and the least accuracy.
    first_gains, second_gains : tuples of Difference
        The datasets on which each mechanism is furthest ahead.
    first, second : arrays of float
        The accuracy of each mechanism, per dataset.
    """

    names: tuple[str, str]
    verdict: Verdict
    datasets: int
    first_better: int
    second_better: int
    mean: tuple[float, float]
    worst: tuple[float, float]
    first_gains: tuple[Difference, ...]
    second_gains: tuple[Difference, ...]
    first: Floats
    second: Floats

    def __str__(self) -> str:
        one, two = map(repr, self.names)
        same = self.datasets - self.first_better - self.second_better
        figures = f"{one} is better on {self.first_better:,}, {two} on {self.second_better:,}, equal on {same:,}"
        said = {
            "equal": f"{one} and {two} are equally accurate on all {self.datasets:,} datasets",
            "first": f"{one} is at least as accurate as {two} everywhere",
            "second": f"{two} is at least as accurate as {one} everywhere",
            "neither": "neither is at least as accurate as the other everywhere",
        }[self.verdict]
        return said if self.verdict == "equal" else f"{said}: {figures} of {self.datasets:,} datasets"


@checked
def compare(first: Mechanism | Accuracy, second: Mechanism | Accuracy, *, most: int = 3) -> Comparison:
    """Compare two mechanisms dataset by dataset, with a relative tolerance of 1e-9.

    Parameters
    ----------
    first, second : Mechanism or Accuracy
        Two mechanisms with any number of colours, or their accuracies, on the same datasets in any order; epsilons,
        deltas and edges may differ. A mechanism has the name of its graph; if both have the same name, they are called
        "first" and "second".
    most : int
        The number of largest differences to report in each direction.

    Raises
    ------
    GraphError
        If a dataset is in only one of the two, or has different true answers in them.

    Examples
    --------
    Example 1 of paper 002:

    >>> import math, neodp
    >>> g = neodp.generate.path(2, epsilon=math.log(2), delta=0.1, colors=("blue", "red"))
    >>> one, two = (Accuracy.of(neodp.Mechanism.of(g, {"0": a, "1": b}), name)
    ...             for name, a, b in (("M1", 0.58, 0.24), ("M2", 0.64, 0.27)))
    >>> print(compare(one, two))
    neither is at least as accurate as the other everywhere: 'M1' is better on 1, 'M2' on 1, equal on 0 of 2 datasets

    Mechanisms can be given as they are:

    >>> g = neodp.generate.three_voters()
    >>> even, best = (neodp.extend(g.with_alpha(alpha)) for alpha in (neodp.balanced(g), neodp.optimize(g).alpha))
    >>> found = compare(even, best)
    >>> found.names, found.verdict, found.first_better, found.second_better
    (('first', 'second'), 'second', 0, 2)
    """
    first, second = _accuracies(first, second)
    where = _places(first, second)
    true, false = second.true[where], second.false[where]
    gap = np.where(first.true <= 0.5, first.true - true, false - first.false)
    small = SAME_CHANCE * np.minimum(np.minimum(first.true, first.false), np.minimum(true, false))
    ahead, behind = np.flatnonzero(gap > small), np.flatnonzero(gap < -small)
    verdict: Verdict = (
        "neither" if len(ahead) and len(behind) else "first" if len(ahead) else "second" if len(behind) else "equal"
    )

    def largest(which: NDArray[np.int64]) -> tuple[Difference, ...]:
        order = which[np.argsort(-np.abs(gap[which]), kind="stable")][:most]
        return tuple(Difference(first.keys[int(v)].as_py(), float(first.true[v]), float(true[v])) for v in order)

    return Comparison(
        names=(first.name, second.name),
        verdict=verdict,
        datasets=len(true),
        first_better=len(ahead),
        second_better=len(behind),
        mean=(float(first.true.mean()), float(true.mean())),
        worst=(float(first.true.min()), float(true.min())),
        first_gains=largest(ahead),
        second_gains=largest(behind),
        first=first.true,
        second=true,
    )


def _accuracies(*given: Mechanism | Accuracy) -> list[Accuracy]:
    """Return the accuracies of two mechanisms; mechanisms on graphs of one name are told apart by their places."""
    found = [each if isinstance(each, Accuracy) else Accuracy.of(each) for each in given]
    if len({each.name for each in found}) == len(found):
        return found
    return [
        each if isinstance(one, Accuracy) else replace(each, name=place)
        for one, each, place in zip(given, found, ("first", "second"), strict=True)
    ]


def _places(first: Accuracy, second: Accuracy) -> NDArray[np.int64]:
    """Return the position of each dataset of `first` in `second`."""
    import pyarrow.compute as pc

    for one, two in ((first, second), (second, first)):
        missing = pc.index_in(one.keys, two.keys).is_null()
        if pc.any(missing).as_py():
            key = one.keys.filter(missing)[0].as_py()
            raise GraphError(
                f"dataset {key!r} is in {one.name!r} but not in {two.name!r}", "compare mechanisms on the same datasets"
            )
    where = pc.index_in(first.keys, second.keys)
    if first.answer is not None and second.answer is not None:
        differ = np.flatnonzero(np.asarray(pc.not_equal(first.answer, second.answer.take(where))))
        if len(differ):
            v = int(differ[0])
            answers = first.answer[v].as_py(), second.answer[where[v].as_py()].as_py()
            raise GraphError(
                f"the true answer of dataset {first.keys[v].as_py()!r} is {answers[0]!r} in {first.name!r} and "
                f"{answers[1]!r} in {second.name!r}",
                "compare mechanisms for the same question",
            )
    return np.asarray(where, np.int64)
