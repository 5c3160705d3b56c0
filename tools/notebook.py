"""The tutorial as a notebook: ``python -m tools.notebook`` makes docs/tutorial.ipynb from docs/python.md.

Text between the page's blocks of Python becomes a text cell, and each block becomes a code cell.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

__all__ = ["NOTEBOOK", "cells", "notebook"]

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOK = DOCS / "tutorial.ipynb"


def cells(page: str) -> list[tuple[str, str]]:
    """Return the cells of a page: their kind, "markdown" or "code", and their text."""
    found = []
    for i, part in enumerate(re.split(r"^```python\n(.*?)^```\n", page, flags=re.DOTALL | re.MULTILINE)):
        if part.strip():
            found.append(("code" if i % 2 else "markdown", part.strip()))
    return found


def notebook(page: str) -> str:
    """Return a page as a notebook, without outputs."""
    page = page.replace("This page is also a notebook, [tutorial.ipynb](tutorial.ipynb), with the same cells. ", "")
    page = re.sub(r"\[([^\]]+)\]\([^)]*\.md[^)]*\)", r"\1", page)
    made: list[dict[str, Any]] = []
    for i, (kind, text) in enumerate(cells(page)):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{i}", "metadata": {}, "source": text.splitlines(True)}
        made.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook((DOCS / "python.md").read_text(encoding="utf-8")), encoding="utf-8")
    print(NOTEBOOK.name)
