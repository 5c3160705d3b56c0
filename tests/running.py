"""How the tests of the command line run it."""

import json
from collections.abc import Callable
from typing import Any

__all__ = ["Run", "document"]

Run = Callable[..., tuple[int, str, str]]
"""Runs a command; its exit code, output and errors."""


def document(result: tuple[int, str, str]) -> Any:
    """The one JSON document on stdout, with nothing on stderr."""
    code, out, err = result
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out)
