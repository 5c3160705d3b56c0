"""Protections: who is protected in a graph of people, and what belongs to them.

The datasets are all graphs; two are neighbours if one of them lacks one protected *unit*, with everything that belongs
to it. A :class:`Protection` states, in public, what that means in one database:

* **people** are the nodes with one label. A person takes along all relationships at that node, and everything owned;
* an **owned** node belongs to all people who are joined to it by one type of relationship, in any direction. A match
  that contains an owned node contains its owners; a node that is owned jointly leaves with any of its owners;
* **public** nodes exist whoever takes part, and so do the relationships between them;
* alternatively the units are the **relationships** of one type; all nodes, and all other relationships, are public.

A unit's epsilon is the value of one property. A missing one is the default, or else 0; a value that is not a finite
number above 0 counts as 0. A question gives no message about that: an error would reveal something about one person.

**Properties** that may be asked about are listed, since others may have been computed from other people's data: a score
of somebody's friends would stay behind when the friends leave. The properties of public nodes may always be asked
about.

The budget belongs to the database and the label (:attr:`Protection.account`), not to the name of the population.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from neodp.data.kinds import checked, require_fields, wrong_kind
from neodp.data.names import valid_name
from neodp.errors import GraphError

__all__ = ["MOST_MATCHES", "Protection", "Role", "require_word"]

MOST_MATCHES = 10_000_000
"""The default of the public limit on the number of matches that a question may have."""
LONGEST = 200
"""The greatest length of a label, a type or the name of a property."""


class Role(Enum):
    """The part that a node or a relationship plays: who takes it along when they leave."""

    UNIT = "protected"
    OWNED = "owned"
    PUBLIC = "public"


@dataclass(frozen=True)
class Protection:
    """A population in a graph, and what is protected there.

    Parameters
    ----------
    population : str
        The name of the population.
    epsilon : str
        The property that holds a unit's epsilon.
    people : str, optional
        The label of the people.
    relationships : str, optional
        The type of the relationships, if these are the units; exactly one of both is given.
    default_epsilon : float, optional
        The epsilon of units that have none; by default 0, so that nothing depends on them.
    properties : strings
        The properties of people, of what they own, and of their relationships that may be asked.
    owned : pairs of strings
        Labels of owned nodes, each with the type of the relationships to their owners.
    public : strings
        The labels of public nodes.
    most_matches : int
        The greatest number of matches that a question may have.
    nodes, links : pairs of strings
        If the graph is in files, the label of each table of nodes with its path, and the type of each table of
        relationships, such as ``KNOWS`` or ``WORKS_IN:Person:Office``, with its path.
    ladybug : str, optional
        If the graph is in a ladybug database of one's own, its path.

    Raises
    ------
    GraphError
        If a part is invalid, or a label has two roles.

    Examples
    --------
    >>> p = Protection("staff", "epsilon", people="Person", owned=[("Account", "OWNS")], public=["Office"])
    >>> p.account, p.role("Account").value, p.role("City")
    ('(:Person)', 'owned', None)
    >>> Protection("staff", "epsilon", people="Person", public=["Person"])
    Traceback (most recent call last):
      ...
    neodp.errors.GraphError: the label 'Person' has two roles, people and public; give each label one role
    """

    population: str
    epsilon: str
    people: str | None = None
    relationships: str | None = None
    default_epsilon: float | None = None
    properties: tuple[str, ...] = ()
    owned: tuple[tuple[str, str], ...] = ()
    public: tuple[str, ...] = ()
    most_matches: int = MOST_MATCHES
    nodes: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    ladybug: str | None = None

    def __post_init__(self) -> None:
        require_fields(self)
        put = object.__setattr__
        put(self, "population", valid_name("population", self.population))
        put(self, "properties", tuple(dict.fromkeys(self.properties)))
        for name, pairs in (("owned", self.owned), ("nodes", self.nodes), ("links", self.links)):
            if not all(isinstance(pair, Sequence) and len(pair) == 2 and not isinstance(pair, str) for pair in pairs):
                raise wrong_kind(name, pairs, "pairs of names, as in [('Account', 'OWNS')]")
        put(self, "owned", tuple(dict.fromkeys((label, kind) for label, kind in self.owned)))
        put(self, "public", tuple(dict.fromkeys(self.public)))
        put(self, "nodes", tuple((label, path) for label, path in self.nodes))
        put(self, "links", tuple((kind, path) for kind, path in self.links))
        self._check_words()
        self._check_roles()
        self._check_numbers()

    def _check_words(self) -> None:
        require_word("the property with the epsilons", self.epsilon)
        if (self.people is None) == (self.relationships is None):
            raise GraphError(
                f"population {self.population!r} needs one kind of protected unit",
                "give the label of the people, as in Person, or the type of the relationships, as in CONTACT",
            )
        if self.people is not None:
            require_word("the label of the people", self.people)
        if self.relationships is not None:
            require_word("the type of the relationships", self.relationships)
            if self.owned:
                raise GraphError("nothing can be owned if relationships are protected", "leave out the owned labels")
        for name in self.properties:
            require_word("a property", name)
        for label, kind in self.owned:
            require_word("an owned label", label)
            require_word(f"the relationship to the owners of {label!r}", kind)
        for label in self.public:
            require_word("a public label", label)
        if self.ladybug is not None and (self.nodes or self.links):
            raise GraphError("the graph is in tables and in a ladybug database", "give one of both")

    def _check_roles(self) -> None:
        roles: dict[str, str] = {} if self.people is None else {self.people: "people"}
        named = [(label, "owned") for label, _ in self.owned] + [(label, "public") for label in self.public]
        for label, role in named:
            if roles.setdefault(label, role) != role:
                raise GraphError(
                    f"the label {label!r} has two roles, {roles[label]} and {role}", "give each label one role"
                )
        if len({label for label, _ in self.owned}) < len(self.owned):
            raise GraphError("an owned label has two types of relationships to its owners", "give each label one type")
        if self.epsilon in self.properties:
            raise GraphError(f"the epsilons, {self.epsilon!r}, cannot be asked", "leave them out of the properties")

    def _check_numbers(self) -> None:
        if self.default_epsilon is not None and not 0.0 <= float(self.default_epsilon) < math.inf:
            raise GraphError(f"the default epsilon is {self.default_epsilon}", "give a number of at least 0")
        if not 1 <= self.most_matches <= 10**9:
            raise GraphError(f"the limit is {self.most_matches} matches", "give a whole number from 1 to 1000000000")

    @property
    def account(self) -> str:
        """The name under which the ledger adds up what was spent: the label or the type, as Cypher writes it."""
        return f"(:{self.people})" if self.people is not None else f"[:{self.relationships}]"

    @property
    def owners(self) -> dict[str, str]:
        """The type of the relationships to the owners, by owned label."""
        return dict(self.owned)

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels that have a role: the people's first, then the owned ones, then the public ones."""
        first = () if self.people is None else (self.people,)
        return (*first, *self.owners, *self.public)

    @checked
    def role(self, label: str) -> Role | None:
        """Return the role of a label; None if it has none."""
        if label == self.people:
            return Role.UNIT
        if label in self.owners:
            return Role.OWNED
        return Role.PUBLIC if label in self.public else None

    @property
    def text(self) -> str:
        """The protection as JSON, as it is stored."""
        return json.dumps(self._parts(), ensure_ascii=False)

    def _parts(self) -> dict[str, Any]:
        parts = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.ladybug is None:
            del parts["ladybug"]
        return parts

    @classmethod
    @checked
    def read(cls, text: str) -> Protection:
        """Return the protection that a stored text states.

        Examples
        --------
        >>> p = Protection("staff", "epsilon", people="Person", owned=[("Account", "OWNS")], public=["Office"])
        >>> Protection.read(p.text) == p
        True
        """
        parts: dict[str, Any] = json.loads(text)
        return cls(**parts)

    @property
    def digest(self) -> str:
        """A digest of everything but the population's name: two protections that mean the same have the same one."""
        parts = self._parts()
        del parts["population"]
        parts |= {name: sorted(parts[name]) for name in ("properties", "owned", "public", "nodes", "links")}
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:32]


def require_word(what: str, word: object) -> str:
    r"""Return a label, a type or the name of a property, if it can be written in Cypher without harm.

    Names are quoted with backticks, and a backtick is doubled. A backslash is refused, since Neo4j replaces ``\u0060``
    by a backtick before it looks for quotes.

    Examples
    --------
    >>> require_word("a label", "A`B")
    'A`B'
    >>> require_word("a label", r"A\u0060")
    Traceback (most recent call last):
      ...
    neodp.errors.GraphError: a label is 'A\\u0060'; give a name without backslashes and invisible characters
    """
    if not isinstance(word, str) or not word:
        raise GraphError(f"{what} is {word!r}", "give a name")
    if len(word) > LONGEST:
        raise GraphError(f"{what} has {len(word):,} characters", f"give a name of at most {LONGEST}")
    if "\\" in word or not word.isprintable() or word != word.strip():
        raise GraphError(f"{what} is {word!r}", "give a name without backslashes and invisible characters")
    return word


def listed(words: str | Iterable[str]) -> tuple[str, ...]:
    """Return names that are given as a list, or as a text with commas between them.

    Examples
    --------
    >>> listed("ill, age"), listed(["ill"])
    (('ill', 'age'), ('ill',))
    """
    each = words.split(",") if isinstance(words, str) else words
    return tuple(word.strip() for word in each if word.strip())
