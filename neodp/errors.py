"""The errors of neodp, each with a hint about what to do.

::

    NeodpError
     ├── GraphError          a value of a graph is invalid (also a ValueError)
     ├── PrivacyError        a privacy condition is invalid (also a ValueError)
     ├── WrongKind           an argument is of the wrong kind (also a TypeError)
     ├── UnknownKey          there is no such dataset (also a KeyError)
     ├── UnhitBoundary       a boundary edge has alpha at neither end
     ├── IncompatibleAlpha   no private mechanism has the given alpha
     ├── NotPrivate          the requested method breaks privacy on this graph
     ├── BallTooLarge        a search for one dataset would visit too many datasets
     ├── BudgetSpent         the limit for a group of people leaves no room for another answer
     ├── OtherQuestion       a release of that name has asked a different question
     ├── OtherRelease        an imported release is in the store with another answer or question
     ├── NotAskable          a question about a graph of people cannot be asked (also a ValueError)
     ├── NotCertified        no answer may be given about the graph in its present state
     ├── StewardOnly         an analyst may not do this
     └── StoreError          a problem with the store
          ├── StoreUnreachable   no server, no such database, wrong password, or a locked file
          │    ├── UnknownOutcome  the connection was lost before the server confirmed a change
          │    └── DamagedStore    the file of an embedded store is damaged
          ├── ReadOnlyStore      the store may be read but not written
          ├── UnknownGraph       there is no such graph
          ├── GraphExists        there is a graph of that name already
          ├── UnknownQuery       there is no such canned query, or it does not have these parameters
          ├── UnfinishedGraph    a load or drop was interrupted
          ├── NoMechanism        no complete mechanism is stored
          ├── StaleMechanism     the graph has changed since its mechanism was written
          ├── DamagedRelease     a stored answer was altered
          └── Overtaken          somebody else wrote at the same time

    LargeEpsilon            a warning: an epsilon is so large that it hardly protects anybody (a UserWarning)

Every message is one sentence that names the place; ``hint`` says what to do; ``details`` list several problems at once.
Code to type is given there as Python in backquotes; the command line shows commands instead, and the plugin Cypher
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
    "LargeEpsilon",
    "NeodpError",
    "NoMechanism",
    "NotAskable",
    "NotCertified",
    "NotPrivate",
    "OtherQuestion",
    "OtherRelease",
    "Overtaken",
    "PrivacyError",
    "ReadOnlyStore",
    "StaleMechanism",
    "StewardOnly",
    "StoreError",
    "StoreUnreachable",
    "UnfinishedGraph",
    "UnhitBoundary",
    "UnknownGraph",
    "UnknownKey",
    "UnknownOutcome",
    "UnknownQuery",
    "WrongKind",
]


class NeodpError(Exception):
    """The base of all of neodp's errors.

    Parameters
    ----------
    message : str
        The problem, and its place.
    hint : str
        The remedy; a :class:`neodp.hints.Hint` if it names something to type.
    details : strings
        If many things are wrong at once, a sentence for each kind of problem.

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
        """The message, the details and the hint, line by line."""
        join = " " if self.message.endswith("?") else "; "
        first = f"{self.message}{join}{self.hint}" if self.hint else self.message
        return [f"{first}:", *(f"  {detail}" for detail in self.details)] if self.details else [first]

    def __str__(self) -> str:
        return "\n".join(self.lines)


class GraphError(NeodpError, ValueError):
    """A colour, key, edge, epsilon, delta or alpha is invalid."""

    kind = "graph"


class PrivacyError(NeodpError, ValueError):
    """A privacy condition is invalid, such as a pair (L, U) that is not suitable."""

    kind = "privacy"


class WrongKind(NeodpError, TypeError):
    """An argument is of another kind than the function takes, such as a list where a graph is wanted."""

    kind = "wrong_kind"


class UnknownKey(NeodpError, KeyError):
    """The graph does not have such a dataset."""

    kind = "unknown_key"


class UnhitBoundary(NeodpError):
    """A boundary edge has alpha at neither end, so that there is no unique optimum."""

    kind = "unhit_boundary"


class IncompatibleAlpha(NeodpError):
    """The given alpha breaks privacy between two datasets, so that it has no extension; ``witness`` names them."""

    kind = "incompatible_alpha"

    def __init__(self, message: str, hint: str = "", witness: object = None) -> None:
        super().__init__(message, hint)
        self.witness = witness


class NotPrivate(NeodpError):
    """The requested method of extending alpha breaks privacy on this graph."""

    kind = "not_private"


class BallTooLarge(NeodpError):
    """A search for single datasets has visited as many datasets as it may, and is not finished."""

    kind = "ball_too_large"


class BudgetSpent(NeodpError):
    """The limit for a group of people leaves no room for another answer."""

    kind = "budget_spent"


class NotAskable(NeodpError, ValueError):
    """A question about a graph of people cannot be asked, since its answer would not be private."""

    kind = "not_askable"


class NotCertified(NeodpError):
    """No answer may be given about the graph in its present state, whatever the dataset."""

    kind = "not_certified"


class StewardOnly(NeodpError):
    """A command or an option shows or changes what an analyst may not see or change."""

    kind = "steward_only"


class OtherQuestion(NeodpError):
    """A release of that name has asked a different question, so its answer does not answer this one."""

    kind = "other_question"


class OtherRelease(NeodpError):
    """A release of that name is in the store, and differs from the imported one: one name has one answer."""

    kind = "other_release"


class StoreError(NeodpError):
    """A problem with the store."""

    kind = "store"


class StoreUnreachable(StoreError):
    """The store cannot be opened: no server, no such database, wrong password, or a locked file."""

    kind = "unreachable"


class UnknownOutcome(StoreUnreachable):
    """The connection was lost before the server confirmed a change, which may have been made or not."""

    kind = "unknown_outcome"


class DamagedStore(StoreUnreachable):
    """The file of an embedded store is damaged, or was edited by another program."""

    kind = "damaged"


class ReadOnlyStore(StoreError):
    """The store, or the user, may read but not write."""

    kind = "read_only"


class UnknownGraph(StoreError, KeyError):
    """The store does not have such a graph."""

    kind = "unknown_graph"


class GraphExists(StoreError):
    """A graph of that name exists already."""

    kind = "graph_exists"


class UnknownQuery(StoreError, KeyError):
    """There is no such canned query, or it does not have these parameters."""

    kind = "unknown_query"


class UnfinishedGraph(StoreError):
    """A load or a drop of the graph was interrupted."""

    kind = "unfinished"


class NoMechanism(StoreError):
    """No complete mechanism is stored: none was written, writing was interrupted, or datasets were added since."""

    kind = "no_mechanism"


class StaleMechanism(StoreError):
    """The graph has changed since its mechanism was written."""

    kind = "stale"


class DamagedRelease(StoreError):
    """A stored answer was altered: the store was damaged or edited."""

    kind = "damaged_release"


class Overtaken(StoreError):
    """Somebody else wrote to the graph at the same time."""

    kind = "overtaken"


class LargeEpsilon(UserWarning):
    """An epsilon above 10 was entered, which hardly protects anybody; it is used all the same."""


def interrupted(error: BaseException | None) -> bool:
    """Return whether an error is Ctrl-C, or arose from Ctrl-C, as when a connection is interrupted."""
    return any(isinstance(cause, KeyboardInterrupt) for cause in causes(error))


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, its cause, what was handled when it arose, the causes of these, and so on."""
    waiting, seen = [error], set[int]()
    while waiting:
        found = waiting.pop()
        if found is not None and id(found) not in seen:
            seen.add(id(found))
            yield found
            waiting += [found.__context__, found.__cause__]  # the cause comes first


def near(word: str, known: Iterable[str]) -> str:
    """Return a hint with the known word that `word` may have been meant for, or the empty string.

    >>> near("121", ["122", "abc"])
    "did you mean '122'?"
    """
    matches = difflib.get_close_matches(word, known, n=3)
    return f"did you mean {' or '.join(map(repr, matches))}?" if matches else ""
