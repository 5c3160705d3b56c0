r"""The code on the documentation's pages, as a reader would paste it, for the tests that run it and for the walk.

>>> page = "```sh\nneodp demo\n```\nthen\n```python\nimport neodp\n```\n"
>>> blocks(page, "sh", "python")
[Block(language='sh', code='neodp demo\n', line=1), Block(language='python', code='import neodp\n', line=5)]
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["ELSEWHERE", "Block", "blocks", "commands", "served"]

ELSEWHERE = ("make ", "pip install", "NEO4J_URI", "path/to/", "cast_vote_record")
"""A block of commands that contains one of these sets something up, needs a server, or needs data of others."""


class Block(NamedTuple):
    """A block of code: its language, its lines, and the number of lines before them on the page."""

    language: str
    code: str
    line: int


def blocks(page: str, *languages: str) -> list[Block]:
    """Return the blocks of a page in these languages, in order."""
    found = re.finditer(rf"^```({'|'.join(languages)})\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return [Block(block[1], block[2], page.count("\n", 0, block.start(2))) for block in found]


def commands(page: str) -> str:
    """Return the commands of a page that work with neodp installed, in an empty folder."""
    written = (block.code for block in blocks(page, "sh"))
    return "\n".join(code for code in written if not any(word in code for word in ELSEWHERE))


def served(page: str) -> list[Block]:
    """Return the commands and the Cypher of a page that need a server: from the block on that sets NEO4J_URI.

    The lines that would set the address of another server are left out.
    """
    start = page.rindex("```sh\n", 0, page.index("export NEO4J_URI"))
    above = page.count("\n", 0, start)
    found = (Block(language, _own(code), above + line) for language, code, line in blocks(page[start:], "sh", "cypher"))
    return [block for block in found if block.code.strip()]


def _own(code: str) -> str:
    return "\n".join(line for line in code.splitlines() if not line.startswith("export "))
