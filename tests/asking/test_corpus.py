"""The corpus of questions that the plugin must read as Python does: here in Python, and by JUnit in Java."""

from __future__ import annotations

import json

from tests.asking.corpus import FILE, corpus


def test_the_corpus_says_what_python_reads() -> None:
    """If this fails, the language has changed: `python -m tests.asking.corpus` writes the corpus again, for JUnit."""
    assert json.loads(FILE.read_text("utf-8")) == json.loads(json.dumps(corpus()))


def test_the_corpus_has_questions_that_are_read_and_many_that_are_refused() -> None:
    rows = corpus()["questions"]
    assert sum("text" in row for row in rows) >= 35
    assert len({row["refused"] for row in rows if "refused" in row}) >= 100
