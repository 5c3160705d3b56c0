"""Entries for the public registry of deployments of differential privacy, and the questions of NIST SP 800-226.

The registry (https://registry.opendp.org) keeps one YAML document for each data product; the names of the fields are
those of its schema, ``schemas/deployments-schema.yaml`` of opendp/deployments-registry-data. What neodp cannot know is
marked with :data:`FILL_IN`: who publishes, for what, and where. Everything else follows from what a store keeps, which
is public. NIST SP 800-226, *Guidelines for Evaluating Differential Privacy Guarantees* (2025), asks about layers, from
the parameters of privacy down to the collection of the data; :func:`nist` answers those that are neodp's to answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import neodp
from neodp.data.formatting import count, listed
from neodp.errors import GraphError
from neodp.ledger.account import Ledger, epsilon_rounded_up
from neodp.ledger.release import NOT_KEPT, Release
from neodp.ledger.shares import share_of
from neodp.report.asked import ended

__all__ = ["FILL_IN", "entry", "nist", "yaml"]

FILL_IN = "FILL IN"
"""The beginning of a text that somebody who knows the deployment has to write."""
OPEN = "This is for you to answer."
"""The answer to a question that neodp cannot answer."""
NEIGHBORS = "Two datasets are adjacent if they differ"
EXACT = (
    "Chances are whole numbers or exact bounds, all rounding is to the safe side, and every inequality is checked with "
    "rational arithmetic before a draw. Answers are drawn from the randomness of the operating system with integers."
)


def entry(ledgers: Sequence[Ledger], about: str | None = None) -> dict[str, Any]:
    """Return the entry of some populations' answers, by the field names of the registry's schema.

    Parameters
    ----------
    ledgers : Ledgers
        The populations.
    about : str, optional
        The graph or poll, if not all answers are meant. The epsilons are still those of all answers about the people.

    Raises
    ------
    GraphError
        If nothing was answered.

    Examples
    --------
    >>> from neodp.ledger.question import Level
    >>> given = Release("survey", "spring", "yes", "2026-05-03T10:00:00Z", levels=(Level(0.5, people=40),))
    >>> found = entry([Ledger("staff", releases=(given,))])
    >>> found["url_slug"], found["deployment"]["privacy_loss"]["privacy_parameters"]
    ('survey-2026', {'epsilon': 0.5})
    """
    found = [each for ledger in ledgers for each in ledger.releases if about in (None, each.graph)]
    if not found:
        raise GraphError("nothing was answered yet", "an entry is about answers that were given")
    mine = [ledger for ledger in ledgers if ledger.releases]
    dates = sorted((release.time or "")[:10] for release in found)
    names = sorted({release.graph for release in found})
    epsilon, delta = _spent(mine)
    many, people = len(found) > 1, _people(found)
    slug = re.sub(r"[^a-z0-9]+", "-", f"{names[0]} {dates[0][:4]}".lower()).strip("-")
    parameters = {"epsilon": epsilon} | ({"delta": delta} if delta else {})
    return {
        "url_slug": slug,
        "deployment": {
            "basic": {
                "name": f"{FILL_IN}: the name of the data product (in neodp: {', '.join(names)})",
                "data_curators": [
                    {
                        "data_curator_name": f"{FILL_IN}: who publishes it",
                        "data_curator_type": f"{FILL_IN}: Government, Industry or Nonprofit",
                    }
                ],
                "description": f"{FILL_IN}: what it is ({count(len(found), 'private answer')}, out of a few each)",
                "intended_use": f"{FILL_IN}: what it is for",
                "data_product_type": "Summary statistics",
                "data_product_region": f"{FILL_IN}: where the people live, or whose law applies",
                "publication_date": dates[0],
            },
            "dp_variant": {
                "variant_name": "Approximate DP" if delta else "Pure DP",
                "data_domain": f"{FILL_IN}: the people and their data ({listed([each.population for each in mine])})",
                "unprotected_quantities": _unprotected(found),
            },
            "privacy_loss": {
                "privacy_unit": _units(found),
                "privacy_unit_details": f"{NEIGHBORS} {_adjacent(found)}.",
                **({} if people is None else {"number_of_privacy_units": people}),
                "privacy_parameters": parameters,
                "privacy_parameters_details": " ".join(["Everybody has an epsilon of their own.", *_levels(mine)]),
            },
            "deployment_model": {
                "model_name": "Central",
                "trust_assumptions": "The curator sees all data, and whoever administers the store is trusted. Readers "
                "of the answers need not be trusted.",
                "release_type": "Many releases" if many else "One release",
                "release_type_details": " ".join(_limits(mine)),
                "data_source_type": "Static",
                "access_type": "Non-interactive",
                "access_type_details": "Every answer is drawn once and kept; asking again gives the same answer.",
            },
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": f"{FILL_IN}: whether the data were looked at before. "
                "Previews of neodp read no answers.",
                "mechanisms": f"neodp {neodp.__version__}: {listed(_mechanisms(found))}. {EXACT}",
                "composition": "All answers about the same people count against one budget: the sum of their epsilons, "
                "or a filter for (epsilon, delta). Answers about disjoint parts of the people are charged once.",
                "post_processing": "None.",
                "justification": f"{FILL_IN}: why these epsilons",
                "utility": "The report of each answer (neodp report) says how often it is right.",
            },
            "administrative": {"status": "Draft", "registry_authors": [f"{FILL_IN}: your name"], "tier": 3},
        },
    }


def nist(ledgers: Sequence[Ledger]) -> list[dict[str, str]]:
    """Return the questions that NIST SP 800-226 raises, layer by layer, with answers or a note that they are open."""
    mine = [ledger for ledger in ledgers if ledger.releases]
    found = [release for ledger in mine for release in ledger.releases]
    epsilon, delta = _spent(mine)
    rows = [
        ("Privacy parameters", "How large are they?", f"epsilon {epsilon:g} at most, delta {delta:g}"),
        ("Privacy parameters", "Do they hold for everything that was released?", " ".join(_limits(mine))),
        ("Variant", "Pure or approximate?", "approximate" if delta else "pure: no chance of a failure"),
        ("Unit of privacy", "Who or what is protected?", f"{_units(found)}. {NEIGHBORS} {_adjacent(found)}."),
        ("Unit of privacy", "Is the number of people protected?", _unprotected(found)),
        ("Algorithms", "Are they proven, and is the proof about the program?", EXACT),
        ("Algorithms", "Can somebody check it?", "Reports have certificates; tools/verify_release.py recomputes them."),
        ("Utility and bias", "How accurate is it, and for whom?", "Each report says how often an answer is right. If "
         "votes are weighted by epsilon, people who ask for more privacy count for less, and the preview says so."),
        ("Trust model", "Who must be trusted?", "Central: the curator and whoever administers the store."),
        ("Side channels", "Do time, size or errors tell anything?", _side_channels(found)),
        ("Security and access control", "Who can read the data and the ledger?", OPEN),
        ("Data collection exposure", "How were the data collected, and is more kept than needed?", OPEN),
    ]  # fmt: skip
    return [{"layer": layer, "question": question, "answer": answer} for layer, question, answer in rows]


def yaml(found: dict[str, Any], answers: Sequence[dict[str, str]]) -> str:
    """Return an entry as YAML, with the questions of NIST SP 800-226 as comments after it.

    Examples
    --------
    >>> print(yaml({"a": {"b": ["x: y"], "c": 1.5}}, [{"layer": "L", "question": "Q?", "answer": "A"}]))
    # An entry for the registry of deployments, https://registry.opendp.org. Replace every FILL IN.
    a:
      b:
        - "x: y"
      c: 1.5
    #
    # Questions of NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees:
    # L: Q? A
    <BLANKLINE>
    """
    lines = [f"# An entry for the registry of deployments, https://registry.opendp.org. Replace every {FILL_IN}."]
    lines += [*_block(found, ""), "#"]
    lines.append("# Questions of NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees:")
    lines += [f"# {each['layer']}: {each['question']} {each['answer']}" for each in answers]
    return "\n".join([*lines, ""])


def _block(value: dict[str, Any] | list[Any], indent: str) -> Iterator[str]:
    """Yield the lines of a mapping or a list; texts are quoted as in JSON, which YAML reads alike."""
    pairs = value.items() if isinstance(value, dict) else ((None, each) for each in value)
    for name, each in pairs:
        first = f"{indent}-" if name is None else f"{indent}{name}:"
        if not isinstance(each, dict | list):
            yield f"{first} {json.dumps(each, ensure_ascii=False)}"
        elif name is None:
            top, *rest = _block(each, f"{indent}  ")
            yield from (f"{first} {top.lstrip()}", *rest)
        else:
            yield from (first, *_block(each, f"{indent}  "))


def _spent(ledgers: Sequence[Ledger]) -> tuple[float, float]:
    """Return the greatest epsilon, rounded up, and the greatest delta that anybody has spent."""
    totals = [spent.total(ledger.limit.delta) for ledger in ledgers for spent in ledger.spent()]
    most = max((total.epsilon for total in totals), default=0.0)
    return float(epsilon_rounded_up(most)), max((total.delta for total in totals), default=0.0)


def _levels(ledgers: Sequence[Ledger]) -> Iterator[str]:
    for ledger in ledgers:
        if any(share_of(level) is not None for each in ledger.releases for level in each.levels):
            yield (
                f"Population {ledger.population!r}: answers spend shares of it, together at most all of it; the "
                "epsilon above is the greatest that can occur."
            )
            continue
        each = [f"{epsilon_rounded_up(s.total(ledger.limit.delta).epsilon)} ({s.label})" for s in ledger.spent()]
        yield f"Population {ledger.population!r}: all answers together have cost epsilon {listed(each)}."


def _limits(ledgers: Sequence[Ledger]) -> Iterator[str]:
    for ledger in ledgers:
        given = f"Population {ledger.population!r}: {count(ledger.used, 'answer')} so far"
        shares = any(share_of(level) is not None for each in ledger.releases for level in each.levels)
        limit = "the shares of all answers add up to 1 at most" if shares else f"the limit is {ledger.limit}"
        yield f"{given}; {limit}."
        if stopped := sum(map(ended, ledger.releases)):
            were = "was" if stopped == 1 else "were"
            yield f"{stopped:,} of them {were} ended before an answer was drawn: no epsilon holds for that."


def _people(found: Sequence[Release]) -> int | None:
    """Return the greatest number of people of one release, if it is public."""
    known = [[level.people for level in release.levels] for release in found]
    sizes = [sum(filter(None, each)) for each in known if each and None not in each]
    return max(sizes) if sizes and len(sizes) == len(known) else None


def _facts(found: Sequence[Release]) -> list[dict[str, Any]]:
    return [json.loads(release.asked) for release in found]


def _of_relationships(release: Release) -> bool:
    """Return True if an answer protects relationships: their type is the population, as Cypher writes it."""
    return release.population.startswith("[:")


def _units(found: Sequence[Release]) -> str:
    """Return what is protected: people, relationships of a graph, or both in different answers."""
    kinds = {"Relationship" if _of_relationships(release) else "Person" for release in found}
    return " or ".join(sorted(kinds)).capitalize()


def _adjacent(found: Sequence[Release]) -> str:
    """Return how adjacent datasets differ."""
    ways = {
        "in one person's data, such as a vote"
        if "protection" not in facts
        else "in whether one relationship is in the graph"
        if _of_relationships(release)
        else "in whether one person is in the graph, with all relationships and what they own"
        for release, facts in zip(found, _facts(found), strict=True)
    }
    return " or ".join(sorted(ways))


def _side_channels(found: Sequence[Release]) -> str:
    """Return what can be told from anything but the answers."""
    if any("protection" in facts for facts in _facts(found)):
        return (
            "Nothing that is printed or refused depends on the data, but that a question has too many matches. How "
            "long a question about a graph takes depends on the graph: those who ask must not measure it."
        )
    return (
        "Nothing that is printed or refused depends on the data; with constant work, neither does the time. "
        "docs/audits.md has measurements."
    )


def _unprotected(found: Sequence[Release]) -> str:
    if all("share" in facts for facts in _facts(found)):
        return "None: neither who takes part nor anybody's epsilon is public."
    return "Who takes part, and with which epsilon, is taken as public."


def _mechanisms(found: Sequence[Release]) -> list[str]:
    names = set()
    for release, facts in zip(found, _facts(found), strict=True):
        if release.answer == NOT_KEPT:
            names.add("stretching with noise")
        elif "protection" in facts:
            names.add("distances on graphs of people")
        elif "fingerprint" in facts:
            names.add("optimal extension on a graph of datasets")
        else:
            names.add(f"{facts.get('mechanism', 'private')} {facts.get('query', 'answer')}")
    return sorted(names)
