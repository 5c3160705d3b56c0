"""Sixteen private majorities of the US House of 1984: ``python docs/house_votes.py FILE [STORE RELEASE [MECHANISM]]``.

FILE is house-votes-84.data of the UCI repository: a line per member, the party and sixteen votes, y, n or ?. The data
say nothing about how much privacy anybody asks for, so a fixed rule does: of the members, in the order of the file,
every first has the level low, every second medium, every third high.

Without a store this shows what is known before any vote is read. With a store and the name of a release, all sixteen
questions are answered, once. These are sixteen answers about the same people, which somebody must allow:
``neodp --store STORE budget house --releases 16``.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import neodp

BILLS = (
    "handicapped-infants",
    "water-project",
    "budget-resolution",
    "physician-fee-freeze",
    "el-salvador-aid",
    "religious-groups",
    "anti-satellite",
    "nicaraguan-contras",
    "mx-missile",
    "immigration",
    "synfuels-cutback",
    "education-spending",
    "superfund",
    "crime",
    "duty-free-exports",
    "south-africa",
)
LEVELS = {"low": 2.0, "medium": 1.0, "high": 0.3}


def members(file: Path) -> dict[str, list[str]]:
    """The members as columns: a vote for each bill, and the level."""
    with file.open(newline="") as lines:
        rows = [votes for _, *votes in csv.reader(lines)]
    columns = dict(zip(BILLS, map(list, zip(*rows, strict=True)), strict=True))
    return columns | {"level": [list(LEVELS)[i % len(LEVELS)] for i in range(len(rows))]}


if __name__ == "__main__":
    file, *rest = sys.argv[1:]
    survey = neodp.poll(
        members(Path(file)),
        vote=BILLS,
        epsilon="level",
        levels=LEVELS,
        missing="?",
        skip_empty=True,
        mechanism=rest[2] if len(rest) > 2 else None,
        name="house",
    )
    print(survey)
    if rest:
        with neodp.open_store(rest[0]) as store:
            for bill, answer in survey.release(store, rest[1], population="house").items():
                print(f"{bill:22}{answer}")
