"""Subjects of audits: ways through the program to an answer, each as a function that draws.

A *subject* has datasets, pairs of neighbours among them with the (epsilon, delta) that they are promised, and draws
answers about a dataset. Where the chances are public, it declares them as well.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import neodp
from attacks.audits import bounds
from neodp import DatasetGraph, generate, stretch
from neodp.ledger.account import Account, Limit
from neodp.ledger.answering import draw_and_keep, look_up
from neodp.ledger.release import Release
from neodp.store import Store
from neodp.store.answering import question as question_about
from neodp.store.evaluation import distributions

__all__ = ["ALARM", "Finding", "Pair", "Subject", "answered", "coin", "examined", "polled", "stored", "stretched"]

ALARM = 1e-6
"""The probability with which an audit of a private subject may say that it is not private."""

Draws = NDArray[np.int64]


def _truth_and_lie(epsilon: float) -> tuple[float, float]:
    """Return the chances of a coin that shows the truth with odds e^epsilon."""
    return 1.0 / (1.0 + math.exp(-epsilon)), 1.0 / (1.0 + math.exp(epsilon))


class Pair(NamedTuple):
    """Two neighbours, and what their edge promises."""

    one: str
    other: str
    epsilon: float
    delta: float = 0.0


@dataclass(frozen=True)
class Subject:
    """Something that answers.

    Attributes
    ----------
    name : str
    datasets : tuple of str
    pairs : tuple of Pair
    answers : int
        How many different answers there are.
    draw : callable
        From a dataset and a number to so many answers, as positions, in the order in which they were drawn.
    declared : mapping
        The chances of the answers at a dataset, where they are known.
    ordered : bool
        Whether answers are cuts of a line: then what is above or below a cut is looked at, else every set of answers.
    tight : callable
        From an epsilon to the chances, at the ends of the first pair, of an event that uses all of it.
    """

    name: str
    datasets: tuple[str, ...]
    pairs: tuple[Pair, ...]
    answers: int
    draw: Callable[[str, int], Draws]
    declared: Mapping[str, Sequence[float]] = field(default_factory=dict)
    ordered: bool = False
    tight: Callable[[float], tuple[float, float]] = _truth_and_lie

    @property
    def events(self) -> list[tuple[int, ...]]:
        """The sets of answers whose chances are compared."""
        every = range(self.answers)
        if self.ordered:
            return [part for cut in every[1:] for part in (tuple(every[:cut]), tuple(every[cut:]))]
        return [part for size in every[1:] for part in itertools.combinations(every, size)]


@dataclass(frozen=True)
class Finding:
    """The finding of an audit.

    Attributes
    ----------
    subject : Subject
    draws : int
        How many, at each dataset.
    comparisons : int
        How many tests were made, which share the probability of a false alarm.
    level : float
        The level of each bound of an inequality.
    faults : tuple of str
        What is not as it should be.
    """

    subject: Subject
    draws: int
    comparisons: int
    level: float
    faults: tuple[str, ...]

    def miss(self, more: float) -> float:
        """Return the probability of overlooking that the epsilon of the first pair is understated by a part."""
        pair = self.subject.pairs[0]
        one, other = self.subject.tight(pair.epsilon * (1.0 + more))
        return bounds.miss(one, other, self.draws, pair.epsilon, pair.delta, self.level)


def examined(subject: Subject, n: int) -> Finding:
    """Draw n answers at each dataset, and test all that is promised about them."""
    drawn = {dataset: subject.draw(dataset, n) for dataset in subject.datasets}
    comparisons = (
        2 * len(subject.pairs) * len(subject.events)
        + len(subject.declared) * subject.answers
        + len(subject.datasets)
        + len(subject.pairs)
    )
    level = ALARM / comparisons / 2
    return Finding(subject, n, comparisons, level, tuple(_faults(subject, drawn, n, level)))


def _faults(subject: Subject, drawn: Mapping[str, Draws], n: int, level: float) -> Iterator[str]:
    count = {dataset: np.bincount(found, minlength=subject.answers) for dataset, found in drawn.items()}
    for pair in subject.pairs:
        for one, other in ((pair.one, pair.other), (pair.other, pair.one)):
            for event in subject.events:
                x, y = (int(count[dataset][list(event)].sum()) for dataset in (one, other))
                if bounds.broken(x, y, n, pair.epsilon, pair.delta, level):
                    yield f"not private: {event} {x} times at {one}, {y} at {other}, promised epsilon {pair.epsilon:g}"
    for dataset, chances in subject.declared.items():
        for answer, chance in enumerate(chances):
            if bounds.unlike(int(count[dataset][answer]), n, chance, level):
                yield f"not as declared: {answer} {count[dataset][answer]} times at {dataset}, declared {chance:.6g}"
    half = n // 2 * 2
    for dataset, found in drawn.items():
        first = found < (subject.answers + 1) // 2
        if bounds.dependent(first[0:half:2], first[1:half:2], 2 * level):
            yield f"not independent: one draw at {dataset} and the next"
    for pair in subject.pairs:
        first, second = (drawn[dataset] < (subject.answers + 1) // 2 for dataset in (pair.one, pair.other))
        if bounds.dependent(first, second, 2 * level):
            yield f"not independent: a draw at {pair.one} and the one at {pair.other}"


# --- the ways to an answer ------------------------------------------------------------------------------------------


class Forgetful:
    """A store that keeps nothing, so that a question can be asked again and again."""

    def account(self, population: str) -> Account:
        return Account(population, Limit(None, None))

    def kept(self, subject: str, name: str) -> Release | None:
        return None

    def keep(self, releases: Sequence[Release]) -> list[Release]:
        return [replace(release, time="now") for release in releases]


def _neighbors(graph: DatasetGraph) -> tuple[Pair, ...]:
    ends = zip(graph.source.tolist(), graph.target.tolist(), graph.epsilon.tolist(), graph.delta.tolist(), strict=True)
    return tuple(Pair(graph.key(s), graph.key(t), epsilon, delta) for s, t, epsilon, delta in ends)


def _of(store: Store, name: str, graph: DatasetGraph, what: str, draw: Callable[[str, int], Draws]) -> Subject:
    """Return a subject about a stored graph; `graph` says what is promised."""
    declared = {key: list(neodp.extend(graph)[key].values()) for key in graph.keys.to_pylist()}
    return Subject(what, tuple(declared), _neighbors(graph), len(graph.colors), draw, declared)


def answered(store: Store, name: str, graph: DatasetGraph, engine: Literal["client", "server"] = "client") -> Subject:
    """Draw as ``store.answer`` does, whole: certified, searched, audited, drawn and kept, a release each.

    With the engine "server", the plugin does all of this inside Neo4j (``neodp.answer``).
    """
    store.allow(store.info(name).population, Limit(10**9))
    number = itertools.count(store.account(store.info(name).population).used)

    def draw(key: str, n: int) -> Draws:
        found = (store.answer(name, key, f"r{next(number)}", engine=engine).answer for _ in range(n))
        return np.array([graph.colors.index(answer) for answer in found])

    where = store.dialect if engine == "client" else "plugin"
    return _of(store, name, graph, f"answer, {where}", draw)


def stored(store: Store, name: str, graph: DatasetGraph) -> Subject:
    """Draw as ``store.answer`` does, but search the distribution once, and keep no answers."""
    question = question_about(store.certify(name))

    def draw(key: str, n: int) -> Draws:
        chances = dict(zip(graph.colors, distributions(store.port, name, [key])[0].tolist(), strict=True))
        unknown = look_up(Forgetful(), [name], "r")
        found = (draw_and_keep(Forgetful(), unknown, [question], {name: chances})[0].answer for _ in range(n))
        return np.array([graph.colors.index(answer) for answer in found])

    return _of(store, name, graph, f"draws of answer, {store.dialect}", draw)


def polled(epsilon: float, promised: float, votes: int = 3) -> Subject:
    """Draw as ``poll --release`` does: two tables of people that differ in the vote that decides."""
    surveys = {
        f"{yes} of {votes}": neodp.poll(
            {"vote": ["yes"] * yes + ["no"] * (votes - yes), "epsilon": [epsilon] * votes},
            vote="vote",
            epsilon="epsilon",
            options="yes,no",
            mechanism="balanced",
        )
        for yes in (votes // 2 + 1, votes // 2)
    }

    def draw(dataset: str, n: int) -> Draws:
        survey = surveys[dataset]
        found = (survey.release(Forgetful(), f"r{i}")["vote"] for i in range(n))
        return np.array([("yes", "no").index(str(answer)) for answer in found])

    one, other = surveys
    declared = {
        dataset: [survey.questions[0].distribution()[option] for option in ("yes", "no")]
        for dataset, survey in surveys.items()
    }
    return Subject(
        "poll", (one, other), (Pair(one, other, promised),), 2, draw, declared if epsilon == promised else {}
    )


def stretched(epsilon: float, promised: float, weight: float = 1.0) -> Subject:
    """Draw as ``stretch similar`` does: two users, one of whom likes an item of the other's, or does not."""
    cuts = np.linspace(-2.0, 3.0, 11)
    profiles: dict[str, Any] = {}
    for dataset, likes in (("likes it", [("a", "x", weight), ("b", "x", 1.0)]), ("does not", [("b", "x", 1.0)])):
        user, item, value = zip(*likes, ("a", "y", 1.0), strict=True)
        profiles[dataset] = stretch.Profiles.from_columns(user, item, weight=value)

    def draw(dataset: str, n: int) -> Draws:
        found = [
            stretch.similarity(profiles[dataset], "a", "b", epsilon=epsilon, measure=stretch.Measure.DOT)
            for _ in range(n)
        ]
        return np.searchsorted(cuts, found)

    pairs = (Pair("likes it", "does not", promised * weight),)
    return Subject("stretch", ("likes it", "does not"), pairs, len(cuts) + 1, draw, ordered=True, tight=_beyond)


def _beyond(epsilon: float) -> tuple[float, float]:
    """Return the chance that noise leads beyond the greater of two values that differ by 1, from either of them."""
    return 0.5, 0.5 * math.exp(-epsilon)


def coin(epsilon: float) -> DatasetGraph:
    """Return the smallest graph: two datasets of different colours, whose edge uses all of its epsilon."""
    graph = generate.path(2, epsilon=epsilon)
    return graph.with_alpha(neodp.balanced(graph))
