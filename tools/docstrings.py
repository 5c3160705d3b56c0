r"""Docstrings as Markdown, for the reference: an extension of griffe, which reads the code for mkdocstrings.

Examples outside a section "Examples" would be drawn as quotations: they become blocks of code. Indented formulas stay,
and the two colons before them become one.
A role such as ``:class:`Store``` is left for ``tools/site.py``, which knows the pages that it can lead to.

>>> fenced("A sum.\n\n>>> 1 + 1\n2\n\nMore.")
'A sum.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore.'
"""

from __future__ import annotations

import re
from typing import Any

import griffe

__all__ = ["Fenced", "fenced"]

SECTION = re.compile(r"^Examples\n-+$", re.MULTILINE)


def fenced(text: str) -> str:
    """Return a docstring with its doctests as blocks of code, up to its section of examples."""
    section = SECTION.search(text)
    end = section.start() if section else len(text)
    found = re.sub(r"(?m)^>>> .*\n?(?:^(?!$).*\n?)*", lambda code: f"```pycon\n{code[0].rstrip()}\n```\n", text[:end])
    return re.sub(r"::(?=\n\n {4})", ":", found) + text[end:]


class Fenced(griffe.Extension):
    """Applies ``fenced`` to every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object that was read."""
        if obj.docstring is not None and not obj.is_alias:
            obj.docstring.value = fenced(obj.docstring.value)
