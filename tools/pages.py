r"""The code on the documentation's pages, as a reader would paste it, for the tests that run it and for the walk.

>>> page = "```sh\nneodp demo\n```\nthen\n```python\nimport neodp\n```\n"
>>> blocks(page, "sh", "python")
[Block(language='sh', code='neodp demo\n', line=1), Block(language='python', code='import neodp\n', line=5)]
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import NamedTuple

__all__ = ["ELSEWHERE", "Block", "blocks", "commands", "tables"]

ELSEWHERE = ("make ", "pip install", "NEO4J_URI")
"""A block of commands that contains one of these sets something up, or needs a server."""


class Block(NamedTuple):
    """A block of code: its language, its lines, and the number of lines before them on the page."""

    language: str
    code: str
    line: int


def blocks(page: str, *languages: str) -> list[Block]:
    """Return the blocks of a page in these languages, in order."""
    found = re.finditer(rf"^```({'|'.join(languages)})\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return [Block(block[1], block[2], page.count("\n", 0, block.start(2))) for block in found]


def tables(folder: Path) -> None:
    """Write the tables that the README uses to a folder: staff.csv, likert.csv, ballots.csv.gz, candidates.txt."""
    staff = [
        "answer,department",
        *(f"{'yes' if i % 3 else 'no'},{('sales', 'it', 'law')[i % 3 - 1]}" for i in range(30)),
    ]
    (folder / "staff.csv").write_text("\n".join(staff), encoding="utf-8")
    likert = ["answer,privacy", *(f"{1 + i * i % 5},{('low', 'medium', 'high')[i % 3]}" for i in range(60))]
    (folder / "likert.csv").write_text("\n".join(likert), encoding="utf-8")
    names = [f"candidate {i}" for i in range(1, 37)]
    (folder / "candidates.txt").write_text("\n".join(names), encoding="utf-8")
    ballots = ["rank1", *(names[i * i % 5] for i in range(200)), "undervote", "overvote"]
    (folder / "ballots.csv.gz").write_bytes(gzip.compress("\n".join(ballots).encode()))


def commands(page: str) -> str:
    """Return the commands of a page that work with neodp installed, in a folder with nothing but `tables`."""
    written = (block.code for block in blocks(page, "sh"))
    return "\n".join(code for code in written if not any(word in code for word in ELSEWHERE))
