"""The command line of the attacks, and the table that it prints and puts into docs/reliability.md."""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from attacks.attack import Attack, Tally, attacks, go

__all__ = ["main", "table", "written"]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reliability.md"
MARKS = ("<!-- from the harness -->", "<!-- to here -->")


def table(chosen: Sequence[Attack], tallies: Mapping[str, Tally]) -> str:
    """Return the counts of attacks as a table in Markdown."""
    rows = ["| attack | on | tried | failed | not possible here | command |", "|---|---|---|---|---|---|"]
    for each in chosen:
        found = tallies.get(f"{each.name} {each.where}")
        if found is not None and (found.tried or found.impossible):
            counts = f"{found.tried:,} | {found.failed} | {found.impossible or '–'}"
            rows.append(f"| {each.does} | {each.where} | {counts} | `{each.command}` |")
    return "\n".join(rows)


def written(page: str, rows: str) -> str:
    """Return a page with a table between its marks."""
    first, last = MARKS
    if page.count(first) != 1 or page.count(last) != 1:
        raise ValueError(f"the page needs the marks {first} and {last}, once")
    return re.sub(f"{re.escape(first)}.*{re.escape(last)}", lambda _: f"{first}\n{rows}\n{last}", page, flags=re.DOTALL)


def added(files: Sequence[Path]) -> dict[str, Tally]:
    """Return the sum of the counts of several runs."""
    total: dict[str, Tally] = {}
    for file in files:
        for name, found in json.loads(file.read_text()).items():
            one, sum_ = Tally(**found), total.setdefault(name, Tally())
            total[name] = Tally(
                sum_.tried + one.tried,
                sum_.failed + one.failed,
                one.impossible or sum_.impossible,
                sum_.failures + one.failures,
                sum_.seconds + one.seconds,
            )
    return total


def main(arguments: Sequence[str] | None = None) -> int:
    """Run attacks and print the table; return 1 if one of them did harm, else 0."""
    parser = argparse.ArgumentParser(prog="python -m attacks", description="Attacks on neodp, and their counts.")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--tries", type=int, metavar="N", help="end an attack after so many attempts")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="for the same attacks again")
    parser.add_argument("--try", type=int, dest="again", metavar="N", help="with --seed and --only: one try again")
    parser.add_argument("--only", action="append", metavar="ATTACK", help="one kind of attack; several are possible")
    parser.add_argument("--on", action="append", metavar="STORE", help="embedded, neo4j or 'no store'; default: all")
    parser.add_argument("--plugin", action="store_true", help="Neo4j with the plugin, instead of all stores")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the counts there, for --add")
    parser.add_argument("--add", type=Path, nargs="+", metavar="FILE", help="no attacks: the sum of recorded runs")
    parser.add_argument("--write", action="store_true", help="put the table into docs/reliability.md")
    given = parser.parse_args(arguments)
    places = ["plugin"] if given.plugin else given.on or ["embedded", "neo4j", "no store"]
    every = attacks()
    if unknown := set(given.only or ()) - {each.name for each in every}:
        parser.error(f"there is no attack {', '.join(unknown)}: {', '.join(dict.fromkeys(e.name for e in every))}")
    if given.add:
        chosen, tallies = every, added(given.add)
    else:
        chosen = [each for each in every if each.where in places and each.name in (given.only or [each.name])]
        print(f"seed {given.seed}", file=sys.stderr, flush=True)
        begin = time.process_time()
        limits = {"tries": given.tries, "record": given.record, "again": given.again}
        tallies = go(chosen, 60 * given.minutes, given.seed, **limits)
        print(f"{time.process_time() - begin:.0f} s of processor time in this process", file=sys.stderr)
    rows = table(chosen, tallies)
    print(rows)
    if given.write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    return min(1, sum(found.failed for found in tallies.values()))
