"""Certificates: what anybody can check about an answer without trusting the program that gave it.

A *certificate* is a JSON document with all public facts of a release: the question, the answer, the cost to everybody,
and the mechanism as whole numbers, which is the chance of each answer for all data there could be. It has no votes, no
dataset and no probability of the true data. :func:`neodp.ledger.verification.verify` recomputes all of it in exact
arithmetic. That module is one file that needs nothing of neodp; ``tools/verify_release.py`` is the same file.

Three things are left out of a certificate: the path of a table, of which only the file's name is kept; the time of day,
since the time that a draw took might tell something; and the key of a dataset, even if it was stored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from neodp.ledger.release import Release
from neodp.ledger.verification import FORMAT, digests

__all__ = ["certificate", "chance", "public_facts"]


def certificate(release: Release, mechanisms: Sequence[Mapping[str, Any]], version: str) -> dict[str, Any]:
    """Return the certificate of a release.

    Parameters
    ----------
    release : Release
        The stored release.
    mechanisms : sequence of mappings
        The mechanism for each part of the people, as :mod:`neodp.report.mechanisms` describes it.
    version : str
        The version of neodp.
    """
    facts = public_facts(release)
    answer: Any = json.loads(release.answer) if "parts" in facts else release.answer
    if facts.get("query") == "counts":
        answer = {part: json.loads(each) for part, each in answer.items()} if "parts" in facts else json.loads(answer)
    found = {
        "format": FORMAT,
        "neodp": version,
        "release": {
            "about": release.graph,
            "name": release.name,
            "population": release.population,
            "date": (release.time or "")[:10],
            "answer": answer,
        },
        "question": facts,
        "levels": [
            {"level": x.name, "epsilon": x.epsilon, "delta": x.delta, "people": x.people, "times": x.times}
            for x in release.levels
        ],
        "mechanisms": [dict(mechanism) for mechanism in mechanisms],
    }
    return found | {"digests": digests(found)}


def public_facts(release: Release) -> dict[str, Any]:
    """Return the facts about a question, with the name of a table's file instead of its path.

    Examples
    --------
    >>> public_facts(Release("poll v", "r", "yes", asked='{"table": "/home/me/people.csv"}'))
    {'table': 'people.csv'}
    """
    facts: dict[str, Any] = json.loads(release.asked)
    table = facts.get("table")
    if isinstance(table, str) and PurePath(table).is_absolute():
        facts["table"] = PurePath(table).name
    return facts


def chance(x: float) -> list[int]:
    """Return a chance as two whole numbers, m and e: the chance is m 2^-e.

    Examples
    --------
    >>> chance(0.375), chance(0.0)
    ([3, 3], [0, 0])
    """
    numerator, denominator = float(x).as_integer_ratio()
    return [numerator, denominator.bit_length() - 1]
