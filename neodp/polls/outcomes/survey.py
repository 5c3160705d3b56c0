"""A poll of a table whose questions have several outcomes: a preview before any vote is read, and the answers."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from neodp.data.formatting import at_least
from neodp.data.frames import html_table
from neodp.data.names import normal
from neodp.errors import GraphError
from neodp.hints import Hint, Option
from neodp.ledger.answering import Keeper
from neodp.ledger.question import DEFAULT, Question
from neodp.polls.outcomes.question import OutcomeQuestion
from neodp.polls.prices import Prices
from neodp.polls.proposals import Proposal, proposal
from neodp.polls.question import mechanism_name
from neodp.polls.survey import Survey, groups_kept, levels_kept

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["OutcomeSurvey", "outcome_figures"]


@dataclass(frozen=True, eq=False, repr=False)
class OutcomeSurvey(Survey):
    """A poll for medians, quantiles, counts or ranked ballots, before an answer; nothing it shows depends on a vote.

    Attributes
    ----------
    inquiries : tuple of OutcomeQuestion
        The questions, one for each column of votes and each part of the people.
    ranges : str or None
        The ranges of counts, if they were given.
    """

    inquiries: tuple[OutcomeQuestion, ...] = field(kw_only=True, default=())
    ranges: str | None = field(kw_only=True, default=None)

    def with_mechanism(self, mechanism: str) -> OutcomeSurvey:
        """Return the same survey, answered by another mechanism."""
        name = mechanism_name(mechanism)
        return replace(self, inquiries=tuple(replace(each, mechanism=name) for each in self.inquiries), chosen=name)

    def require_choice(self) -> None:
        """Raise an error if the mechanisms are expected to differ much, and none was chosen."""
        for each in self.inquiries if self.chosen is None else ():
            if each.both.differ:
                raise GraphError(
                    f"{each.label!r} can be answered in two ways, and an answer cannot be drawn again: "
                    f"{outcome_figures(each)}",
                    Hint("choose with ", Option("mechanism", "balanced"), " or ", Option("mechanism", "weighted")),
                )

    def propose(self, accuracy: float, margin: int | None = None) -> dict[str, Proposal]:
        """Return what it takes to reach an accuracy; for counts, to be off by at most `margin` people so often."""
        return {
            each.label: proposal(each.measure(margin), each.groups, accuracy, apart=bool(each.prior.named))
            for each in self.inquiries
        }

    def prices(self) -> dict[str, Prices]:
        """Refuse: these questions have no linear program whose multipliers would be prices."""
        query = self.inquiries[0].query
        raise GraphError(f"{query} has no prices", "they are for majority, threshold and plurality; leave them out")

    def asked(self, population: str = DEFAULT, command: str = "") -> dict[str, Question]:
        """Return the questions that are kept with the answers, without votes, by the column of the votes."""
        found = {}
        for name in dict.fromkeys(each.name for each in self.inquiries):
            mine = [each for each in self.inquiries if each.name == name]
            first = mine[0]
            facts: dict[str, Any] = {
                "table": self.source,
                "column": name,
                "query": first.query,
                "asks": first.question if self.by is None else first.query,
                "options": list(first.first.options),
                "mechanism": f"{first.mechanism} outcomes",
                "prior": first.prior.text,
                **self.said,
            }
            facts |= {} if self.ranges is None else {"ranges": self.ranges}
            facts |= {"cells": self.cells.facts()} if self.cells.facts() else {}
            names: tuple[str, ...] = ()
            if self.by is None:
                facts["groups"] = groups_kept(first.groups)
            else:
                names = tuple(str(each.part) for each in mine)
                facts |= {"by": self.by, "parts": {str(each.part): groups_kept(each.groups) for each in mine}}
            words = " ".join([command, *(f"--vote {shlex.quote(column)}" for column in first.columns)])
            found[name] = Question(
                f"{self.name} {name}",
                facts,
                levels_kept([each.groups for each in mine]),
                normal(population),
                words if command else "",
                names,
            )
        return found

    def _chances(self, column: str, asked: Question) -> dict[str, Any]:
        """Return the drawn answers, each as the only one with a chance."""
        mine = [each for each in self.inquiries if each.name == column]
        if asked.parts:
            return {str(each.part): {each.answer(): 1.0} for each in mine}
        return {mine[0].answer(): 1.0}

    def release(self, store: Keeper, name: str, *, population: str = DEFAULT, command: str = "") -> dict[str, Any]:
        """Draw the answers, once, and keep them, as for other polls; counts of all options are a dict by option."""
        found: dict[str, Any] = super().release(store, name, population=population, command=command)
        several = {each.name for each in self.inquiries if len(each.asks) > 1}
        for column in several & found.keys():
            answer = found[column]
            found[column] = (
                json.loads(answer)
                if isinstance(answer, str)
                else {part: json.loads(text) for part, text in answer.items()}
            )
        return found

    def facts(self) -> list[dict[str, Any]]:
        """Return everything that is known before an answer, for each question."""
        return [each.facts() for each in self.inquiries]

    def to_arrow(self) -> pa.Table:
        """Return a table with a row for each question and mechanism, with their accuracy."""
        import pyarrow as pa

        return pa.Table.from_pylist(
            [
                {
                    "question": each.name,
                    "part": each.part,
                    "asks": each.question,
                    "people": each.people,
                    "mechanism": name,
                    "expected": facts.expected,
                    "error": facts.error,
                    "within_95": facts.within,
                    "against": facts.against,
                }
                for each in self.inquiries
                for name, facts in (("balanced", each.both.balanced), ("weighted", each.both.weighted))
            ]
        )

    def __repr__(self) -> str:
        lines = [f"poll {self.name!r}, before any vote is read"]
        for each in self.inquiries:
            lines += [f"  {each.label}: {each.question}", f"    {outcome_figures(each)}"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_table(f"{self.name}, before any vote is read", self.to_arrow(), ("expected", "against"))


def outcome_figures(each: OutcomeQuestion) -> str:
    """Describe both mechanisms of a question in one line."""
    balanced, weighted = each.both.balanced, each.both.weighted
    if each.facts()["error_in"] == "people":
        return (
            f"balanced is expected to be off by {balanced.error:.1f} people and weighted by {weighted.error:.1f}; "
            f"where privacy goes with the answer, by {balanced.against_error:.1f} and {weighted.against_error:.1f}"
        )
    return (
        f"balanced is expected to be right {at_least(balanced.expected)} of the time and weighted "
        f"{at_least(weighted.expected)}; where privacy goes with the answer, {at_least(balanced.against)} and "
        f"{at_least(weighted.against)}"
    )
