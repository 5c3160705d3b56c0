"""Progress of long work, told to a function that shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Progress", "silent"]

Progress: TypeAlias = Callable[[str, int, int], None]
"""A function called with the current task, the number of units done, and their total number."""


def silent(what: str, done: int, total: int) -> None:
    """Report no progress."""
