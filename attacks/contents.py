"""The content of an embedded file, fact by fact, and the judge of files that were damaged.

A fact is a way to read something and its result. After damage, every fact must be one that was there before the damage
or its reading must be refused; an answer that was told must be the same or be refused; and no more answers may be given
than were allowed.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attacks.batches import command
from attacks.judges import Failed, Outcome, behaved
from neodp.errors import DamagedRelease, NeodpError, StoreError, StoreUnreachable
from neodp.ledger.question import DEFAULT
from neodp.store import Store, open_store
from neodp.store.embedded.profiles import EmbeddedProfiles
from neodp.store.records import fingerprint

__all__ = ["Content", "content_of", "stands"]


REFUSED = "refused"
"""The result of a way to read that was refused."""
SAMPLE = 5
"""Of so many answers that were told, one is read as a fact, with its time and cost."""
ANOTHER = "another"
"""The graph that is loaded into a damaged file, to see whether the rest stays as it is."""


def _hash(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]


def _similar(store: Store, name: str) -> object:
    profiles = store.port.profiles
    assert isinstance(profiles, EmbeddedProfiles)
    row = profiles.rows().get(name)
    return row and {column: values.tolist() for column, values in profiles.similar(row).items()}


def _profile(store: Store, name: str) -> object:
    read = store.profiles.read(name)
    group = None if read.group is None else read.group.to_pylist()
    numbers = (x.tolist() for x in (read.user, read.item, read.value, read.weight))
    return (read.users.to_pylist(), read.items.to_pylist(), group, *numbers)


def _ledger(store: Store, population: str) -> object:
    ledger = store.ledger(population)
    return ledger.limit, sorted((release.graph, release.name) for release in ledger.releases)


def _used(store: Store, population: str) -> object:
    account = store.account(population)
    return account.limit, account.used


READS: dict[str, Callable[..., object]] = {
    "graphs": lambda store: [(i.name, i.datasets, i.edges) for i in store.graphs() if i.name != ANOTHER],
    "info": lambda store, name: store.info(name),
    "graph": lambda store, name: fingerprint(store.read(name)),
    "ball": lambda store, name, key: fingerprint(store.read(name, keys=[key], radius=2)),
    "neighbors": lambda store, name, key: sorted(store.neighbors(name, [key]).neighbor.to_pylist()),
    "mechanism": lambda store, name: store.mechanism(name).mechanism.probabilities.tolist(),
    "rows": lambda store, name: store.column(name, "p_true").to_pydict(),
    "profiles": lambda store: sorted((i.name, i.users, i.items, i.likes, i.population) for i in store.profiles.all()),
    "profile": _profile,
    "similar": _similar,
    "populations": lambda store: sorted(set(store.populations()) - {DEFAULT}),
    "ledger": _ledger,
    "used": _used,
    "account": lambda store, population: store.account(population),
    "kept": lambda store, subject, name: store.kept(subject, name),
    "last": lambda store, subject: store.population_of(subject),
}
"""The ways to read a store."""
RANDOM = ("info", "similar", "account", "kept", "last")
"""The ways to read something that two runs of the same command make different, such as an answer or a time."""


@dataclass(frozen=True)
class Content:
    """The content of a file.

    Attributes
    ----------
    facts : mapping
        Results by ways to read, as JSON.
    told : list of (population, subject, release, answer)
        The answers that were given.
    allowed : mapping
        The number of releases that is allowed for each population that has such a limit.
    asks : mapping
        For each such population, a graph and a dataset to ask about.
    """

    facts: dict[str, str]
    told: list[tuple[str, str, str, str]]
    allowed: dict[str, int]
    asks: dict[str, tuple[str, str]]

    def write(self, file: Path) -> None:
        """Write the content to a file."""
        file.write_text(json.dumps(asdict(self)))

    @classmethod
    def load(cls, file: Path) -> Content:
        """Return the content that was written to a file."""
        return cls(**json.loads(file.read_text()))


def content_of(file: Path) -> Content:
    """Return the content of a file that is whole."""
    ways: list[tuple[str, ...]] = [("graphs",), ("profiles",), ("populations",)]
    told: list[tuple[str, str, str, str]] = []
    allowed: dict[str, int] = {}
    asks: dict[str, tuple[str, str]] = {}
    with open_store(file) as store:
        for info in store.graphs():
            key = str(store.read(info.name).key(info.datasets // 3))
            ways += [(way, info.name) for way in ("info", "graph", "mechanism", "rows", "last")]
            ways += [(way, info.name, key) for way in ("ball", "neighbors")]
            asks.setdefault(info.population, (info.name, key))
        for profile in store.profiles.all():
            ways += [(way, profile.name) for way in ("profile", "similar", "last")]
        for population in store.populations():
            ways += [(way, population) for way in ("ledger", "used", "account")]
            ledger = store.ledger(population)
            told += [(population, release.graph, release.name, release.answer) for release in ledger.releases]
            if ledger.limit.releases is not None:
                allowed[population] = ledger.limit.releases
    ways += [("kept", subject, name) for _, subject, name, _ in told[::SAMPLE]]
    return Content(_facts(file, list(map(json.dumps, ways))), told, allowed, asks)


def _read(store: Store, way: Sequence[str]) -> str:
    """Read a fact; return a digest of it, or that reading was refused."""
    try:
        return _hash(READS[way[0]](store, *way[1:]))
    except NeodpError as error:
        return _refused(error)


def _refused(error: NeodpError) -> str:
    """Return that reading was refused, or which thing there is none of."""
    if not error.message or "\n" in error.message:
        raise Failed(f"no sentence: {error.message!r}") from error
    damage = isinstance(error, StoreUnreachable | DamagedRelease) or type(error) is StoreError
    return REFUSED if damage else type(error).__name__


def _facts(file: Path, ways: Collection[str]) -> dict[str, str]:
    """Read facts, by the ways to read them, as JSON."""
    try:
        with open_store(file) as store:
            return {way: _read(store, json.loads(way)) for way in ways}
    except NeodpError as error:
        return dict.fromkeys(ways, _refused(error))


def stands(file: Path, rng: random.Random, before: Content, after: Content | None = None, *, same: bool = True) -> bool:
    """Judge a file that was damaged; return whether everything could still be read.

    Parameters
    ----------
    before : Content
        The content before the damage.
    after : Content, optional
        Another content that is allowed as well, fact by fact: the one after a command that was interrupted.
    same : bool
        Whether the interrupted command is the very one that led to `after`, so that its random results are those.
    """
    whole = _facts_stand(file, before, after, same)
    if rng.random() < 0.5 and _run(file, "generate", "path", ANOTHER, "5").code == 0:
        _facts_stand(file, before, after, same)
    _limits_stand(file, before, after)
    _told_stand(file, rng, before)
    return whole


def _run(file: Path, *words: str) -> Outcome:
    return behaved(command("--store", str(file), *words), (0, 1, 2, 3))


def _facts_stand(file: Path, before: Content, after: Content | None, same: bool) -> bool:
    """Read every fact: each is an old or a new one, or reading it is refused. Return whether none was refused."""
    both = {**before.facts, **(after.facts if after else {})}
    found = _facts(file, both)
    for text, fact in found.items():
        if fact in (REFUSED, before.facts.get(text, fact)):
            continue
        way = json.loads(text)
        told = way[0] == "kept" and text in before.facts
        new = after is not None and (fact == after.facts.get(text, fact) or (way[0] in RANDOM and not same))
        if told or not new:
            raise Failed(f"{' '.join(way)} is another one than before: {fact}")
    return REFUSED not in found.values()


def _told_stand(file: Path, rng: random.Random, before: Content) -> None:
    """Ask for some of the answers that were told: each is the same, or is refused."""
    for _, subject, name, answer in rng.sample(before.told, min(2, len(before.told))):
        for graph, key in before.asks.values():
            if graph == subject:
                done = _run(file, "answer", subject, key, "--release", name)
                if done.code == 0 and done.out.strip() != answer:
                    raise Failed(f"{subject} {name} was told as {answer!r}, and now is {done.out.strip()!r}")


def _limits_stand(file: Path, before: Content, after: Content | None) -> None:
    """Ask for new answers until no more are allowed."""
    for population, allowed in before.allowed.items():
        if population not in before.asks:
            continue
        if after is not None:
            allowed = max(allowed, after.allowed.get(population, 0))
        graph, key = before.asks[population]
        told = sum(each[0] == population for each in before.told)
        for number in range(allowed - told + 1):
            told += _run(file, "answer", graph, key, "--release", f"more {number}").code == 0
        if told > allowed:
            raise Failed(f"{told} answers were given about {population!r}, and {allowed} are allowed")
