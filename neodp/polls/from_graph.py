r"""People from a graph: one row per node of one label, with nothing but the node's own properties.

A poll promises something to each *row*. If a row could depend on other nodes, one person could be behind many rows: a
person who is everybody's friend would be behind all of them. So the query is read by a small grammar, and anything else
is refused; questions about relationships are for ``neodp ask``::

    MATCH (p:Person) RETURN p.vote AS vote, p.epsilon

    query       MATCH (name:Label) RETURN column, column, …
    column      name.property, coalesce(name.property, number), or a number; AS name

The store's own Cypher is written from what was read, so that what the grammar does not have cannot be asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from neodp.errors import GraphError

__all__ = ["PeopleColumn", "PeopleQuery"]

WORD = r"(?:[^\W\d]\w*|`[^`\\]+`)"
"""A name; a quoted one has no backslash, since Neo4j would read an escape in it as the end of the quotation."""
NUMBER = r"[0-9]+(?:\.[0-9]+)?"
OWN = rf"(?P<owner>{WORD})\s*\.\s*(?P<property>{WORD})"
COLUMN = (
    rf"(?:{OWN}|coalesce\s*\(\s*{OWN.replace('P<', 'P<given_')}\s*,\s*(?P<otherwise>{NUMBER})\s*\)|"
    rf"(?P<number>{NUMBER}))(?:\s+AS\s+(?P<alias>{WORD}))?"
)
FORM = rf"\s*MATCH\s*\(\s*(?P<node>{WORD})\s*:\s*(?P<label>{WORD})\s*\)\s*RETURN\s+(?P<columns>.*?)\s*;?\s*"
LONGEST = 2_000
"""The greatest length of a query in characters."""


class PeopleColumn(NamedTuple):
    """A column of a query for people.

    Attributes
    ----------
    name : str
    property : str or None
        The property that it holds, if it holds one.
    number : str or None
        The number that it holds, or that takes the place of a missing property.
    """

    name: str
    property: str | None = None
    number: str | None = None

    def cypher(self) -> str:
        """Return the column as it is put to the store."""
        own = f"n.`{self.property}`"
        what = own if self.number is None else f"coalesce({own}, {self.number})"
        return f"{self.number if self.property is None else what} AS `{self.name}`"


@dataclass(frozen=True)
class PeopleQuery:
    """A query for people: one label, and what each node says of itself.

    Attributes
    ----------
    label : str
        The label of the people.
    columns : tuple of PeopleColumn

    Examples
    --------
    >>> PeopleQuery.parse("match (p:Person) return p.vote, p.epsilon as e").cypher
    'MATCH (n:`Person`) RETURN n.`vote` AS `p.vote`, n.`epsilon` AS `e`'
    >>> PeopleQuery.parse("MATCH (p:Person)--(q) RETURN p.vote, p.epsilon")
    Traceback (most recent call last):
      ...
    neodp.errors.GraphError: the query is more than one label and its own properties; a poll takes ...
    """

    label: str
    columns: tuple[PeopleColumn, ...]

    @classmethod
    def parse(cls, text: str) -> PeopleQuery:
        """Parse a query.

        Raises
        ------
        GraphError
            If the text is not a query of this module's grammar.
        """
        found = re.fullmatch(FORM, text[: LONGEST + 1], re.IGNORECASE | re.DOTALL)
        if found is None or len(text) > LONGEST:
            raise _too_much()
        columns = []
        for each in _parts(found["columns"]):
            part = re.fullmatch(COLUMN, each.strip(), re.IGNORECASE)
            owner = part and (part["owner"] or part["given_owner"])
            if part is None or (owner is not None and _bare(owner) != _bare(found["node"])):
                raise _too_much()
            own = part["property"] or part["given_property"]
            name = _bare(part["alias"]) if part["alias"] else re.sub(r"[\s`]", "", each)
            columns.append(PeopleColumn(name, own and _bare(own), part["number"] or part["otherwise"]))
        names = [column.name for column in columns]
        for name in names:
            if names.count(name) > 1:
                raise GraphError(f"the query returns two columns {name!r}", "name them apart, as in p.vote AS vote")
        return cls(_bare(found["label"]), tuple(columns))

    @property
    def cypher(self) -> str:
        """The query as it is put to the store."""
        return f"MATCH (n:`{self.label}`) RETURN " + ", ".join(column.cypher() for column in self.columns)


def _parts(text: str) -> list[str]:
    """Return the columns of a RETURN, split at commas that are not within backquotes or parentheses."""
    return re.split(r",(?=(?:[^`]*`[^`]*`)*[^`]*\Z)(?![^()`]*\))", text)


def _bare(word: str) -> str:
    """Return a name without its backquotes."""
    return word[1:-1] if word.startswith("`") else word


def _too_much() -> GraphError:
    return GraphError(
        "the query is more than one label and its own properties",
        "a poll takes 'MATCH (p:Person) RETURN p.vote, p.epsilon': one row for each person; for questions about "
        "relationships and other people, use 'ask' instead",
    )
