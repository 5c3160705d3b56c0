"""The machine: one random operation after another, each compared with the model."""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NoReturn

import numpy as np

import neodp
from attacks.model import values
from attacks.model.handles import Handle, Here, There
from attacks.model.plain import SMALL, Graph, Model, bits, by_time, likes, same_graph, subgraph
from attacks.model.queries import GRAPH_QUERIES, expected, expected_of_profiles, same_rows
from neodp import DatasetGraph
from neodp.core.rainbow import Method
from neodp.core.views import Star
from neodp.data.names import normal
from neodp.errors import GraphError, GraphExists, NeodpError, UnknownGraph, UnknownKey
from neodp.ledger.question import DEFAULT
from neodp.ledger.release import Release
from neodp.polls.survey import Survey
from neodp.store import Store
from neodp.store.embedded import columns
from neodp.store.embedded.profiles import MEASURES, EmbeddedProfiles
from neodp.store.records import fingerprint

__all__ = ["Failed", "Machine"]

MOST = 10**6
"""More rows than a query has."""
COLUMNS = ("alpha", "color", "distance", "p", "p_true", "preference", "probabilities", "q", "nothing", "row")
SIMILAR = (
    "MATCH (a:User)-[s:SIMILAR]->(b:User) RETURN a.`profile` AS profiles, a.id AS user, b.id AS other, "
    "s.score AS score, s.rank AS rank, s.measure AS measure, s.epsilon AS epsilon"
)
DATASETS = "MATCH (d:Dataset) RETURN d.graph AS graph, d.key AS key, d.color AS color, d.preference AS preference"


class Idle(Exception):
    """There is nothing yet to do such an operation with."""


class Failed(AssertionError):
    """A store did not do what the model says."""


class Machine:
    """A store, its model, and what to do with them.

    Parameters
    ----------
    address : str
        An empty store: a path, or the address of a Neo4j server.
    seed : int
        What happens depends on it alone, but for the answers that are drawn.
    folder : Path
        Where backups go.
    """

    def __init__(self, address: str, seed: int, folder: Path) -> None:
        self.server, self.seed, self.folder = "://" in address, seed, folder
        self.done: Counter[str] = Counter()
        self.log: list[str] = []
        self.model = Model()
        rng = Random(f"{seed}")
        prepare: tuple[Any, ...] = ()
        if not self.server and seed % 2:
            prepare = (short_parts, rng.choice([8, 48, 200, 1000]))
            prepare[0](*prepare[1:])
        self.handles: list[Handle] = [Here(address), Here(address)]
        if not self.server:
            self.handles.append(There(address, *prepare))
        self.names = values.names(rng, 5)
        self.populations = [DEFAULT, *values.names(rng, 4)]
        self.releases = values.names(rng, 80)
        self.polls = values.names(rng, 3)
        self.votes = [text for text in values.texts(rng, 6) if text not in ("level", "own", "part")]
        self.surveys: list[Survey] = []
        self.rng, self.handle = rng, self.handles[0]

    def close(self) -> None:
        """Close all handles."""
        for handle in self.handles:
            handle.close()

    # --- running ------------------------------------------------------------------------------------------

    def run(self, operations: int, tell: Callable[[int], object] = lambda done: None) -> None:
        """Do so many operations, and compare everything at the end.

        Parameters
        ----------
        operations : int
        tell : callable, optional
            Told after every thousand operations how many are done.

        Raises
        ------
        Failed
            If anything differs from the model; the message says how to repeat it.
        """
        kinds = [kind for kind, weight in OPERATIONS.items() for _ in range(weight)]
        while self.done.total() < operations:
            self.rng = Random(f"{self.seed} {len(self.log)}")
            self.handle = self.rng.choice(self.handles)
            before = self.done.total()
            self.step(self.rng.choice(kinds))
            if self.done.total() // 1000 > before // 1000:
                tell(self.done.total())
        self.step(everything)

    def step(self, kind: Callable[[Machine], None]) -> None:
        """Do one operation."""
        self.log.append(kind.__name__)
        try:
            kind(self)
        except Idle:
            return
        except Exception as e:
            last, i = "\n  ".join(self.log[-30:]), self.done.total() + 1
            raise Failed(f"seed {self.seed}, operation {i}: {type(e).__name__}: {e}\n  {last}") from e
        self.done[kind.__name__] += 1

    def note(self, *words: object) -> None:
        """Say in the log what an operation is about."""
        self.log[-1] += "".join(f" {word!r:.60}" for word in words)

    def call(self, method: str, /, *given: Any, **named: Any) -> Any:
        """Call a method of the store, by the handle of this operation."""
        return self.handle.call(method, *given, **named)

    def require(self, true: bool, what: str, *shown: object) -> None:
        """Fail unless something holds."""
        if not true:
            raise Failed("\n    ".join([what, *map(repr, shown)]))

    def same(self, what: str, found: Any, wanted: Any) -> None:
        """Fail unless two are equal bit for bit."""
        self.require(bits(found) == bits(wanted), f"{what} differs", found, wanted)

    def both(self, what: str, wanted: Callable[[], Any], found: Callable[[], Any]) -> tuple[Any, Any] | None:
        """Return what the model and the store say; None if both refuse, which must be for the same kind of reason."""
        one, other = outcome(wanted), outcome(found)
        self.require(isinstance(one, type) == isinstance(other, type), f"{what}: only one refuses", one, other)
        if isinstance(one, type):
            self.require(one is other, f"{what} is refused for another reason", one, other)
            self.note(f"refused: {one.__name__}")
            return None
        return one, other

    # --- comparing ----------------------------------------------------------------------------------------

    def compare_graph(self, name: str) -> None:
        """Compare a graph and its mechanism."""
        kept = self.model.graphs[name]
        found = self.call("read", name)
        self.require(same_graph(found, kept.graph), "a graph differs", name, found, kept.graph)
        info, graph = self.call("info", name), kept.graph
        wanted: tuple[Any, ...] = (name, graph.colors, len(graph), graph.edges, "ready", kept.population)
        self.same("what is known of a graph", (*_known(info), info.population), wanted)
        if info.certificate is not None:
            self.same("a certificate", info.certificate.fingerprint, fingerprint(graph))
        if kept.mechanism is None:
            self.require(info.mechanism is None, "there is a mechanism", name, info)
            self.require(
                outcome(lambda: self.call("mechanism", name)) is neodp.errors.NoMechanism, "a mechanism is read"
            )
            return
        stored = self.call("mechanism", name)
        rows = dict(zip(stored.mechanism.graph.keys.to_pylist(), stored.mechanism.probabilities, strict=True))
        self.same("a mechanism", rows, kept.rows())
        self.same("whether a mechanism is stale", stored.stale, kept.stale)
        self.require(info.mechanism is not None, "there is no mechanism", name, info)
        self.require(self.server or info.stale == kept.stale, "whether a graph has changed differs", info, kept)
        least, privacy = kept.mechanism.p_true.min(), "gaussian" if kept.gaussian else "epsilon-delta"
        facts = (info.mechanism.min_p_true, info.mechanism.mean_p_true, info.mechanism.method, info.mechanism.privacy)
        self.same("what is known of a mechanism", facts, (least, kept.mean, kept.mechanism.method, privacy))
        if kept.gaussian:
            self.compare_mus(kept, stored.mechanism)

    def compare_mus(self, kept: Graph, found: neodp.Mechanism) -> None:
        """Compare the mu of every edge."""
        self.same("mu", *(_mus(each) for each in (found, kept.mechanism)))

    def compare_population(self, population: str) -> None:
        """Compare a ledger and an account."""
        found, wanted = self.call("ledger", population), self.model.ledger(population)
        times = [by_time(release)[0] for release in found.releases]
        self.require(times == sorted(times), "releases are not in the order of time", times)
        order = sorted(found.releases, key=by_time)
        self.require(tuple(order) == wanted.releases, "a ledger differs", found, wanted)
        self.require(found.limit == wanted.limit, "a limit differs", found.limit, wanted.limit)
        account = self.call("account", population)
        self.require(account == wanted.account, "an account differs", account, wanted.account)

    def compare_profiles(self, name: str) -> None:
        """Compare profiles."""
        kept, population = self.model.profiles[name]
        found, info = self.call("profiles.read", name), self.call("profiles.info", name)
        self.require(likes(found) == likes(kept), "profiles differ", name)
        counts = (len(kept.users), len(kept.items), kept.likes, "ready", population)
        self.same(
            "what is known of profiles", (info.users, info.items, info.likes, info.state, info.population), counts
        )

    def compare_similar(self, *, cypher: bool) -> None:
        """Compare all neighbours that were written, as Cypher or as the file has them."""
        rows = self.call("select", SIMILAR).to_pylist() if cypher or self.server else self.handle.run(neighbors)
        found = Counter(tuple(bits(x) for x in row.values()) for row in rows)
        wanted = Counter(
            (profile, user, *each)
            for profile, users in self.model.similar.items()
            for user, all_of in users.items()
            for each in all_of
        )
        self.require(found == wanted, "neighbours differ", found - wanted, wanted - found)

    def compare_datasets(self) -> None:
        """Compare the datasets of all graphs as somebody's own Cypher sees them."""
        wanted = [
            {"graph": name, "key": key, "color": node["color"], "preference": node["preference"]}
            for name, kept in self.model.graphs.items()
            for key, node in kept.nodes().items()
        ]
        found = self.call("select", DATASETS).to_pylist()
        self.require(same_rows(found, wanted), "Cypher sees other datasets", len(found), len(wanted))

    def compare_all(self) -> None:
        """Compare everything that the store holds."""
        model = self.model
        self.same("the graphs", [info.name for info in self.call("graphs")], self.sorted(model.graphs))
        self.same("the profiles", [info.name for info in self.call("profiles.all")], self.sorted(model.profiles))
        self.same("the populations", sorted(self.call("populations")), model.populations())
        for name in model.graphs:
            self.compare_graph(name)
        for name in model.profiles:
            self.compare_profiles(name)
        for population in {*model.populations(), *self.populations}:
            self.compare_population(population)
        for subject, name in model.releases:
            self.require(self.call("kept", subject, name) == model.releases[subject, name], "a release differs", name)
        last = {subject: self.call("population_of", subject) for subject, _ in model.releases}
        for subject, population in last.items():
            mine = [release for release in model.releases.values() if release.graph == subject]
            latest = max(by_time(release)[0] for release in mine)
            known = {release.population for release in mine if by_time(release)[0] == latest}
            self.require(population in known, "a subject's population differs", population, known)
        self.compare_similar(cypher=False)

    def sorted(self, names: Sequence[str] | dict[str, Any]) -> list[str]:
        """Names as the store sorts them; a server sorts by UTF-16."""
        return sorted(names, key=lambda name: name.encode("utf-16-be") if self.server else name.encode())

    # --- choosing -----------------------------------------------------------------------------------------

    def some_graph(self, most: int = MOST) -> str:
        """The name of a graph of at most so many datasets; sometimes one that is not there is asked for as well."""
        absent = {normal(name) for name in self.names} - self.model.graphs.keys()
        if absent and self.rng.random() < 0.02:
            self.missing(self.rng.choice(sorted(absent)))
        names = [name for name, kept in sorted(self.model.graphs.items()) if len(kept.graph) <= most]
        return self.rng.choice(names) if names else _idle()

    def some_profiles(self) -> str:
        """The name of some profiles."""
        return self.rng.choice(sorted(self.model.profiles)) if self.model.profiles else _idle()

    def missing(self, name: str) -> None:
        """See that a graph which is not there is refused by everything."""
        for method, *given in (["read"], ["drop"], ["extend"], ["audit"], ["evaluate", ["a"]], ["mechanism"]):
            found = outcome(lambda method=method, given=given: self.call(method, name, *given))  # type: ignore[misc]
            self.require(found is UnknownGraph, f"{method} of a graph that is not there", name, found)

    def some_release(self) -> str:
        """The name of a release, old or new: the longer it goes on, the more names are used."""
        return self.rng.choice(self.releases[: 6 + self.done.total() // 80])

    def some_keys(self, graph: DatasetGraph, most: int = 4) -> list[str]:
        """Some keys of a graph; rarely, one that is not there."""
        found = [graph.key(self.rng.randrange(len(graph))) for _ in range(self.rng.randint(1, most))]
        return [*found, "no such key"] if self.rng.random() < 0.03 else list(dict.fromkeys(found))


def _idle() -> NoReturn:
    raise Idle


def outcome(act: Callable[[], Any]) -> Any:
    """Return what a function returns, or the type of the error that it raises."""
    try:
        return act()
    except NeodpError as e:
        return type(e)


def short_parts(size: int) -> None:
    """Have columns of an embedded file made of so short parts that small graphs have many, and few stay in memory."""
    columns.PART, columns.KEPT = size, 5


def _known(info: Any) -> tuple[Any, ...]:
    return info.name, info.colors, info.datasets, info.edges, info.state


def _mus(mechanism: Any) -> dict[frozenset[str], Any]:
    """The mu of every edge, by its ends."""
    graph, keys = mechanism.graph, mechanism.graph.keys.to_pylist()
    mu = [float(x) for x in np.broadcast_to(mechanism.privacy.mu, graph.edges)]
    ends = zip(graph.source.tolist(), graph.target.tolist(), strict=True)
    return {frozenset((keys[a], keys[b])): bits(x) for (a, b), x in zip(ends, mu, strict=True)}


# --- operations: graphs -------------------------------------------------------------------------------------------


def load(m: Machine) -> None:
    """Load a graph under a new name, or under one that is taken."""
    name, replace = m.rng.choice(m.names), m.rng.random() < 0.6
    graph = values.graph(m.rng, large=not m.server and m.rng.random() < 0.01)
    population = m.rng.choice([None, *m.populations])
    m.note(name, replace, graph, population)
    there = m.model.graphs.get(normal(name))
    if there is not None and not replace:
        found = outcome(lambda: m.call("load", name, graph, population=population))
        m.require(found is GraphExists, "a name that is taken", found)
    else:
        m.call("load", name, graph, replace=replace, population=population)
        whose = there.population if there is not None else DEFAULT
        m.model.graphs[normal(name)] = Graph(graph, whose if population is None else normal(population))
    compare(m, normal(name))


def drop(m: Machine) -> None:
    """Drop a graph."""
    name = m.some_graph()
    m.note(name)
    m.same("how many datasets were dropped", m.call("drop", name), len(m.model.graphs.pop(name).graph))
    m.handle = m.rng.choice(m.handles)
    m.missing(name)


def write_alpha(m: Machine) -> None:
    """Write another alpha: for the graph as it was read, as it was loaded, or for a part of it."""
    name = m.some_graph()
    kept = m.model.graphs[name]
    alpha = values.alpha_of(m.rng, kept.graph)
    graph = m.call("read", name) if m.rng.random() < 0.5 else kept.graph
    new = kept.with_alpha(alpha)
    if graph is not kept.graph:
        alpha = dict(zip(kept.graph.keys.to_pylist(), new.graph.alpha, strict=True))
        alpha = [alpha[key] for key in graph.keys.to_pylist()]
        alpha = [None if math.isnan(row[0]) else row.tolist() for row in alpha]
    m.note(name)
    written = m.call("write_alpha", name, graph.with_alpha(alpha))
    m.same("how many alpha were written", written, int(new.graph.given.sum()))
    m.model.graphs[name] = new
    compare(m, name)


def write(m: Machine) -> None:
    """Write a mechanism; one that misses a dataset is refused."""
    name = m.some_graph()
    kept = m.model.graphs[name]
    mechanism = values.mechanism_of(m.rng, kept.graph)
    m.note(name, mechanism.method, type(mechanism.privacy).__name__)
    if len(kept.graph) > 1 and m.rng.random() < 0.05:
        some = kept.graph.keys.to_pylist()[1:]
        part = subgraph(kept.graph, some, None, 0)
        rows = [[1.0, *([0.0] * (len(part.colors) - 1))]] * len(part)
        found = outcome(lambda: m.call("write", name, neodp.Mechanism.of(part, rows)))
        m.require(found is GraphError, "a mechanism for a part of a graph", found)
    else:
        m.same("how many were written", m.call("write", name, mechanism), len(mechanism))
        m.model.graphs[name] = kept.with_mechanism(mechanism)
    compare(m, name)


def extend(m: Machine) -> None:
    """Extend a graph, and keep the mechanism or not."""
    name = m.some_graph()
    kept, write = m.model.graphs[name], m.rng.random() < 0.8
    method: Method | None = m.rng.choice([None, None, None, "line", "prefix"])
    m.note(name, write, method)
    wanted = m.both(
        "extend",
        lambda: neodp.extend(kept.graph, method=method),
        lambda: m.call("extend", name, write=write, method=method).result,
    )
    if wanted is None:
        return
    mechanism, summary = wanted
    m.same("the least chance", summary.min_p_true, float(mechanism.p_true.min()))
    m.require(math.isclose(summary.mean_p_true, mechanism.p_true.mean(), rel_tol=1e-12), "the mean differs", summary)
    how = (mechanism.method, len(mechanism.rounded), write * len(mechanism))
    m.same("how", (summary.method, summary.rounded, summary.written), how)
    if write:
        m.model.graphs[name] = kept.with_mechanism(mechanism)
        m.model.graphs[name].mean = summary.mean_p_true
    compare(m, name)


def stream(m: Machine) -> None:
    """Read the optimal mechanism, which nothing keeps."""
    name = m.some_graph()
    graph = m.model.graphs[name].graph
    m.note(name)
    found = m.both("stream", lambda: neodp.extend(graph), lambda: m.call("stream", name))
    if found is not None:
        keys = graph.keys.to_pylist()
        rows = dict(zip(keys, found[0].probabilities.tolist(), strict=True))
        m.same("the mechanism", {row[0]: row[2] for row in found[1]}, rows)


def evaluate(m: Machine) -> None:
    """Evaluate some datasets, and keep their probabilities or not."""
    name = m.some_graph()
    kept, write = m.model.graphs[name], m.rng.random() < 0.5
    keys = m.some_keys(kept.graph)
    sound = not isinstance(found := outcome(lambda: neodp.check(kept.graph)), type) and bool(found)
    searched = sound and not kept.gaussian and len(kept.graph.colors) == 2
    engine = m.rng.choice(["auto", "ball", "whole"] if searched else ["whole"])
    m.note(name, keys, write, engine)
    both = m.both(
        "evaluate", lambda: kept.evaluate(keys), lambda: m.call("evaluate", name, keys, engine=engine, write=write)
    )
    if both is not None:
        m.same("an evaluation", {each.key: list(each.probabilities.values()) for each in both[1].evaluations}, both[0])
        if write and kept.mechanism is None:
            kept.evaluated |= both[0]
    compare(m, name)


def check(m: Machine) -> None:
    """Check a graph."""
    name = m.some_graph()
    m.note(name)
    found = m.both("check", lambda: neodp.check(m.model.graphs[name].graph), lambda: m.call("check", name).result)
    if found is not None:
        facts = ("connected", "components", "boundary", "boundary_hit", "compatible", "rounded", "filled")
        m.same("a check", *(tuple(getattr(each, fact) for fact in facts) for each in reversed(found)))


def audit(m: Machine) -> None:
    """Audit a stored mechanism."""
    name = m.some_graph()
    kept = m.model.graphs[name]
    if kept.mechanism is None:
        raise Idle
    m.note(name)
    rows = [kept.rows()[key] for key in kept.graph.keys.to_pylist()]
    privacy = kept.mechanism.privacy if kept.gaussian else None
    wanted = neodp.audit(kept.graph, neodp.Mechanism.of(kept.graph, rows, privacy))
    found = m.call("audit", name).result
    facts = ("edges", "checks", "violations", "exact")
    m.same("an audit", *(tuple(getattr(each, fact) for fact in facts) for each in (found.report, wanted)))
    m.same("whether it is stale", found.stale, kept.stale)


def parts(m: Machine) -> None:
    """Read a part of a graph, and the edges at some datasets."""
    name = m.some_graph(SMALL)
    graph = m.model.graphs[name].graph
    keys = m.some_keys(graph) if m.rng.random() < 0.7 else None
    color, radius = m.rng.choice([None, *graph.colors]), m.rng.randint(0, 3) if keys is not None else None
    m.note(name, keys, color, radius)

    def wanted() -> DatasetGraph:
        if keys is not None and "no such key" in keys:
            raise UnknownKey("no such dataset")
        return subgraph(graph, keys, color, radius or 0)

    both = m.both("read", wanted, lambda: m.call("read", name, keys=keys, color=color, radius=radius))
    if both is None:
        return
    m.require(same_graph(*both), "a part of a graph differs", *both)
    if keys is not None:
        star = _star(m.call("neighbors", name, keys), graph)
        m.require(Counter(star) == Counter(_edges_at(graph, keys)), "the edges at some datasets differ", keys, star)


def _star(star: Star, graph: DatasetGraph) -> list[Any]:
    """The edges at some datasets as a store reads them."""
    texts = (star.key.to_pylist(), star.neighbor.to_pylist(), star.color.to_pylist())
    order = np.full((len(star.key), len(graph.colors)), -1) if star.preference is None else star.preference
    rows = zip(*texts, star.alpha.tolist(), star.epsilon.tolist(), star.delta.tolist(), order.tolist(), strict=True)
    return [bits(row) for row in rows]


def _edges_at(graph: DatasetGraph, keys: Sequence[str]) -> list[Any]:
    """The same from the model."""
    nodes, k, found = Graph(graph).nodes(), len(graph.colors), []
    for x, y, epsilon, delta in Graph(graph).edges():
        for a, b in ((x, y), (y, x)):
            if a in keys:
                color, alpha, order = (nodes[b][name] for name in ("color", "alpha", "preference"))
                places = [-1] * k if order is None else [graph.colors.index(each) for each in order]
                found.append(bits((a, b, color, alpha or [math.nan] * k, epsilon, delta, places)))
    return found


def column(m: Machine) -> None:
    """Read a property of the datasets."""
    name = m.some_graph(SMALL)
    kept = m.model.graphs[name]
    property = m.rng.choice(COLUMNS)
    if m.server and kept.mechanism is None and property not in ("alpha", "color", "preference", "nothing"):
        raise Idle  # a server leaves the properties of former mechanisms on its datasets, where nothing reads them
    m.note(name, property)
    table = m.call("column", name, property)
    found = dict(zip(table["key"].to_pylist(), table["value"].to_pylist(), strict=True))
    if m.server and property == "alpha" and len(kept.graph.colors) == 2:
        found = {key: value[0] if isinstance(value, list) else value for key, value in found.items()}
    m.same("a column", found, kept.column(property))


def query(m: Machine) -> None:
    """Run a canned query on a graph."""
    name = m.some_graph(SMALL)
    kept = m.model.graphs[name]
    asked = m.rng.choice(GRAPH_QUERIES)
    key = kept.graph.key(m.rng.randrange(len(kept.graph)))
    given: dict[str, Any] = {"key": key} if asked == "neighborhood" else {"limit": MOST}
    if asked in ("accuracy_by_distance", "orders", "summary"):
        given = {}
    m.note(name, asked, key)
    wanted = expected(asked, kept, key, server=m.server)
    found = m.call("query", asked, name, **given).to_pylist()
    if wanted is None:
        rows = kept.rows()
        for row in found:
            for end in ("source", "target"):
                m.same("probabilities in an audit", row[f"{end}_probabilities"], rows[row[end]])
        return
    if m.server and asked in ("neighborhood", "stale") and kept.mechanism is None:
        found, wanted = ([{**row, "p_true": None} for row in rows] for rows in (found, wanted))
    m.require(same_rows(found, wanted), f"the query {asked} answers something else", found, wanted)
    if asked == "stale" and any(str(row["reason"]).endswith("changed") for row in found):
        kept.stale = True
    compare(m, name)


def select(m: Machine) -> None:
    """Read everything with Cypher."""
    if any(len(kept.graph) > SMALL for kept in m.model.graphs.values()):
        raise Idle
    m.compare_datasets()
    m.compare_similar(cypher=True)


# --- operations: answers ------------------------------------------------------------------------------------------


def answer(m: Machine) -> None:
    """Ask for an answer about a dataset: a new one, or one that was given before."""
    asked = sorted({graph for graph, _ in m.model.releases} & {normal(name) for name in m.names})
    name = m.rng.choice(asked) if asked and m.rng.random() < 0.2 else m.some_graph()
    release, key = m.some_release(), "gone"
    if name in m.model.graphs:
        key = m.some_keys(m.model.graphs[name].graph, 1)[-1]
    how = {flag: m.rng.random() < 0.3 for flag in ("keep_key", "constant_work", "verify")}
    m.note(name, key, release, how)

    def wanted() -> Any:
        kept = m.model.releases.get((name, release))
        if kept is not None and name not in m.model.graphs:
            return None, release, kept
        graph = m.model.graph(name)
        question = graph.question(name)
        under, (found,) = m.model.ask([question], release)
        if found is None and key not in graph.graph.keys.to_pylist():
            raise UnknownKey("no such dataset")
        return question, under, found

    both = m.both("answer", wanted, lambda: m.call("answer", name, key, release, **how))
    if both is not None:
        (question, under, before), given = both
        if before is None:
            m.require(given.answer in m.model.graphs[name].graph.colors, "an answer that is none", given)
            before = m.model.answered(question, under, given, key if how["keep_key"] else None)
        m.require(given == before, "an answer differs", given, before)
        again(m, name, under)
    if name in m.model.graphs:
        m.compare_population(m.model.graphs[name].population)
        compare(m, name)


def again(m: Machine, subject: str, name: str) -> None:
    """See that an answer is there, whichever handle is asked."""
    wanted = m.model.releases[subject, name]
    for handle in m.handles:
        found = handle.call("kept", subject, name)
        m.require(found == wanted, "an answer is not the one that was given", found, wanted)


def ask(store: Store, survey: Survey, name: str, population: str, command: str) -> Any:
    """Release a survey."""
    return survey.release(store, name, population=population, command=command)


def poll(m: Machine) -> None:
    """Release a poll: a new one, one that was released before, or one whose name has another question."""
    if not m.surveys or m.rng.random() < 0.4:
        try:
            m.surveys.append(values.survey(m.rng, m.rng.choice(m.polls), m.votes))
        except GraphError:  # two of its options are the same, or an epsilon is too small
            raise Idle from None
        m.surveys = m.surveys[-25:]
    survey, name = m.rng.choice(m.surveys), m.some_release()
    population, command = m.rng.choice(m.populations), m.rng.choice(["", "neodp poll"])
    m.note(survey.name, name, population)
    asked = survey.asked(population, command)
    both = m.both(
        "a poll",
        lambda: m.model.ask(asked.values(), name),
        lambda: m.handle.run(ask, survey, name, population, command),
    )
    if both is None:
        found = outcome(lambda: m.rng.choice(m.handles).run(ask, survey, name, population, command))
        m.require(isinstance(found, type), "what was refused is answered when it is asked again", found)
    else:
        (under, before), _ = both
        for question, there in zip(asked.values(), before, strict=True):
            if there is None:
                m.model.answered(question, under, m.call("kept", question.subject, under), None)
            again(m, question.subject, under)
        second = m.rng.choice(m.handles).run(ask, survey, name, population, command)
        m.same("a poll that is asked again", second, both[1])
        answers = {column: m.model.releases[question.subject, under] for column, question in asked.items()}
        m.same("a poll", both[1], {column: _answers(release) for column, release in answers.items()})
    m.compare_population(normal(population))


def _answers(release: Release) -> Any:
    asked = json.loads(release.asked)
    return json.loads(release.answer) if "parts" in asked else release.answer


def allow(m: Machine) -> None:
    """Set a limit."""
    population = m.rng.choice(m.populations)
    limit = values.limit(m.rng, m.model.ledger(normal(population)).used)
    m.note(population, limit)
    m.call("allow", population, limit)
    m.model.allow(population, limit)
    m.compare_population(normal(population))


def change_limit(m: Machine) -> None:
    """Change a part of a limit."""
    population = m.rng.choice(m.populations)
    before = m.model.ledger(normal(population))
    new = values.limit(m.rng, before.used)
    part: dict[str, Any] = m.rng.choice(
        [{"releases": new.releases}, {"epsilon": new.epsilon}, {"epsilon": new.epsilon, "delta": new.delta}]
    )
    m.note(population, part)
    both = m.both(
        "a limit", lambda: before.limit.changed(**part), lambda: m.call("change_limit", population, **part).limit
    )
    if both is not None:
        m.model.allow(population, both[0])
    m.compare_population(normal(population))


# --- operations: profiles -----------------------------------------------------------------------------------------


def load_profiles(m: Machine) -> None:
    """Load profiles under a new name, or under one that is taken."""
    name, replace = m.rng.choice(m.names), m.rng.random() < 0.7
    made, population = values.profiles(m.rng), m.rng.choice([None, *m.populations])
    there = m.model.profiles.get(normal(name))
    m.note(name, replace, made)
    if there is not None and not replace:
        found = outcome(lambda: m.call("profiles.load", name, made))
        m.require(found is GraphExists, "a name that is taken", found)
    else:
        m.call("profiles.load", name, made, replace=replace, population=population)
        whose = DEFAULT if there is None else there[1]
        m.model.profiles[normal(name)] = made, whose if population is None else normal(population)
        m.model.similar.pop(normal(name), None)
    m.handle = m.rng.choice(m.handles)
    m.compare_profiles(normal(name))


def drop_profiles(m: Machine) -> None:
    """Drop profiles."""
    name = m.some_profiles()
    m.note(name)
    m.same("how many users were dropped", m.call("profiles.drop", name), len(m.model.profiles.pop(name)[0]))
    m.model.similar.pop(name, None)
    found = outcome(lambda: m.call("profiles.read", name))
    m.require(found is UnknownGraph, "profiles that were dropped are read", found)


def write_neighbors(m: Machine) -> None:
    """Write neighbours of some users."""
    name = m.some_profiles()
    read = m.call("profiles.read", name)
    found, measure = values.neighbors_of(m.rng, read)
    m.note(name, found.neighbor.shape)
    m.same("how many were written", m.call("profiles.write", read, found, measure), found.neighbor.size)
    users, kept = read.users.to_pylist(), m.model.similar.setdefault(name, {})
    for u, others, scores in zip(found.users.tolist(), found.neighbor.tolist(), found.score.tolist(), strict=True):
        kept[users[u]] = [
            (users[v], bits(score), rank, measure.value, bits(float(found.cost.epsilon)))
            for rank, (v, score) in enumerate(zip(others, scores, strict=True), 1)
        ]
    m.handle = m.rng.choice(m.handles)
    m.compare_profiles(name)


def query_profiles(m: Machine) -> None:
    """Run a canned query on profiles."""
    name = m.some_profiles()
    made, asked = m.model.profiles[name][0], m.rng.choice(["similar_users", "weight_histogram"])
    user = made.users[m.rng.randrange(len(made))].as_py()
    m.note(name, asked, user)
    given = {"user": user, "limit": MOST} if asked == "similar_users" else {}
    found = [bits(row) for row in m.call("query", asked, name, **given).to_pylist()]
    wanted = [bits(row) for row in expected_of_profiles(asked, made, m.model.similar.get(name, {}), user)]
    key = lambda row: repr(sorted(row.items()))  # noqa: E731
    m.require(sorted(found, key=key) == sorted(wanted, key=key), f"the query {asked} differs", found, wanted)


# --- operations: the store itself ---------------------------------------------------------------------------------


def reopen(m: Machine) -> None:
    """Open the store again, and compare everything."""
    m.handle.reopen()
    m.compare_all()


def everything(m: Machine) -> None:
    """Compare everything, by every handle."""
    for handle in m.handles:
        m.handle = handle
        m.handle.reopen()
        m.compare_all()


def neighbors(store: Store) -> list[dict[str, Any]]:
    """All neighbours in an embedded file, without the copy that Cypher takes."""
    found = []
    profiles = store.port.profiles
    assert isinstance(profiles, EmbeddedProfiles)
    for name, row in profiles.rows().items():
        users, kept = store.profiles.read(name).users.to_pylist(), profiles.similar(row)
        for u, v, score, rank, measure, epsilon in zip(*(column.tolist() for column in kept.values()), strict=True):
            one = {"profile": name, "user": users[u], "other": users[v], "score": score, "rank": rank}
            found.append(one | {"measure": MEASURES[measure].value, "epsilon": epsilon})
    return found


def save(store: Store, path: Path) -> None:
    """Take a backup."""
    store.backup(path)


def backup(m: Machine) -> None:
    """Take a backup, open it, and compare everything; what it is told later stays apart."""
    if m.server:
        raise Idle
    with tempfile.TemporaryDirectory(dir=m.folder) as folder:
        path = Path(folder) / "copy.db"
        m.handle.run(save, path)
        m.handle = copy = Here(str(path))
        try:
            m.compare_all()
            copy.call("allow", "only in the copy", values.limit(m.rng, 3))
        finally:
            copy.close()


def compare(m: Machine, name: str) -> None:
    """Compare a graph by any handle."""
    m.handle = m.rng.choice(m.handles)
    m.compare_graph(name)


OPERATIONS: dict[Callable[[Machine], None], int] = {
    load: 8,
    drop: 1,
    write_alpha: 6,
    write: 6,
    extend: 8,
    stream: 2,
    evaluate: 8,
    check: 3,
    audit: 4,
    parts: 5,
    column: 5,
    query: 4,
    select: 1,
    answer: 12,
    poll: 14,
    allow: 5,
    change_limit: 3,
    load_profiles: 3,
    drop_profiles: 1,
    write_neighbors: 3,
    query_profiles: 1,
    reopen: 2,
    backup: 1,
}
"""How often each operation is done, relative to the others."""
