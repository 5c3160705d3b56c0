"""Facts about stored graphs and mechanisms, and the objects that stores return.

A graph's own node has the properties ``name, colors, state, created, datasets, edges, revision, population``; once it
was certified, ``certified`` (:class:`Certificate`); and, once a complete mechanism is stored, ``mechanism`` (its
version), ``fingerprint, written, min_p_true, mean_p_true, mechanism_method, mechanism_privacy`` and ``mechanism_mu``
(:mod:`neodp.store.stored_privacy`); if a linear program was solved, ``mechanism_expected, mechanism_bound`` and
``mechanism_prior`` (:class:`~neodp.core.mechanism.Optimality`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neodp.core.mechanism import Optimality
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats
from neodp.errors import DamagedRelease
from neodp.hints import Call, Hint
from neodp.ledger.account import Account, Ledger, Limit
from neodp.ledger.question import DEFAULT, Level
from neodp.ledger.release import Release, damaged

if TYPE_CHECKING:
    import pyarrow as pa

    from neodp.core.mechanism import Mechanism

__all__ = [
    "FOREIGN",
    "READY",
    "Certificate",
    "GraphInfo",
    "MechanismInfo",
    "ProfileInfo",
    "Stamp",
    "StoredGraph",
    "StoredMechanism",
    "account_of",
    "fingerprint",
    "ledger_of",
    "release_of",
    "release_row",
]

READY = "ready"
"""The state of a graph, or of profiles, that was completely loaded."""
FOREIGN = "foreign"
"""The state of a graph that somebody else made, and that neodp cannot use."""


@dataclass(frozen=True)
class MechanismInfo:
    """Facts about the stored mechanism of a graph.

    Attributes
    ----------
    version : str
        Different for every mechanism that is written.
    fingerprint : str or None
        Fingerprint of the graph and the privacy notion that the mechanism was made for (:func:`fingerprint`); None if
        the store itself knows whether the graph has changed.
    written : str
        Time at which the mechanism was written, in UTC.
    min_p_true, mean_p_true : float
    method : str or None
        Method that found the mechanism (:class:`~neodp.core.mechanism.Mechanism`); None if the mechanism was written
        before methods were stored.
    privacy : str
        Privacy notion that holds on every edge, "epsilon-delta" or "gaussian" (:mod:`neodp.store.stored_privacy`).
    mu : float or None
        With "gaussian", the mu of all edges; None if every edge has its own.
    expected, bound, prior
        As in :class:`~neodp.core.mechanism.Optimality`; None if no linear program was solved.
    """

    version: str
    fingerprint: str | None
    written: str
    min_p_true: float
    mean_p_true: float
    method: str | None = None
    privacy: str = "epsilon-delta"
    mu: float | None = None
    expected: float | None = None
    bound: float | None = None
    prior: str | None = None

    @property
    def optimality(self) -> Optimality | None:
        """The proof of how close the mechanism is to the best one, if there is one."""
        if self.expected is None or self.bound is None or self.prior is None:
            return None
        return Optimality(self.expected, self.bound, self.prior)


@dataclass(frozen=True)
class Certificate:
    """A statement that a graph is connected, its boundary hit, and its alpha compatible (:mod:`neodp.store.answering`).

    It is stored as one string, so that it is never read in part: the graph's revision, and the result of ``text``.

    Attributes
    ----------
    fingerprint : str
        Fingerprint of the graph (:func:`fingerprint`).
        levels : tuple of Level
        The privacy levels of its edges.
    """

    fingerprint: str
    levels: tuple[Level, ...]

    def text(self) -> str:
        """Return the fingerprint, and epsilon and delta of each level in hexadecimal, separated by tabs."""
        return "\t".join([self.fingerprint, *(x.hex() for level in self.levels for x in (level.epsilon, level.delta))])

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Certificate | None:
        r"""Read a row of the statement ``graphs``; None if the graph has no certificate for its revision.

        Examples
        --------
        >>> kept = Certificate("c0ffee", (Level(0.5, 0.0), Level(1.0, 0.25)))
        >>> Certificate.from_row({"revision": "7", "certified": f"7\t{kept.text()}"}) == kept
        True
        >>> Certificate.from_row({"revision": "8", "certified": f"7\t{kept.text()}"}) is None
        True
        """
        revision, _, text = str(row.get("certified")).partition("\t")
        fingerprint, *words = text.split("\t")
        if revision != row.get("revision") or not fingerprint or len(words) % 2:
            return None
        try:
            numbers = [float.fromhex(word) for word in words]
        except ValueError:  # somebody else has changed it
            return None
        return cls(fingerprint, tuple(map(Level, numbers[::2], numbers[1::2])))


@dataclass(frozen=True)
class GraphInfo:
    """Facts about a stored graph.

    Attributes
    ----------
    state : str
        "ready"; "loading" or "dropping", while that is in progress or after it was interrupted; or "foreign", if
        somebody else made the graph with an invalid name, colours or counts.
    mechanism : MechanismInfo or None
        None if no complete mechanism is stored.
    revision : str or None
        Different after each change of the graph itself by neodp.
    population : str
        The people whose data the graph is about (:mod:`neodp.ledger.release`).
    certificate : Certificate or None
        None if the graph was not certified in its present revision.
    stale : bool
        Whether the graph is known to have changed since its mechanism was written.
    """

    name: str
    colors: tuple[str, ...]
    datasets: int
    edges: int
    state: str
    created: str | None
    mechanism: MechanismInfo | None
    revision: str | None = None
    population: str = DEFAULT
    certificate: Certificate | None = None
    stale: bool = False

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> GraphInfo:
        """Read a row of the statement ``graphs``, whose columns have the names of the attributes.

        Examples
        --------
        >>> row = dict.fromkeys(["version", "fingerprint", "written", "min_p_true", "mean_p_true", "created"])
        >>> row |= {"name": "g", "colors": ["yes", "no"], "datasets": 3, "edges": 2, "state": "ready"}
        >>> GraphInfo.from_row(row).mechanism is None
        True
        """
        mechanism = None
        colors = row["colors"] if isinstance(row["colors"], list | tuple) else [row["colors"]] if row["colors"] else []
        counts = [row["datasets"], row["edges"]]
        foreign = not all(isinstance(text, str) for text in (*colors, row["name"], row["state"]))
        foreign = foreign or not all(isinstance(count, int) for count in counts)
        if isinstance(row["version"], str):
            mechanism = MechanismInfo(**{f.name: row.get(f.name, f.default) for f in fields(MechanismInfo)})
        certificate = Certificate.from_row(row)
        return cls(
            name=str(row["name"]),
            colors=tuple(map(str, colors)),
            datasets=0 if foreign else row["datasets"],
            edges=0 if foreign else row["edges"],
            state=FOREIGN if foreign else row["state"],
            created=row["created"],
            mechanism=mechanism,
            revision=row.get("revision"),
            population=DEFAULT if row.get("population") is None else str(row["population"]),
            certificate=certificate,
            stale=bool(row.get("stale")) or _outdated(mechanism, certificate),
        )

    def row(self) -> dict[str, Any]:
        """Return the facts as a row of a table, with those about the mechanism."""
        mechanism = {name: getattr(self.mechanism, name, None) for name in ("written", "min_p_true", "mean_p_true")}
        mine = ("name", "colors", "datasets", "edges", "state", "population", "created", "stale")
        return {name: getattr(self, name) for name in mine} | mechanism

    @staticmethod
    def schema() -> pa.Schema:
        """Return the columns of the rows that ``row`` returns."""
        import pyarrow as pa

        text, number = pa.string(), pa.float64()
        kinds = {"name": text, "colors": pa.list_(text), "datasets": pa.int64(), "edges": pa.int64(), "state": text}
        kinds |= {"population": text, "created": text, "stale": pa.bool_()}
        return pa.schema(kinds | {"written": text, "min_p_true": number, "mean_p_true": number})


@dataclass(frozen=True)
class ProfileInfo:
    """Facts about a stored set of profiles.

    `state` is "ready", "loading" or "dropping"; `population` names the people whose data it is
    (:mod:`neodp.ledger.release`).
    """

    name: str
    users: int
    items: int
    likes: int
    state: str
    created: str | None
    revision: str | None = None
    population: str = DEFAULT


def _outdated(mechanism: MechanismInfo | None, certificate: Certificate | None) -> bool:
    """Return whether a mechanism was made for a graph other than the certified one."""
    if mechanism is None or certificate is None or mechanism.privacy != "epsilon-delta":
        return False
    if mechanism.fingerprint is None:
        return False
    return mechanism.fingerprint != certificate.fingerprint


class Stamp(NamedTuple):
    """The revision of a graph, and the columns that were read from it."""

    revision: str
    columns: Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class StoredGraph(DatasetGraph):
    """A graph as read from a store.

    Attributes
    ----------
    ids : pyarrow.Array, optional
        The store's own identifiers of the datasets, for writing back.
    stamp : Stamp, optional
        The revision from which the whole graph was read.
    """

    ids: pa.Array | None = None
    stamp: Stamp | None = None

    @property
    def revision(self) -> str | None:
        """The stored revision of this graph; None if the graph is only a part, or was changed after it was read."""
        if self.stamp is None or any(getattr(self, name) is not read for name, read in self.stamp.columns.items()):
            return None
        return self.stamp.revision

    @cached_property
    def extension(self) -> Mechanism:
        """The optimal mechanism for the graph's own epsilon and delta; computed once, since a graph never changes."""
        from neodp.core.extension import extend

        return extend(self)


@dataclass(frozen=True)
class StoredMechanism:
    """A mechanism as read from a store.

    Attributes
    ----------
    mechanism : Mechanism
    info : MechanismInfo
    stale : bool
        Whether the graph has changed since the mechanism was made for it.
    """

    mechanism: Mechanism
    info: MechanismInfo
    stale: bool


def fingerprint(graph: DatasetGraph, mu: Floats | None = None) -> str:
    """Return a digest of a graph's keys, colours, preferences, alpha, edges, epsilons and deltas, in whatever order.

    For a Gaussian mechanism, the digest includes its `mu`: one number, or one per edge.

    Examples
    --------
    >>> from neodp.data import generate
    >>> fingerprint(generate.path(3)) == fingerprint(generate.path(3))
    True
    >>> fingerprint(generate.path(3)) == fingerprint(generate.path(3, epsilon=0.5))
    False
    """
    import pyarrow.compute as pc

    order = np.asarray(pc.sort_indices(graph.keys))
    rank = np.empty(len(graph), np.int64)
    rank[order] = np.arange(len(graph))
    one, two = rank[graph.source], rank[graph.target]
    low, high = np.minimum(one, two), np.maximum(one, two)
    edges = np.lexsort((high, low))
    digest = hashlib.sha256(repr((graph.colors, len(graph), graph.edges)).encode())
    keys = graph.keys.take(order)
    lengths = np.asarray(pc.binary_length(keys))
    for column in (lengths, graph.color[order], graph.alpha[order], low[edges], high[edges]):
        digest.update(np.ascontiguousarray(column).tobytes())
    for column in (graph.epsilon[edges], graph.delta[edges]):
        digest.update(np.ascontiguousarray(column).tobytes())
    if graph.preference is not None:
        digest.update(np.ascontiguousarray(graph.preference[order]).tobytes())
    text = keys.buffers()[2]
    digest.update(memoryview(text)[: int(lengths.sum())] if text is not None else b"")
    if mu is not None:
        digest.update(b"mu" + np.ascontiguousarray(np.broadcast_to(mu, graph.edges)[edges]).tobytes())
    return digest.hexdigest()


# --- releases as properties ---------------------------------------------------------------------------------------


def release_row(release: Release) -> dict[str, Any]:
    """Return a release as the parameters of the statement ``create_release``, without its time."""
    return {
        "graph": release.graph,
        "release": release.name,
        "answer": release.answer,
        "key": release.key,
        "population": release.population,
        "asked": release.asked,
        "command": release.command,
        "level_names": [level.name or "" for level in release.levels],
        "level_epsilons": [level.epsilon for level in release.levels],
        "level_deltas": [level.delta for level in release.levels],
        "level_people": [-1 if level.people is None else level.people for level in release.levels],
        "level_times": [level.times for level in release.levels],
        "digest": release.digest,
    }


def release_of(row: Mapping[str, Any] | None) -> Release | None:
    """Return the release with the given properties; None if there are no properties.

    Raises
    ------
    DamagedRelease
        If the stored release was altered.
    """
    if row is None:
        return None
    try:
        return _release(row).check(row.get("digest"))
    except (AttributeError, LookupError, TypeError, ValueError):  # a property is gone, or is of another type
        raise damaged(row.get("graph"), row.get("name")) from None


def _release(row: Mapping[str, Any]) -> Release:
    names = ("level_epsilons", "level_deltas", "level_names", "level_people", "level_times")
    levels = tuple(
        Level(epsilon, delta, name or None, None if people < 0 else people, times)
        for epsilon, delta, name, people, times in zip(*(row.get(name) or () for name in names), strict=False)
    )
    return Release(
        graph=row["graph"],
        name=row["name"],
        answer=row["answer"],
        time=row["time"],
        key=row.get("key"),
        population=DEFAULT if row.get("population") is None else row["population"],
        asked=row.get("asked") or "{}",
        levels=levels,
        command=row.get("command") or "",
    )


def account_of(population: str, row: Mapping[str, Any]) -> Account | None:
    """Return an account from a row with its limits and its total; None if no total was ever written.

    Raises
    ------
    DamagedRelease
        If the stored account was altered.
    """
    account = Account(population, _limit(population, row))
    if row["account"] is None:
        return None
    if not isinstance(row["account"], str):
        raise account.damaged("cannot be read")
    return account.read(row["account"])


def ledger_of(population: str, row: Mapping[str, Any]) -> Ledger:
    """Return a ledger from a row with its account and its releases.

    Raises
    ------
    DamagedRelease
        If one of the releases was altered, or the releases do not add up to the account.
    """
    releases = (release_of(release) for release in row["releases"])
    ledger = Ledger(population, _limit(population, row), tuple(release for release in releases if release is not None))
    account = account_of(population, row)
    if account is not None and (account.used, account.seal) != (ledger.used, ledger.account.seal):
        raise account.damaged(f"has {account.used:,} releases, but {ledger.used:,} are there, or different ones")
    return ledger


def _limit(population: str, row: Mapping[str, Any]) -> Limit:
    numbers = [row["max_releases"], row["epsilon"], row["delta"]] if row["known"] else []
    if not all(isinstance(number, int | float | None) for number in numbers):
        raise DamagedRelease(
            f"the limit of population {population!r} is not a number: the store was damaged or edited",
            Hint("set it with ", Call("allow", population=population)),
        )
    if row["known"] and (row["max_releases"] is not None or row["epsilon"] is not None):
        return Limit(row["max_releases"], row["epsilon"], row["delta"] or 0.0)
    return Limit()
