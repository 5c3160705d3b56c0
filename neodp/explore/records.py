"""Canned queries as tables, and the releases and budgets of all populations.

The dataset of a release is never shown, even if its key was stored with the release: anyone who may know it can look it
up in the store.
"""

from __future__ import annotations

import json
from typing import Any

from neodp.errors import UnknownQuery
from neodp.explore.source import Source
from neodp.ledger.account import Ledger, epsilon_rounded_up
from neodp.ledger.release import Release
from neodp.store.cypher import every, subject

__all__ = ["ROWS", "queries", "releases", "run_query"]

ROWS = 1_000
"""The largest number of rows in a table."""


def queries() -> list[dict[str, Any]]:
    """Return the canned queries on graphs, and what each answers."""
    return [
        {
            "name": each.name,
            "answers": each.answers,
            "parameters": [
                {"name": name, "default": value if isinstance(value, str | int | float) else None}
                for name, value in each.parameters.items()
            ],
        }
        for each in every().values()
        if subject(each.name) == "graph"
    ]


def run_query(source: Source, name: str, query: str, parameters: Any) -> dict[str, Any]:
    """Return the result of a canned query.

    Raises
    ------
    UnknownQuery
        If there is no such query, or it does not have these parameters.
    """
    if query not in every() or subject(query) != "graph":
        raise UnknownQuery(f"there is no query {query!r} on graphs", "'neodp query --list' lists them")
    if not isinstance(parameters, dict):
        raise UnknownQuery("the parameters cannot be read", "give names with values")
    if "limit" in parameters:
        parameters = parameters | {"limit": _limit(parameters["limit"])}
    with source.store() as store:
        found = store.query(query, name, **parameters)
    return {"columns": found.column_names, "rows": [list(row.values()) for row in found.slice(0, ROWS).to_pylist()]}


def _limit(value: Any) -> int:
    if isinstance(value, bool) or not str(value).isdigit():
        raise UnknownQuery(f"the limit is {value!r}", f"give a whole number up to {ROWS:,}")
    return min(int(value), ROWS)


def releases(source: Source) -> dict[str, Any]:
    """Return what was answered about every population, what it cost, and what may still be answered."""
    with source.store() as store:
        ledgers = [store.ledger(name) for name in store.populations()]
    return {"populations": [_ledger(ledger) for ledger in ledgers]}


def _ledger(ledger: Ledger) -> dict[str, Any]:
    limit = ledger.limit
    spent = [(each.label, each.total(limit.delta)) for each in ledger.spent()]
    return {
        "population": ledger.population,
        "limit": str(limit),
        "used": ledger.used,
        "left": ledger.left,
        "share": float(ledger.share),
        "spent": [
            {
                "level": label,
                "epsilon": total.epsilon,
                "text": epsilon_rounded_up(total.epsilon),
                "delta": total.delta,
                "share": None if not limit.epsilon else min(1.0, total.epsilon / limit.epsilon),
            }
            for label, total in spent
        ],
        "releases": [_release(each) for each in ledger.releases],
    }


def _release(release: Release) -> dict[str, Any]:
    return {
        "about": release.graph,
        "name": release.name,
        "answer": release.shown,
        "time": release.time,
        "command": release.command,
        "question": _question(release),
        "levels": [
            {"level": x.label, "epsilon": x.epsilon, "delta": x.delta, "people": x.people} for x in release.levels
        ],
    }


def _question(release: Release) -> str | None:
    """Return the pattern that a graph of people was asked for; None for other releases."""
    asked = json.loads(release.asked)
    return str(asked["question"]) if "protection" in asked else None
