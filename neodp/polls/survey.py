"""A poll from a table: a preview before any vote is read, and the answers, drawn once.

>>> import neodp
>>> table = {"answer": ["yes", "no", "yes", "yes", "no"], "privacy": ["low", "high", "low", "high", "low"]}
>>> found = neodp.poll(table, vote="answer", epsilon="privacy", levels={"low": 2.0, "high": 0.3})
>>> found.questions[0].poll.question
"do at least 3 of 5 people choose 'yes'?"

A :class:`Survey` is a preview: everything it shows follows from who takes part and with which epsilon, which is assumed
to be public. :meth:`Survey.release` draws the answers, once, and keeps them in a store.

*Parts.* With ``by``, every part of the people, such as a department, gets its own answer. The answers of all parts are
one release for each question, and everybody pays once (:mod:`neodp.ledger.question` explains why). The list of parts is
given beforehand and never read from the table; who belongs to which part is assumed to be public.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from neodp.data.formatting import at_least
from neodp.data.frames import Tabular, html_table
from neodp.data.kinds import checked
from neodp.data.names import normal
from neodp.errors import GraphError
from neodp.hints import Hint, Option
from neodp.ledger.answering import Keeper, admit, draw_and_keep, look_up
from neodp.ledger.question import DEFAULT, Level, Question, levels_of
from neodp.ledger.release import Release
from neodp.polls.cells import Cells
from neodp.polls.mechanism import Group
from neodp.polls.prices import Prices
from neodp.polls.proposals import Proposal, proposal
from neodp.polls.question import MechanismName, PollQuestion, mechanism_name

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Survey", "groups_kept", "in_figures", "levels_kept"]

SHOWN = 64
"""The greatest number of groups that are kept one by one with an answer."""


@dataclass(frozen=True, eq=False, repr=False)
class Survey(Tabular):
    """A poll before an answer; nothing that it shows depends on a vote.

    Attributes
    ----------
    name : str
        The name of the poll.
    source : str
        The source of the people.
    questions : tuple of PollQuestion
        The questions, one for each column of votes and each part of the people.
    chosen : "balanced", "weighted" or None
        The mechanism, if the user chose one.
    by : str or None
        The column that says who belongs to which part.
    cells : Cells
        The rules by which cells were interpreted.
    said : mapping
        The other settings that identify the question: the source of the epsilons, and the options for reading the
        table.
    id : str or None
        The column that was checked to be different for everybody.
    """

    name: str
    source: str
    questions: tuple[PollQuestion, ...]
    chosen: MechanismName | None = None
    by: str | None = None
    cells: Cells = Cells()  # noqa: RUF009
    said: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None

    @checked
    def with_mechanism(self, mechanism: str) -> Survey:
        """Return the same survey, answered by another mechanism."""
        name = mechanism_name(mechanism)
        questions = tuple(replace(question, mechanism=name) for question in self.questions)
        return replace(self, questions=questions, chosen=name)

    def require_choice(self) -> None:
        """Raise an error if the mechanisms are expected to differ much, and none was chosen.

        Raises
        ------
        GraphError
            If no mechanism was chosen although it matters; the message has the figures of both.
        """
        if self.chosen is None:
            for question in self.questions:
                if question.both.differ:
                    raise GraphError(
                        f"{question.label!r} can be answered in two ways, and an answer cannot be drawn again: "
                        f"{in_figures(question)}",
                        Hint("choose with ", Option("mechanism", "balanced"), " or ", Option("mechanism", "weighted")),
                    )

    @checked
    def propose(self, accuracy: float, margin: int | None = None) -> dict[str, Proposal]:
        """Return what it takes to reach an accuracy, for each question; no vote is read.

        Parameters
        ----------
        accuracy : float
            The chance of the true answer that is wanted.
        margin : int, optional
            How many people would have to answer otherwise to change the answer; without it, the accuracy is the
            expected one under the prior.

        Examples
        --------
        >>> import neodp
        >>> found = neodp.poll({"v": ["yes", "no", "no"] * 7}, vote="v", epsilon=0.5).propose(0.95, margin=3)
        >>> found["v"].epsilon, found["v"].factor
        (0.884, 1.77)
        """
        return {
            each.label: proposal(
                each.measure(margin),
                each.poll.groups,
                accuracy,
                apart=bool(each.prior.named),
                guess=each.guess(margin),
            )
            for each in self.questions
        }

    def prices(self) -> dict[str, Prices]:
        """Return what each level's epsilon and people are worth in accuracy, for each question; no vote is read.

        Examples
        --------
        >>> import neodp
        >>> found = neodp.poll({"v": ["yes", "no", "no"], "e": [0.5, 1, 1]}, vote="v", epsilon="e").prices()
        >>> [(each.epsilon, round(each.per_epsilon, 3), round(each.share, 3)) for each in found["v"].levels]
        [(0.5, 0.118, 0.061), (1.0, 0.092, 0.158)]
        """
        return {each.label: each.prices() for each in self.questions}

    @checked
    def asked(self, population: str = DEFAULT, command: str = "") -> dict[str, Question]:
        """Return the questions that are kept with the answers, without votes, by the column of the votes.

        Parameters
        ----------
        population : str
            The people whose data are used (:mod:`neodp.ledger.release`).
        command : str
            The command that asks the questions; the column of the votes is appended.
        """
        whose = normal(population)
        return {
            column: self._asked(column, [q for q in self.questions if q.name == column], whose, command)
            for column in dict.fromkeys(question.name for question in self.questions)
        }

    def _asked(self, column: str, questions: list[PollQuestion], population: str, command: str) -> Question:
        first = questions[0]
        facts: dict[str, Any] = {
            "table": self.source,
            "column": column.strip(),
            "query": first.query,
            "options": list(first.poll.options),
            "mechanism": first.mechanism,
            **self.said,
        }
        if first.mechanism == "weighted":
            facts["prior"] = first.prior.text
        if self.cells.facts():
            facts["cells"] = self.cells.facts()
        names: tuple[str, ...] = ()
        if self.by is None:
            facts["groups"] = groups_kept(first.poll.groups)
        else:
            names = tuple(str(question.part) for question in questions)
            facts |= {
                "by": self.by,
                "parts": {str(question.part): groups_kept(question.poll.groups) for question in questions},
            }
        words = f"{command} --vote {shlex.quote(column)}" if command else ""
        return Question(
            f"{self.name} {column.strip()}",
            facts,
            levels_kept([question.poll.groups for question in questions]),
            population,
            words,
            names,
        )

    @checked
    def release(
        self, store: Keeper, name: str, *, population: str = DEFAULT, command: str = ""
    ) -> dict[str, str | dict[str, str]]:
        """Draw the answers, once, and keep them; or return the answers already kept under this name.

        Parameters
        ----------
        store : Store
            The store for the answers, from :func:`neodp.open_store`.
        name : str
            The name of the release. The same name always gives the same answer.
        population : str
            The people whose data are used: all releases about the same people share one budget.
        command : str
            A command that asks the same question, to be kept with the answer.

        Returns
        -------
        dict
            The answer to each question, by the column of the votes; if people are divided into parts, a dict with the
            answer of each part.

        Raises
        ------
        GraphError
            If no mechanism was chosen, and the two are expected to differ much.
        OtherQuestion
            If another question was asked under that name.
        BudgetSpent
            If the population's remaining budget is too small.

        Examples
        --------
        >>> import tempfile
        >>> import neodp
        >>> found = neodp.poll({"answer": ["yes"] * 30, "epsilon": [1.0] * 30}, vote="answer", epsilon="epsilon")
        >>> with tempfile.TemporaryDirectory() as folder, neodp.open_store(f"{folder}/answers.db") as store:
        ...     found.release(store, "spring")
        {'answer': 'yes'}
        """
        self.require_choice()
        asked = self.asked(population, command)
        questions = list(asked.values())
        found = admit(store, look_up(store, [question.subject for question in questions], name), questions)
        chances = {q.subject: self._chances(column, q) for column, q in asked.items() if q.subject in found.missing}
        kept = draw_and_keep(store, found, questions, chances)
        return {column: _answer(release) for column, release in zip(asked, kept, strict=True)}

    def _chances(self, column: str, asked: Question) -> dict[str, Any]:
        """Return the chances of the answers to the question about a column, or those of each of its parts."""
        mine = [question for question in self.questions if question.name == column]
        if asked.parts:
            return {str(question.part): question.distribution() for question in mine}
        return mine[0].distribution()

    def to_arrow(self) -> pa.Table:
        """Return a table with a row for each question and mechanism, with their accuracy.

        Examples
        --------
        >>> import neodp
        >>> neodp.poll({"v": ["yes", "no", "no"]}, vote="v", epsilon=1).to_arrow().column("mechanism").to_pylist()
        ['balanced', 'weighted']
        """
        import pyarrow as pa

        rows = []
        for question in self.questions:
            for name, facts in (("balanced", question.both.balanced), ("weighted", question.both.weighted)):
                rows.append(
                    {
                        "question": question.name,
                        "part": question.part,
                        "asks": question.poll.question,
                        "people": question.poll.people,
                        "skipped": question.tally.skipped,
                        "silent": question.tally.silent,
                        "mechanism": name,
                        "expected": facts.expected,
                        "method": facts.method,
                        "worst": facts.worst,
                        "against": facts.adversarial,
                    }
                )
        return pa.Table.from_pylist(rows)

    def __repr__(self) -> str:
        lines = [f"poll {self.name!r}, before any vote is read"]
        for question in self.questions:
            lines += [f"  {question.label}: {question.balanced.question}", f"    {in_figures(question)}"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        table = self.to_arrow()
        figures = ("part", "question", "asks", "people", "mechanism", "expected", "worst")
        shown = table.select(figures if self.by is not None else figures[1:])
        chances = ("expected accuracy", "at least, whatever the votes")
        called = {"part": str(self.by), "expected": chances[0], "worst": chances[1]}
        shown = shown.rename_columns([called.get(name, name) for name in shown.column_names])
        return html_table(f"{self.name}, before any vote is read", shown, chances)


def in_figures(question: PollQuestion) -> str:
    """Describe both mechanisms of a question in one line.

    Examples
    --------
    >>> import neodp
    >>> in_figures(neodp.poll({"v": ["yes", "no", "no"]}, vote="v", epsilon=1).questions[0])
    'balanced is expected to be right 77 % of the time and weighted 77 %; with the least favourable votes 73 % and 73 %'
    """
    balanced, weighted = question.both.balanced, question.both.weighted
    return (
        f"balanced is expected to be right {at_least(balanced.expected)} of the time and weighted "
        f"{at_least(weighted.expected)}; with the least favourable votes {at_least(balanced.worst)} and "
        f"{at_least(weighted.worst)}"
    )


def _answer(release: Release) -> str | dict[str, str]:
    """Return the answer that was kept, or the answers of the parts."""
    if "parts" not in json.loads(release.asked):
        return release.answer
    found: dict[str, str] = json.loads(release.answer)
    return found


def groups_kept(people: Sequence[Group]) -> list[list[Any]] | str:
    """Return the groups that are kept with an answer; if there are many, a digest of them."""
    groups = [[group.level, group.epsilon, group.size] for group in people]
    if len(groups) <= SHOWN:
        return groups
    digest = hashlib.sha256(json.dumps(groups, ensure_ascii=False).encode()).hexdigest()
    return f"{len(groups)} groups, {digest[:16]}"


def levels_kept(parts: Sequence[Sequence[Group]]) -> tuple[Level, ...]:
    """Return the cost of an answer over all parts: the parts are disjoint, so that everybody pays once."""
    people: dict[tuple[float, str | None], int] = {}
    for groups in parts:
        for group in groups:
            key = group.epsilon, group.level
            people[key] = people.get(key, 0) + group.size
    if len(people) > SHOWN:
        return levels_of((epsilon for epsilon, _ in people), (0.0 for _ in people))
    ordered = sorted(people.items(), key=lambda each: each[0][0])
    return tuple(Level(epsilon, 0.0, level, size) for (epsilon, level), size in ordered)
