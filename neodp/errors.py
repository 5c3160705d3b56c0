"""What can go wrong, and what to do about it.

::

    NeodpError
     ├── GraphError          a value of the graph is not one (also a ValueError)
     ├── PrivacyError        a privacy condition is not one (also a ValueError)
     ├── UnknownKey          no such dataset (also a KeyError)
     ├── UnhitBoundary       a boundary edge has alpha at neither end
     └── IncompatibleAlpha   no private mechanism takes the given alpha

Every message is one sentence that names the place; ``hint`` says what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "GraphError",
    "IncompatibleAlpha",
    "NeodpError",
    "PrivacyError",
    "UnhitBoundary",
    "UnknownKey",
]


class NeodpError(Exception):
    """The base of all of neodp's errors.

    Parameters
    ----------
    message : str
        What is wrong, and where.
    hint : str
        What to do about it.
    """

    kind = "error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class GraphError(NeodpError, ValueError):
    """A colour, key, edge, epsilon, delta or alpha that is not one."""

    kind = "graph"


class PrivacyError(NeodpError, ValueError):
    """A privacy condition that is not one, such as a pair (L, U) that is not suitable."""

    kind = "privacy"


class UnknownKey(NeodpError, KeyError):
    """A dataset that the graph does not have."""

    kind = "unknown_key"


class UnhitBoundary(NeodpError):
    """A boundary edge neither of whose ends has alpha: there is no unique optimum."""

    kind = "unhit_boundary"


class IncompatibleAlpha(NeodpError):
    """The given alpha breaks privacy between two datasets, so that nothing can extend it."""

    kind = "incompatible_alpha"


def near(word: str, known: Iterable[str]) -> str:
    """A hint that names what `word` may have been meant for, or the empty string.

    >>> near("121", ["122", "abc"])
    "did you mean '122'?"
    """
    matches = difflib.get_close_matches(word, known, n=3)
    return f"did you mean {' or '.join(map(repr, matches))}?" if matches else ""
