"""Releases read back from a store, with the mechanism that their answers were drawn from.

Everything here comes from the public facts that a release keeps, and from the answer. A poll's mechanism is found again
from its groups, by the same computation as before the draw; a graph's mechanism is found again from the graph, if
the store still has it unchanged. No vote is read, and no dataset.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from neodp.asking.mechanism import AtLeast, Counting, grid_to
from neodp.core.extension import extend
from neodp.core.mechanism import Mechanism
from neodp.data.graph import DatasetGraph
from neodp.data.names import normal
from neodp.errors import GraphError, NeodpError, near
from neodp.hints import Call, Hint
from neodp.ledger.account import Ledger
from neodp.ledger.release import NOT_KEPT, Release
from neodp.polls.asking import poll
from neodp.polls.choosing import weighted
from neodp.polls.mechanism import Group, Poll
from neodp.polls.outcomes.figures import OutcomeAccuracy, outcome_preview
from neodp.polls.outcomes.parsing import outcome_queries
from neodp.polls.outcomes.survey import OutcomeSurvey
from neodp.polls.prior import Prior
from neodp.polls.secret import secret_poll
from neodp.polls.survey import Survey
from neodp.report.mechanisms import KINDS, MOST_EDGES, Own
from neodp.store import Store
from neodp.store.evaluation import is_read, method_of
from neodp.store.records import fingerprint

__all__ = ["Reported", "ReportedPart", "ended", "reported"]

OTHER = "certificates do not have this kind of mechanism yet"
ENDED = "the question was ended before an answer was drawn"


@dataclass(frozen=True)
class ReportedPart:
    """One answer: of all people, or of one part of them.

    Attributes
    ----------
    name : str or None
        The part.
    answer : str
    poll : Poll or None
        The mechanism of a poll.
    mechanism : Mechanism or None
        The mechanism on a graph of datasets.
    own : AtLeast, Counting, SecretPoll or None
        The mechanism for people whose epsilons nobody learns.
    drawn : OutcomeAccuracy or None
        The mechanism of a question with several outcomes.
    """

    name: str | None
    answer: str
    poll: Poll | None = None
    mechanism: Mechanism | None = None
    own: Own | None = None
    drawn: OutcomeAccuracy | None = None


@dataclass(frozen=True)
class Reported:
    """A release with what is known about its mechanism.

    Attributes
    ----------
    release : Release
    ledger : Ledger
        All releases about the same people.
    parts : tuple of ReportedPart
    prior : Prior
        The assumption about the votes under which an expected accuracy is stated.
    missing : str
        The reason why the mechanism is not known; empty if it is.
    """

    release: Release
    ledger: Ledger
    parts: tuple[ReportedPart, ...]
    prior: Prior = field(default_factory=Prior)
    missing: str = ""

    @property
    def drawn(self) -> bool:
        """True unless the question was ended before an answer was drawn, as with too many matches."""
        return self.missing != ENDED

    @property
    def facts(self) -> dict[str, Any]:
        """The public facts that the release keeps about its question."""
        found: dict[str, Any] = json.loads(self.release.asked)
        return found


def reported(store: Store, name: str, about: str | None = None, survey: Survey | None = None) -> list[Reported]:
    """Return the releases of a name: one for each question that was asked under it.

    Parameters
    ----------
    store : Store
    name : str
        The name of the release.
    about : str, optional
        The graph or poll, as ``neodp releases`` shows it, if not all questions of that name are meant.
    survey : Survey, optional
        The survey that was just released, whose groups need not be read back.

    Raises
    ------
    GraphError
        If there is no such release, or its answer was not kept.
    """
    ledgers = [store.ledger(population) for population in store.populations()]
    every = [(ledger, release) for ledger in ledgers for release in ledger.releases]
    found = [(ledger, release) for ledger, release in every if release.name in (name, normal(name))]
    if about is not None:
        found = [(ledger, release) for ledger, release in found if release.graph == about]
    if not found:
        of = "" if about is None else f" of {about!r}"
        hint = near(name, {release.name for _, release in every}) or Hint(
            "see ", Call("releases", population="default")
        )
        raise GraphError(f"there is no release {name!r}{of} in {store.address}", hint)
    for _, release in found:
        if release.answer == NOT_KEPT:
            raise GraphError(
                f"release {name!r} of {release.graph!r} stores only its cost", "there is nothing to report"
            )
    return [_reported(store, ledger, release, survey) for ledger, release in found]


def _reported(store: Store, ledger: Ledger, release: Release, survey: Survey | None) -> Reported:
    facts = json.loads(release.asked)
    if "fingerprint" in facts:
        mechanism, missing = _of_graph(store, facts)
        return Reported(release, ledger, (ReportedPart(None, release.answer, mechanism=mechanism),), missing=missing)
    own = _own(facts)
    if own is not None:
        missing = ENDED if ended(release) else ""
        return Reported(release, ledger, (ReportedPart(None, release.answer, own=own),), missing=missing)
    outcomes = facts.get("mechanism") in ("balanced outcomes", "weighted outcomes")
    if not outcomes and facts.get("mechanism") not in ("balanced", "weighted"):
        kept = tuple(ReportedPart(part, answer) for part, answer in release.answers.items())
        return Reported(release, ledger, kept, missing=OTHER)
    prior = Prior.parse(facts.get("prior", "even"))
    parts, missing = [], ""
    for part, answer in release.answers.items():
        groups = facts["groups"] if part is None else facts["parts"][part]
        known = _surveyed(survey, release, part)
        drawn = _surveyed_outcomes(survey, release, part)
        if known is None and drawn is None and isinstance(groups, str):
            missing = (
                f"the store has only a digest of its {groups.split(',')[0]}: write the report together with the poll"
            )
            parts.append(ReportedPart(part, answer))
            continue
        if outcomes:
            parts.append(ReportedPart(part, answer, drawn=drawn or _outcomes(groups, facts, prior)))
            continue
        found = known or _poll(groups, facts, prior)
        missing = missing if type(found) in KINDS else OTHER
        parts.append(ReportedPart(part, answer, poll=found))
    return Reported(release, ledger, tuple(parts), prior, missing)


def ended(release: Release) -> bool:
    """Return True if a question about a graph of people was ended, and its answer tells the reason."""
    own = _own(json.loads(release.asked))
    return isinstance(own, AtLeast | Counting) and release.answer not in own.answers


def _own(facts: Mapping[str, Any]) -> Own | None:
    """Return the mechanism for people whose epsilons nobody learns, from what the release keeps; None for others."""
    if facts.get("mechanism") == "secret-levels":
        return secret_poll(facts["query"], facts["options"], cap=facts["cap"], share=facts["share"])
    if "protection" not in facts:
        return None
    if "at_least" in facts:
        return AtLeast(facts["at_least"], facts["false_alarm"])
    if "ranges" in facts:
        return Counting(tuple(facts["ranges"]), coarse=True)
    return Counting(grid_to(facts["at_most"])) if "at_most" in facts else None


def _surveyed(survey: Survey | None, release: Release, part: str | None) -> Poll | None:
    """Return the mechanism of a survey that was just released."""
    if survey is not None:
        for question in survey.questions:
            if f"{survey.name} {question.name.strip()}" == release.graph and question.part == part:
                return question.poll
    return None


def _surveyed_outcomes(survey: Survey | None, release: Release, part: str | None) -> OutcomeAccuracy | None:
    """Return the mechanism of a survey with several outcomes that was just released."""
    if isinstance(survey, OutcomeSurvey):
        for question in survey.inquiries:
            if f"{survey.name} {question.name}" == release.graph and question.part == part:
                return question.chosen
    return None


def _outcomes(groups: Sequence[Sequence[Any]], facts: Mapping[str, Any], prior: Prior) -> OutcomeAccuracy:
    """Return the mechanism of a question with several outcomes from what its release keeps."""
    people = _people(groups)
    number = sum(group.size for group in people)
    asks = outcome_queries(facts["query"], facts["options"], number, ranges=facts.get("ranges"))
    weighted = facts["mechanism"] == "weighted outcomes"
    both = outcome_preview(next(iter(asks.values())), people, prior, share=min(2, len(asks)), heard=weighted)
    return both.weighted if weighted else both.balanced


def _people(groups: Sequence[Sequence[Any]]) -> list[Group]:
    return [Group(epsilon, size, level) for level, epsilon, size in groups]


def _poll(groups: Sequence[Sequence[Any]], facts: Mapping[str, Any], prior: Prior) -> Poll:
    """Return the mechanism of a poll from what its release keeps."""
    people = _people(groups)
    if facts["mechanism"] == "balanced":
        return poll(people, facts["query"], facts["options"])
    there = {group.level for group in people} | set(facts["options"])
    fitting = replace(prior, named=tuple(each for each in prior.named if each[0] in there))
    return weighted(people, facts["query"], facts["options"], fitting)


def _of_graph(store: Store, facts: Mapping[str, Any]) -> tuple[Mechanism | None, str]:
    """Return the mechanism of a graph if it is as it was, and not too large; or else the reason."""
    name = facts["graph"]
    info = next((each for each in store.graphs() if each.name == name), None)
    if info is None:
        return None, f"the store no longer has the graph {name!r}"
    if info.edges > MOST_EDGES:
        return None, f"the graph has {info.edges:,} edges, and certificates have at most {MOST_EDGES:,}"
    try:
        graph: DatasetGraph = store.read(name)
        if fingerprint(graph) != facts["fingerprint"]:
            return None, f"the graph {name!r} has changed since it was asked about"
        if is_read(info):
            return store.mechanism(name).mechanism, ""
        return extend(graph, method=method_of(info)), ""
    except NeodpError as e:
        return None, e.message
