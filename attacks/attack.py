"""The list of attacks, and turns of them for as long as there is time."""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from attacks.arena import Arena, Impossible
from attacks.judges import Failed
from tools import neo4j_server as servers

__all__ = ["Attack", "Tally", "Where", "arena", "attack", "attacks", "attempt", "go"]

Where = Literal["embedded", "neo4j", "plugin", "no store"]
"""The store that an attack is on; "plugin" is Neo4j with neodp's plugin in it."""

Try = Callable[[random.Random, Arena], int]
"""A try. It returns how many attempts it made, 0 where a kill came too late, or raises `Failed` or `Impossible`."""


@dataclass(frozen=True)
class Attack:
    """An attack on a store: `share` says how much of the time it gets."""

    name: str
    where: Where
    does: str
    act: Try
    share: float = 1.0

    @property
    def command(self) -> str:
        """The command that runs this attack alone."""
        plugin = " --plugin" if self.where == "plugin" else ""
        return f"python -m attacks --only {self.name}{plugin}"


_ALL: list[Attack] = []


def attack(name: str, *places: Where, share: float = 1.0) -> Callable[[Try], Try]:
    """Put a function on the list of attacks, for each of some stores; its first line is its description."""

    def listed(act: Try) -> Try:
        does = str(act.__doc__).split("\n")[0]
        _ALL.extend(Attack(name, where, does, act, share) for where in places)
        return act

    return listed


def attacks() -> list[Attack]:
    """Return all attacks."""
    from attacks import damage, disks, files, fuzz, kills, names, network, races, servers  # noqa: F401

    return list(_ALL)


@dataclass
class Tally:
    """The counts of an attack."""

    tried: int = 0
    failed: int = 0
    impossible: str = ""
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0


@contextmanager
def arena(run: Arena) -> Iterator[Arena]:
    """Give a place for one try, with a new folder; on the server, with an empty database."""
    with tempfile.TemporaryDirectory(prefix="neodp-attack-") as folder:
        address = run.address if run.server is not None else str(Path(folder) / "store.db")
        made = Arena(Path(folder), address, run.shared, run.server, run.driver, run.facts)
        made.empty()
        yield made


def attempt(what: Attack, seed: str, run: Arena, tally: Tally) -> None:
    """Make one try, and count it."""
    begin = time.monotonic()
    try:
        with arena(run) as place:
            tally.tried += what.act(random.Random(seed), place)
    except Impossible as reason:
        tally.impossible = str(reason)
    except Exception as error:
        tally.tried += getattr(error, "tried", 1)
        tally.failed += getattr(error, "failed", 1)
        tally.failures.append(
            f"{what.name} on {what.where}, seed and try {seed}: {type(error).__name__}: {error}"[:3000]
        )
        print(tally.failures[-1], file=sys.stderr, flush=True)
        if not isinstance(error, Failed):
            import traceback

            traceback.print_exc()
    tally.seconds += time.monotonic() - begin


def go(
    chosen: Sequence[Attack],
    seconds: float,
    seed: int,
    *,
    tries: int | None = None,
    record: Path | None = None,
    again: int | None = None,
) -> dict[str, Tally]:
    """Try attacks by turns: the one next that has had the least of its share of the time.

    Parameters
    ----------
    chosen : Attacks
    seconds : float
        The time after which no try begins.
    seed : int
        For the same tries again.
    tries : int, optional
        The number of attempts after which an attack has no further turn.
    record : Path, optional
        A file that the counts are written to after each turn.
    again : int, optional
        The number of a single try of each attack, to be made again.
    """
    tallies = {f"{each.name} {each.where}": Tally() for each in chosen}
    until = time.monotonic() + seconds
    with ExitStack() as stack:
        shared = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="neodp-attack-run-")))
        runs: dict[Where, Arena] = {}
        for where in dict.fromkeys(each.where for each in chosen):
            runs[where] = _run(where, shared, stack)
        numbers = Counter[str]()
        while time.monotonic() < until:
            ready = [each for each in chosen if _has_turns(tallies[f"{each.name} {each.where}"], tries)]
            if not ready:
                break
            each = min(ready, key=lambda one: tallies[f"{one.name} {one.where}"].seconds / one.share)
            name = f"{each.name} {each.where}"
            if again is not None and numbers[name]:
                break
            numbers[name] += 1
            attempt(each, f"{seed}.{again or numbers[name]}", runs[each.where], tallies[name])
            if record is not None:
                record.write_text(json.dumps({name: asdict(tally) for name, tally in tallies.items()}, indent=1))
    return tallies


def _has_turns(tally: Tally, tries: int | None) -> bool:
    """Return whether an attack is possible here, and has not had its number of attempts."""
    return not tally.impossible and (tries is None or tally.tried < tries)


def _run(where: Where, shared: Path, stack: ExitStack) -> Arena:
    """Return the place that all tries on a store share, with a server if they need one."""
    folder = shared / where.replace(" ", "-")
    folder.mkdir()
    if where in ("embedded", "no store"):
        made = Arena(folder, "", folder)
        made.run("--help")  # which loads what all commands are copies of, so that none is clocked with it
        return made
    plugins = [_plugin()] if where == "plugin" else []
    server = stack.enter_context(servers.running(memory="512m", page_cache="64m", plugins=plugins))
    driver = stack.enter_context(server.driver(notifications_min_severity="OFF"))
    made = Arena(folder, server.uri, folder, server, driver)
    made.run("--help")
    return made


def _plugin() -> Path:
    jar = Path(__file__).resolve().parents[1] / "plugin" / "target" / "neodp-plugin.jar"
    if not jar.exists():
        raise SystemExit("there is no plugin: build it with 'make plugin'")
    return jar
