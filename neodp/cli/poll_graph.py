"""People of a poll who are nodes in the store: who pays, and what may be asked about them.

Everything that is asked about the nodes of one label counts together, as for ``neodp ask``: the population is the
label, as Cypher writes it. If ``neodp protect`` has declared these people, a poll keeps to that: their levels stay
secret, their epsilons are those in the declared property, and votes are properties that may be asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neodp.cli.roles import is_analyst
from neodp.data.formatting import count
from neodp.data.names import normal
from neodp.errors import GraphError, StewardOnly
from neodp.hints import Call, Hint, Option
from neodp.polls import People
from neodp.polls.from_graph import PeopleColumn, PeopleQuery

if TYPE_CHECKING:
    from neodp.asking.protection import Protection
    from neodp.store import Store

__all__ = ["chosen_columns", "people_of_graph", "population_of_graph"]


def chosen_columns(query: PeopleQuery, votes: list[str], epsilon: str | None) -> tuple[list[str], str | None]:
    """Return the columns of the votes and of the epsilons; if none is named, they are the two that there are."""
    header = [column.name for column in query.columns]
    if votes or epsilon is not None:
        return votes, epsilon
    if len(header) != 2:
        raise GraphError(
            f"the query returns {count(len(header), 'column')}: {', '.join(header)}",
            "return a vote and an epsilon, or name the columns with --vote and --epsilon",
        )
    return header[:1], header[1]


def people_of_graph(store: Store, query: PeopleQuery, epsilon: str | None, *, secret_levels: bool) -> People:
    """Read the people, if this may be asked about them.

    Raises
    ------
    GraphError
        If the people are declared, and the question does not keep to that.
    StewardOnly
        If an analyst asks about people who are not declared.
    """
    declared = [each for each in store.protections() if each.people == query.label]
    if not declared and is_analyst():
        raise StewardOnly(
            f"nobody has declared the people of (:{query.label})",
            Hint("ask the steward to declare them: ", Call("protect")),
        )
    broken = [_broken(each, query, epsilon, secret_levels=secret_levels) for each in declared]
    if declared and all(broken):
        raise GraphError(*broken[0])
    return People.from_result(store.select(query.cypher), query.cypher)


def population_of_graph(query: PeopleQuery, given: str | None) -> str:
    """Return the population of the nodes of a label.

    Raises
    ------
    GraphError
        If another one is given.
    """
    own = f"(:{query.label})"
    if given is not None and normal(given) != normal(own):
        raise GraphError(
            f"the people of {own} are asked as population {given!r}",
            f"leave it out: everything about the nodes of a label counts together, as population {own!r}",
        )
    return own


def _broken(
    declared: Protection, query: PeopleQuery, epsilon: str | None, *, secret_levels: bool
) -> tuple[str, str | Hint] | tuple[()]:
    """Return what a question breaks of what was declared, and what to do instead; nothing if it keeps to it."""
    own = f"population {declared.population!r}, {declared.account}"
    if not secret_levels:
        hint = Hint("add ", Option("secret_levels", True))
        return f"the levels of {own}, are secret, and so is who takes part", hint
    for column in query.columns:
        if column.name == epsilon:
            continue
        if column.property is not None and column.property not in declared.properties:
            known = ", ".join(declared.properties) or "none"
            return f"the property {column.property!r} is not among those that may be asked of {own}: {known}", (
                "list it when the population is protected, if it belongs to one person alone"
            )
    if not any(column.name == epsilon and _is_epsilon(column, declared) for column in query.columns):
        least = "" if declared.default_epsilon is None else f", or else {declared.default_epsilon:g}"
        return (
            f"the epsilons of {own}, are in the property {declared.epsilon!r}{least}",
            f"return p.{declared.epsilon} as the column of the epsilons",
        )
    return ()


def _is_epsilon(column: PeopleColumn, declared: Protection) -> bool:
    """Return whether a column holds the declared epsilons, or less for those who have none."""
    missing = float(column.number or 0.0) <= (declared.default_epsilon or 0.0)
    return column.property == declared.epsilon and missing
