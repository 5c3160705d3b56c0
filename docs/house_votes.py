"""Sixteen private majorities of the US House of 1984: ``python docs/house_votes.py FILE [OPTIONS of neodp poll]``.

FILE is house-votes-84.data of the UCI repository: a line per member, the party and sixteen votes, y, n or ?. The data
say nothing about how much privacy anybody asks for, so a fixed rule does: of the members, in the order of the file,
every first has the level low, every second medium, every third high.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

from neodp.cli import main

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


def people(source: Path, target: Path) -> None:
    """Write the members as a table of people."""
    with source.open(newline="") as read, target.open("w", newline="") as write:
        table = csv.writer(write)
        table.writerow([*BILLS, "level"])
        for i, (_, *votes) in enumerate(csv.reader(read)):
            table.writerow([*(vote.replace("?", "") for vote in votes), list(LEVELS)[i % len(LEVELS)]])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "house.csv")
        people(Path(sys.argv[1]), file)
        levels = ",".join(f"{name}={epsilon:g}" for name, epsilon in LEVELS.items())
        columns = [word for bill in BILLS for word in ("--vote", bill)]
        words = ["poll", str(file), *columns, "--epsilon", "level", "--levels", levels, "--skip-empty", *sys.argv[2:]]
        sys.exit(main(words))
