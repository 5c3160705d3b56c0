"""The code that stands on the pages, as a reader would paste it: for the tests that run it, and for the walk.

>>> page = "```sh\\nneodp demo\\n```\\nthen\\n```python\\nimport neodp\\n```\\n"
>>> blocks(page, "sh", "python")
[Block(language='sh', code='neodp demo\\n', line=1), Block(language='python', code='import neodp\\n', line=5)]
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["ELSEWHERE", "Block", "blocks", "commands"]

ELSEWHERE = ("make ", "pip install", "NEO4J_URI", "staff.csv")
"""A block of commands with one of these sets something up, or needs a server or tables of one's own."""


class Block(NamedTuple):
    """A block of code: its language, its lines, and how many lines of the page stand before them."""

    language: str
    code: str
    line: int


def blocks(page: str, *languages: str) -> list[Block]:
    """The blocks of a page in these languages, in order."""
    found = re.finditer(rf"^```({'|'.join(languages)})\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return [Block(block[1], block[2], page.count("\n", 0, block.start(2))) for block in found]


def commands(page: str) -> str:
    """The commands of a page that work in an empty folder with neodp installed and nothing else."""
    written = (block.code for block in blocks(page, "sh"))
    return "\n".join(code for code in written if not any(word in code for word in ELSEWHERE))
