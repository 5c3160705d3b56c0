"""Questions about a graph of people: preview, release, and what only the steward may see.

>>> import neodp, tempfile
>>> people = {"id": [1, 2, 3], "ill": [True, True, False], "epsilon": [1.0, 0.5, 2.0]}
>>> friends = {"from": [1, 2], "to": [2, 3]}
>>> with tempfile.TemporaryDirectory() as folder, neodp.open_store(f"{folder}/answers.db") as store:
...     _ = store.protect(neodp.Protection("staff", "epsilon", people="Person", properties=["ill"]))
...     asked = neodp.ask(
...         store, "staff", "MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.ill", at_least=1, share=0.5,
...         nodes={"Person": people}, relationships={"KNOWS": friends},
...     )
...     answer = asked.release("spring")
...     answer in ("yes", "no"), asked.release("spring") == answer
(True, True)

*Shares.* A person's epsilon is what they give for life; a question spends a public share of it, the same of
everybody's. The shares of all questions about one label add up to at most 1. So nothing that is stored, shown or
refused depends on the people, their number or their levels.

*Too many matches.* A question with more matches than the population's public limit is answered with just that, and its
share is spent: if it cost nothing, everybody could count by setting limits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from neodp.asking.cover import Cover
from neodp.asking.databases import LadybugFile
from neodp.asking.distance import Distances
from neodp.asking.grammar import parse, parse_property
from neodp.asking.matches import MOST_EPSILON, TooManyMatches
from neodp.asking.mechanism import BETA, UNIT, AtLeast, Counting, grid_to
from neodp.asking.pattern import Pattern
from neodp.asking.protection import Protection
from neodp.asking.source import PeopleFound, PeopleSource, Wanted
from neodp.asking.tables import Tables
from neodp.asking.whole import WholeDistances
from neodp.data.formatting import at_least, at_most
from neodp.data.formatting import share as per_cent
from neodp.data.kinds import checked
from neodp.data.progress import Progress, silent
from neodp.errors import NotAskable
from neodp.hints import Hint, Option
from neodp.ledger.account import epsilon_rounded_up
from neodp.ledger.answering import Keeper, admit, draw_and_keep, look_up
from neodp.ledger.question import Question
from neodp.ledger.shares import share_level

__all__ = ["DEFAULT_SHARE", "Carrier", "Inquiry", "Revealed", "Shelf", "ask"]

DEFAULT_SHARE = 0.2
"""The share that a question spends if nothing else is said."""
GREATEST = 10**12
"""The greatest number that a question may name."""
SHOWN = (0.5, 1.0, 2.0)
"""The epsilons for which a preview says what is promised."""
CARRIERS = 20
"""The number of people who carry an answer that are shown to the steward."""
CHANCES = (0.5, 0.9, 0.99)
"""The chances of a yes for which a preview says how far away from a no the graph must be."""


class Shelf(Keeper, PeopleSource, Protocol):
    """A store: it keeps answers, knows the protections, and may hold a graph of people."""

    def protection(self, population: str) -> Protection:
        """Return the protection of a population.

        Raises
        ------
        UnknownGraph
            If there is no such population.
        """


class Carrier(NamedTuple):
    """A person who carries an answer: would leave, wholly or in part, before it is another one."""

    person: str
    part: float
    weight: float


@dataclass(frozen=True)
class Revealed:
    """The part of a result that only the steward may see; it is not private.

    Attributes
    ----------
    matches : int
        The true number, of everybody.
    counted : int
        The number that the answer depends on: without people of weight 0.
    distance : float or None
        How much epsilon must leave until the answer is another one, as the mechanism weighs it; None if no people can
        change it.
    probabilities : mapping
        The chances of the answers; for a count, of those with a chance of at least one in ten thousand.
    carriers : tuple of Carrier
        The people who would leave first, by what they weigh: the distance is their weight.
    """

    matches: int
    counted: int
    distance: float | None
    probabilities: Mapping[str, float]
    carriers: tuple[Carrier, ...] = ()


@dataclass(frozen=True, eq=False)
class Inquiry:
    """A question about a graph of people, before an answer: nothing has been read from the graph.

    Attributes
    ----------
    protection : Protection
    pattern : Pattern
    mechanism : AtLeast or Counting
    share : float
        The public share of everybody's epsilon that an answer spends.
    wanted : Wanted
        What is read from the graph when the question is answered.
    facts : mapping
        The public facts that identify the question.
    ignore_below : float
        People with less epsilon than this weigh nothing, and their matches do not count.
    exact_distance : bool
        True if the distance is that of whole people.
    """

    protection: Protection
    pattern: Pattern
    mechanism: AtLeast | Counting
    share: float
    wanted: Wanted
    facts: Mapping[str, Any]
    ignore_below: float = 0.0
    exact_distance: bool = False
    _store: Keeper = field(repr=False, kw_only=True)
    _source: PeopleSource = field(repr=False, kw_only=True)

    @property
    def exact_share(self) -> Fraction:
        """The share as a fraction: 1/5 for 0.2."""
        return Fraction(str(self.share))

    def question(self, command: str = "") -> Question:
        """Return the question as the ledger keeps it."""
        level = share_level(self.exact_share, MOST_EPSILON)
        subject = f"ask {self.protection.population}"
        return Question(subject, self.facts, (level,), self.protection.account, command)

    @checked
    def release(self, name: str, *, command: str = "", progress: Progress = silent) -> str:
        """Draw the answer, once, and keep it; or return the answer already kept under this name.

        Parameters
        ----------
        name : str
            The name of the release. The same name always gives the same answer.
        command : str
            A command that asks the same question, to be kept with the answer.
        progress : Progress
            Told which part of the work is under way, and nothing that depends on the graph.

        Raises
        ------
        OtherQuestion
            If another question was asked under that name.
        BudgetSpent
            If the shares of all questions about these people would exceed 1.
        """
        question = self.question(command)
        found = admit(self._store, look_up(self._store, [question.subject], name), [question])
        chances = {question.subject: self._chances(progress)} if found.missing else {}
        (kept,) = draw_and_keep(self._store, found, [question], chances)
        return kept.answer

    def _chances(self, progress: Progress) -> Mapping[str, float]:
        try:
            cover = self._cover(self._source.people(replace(self.wanted, progress=progress)))
        except TooManyMatches as error:
            return {error.message: 1.0}
        progress("computing distances", 0, 0)
        return self.mechanism.answer(self._distances(cover))

    def _cover(self, found: PeopleFound) -> Cover:
        return found.cover(self.wanted, self.exact_share, self.mechanism.unit, self.ignore_below)

    def _distances(self, cover: Cover) -> Distances | WholeDistances:
        return WholeDistances(cover) if self.exact_distance else Distances(cover)

    def reveal(self, *, progress: Progress = silent) -> Revealed:
        """Return the true number, the distance and the chances: for the steward, and not private.

        Parameters
        ----------
        progress : Progress
            Told how far the work has come, which is not private either.
        """
        found = self._source.people(replace(self.wanted, progress=progress, rows=progress))
        progress("computing distances", 0, 0)
        cover = self._cover(found)
        known = self._distances(cover)
        if isinstance(self.mechanism, AtLeast):
            t = self.mechanism.threshold
            chances = self.mechanism.answer(known)
        else:
            t = max(1, cover.count)
            every = self.mechanism.chances(known)
            chances = {answer: p for answer, p in every.items() if self.mechanism.coarse or p >= 1e-4}
        distance = known.units(t)
        unit = self.mechanism.unit
        shown = None if distance is None else distance * unit
        x = known.leaving(t)
        most = np.argsort(-(x * cover.weight), kind="stable")[: min(CARRIERS, int((x > 0).sum()))].tolist()
        names = [found.name(int(cover.people[i])) for i in most]
        carriers = tuple(
            Carrier(name, float(x[i]), float(cover.weight[i]) * unit) for name, i in zip(names, most, strict=True)
        )
        return Revealed(found.everything(self.wanted), cover.count, shown, chances, carriers)

    # --- before anything is read --------------------------------------------------------------------------

    @cached_property
    def promised(self) -> dict[float, float]:
        """The greatest certainty about a person of each of some epsilons, for someone who guessed 50:50 before."""
        spent = {epsilon: float(self.exact_share) * epsilon for epsilon in SHOWN}
        return {epsilon: 1.0 / (1.0 + math.exp(-loss)) for epsilon, loss in spent.items()}

    @cached_property
    def needed(self) -> dict[float, float]:
        """The epsilon of all who would have to leave, in sum, for a yes to be found with some chances."""
        if not isinstance(self.mechanism, AtLeast):
            return {}
        scale = self.mechanism.unit / float(self.exact_share)
        return {chance: self.mechanism.needed(chance) * scale for chance in CHANCES}

    @property
    def slack(self) -> float | None:
        """For counts: the answer is at least what is left when people with this epsilon in sum leave, with 95 %."""
        if not isinstance(self.mechanism, Counting):
            return None
        return 2 * self.mechanism.shift * self.mechanism.unit / float(self.exact_share)

    @checked
    def curve(self, points: int) -> list[tuple[float, float]]:
        """Return epsilons, in sum, of people who would leave, each with a chance: the picture of a preview."""
        if not 2 <= points <= 10**7:
            raise NotAskable(f"there are {points} points", "give from 2 to 10,000,000")
        scale = self.mechanism.unit / float(self.exact_share)
        return [(units * scale, chance) for units, chance in self.mechanism.curve(points)]

    def to_dict(self) -> dict[str, Any]:
        """Return the preview as JSON values."""
        found: dict[str, Any] = {
            "population": self.protection.population,
            "question": self.pattern.text,
            "share": self.share,
            **{name: value for name, value in self.facts.items() if name not in ("question", "share", "grid")},
            "promised": [{"epsilon": epsilon, "guess": guess} for epsilon, guess in self.promised.items()],
        }
        if self.needed:
            found["found_with"] = [{"chance": chance, "epsilon": needed} for chance, needed in self.needed.items()]
        if self.slack is not None:
            found |= {"slack": self.slack, "confidence": 1.0 - BETA}
        return found

    def __repr__(self) -> str:
        return "\n".join([f"{self.pattern.text}, before the graph is read", *(f"  {line}" for line in self.lines)])

    @property
    def lines(self) -> list[str]:
        """The preview in words."""
        guess = ", ".join(f"{at_most(sure)} at epsilon {epsilon:g}" for epsilon, sure in self.promised.items())
        found = [
            f"spends {self.share:g} of everybody's epsilon",
            f"someone who guessed 50:50 about a person can become at most this sure: {guess}",
        ]
        if isinstance(self.mechanism, AtLeast):
            t = self.mechanism.threshold
            found.append(f"says yes {per_cent(self.mechanism.false_alarm)} of the time if there are fewer than {t:,}")
            found += [
                f"says yes at least {at_least(chance)} of the time if people with epsilon {epsilon_rounded_up(needed)} "
                f"in sum would have to leave before there are fewer than {t:,}"
                for chance, needed in self.needed.items()
            ]
        else:
            slack = epsilon_rounded_up(self.slack or 0.0)
            found.append(
                f"at least {at_least(1 - BETA)} of the time, the answer is not above the true number's range, and not "
                f"below what is left if people with epsilon {slack} in sum leave, those with the most matches first"
            )
        return found


@checked
def ask(
    store: Shelf,
    population: str,
    question: str,
    *,
    at_least: int | None = None,
    false_alarm: float = 0.05,
    count: bool = False,
    at_most: int = 1_000_000,
    ranges: Sequence[int] | None = None,
    distinct: str | None = None,
    sum: str | None = None,
    cap: int | None = None,
    share: float = DEFAULT_SHARE,
    ignore_below: float = 0.0,
    exact_distance: bool = False,
    nodes: Mapping[str, Any] | None = None,
    relationships: Mapping[str, Any] | None = None,
) -> Inquiry:
    """Prepare a question about a graph of people; nothing is read from the graph yet.

    Parameters
    ----------
    store : Store
        Where the population is protected and answers are kept; a Neo4j store also holds the graph.
    population : str
        The name of the population.
    question : str
        A pattern in Cypher: ``MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.ill AND b.ill``.
    at_least : int, optional
        Ask whether there are at least so many matches.
    false_alarm : float
        The chance of a yes if there are fewer.
    count : bool
        Ask how many there are.
    at_most : int
        The greatest answer of a count.
    ranges : sequence of int, optional
        Ask in which of these ranges the number lies; each number begins one.
    distinct : str, optional
        Count the nodes at this variable, each once, instead of matches.
    sum : str, optional
        Add up this property, such as ``r.amount``, instead of counting.
    cap : int, optional
        The greatest amount of one match; needed for a sum.
    share : float
        The public share of everybody's epsilon that the answer spends, above 0 and at most 1.
    ignore_below : float
        People with less epsilon weigh nothing, and their matches do not count.
    exact_distance : bool
        Compute the distance in whole people, by an integer program: for small questions, since its time can double
        with every person. The answer is then the best that is possible at this false-alarm rate.
    nodes, relationships : mappings, optional
        Tables that hold the graph, instead of those of the protection (:class:`neodp.asking.tables.Tables`).

    Raises
    ------
    NotAskable
        If the question cannot be asked; the message says why.
    UnknownGraph
        If there is no such population.
    """
    protection = store.protection(population)
    pattern = parse(question).checked(protection)
    mechanism = _mechanism(at_least, false_alarm, count, at_most, ranges)
    wanted = _wanted(protection, pattern, distinct, sum, cap)
    if not 1e-6 <= share <= 1.0:
        raise NotAskable(f"the share is {share}", "give a number above 0 and at most 1, such as 0.2")
    if not 0.0 <= ignore_below < math.inf:
        raise NotAskable(f"people below epsilon {ignore_below} are to be ignored", "give a number of at least 0")
    source: PeopleSource = store
    if nodes is not None or relationships is not None:
        source = Tables(nodes or {}, relationships or {})
    elif protection.nodes:
        source = Tables(dict(protection.nodes), dict(protection.links))
    elif protection.ladybug is not None:
        source = LadybugFile(protection.ladybug)
    facts = {"question": pattern.text, "share": share, "protection": protection.digest, **_asked(mechanism)}
    facts |= {"distinct": distinct} if distinct is not None else {}
    facts |= {"sum": sum, "cap": cap} if sum is not None else {}
    facts |= {"ignore_below": ignore_below} if ignore_below else {}
    facts |= {"exact_distance": True} if exact_distance else {}
    return Inquiry(
        protection, pattern, mechanism, share, wanted, facts, ignore_below, exact_distance,
        _store=store, _source=source,
    )  # fmt: skip


def _mechanism(
    at_least: int | None, false_alarm: float, count: bool, at_most: int, ranges: Sequence[int] | None
) -> AtLeast | Counting:
    kinds = (at_least is not None) + bool(count) + (ranges is not None)
    if kinds != 1:
        raise NotAskable(
            "it is not said what is asked" if not kinds else "more than one thing is asked",
            Hint(
                "give one of ",
                Option("at_least", "500"),
                ", ",
                Option("count", True),
                " and ",
                Option("ranges", "0,10"),
            ),
        )
    if max(at_least or 0, at_most, *(ranges or [0])) > GREATEST:
        raise NotAskable("a number of the question is too large", f"give numbers of at most {GREATEST}")
    if at_least is not None:
        return AtLeast(at_least, false_alarm, UNIT)
    if ranges is not None:
        return Counting(tuple(ranges), coarse=True, unit=UNIT)
    if at_most < 1:
        raise NotAskable(f"the greatest answer is {at_most}", "give a number above 0")
    return Counting(grid_to(at_most), unit=UNIT)


def _asked(mechanism: AtLeast | Counting) -> dict[str, Any]:
    if isinstance(mechanism, AtLeast):
        return {"at_least": mechanism.threshold, "false_alarm": mechanism.false_alarm}
    return {"ranges": list(mechanism.grid)} if mechanism.coarse else {"count": True, "at_most": mechanism.grid[-1]}


def _wanted(protection: Protection, pattern: Pattern, distinct: str | None, sum: str | None, cap: int | None) -> Wanted:
    if distinct is not None and sum is not None:
        raise NotAskable("distinct nodes are counted and amounts added up at once", "ask one of both")
    if (sum is None) != (cap is None):
        raise NotAskable(
            "a sum needs a cap, the greatest amount of one match" if cap is None else "a cap belongs to a sum",
            Hint("give both, such as ", Option("sum", "r.amount"), " and ", Option("cap", "1000")),
        )
    if sum is not None and cap is not None:
        if not 1 <= cap <= 10**9:
            raise NotAskable(f"the cap is {cap}", "give a whole number from 1 to 1000000000")
        amount = parse_property(pattern, sum)
        pattern.require_property(amount, protection)
        return Wanted(protection, pattern, amount, cap)
    if distinct is None:
        return Wanted(protection, pattern)
    place = pattern.place(distinct)
    if place.kind == "link":
        raise NotAskable(f"{distinct!r} is a relationship", "count the nodes at a variable, each once")
    return Wanted(protection, pattern, distinct=place)
