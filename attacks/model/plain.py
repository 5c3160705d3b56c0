"""The model: what a store must hold and say, in dicts, after whatever was done.

A graph is the :class:`~neodp.data.graph.DatasetGraph` that was loaded, with the alpha that was written last; a
mechanism is the one that was written last. What the core computes from these (``neodp.check``, ``neodp.extend``,
``neodp.audit``) is what a store must say of them. An answer cannot be foreseen; once it was given, it must be given
again.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np

import neodp
from neodp import DatasetGraph, Mechanism
from neodp.core.boundary import distance
from neodp.core.privacy import EpsilonDelta
from neodp.data.names import normal, valid_name
from neodp.errors import GraphError, NotCertified, PrivacyError, StaleMechanism, UnknownGraph, UnknownKey
from neodp.ledger.account import Ledger, Limit
from neodp.ledger.question import DEFAULT, Question, levels_of
from neodp.ledger.release import Release
from neodp.store.records import fingerprint
from neodp.stretch.profiles import Profiles

__all__ = ["Graph", "Model", "Similar", "bits", "by_time", "likes", "same_graph", "subgraph"]

Similar = tuple[str, bytes | None, int, str, bytes]
"""A neighbour: who, the score, the rank, the measure and the epsilon."""
SMALL = 1000
"""Up to so many datasets, graphs are compared key by key; larger ones by their fingerprints alone."""


def bits(value: Any) -> Any:
    """Numbers as bytes, so that they are compared bit for bit; NaN and null are the same."""
    if isinstance(value, float | np.floating):
        return None if math.isnan(value) else struct.pack("<d", value)
    if isinstance(value, Mapping):
        return {key: bits(each) for key, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(bits(each) for each in value)
    return value.item() if isinstance(value, np.integer) else value


@dataclass
class Graph:
    """A graph of the model.

    Attributes
    ----------
    graph : DatasetGraph
        As it is now.
    population : str
    mechanism : Mechanism or None
    mean : float
        The mean chance of a true answer, as it was written.
    stale : bool
        Whether the mechanism was made for another graph, or turned out to be another than the optimal one.
    evaluated : dict
        The probabilities that were written for single datasets.
    """

    graph: DatasetGraph
    population: str = DEFAULT
    mechanism: Mechanism | None = None
    mean: float = math.nan
    stale: bool = False
    evaluated: dict[str, list[float]] = field(default_factory=dict)

    @property
    def gaussian(self) -> bool:
        """Return True if there is a mechanism, and it is Gaussian."""
        return self.mechanism is not None and not isinstance(self.mechanism.privacy, EpsilonDelta)

    def with_alpha(self, alpha: Any) -> Graph:
        """The graph after alpha was written."""
        return Graph(self.graph.with_alpha(alpha), self.population)

    def with_mechanism(self, mechanism: Mechanism) -> Graph:
        """The graph after a mechanism was written."""
        stale = fingerprint(mechanism.graph) != fingerprint(self.graph)
        return Graph(self.graph, self.population, mechanism, float(mechanism.p_true.mean()), stale)

    # --- what is known of its datasets --------------------------------------------------------------------

    def rows(self) -> dict[str, list[float]]:
        """The probabilities that datasets have."""
        if self.mechanism is None:
            return self.evaluated
        return dict(zip(self.mechanism.graph.keys.to_pylist(), self.mechanism.probabilities.tolist(), strict=True))

    def nodes(self) -> dict[str, dict[str, Any]]:
        """The properties of the datasets, by key."""
        graph, rows = self.graph, self.rows()
        hops: dict[str, int] = {}
        if self.mechanism is not None:
            made = self.mechanism.graph
            hops = dict(zip(made.keys.to_pylist(), distance(made).tolist(), strict=True))
        found = {}
        for v, key in enumerate(graph.keys.to_pylist()):
            row, order = rows.get(key), None if graph.preference is None else graph.preference[v].tolist()
            found[key] = {
                "color": graph.colors[graph.color[v]],
                "preference": None if order is None or order[0] < 0 else [graph.colors[c] for c in order],
                "alpha": graph.alpha[v].tolist() if graph.given[v] else None,
                "row": row,
                "p_true": None if row is None else row[graph.color[v]],
                "distance": hops.get(key),
            }
        return found

    def edges(self) -> list[tuple[str, str, float, float]]:
        """The edges: both ends, epsilon and delta."""
        keys, g = self.graph.keys.to_pylist(), self.graph
        return [
            (keys[a], keys[b], e, d)
            for a, b, e, d in zip(
                g.source.tolist(), g.target.tolist(), g.epsilon.tolist(), g.delta.tolist(), strict=True
            )
        ]

    def column(self, name: str) -> dict[str, Any]:
        """A property of the datasets that have it."""
        binary = len(self.graph.colors) == 2
        found: dict[str, Any] = {}
        for key, node in self.nodes().items():
            row = node["row"]
            if row is not None and binary:
                node |= {"p": row[0], "q": row[1]}
            elif row is not None:
                node["probabilities"] = row
            if name == "alpha" and binary and node["alpha"] is not None:
                node["alpha"] = node["alpha"][0]
            if name not in ("row", "key") and node.get(name) is not None:
                found[key] = node[name]
        return found

    # --- what the store must compute ----------------------------------------------------------------------

    def optimal(self) -> Mechanism:
        """The optimal mechanism as a store evaluates it: for the notion and by the method of the one that is stored."""
        kept = self.mechanism
        privacy = kept.privacy if kept is not None and self.gaussian else None
        method: Any = kept.method if kept is not None and kept.method in ("prefix", "line") else None
        return neodp.extend(self.graph, privacy, method=method)

    def evaluate(self, keys: Sequence[str]) -> dict[str, list[float]]:
        """Return what ``evaluate`` must say; it finds out whether the stored mechanism is another one."""
        known = self.graph.keys.to_pylist()
        if any(key not in known for key in keys):
            raise UnknownKey("no such dataset")
        if self.stale:
            raise StaleMechanism("stale")
        found = self._found(self.optimal(), keys)
        if self.mechanism is not None and not self._agrees(found):
            if self.mechanism.method == "given" and len(self.graph.colors) > 2:
                found = self._found(neodp.extend(self.graph, method="line"), keys)
            if not self._agrees(found):
                self.stale = True
                raise StaleMechanism("stale")
        return found

    def _found(self, mechanism: Mechanism, keys: Sequence[str]) -> dict[str, list[float]]:
        return {key: mechanism.probabilities[self.graph.index(key)].tolist() for key in keys}

    def _agrees(self, found: Mapping[str, list[float]]) -> bool:
        rows, new = self.rows(), np.array(list(found.values()))
        stored = np.array([rows[key] for key in found])
        return np.allclose(new, stored, rtol=1e-12, atol=0.0) if self.gaussian else np.array_equal(new, stored)

    def question(self, name: str) -> Question:
        """Return what ``answer`` asks about the graph, if it may."""
        if self.gaussian:
            raise PrivacyError("gaussian")
        found = neodp.check(self.graph)
        if not found:
            neodp.extend(self.graph)
        if not found.connected:
            raise NotCertified("not connected")
        if self.stale:
            raise StaleMechanism("stale")
        facts = {"graph": name, "colors": list(self.graph.colors), "fingerprint": fingerprint(self.graph)}
        levels = levels_of(self.graph.epsilon.tolist(), self.graph.delta.tolist())
        return Question(name, facts, levels, self.population, f"neodp answer {name} KEY")


@dataclass
class Model:
    """All that a store must hold."""

    graphs: dict[str, Graph] = field(default_factory=dict)
    profiles: dict[str, tuple[Profiles, str]] = field(default_factory=dict)
    similar: dict[str, dict[str, list[Similar]]] = field(default_factory=dict)
    limits: dict[str, Limit] = field(default_factory=dict)
    releases: dict[tuple[str, str], Release] = field(default_factory=dict)

    def ledger(self, population: str) -> Ledger:
        """Return what was answered about a population, and how much may be; in the order of time and name."""
        mine = [release for release in self.releases.values() if release.population == population]
        mine.sort(key=by_time)
        return Ledger(population, self.limits.get(population, Limit()), tuple(mine))

    def allow(self, population: str, limit: Limit) -> None:
        """Set a limit; none at all is the same as one release."""
        free = limit.releases is None and limit.epsilon is None
        self.limits[valid_name("population", population)] = Limit() if free else limit

    def populations(self) -> list[str]:
        """All populations, by name."""
        found = {*self.limits, *(release.population for release in self.releases.values())}
        found |= {graph.population for graph in self.graphs.values()} | {whose for _, whose in self.profiles.values()}
        return sorted(found)

    def graph(self, name: str) -> Graph:
        """The graph of a name."""
        if name not in self.graphs:
            raise UnknownGraph("no such graph")
        return self.graphs[name]

    def ask(self, questions: Iterable[Question], name: str) -> tuple[str, list[Release | None]]:
        """The name under which questions are answered, and the answers that were given before; None is to be drawn."""
        questions = list(questions)
        found = [self.releases.get((question.subject, name)) for question in questions]
        if not any(found) and name != normal(name):
            return self.ask(questions, normal(name))
        for release, question in zip(found, questions, strict=True):
            if release is not None:
                release.require(question)
        new = [question for release, question in zip(found, questions, strict=True) if release is None]
        if new:
            name = valid_name("release", name)
            population = valid_name("population", new[0].population)
            self.ledger(population).account.spend([name] * len(new), [question.levels for question in new])
        return name, found

    def answered(self, question: Question, name: str, given: Release, key: str | None) -> Release:
        """The release of an answer that was just given, which the model remembers."""
        release = replace(Release.of(question, name, given.answer, key), time=given.time)
        self.releases[question.subject, name] = release
        return release


def by_time(release: Release) -> tuple[datetime, str, str]:
    """Return what releases are sorted by. Times are not compared as texts: a server leaves zeros at the end out."""
    return datetime.fromisoformat(release.time or ""), release.name, release.graph


# --- when two are the same ----------------------------------------------------------------------------------------


def same_graph(one: DatasetGraph, other: DatasetGraph) -> bool:
    """Return True if two graphs are the same bit for bit, up to the order of their datasets and edges."""
    if fingerprint(one) != fingerprint(other):
        return False
    if len(one) > SMALL:
        return True
    first, second = Graph(one), Graph(other)
    return (
        one.colors == other.colors
        and bits(first.nodes()) == bits(second.nodes())
        and _unordered(first.edges()) == _unordered(second.edges())
    )


def subgraph(graph: DatasetGraph, keys: Iterable[str] | None, color: str | None, radius: int) -> DatasetGraph:
    """The subgraph of the datasets of a colour up to `radius` edges away from some."""
    all_keys, edges = graph.keys.to_pylist(), Graph(graph).edges()
    inside = set(all_keys if keys is None else keys)
    for _ in range(radius):
        inside |= {y for a, b, *_ in edges for x, y in ((a, b), (b, a)) if x in inside}
    if color is not None:
        inside &= {key for key, c in zip(all_keys, graph.color.tolist(), strict=True) if graph.colors[c] == color}
    places = np.array([i for i, key in enumerate(all_keys) if key in inside], np.int64)
    if not len(places):
        raise GraphError("no such part")
    preference = None if graph.preference is None else graph.preference[places]
    index = np.full(len(graph), -1, np.int32)
    index[places] = np.arange(len(places))
    kept = np.flatnonzero((index[graph.source] >= 0) & (index[graph.target] >= 0))
    return DatasetGraph(
        graph.keys.take(places),
        graph.colors,
        graph.color[places],
        index[graph.source[kept]],
        index[graph.target[kept]],
        graph.epsilon[kept],
        graph.delta[kept],
        graph.alpha[places],
        preference=None if preference is None or (preference < 0).all() else preference,
    )


def likes(profiles: Profiles) -> tuple[Any, ...]:
    """Everything that profiles hold, in an order that does not depend on theirs."""
    users, items = profiles.users.to_pylist(), profiles.items.to_pylist()
    groups = [None] * len(users) if profiles.group is None else profiles.group.to_pylist()
    rows = zip(profiles.user.tolist(), profiles.item.tolist(), bits(profiles.value), bits(profiles.weight), strict=True)
    return dict(zip(users, groups, strict=True)), set(items), {(users[u], items[i]): (d, w) for u, i, d, w in rows}


def _unordered(edges: Iterable[tuple[str, str, float, float]]) -> dict[frozenset[str], Any]:
    return {frozenset((a, b)): (bits(e), bits(d)) for a, b, e, d in edges}
