"""What can go wrong, and what to do about it.

::

    NeodpError
     ├── GraphError          a value of the graph is not one (also a ValueError)
     ├── PrivacyError        a privacy condition is not one (also a ValueError)
     ├── UnknownKey          no such dataset (also a KeyError)
     ├── UnhitBoundary       a boundary edge has alpha at neither end
     ├── IncompatibleAlpha   no private mechanism takes the given alpha
     ├── NotPrivate          what was asked for breaks privacy
     ├── BallTooLarge        a search for one dataset would see more than it may
     ├── BudgetSpent         people have been asked about as much as is allowed
     ├── OtherQuestion       a release of that name has asked something else
     ├── OtherRelease        a release that is to be imported is in the store with another answer or question
     ├── NotCertified        a graph is not in a state in which answers may be given
     └── StoreError          something about the store
          ├── StoreUnreachable   no server, no such database, wrong password, or a locked file
          │    ├── UnknownOutcome  the server went away before it confirmed a change
          │    └── DamagedStore    the file of an embedded store is damaged
          ├── ReadOnlyStore      the store may be read but not written
          ├── UnknownGraph       no such graph
          ├── GraphExists        there is one by that name already
          ├── UnknownQuery       no such canned query, or not with these parameters
          ├── UnfinishedGraph    a load or drop was interrupted
          ├── NoMechanism        no whole mechanism is stored
          ├── StaleMechanism     the graph has changed since its mechanism was written
          ├── DamagedRelease     a kept answer is not what was kept
          └── Overtaken          somebody else wrote at the same time

Every message is one sentence that names the place; ``hint`` says what to do; ``details`` are for where much is wrong.
What there is to type stands there as Python in backquotes; the command line shows its own words instead
(:mod:`neodp.hints`).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

__all__ = [
    "BallTooLarge",
    "BudgetSpent",
    "DamagedRelease",
    "DamagedStore",
    "GraphError",
    "GraphExists",
    "IncompatibleAlpha",
    "NeodpError",
    "NoMechanism",
    "NotCertified",
    "NotPrivate",
    "OtherQuestion",
    "OtherRelease",
    "Overtaken",
    "PrivacyError",
    "ReadOnlyStore",
    "StaleMechanism",
    "StoreError",
    "StoreUnreachable",
    "UnfinishedGraph",
    "UnhitBoundary",
    "UnknownGraph",
    "UnknownKey",
    "UnknownOutcome",
    "UnknownQuery",
]


class NeodpError(Exception):
    """The base of all of neodp's errors.

    Parameters
    ----------
    message : str
        What is wrong, and where.
    hint : str
        What to do about it.
    details : strings
        Where many things are wrong at once, a sentence for each kind of them.

    Attributes
    ----------
    graph : str, optional
        The graph that a command was about; the command line sets it.
    """

    kind = "error"
    graph: str | None = None

    def __init__(self, message: str, hint: str = "", details: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = tuple(details)

    @property
    def lines(self) -> list[str]:
        """All that is to be said, line by line."""
        join = " " if self.message.endswith("?") else "; "
        first = f"{self.message}{join}{self.hint}" if self.hint else self.message
        return [f"{first}:", *(f"  {detail}" for detail in self.details)] if self.details else [first]

    def __str__(self) -> str:
        return "\n".join(self.lines)


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
    """The given alpha breaks privacy between two datasets, so that nothing can extend it; ``witness`` names them."""

    kind = "incompatible_alpha"

    def __init__(self, message: str, hint: str = "", witness: object = None) -> None:
        super().__init__(message, hint)
        self.witness = witness


class NotPrivate(NeodpError):
    """A way of extending alpha that was asked for, and turned out to break privacy on this graph."""

    kind = "not_private"


class BallTooLarge(NeodpError):
    """A search for single datasets has seen as much as it may, and is not done."""

    kind = "ball_too_large"


class BudgetSpent(NeodpError):
    """People have been asked about as much as is allowed."""

    kind = "budget_spent"


class NotCertified(NeodpError):
    """A graph that is not in a state in which answers may be given about it, whatever the dataset."""

    kind = "not_certified"


class OtherQuestion(NeodpError):
    """A release of that name has asked something else; its answer is no answer to this."""

    kind = "other_question"


class OtherRelease(NeodpError):
    """A release of that name is in the store, and is not the one that is to be imported: one name has one answer."""

    kind = "other_release"


class StoreError(NeodpError):
    """Something about the store."""

    kind = "store"


class StoreUnreachable(StoreError):
    """The store cannot be opened: no server, no such database, wrong password, or a locked file."""

    kind = "unreachable"


class UnknownOutcome(StoreUnreachable):
    """The connection was lost after a change was asked for and before it was confirmed: it may have been done."""

    kind = "unknown_outcome"


class DamagedStore(StoreUnreachable):
    """The file of an embedded store is damaged, or was edited by another program."""

    kind = "damaged"


class ReadOnlyStore(StoreError):
    """The store, or the user, may read but not write."""

    kind = "read_only"


class UnknownGraph(StoreError, KeyError):
    """A graph that the store does not have."""

    kind = "unknown_graph"


class GraphExists(StoreError):
    """A graph by that name is there already."""

    kind = "graph_exists"


class UnknownQuery(StoreError, KeyError):
    """A canned query that does not exist, or not with these parameters."""

    kind = "unknown_query"


class UnfinishedGraph(StoreError):
    """A load or a drop of the graph was interrupted."""

    kind = "unfinished"


class NoMechanism(StoreError):
    """No whole mechanism is stored: none was written, writing was interrupted, or datasets came since."""

    kind = "no_mechanism"


class StaleMechanism(StoreError):
    """The graph has changed since its mechanism was written."""

    kind = "stale"


class DamagedRelease(StoreError):
    """A kept answer is not what was kept: the store was damaged or edited."""

    kind = "damaged_release"


class Overtaken(StoreError):
    """Somebody else wrote to the graph at the same time."""

    kind = "overtaken"


def interrupted(error: BaseException | None) -> bool:
    """Whether an error is Ctrl-C, or came up while Ctrl-C was being handled, as in a connection left in the middle."""
    return any(isinstance(cause, KeyboardInterrupt) for cause in causes(error))


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it came from, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def near(word: str, known: Iterable[str]) -> str:
    """A hint that names what `word` may have been meant for, or the empty string.

    >>> near("121", ["122", "abc"])
    "did you mean '122'?"
    """
    matches = difflib.get_close_matches(word, known, n=3)
    return f"did you mean {' or '.join(map(repr, matches))}?" if matches else ""
