"""What has been answered, what it cost, and what may still be.

A *release* is one real-world question, asked once: it has a name, and its answer is drawn once and kept. Whoever asks
again under the same name gets the answer that is kept, also after the dataset has changed, and no matter how many ask
at once: each may draw for itself, one draw is kept, and nobody is shown any other. A draw that was never kept, because
its process ended first, was never seen either.

*One name, one question.* A release keeps what was asked: the :class:`Question` with all that is public about it, and
what it cost the people, level by level. Under the same name nothing else can be asked: it is refused, and the
difference is named.

*A budget of people.* Whose data a question is about is called a *population*. Every answer lets everybody learn more
about the same people, whatever graph, table or column it came from, so answers are counted by population. The first
answer is free; the *ledger* of a population says how many more there may be (:class:`Limit`). Releases outlive their
graph, or dropping it would be a way to ask again.

*Parts.* A question can be put to disjoint parts of the people at once, such as departments, with an answer for each.
That is one release, and everybody pays once: who belongs to which part is public, the answers are drawn independently,
and a person's data enters one of them only. So if it changes, the chance of all answers together changes by no more
than that person's own epsilon allows.

What is kept is the question, the answer, its name, its time and its cost: not the dataset that was asked for, unless
that is wished, and not its probabilities, which would tell how far it is from the boundary. A digest over all of it is
checked before an answer is given again.

*The account.* What all answers cost in sum is kept beside the limit (:class:`Account`), with a digest of its own, and
changes in the transaction that keeps an answer. So the next answer does not have to read all others. Whoever reads them
all, as 'neodp budget' and 'neodp releases' do, compares them with the account: an answer that was deleted, added or
exchanged shows.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import EllipsisType
from typing import Any, Protocol, TypeAlias

from neodp.core.sampling import BITS, choose
from neodp.data.formatting import number
from neodp.data.names import normal, valid_name
from neodp.errors import BudgetSpent, DamagedRelease, GraphError, OtherQuestion, OtherRelease
from neodp.ledger.composition import Loss, Total, compose, fits

__all__ = [
    "DEFAULT",
    "Account",
    "Keeper",
    "Ledger",
    "Level",
    "Limit",
    "Question",
    "Release",
    "Spent",
    "answer_once",
    "in_words",
    "levels_of",
]

DEFAULT = "default"
"""The population of everything that was not told another one."""
NOT_KEPT = "numbers with noise, not kept"
"""What stands for the answer of a release that only keeps what it cost."""
MOST_LEVELS = 64
"""How many levels a question keeps apart; beyond that, they are rounded up to so many."""


LATER = frozenset({"by_other", "delimiter", "encoding", "epsilon", "sheet", "skip_empty"})
"""Facts that an older neodp did not keep: a release that lacks them is not compared by them."""


@dataclass(frozen=True)
class Level:
    """What one answer costs the people of one privacy level.

    Attributes
    ----------
    epsilon, delta : float
    name : str or None
        What the level is called, if it has a name.
    people : int or None
        How many people have it, where that is known.
    times : int
        How often an answer takes that much from them: how many numbers of this epsilon it is made of.
    """

    epsilon: float
    delta: float = 0.0
    name: str | None = None
    people: int | None = None
    times: int = 1

    @property
    def label(self) -> str:
        """What tells the level from others."""
        return self.name if self.name is not None else f"epsilon {self.epsilon:g}"


def levels_of(epsilons: Iterable[float], deltas: Iterable[float]) -> tuple[Level, ...]:
    """The levels of edges with these epsilons and deltas, by ascending epsilon.

    A level has the greatest delta of its edges. Where there are more than 64 different epsilons, they are rounded up
    to 64 of them.

    Examples
    --------
    >>> levels_of([1.0, 0.5, 1.0], [0.0, 0.0, 0.1])  # doctest: +ELLIPSIS
    (Level(epsilon=0.5, delta=0.0, ...), Level(epsilon=1.0, delta=0.1, ...))
    """
    most: dict[float, float] = {}
    for epsilon, delta in zip(epsilons, deltas, strict=True):
        most[epsilon] = max(delta, most.get(epsilon, 0.0))
    known = sorted(most)
    ends = (
        known if len(known) <= MOST_LEVELS else [known[-1 - len(known) * i // MOST_LEVELS] for i in range(MOST_LEVELS)]
    )
    found, delta = [], 0.0
    for epsilon in known:
        delta = max(delta, most[epsilon])
        if epsilon in ends:
            found.append(Level(epsilon, delta))
            delta = 0.0
    return tuple(found)


@dataclass(frozen=True)
class Question:
    """All that is public about a question.

    Attributes
    ----------
    subject : str
        What it is about: a graph, or a table and its column.
    facts : mapping
        What decides the meaning of its answer, by name, in the terms of JSON.
    levels : tuple of Level
        What an answer costs.
    population : str
        Whose data it is about.
    command : str
        The words that ask it, without the secret.
    parts : tuple of str
        The disjoint parts of the people that each get an answer, if there are some.
    """

    subject: str
    facts: Mapping[str, Any]
    levels: tuple[Level, ...]
    population: str = DEFAULT
    command: str = ""
    parts: tuple[str, ...] = ()

    @property
    def asked(self) -> str:
        """The facts in a form that two questions can be compared by."""
        return json.dumps({"population": self.population, **self.facts}, sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True)
class Release:
    """An answer that was given.

    Attributes
    ----------
    graph : str
        What was asked about: the question's subject.
    name : str
        The release, as it is called.
    answer : str
        One of the possible answers; where several parts of the people have one each, a JSON object of them.
    time : str or None
        When it was kept, in UTC.
    key : str or None
        The dataset that was asked for, only where it was wished to keep that.
    population : str
        Whose data it is about.
    asked : str
        The question's facts, as JSON.
    levels : tuple of Level
        What it cost.
    command : str
        The words that asked it; where the answer was kept, they show it again under its name.
    """

    graph: str
    name: str
    answer: str
    time: str | None = None
    key: str | None = None
    population: str = DEFAULT
    asked: str = "{}"
    levels: tuple[Level, ...] = ()
    command: str = ""

    @classmethod
    def of(cls, question: Question, name: str, answer: str, key: str | None = None) -> Release:
        """A release of a question, not yet kept."""
        asked = question.asked
        return cls(
            question.subject, name, answer, None, key, question.population, asked, question.levels, question.command
        )

    @property
    def can_be_shown(self) -> bool:
        """Whether its command shows the answer again: if there is one, and the answer was kept."""
        return bool(self.command) and self.answer != NOT_KEPT

    @cached_property
    def digest(self) -> str:
        """A digest of everything but the time, which shows whether any of it was damaged.

        It is not a secret: whoever may write to the store can make one.
        """
        kept: list[Any] = [self.graph, self.name, self.answer, self.key, self.population, self.asked, self.command]
        kept += [[x.epsilon.hex(), x.delta.hex(), x.name, x.people, x.times] for x in self.levels]
        return hashlib.sha256(json.dumps(kept, ensure_ascii=False).encode()).hexdigest()

    def require(self, question: Question) -> None:
        """Refuse to answer a question that is not the one that was asked under this name.

        Raises
        ------
        OtherQuestion
            If they differ; the message says in what.
        """
        then, now = json.loads(self.asked), json.loads(question.asked)
        if not then:
            raise OtherQuestion(
                f"release {self.name!r} of {self.graph!r} was kept by an older neodp, without what was asked",
                f"give this question another name; `store.ledger({self.population!r})` shows the answer",
            )
        for fact in sorted(then.keys() | now.keys() - (LATER - then.keys())):
            if then.get(fact) != now.get(fact):
                raise OtherQuestion(
                    f"release {self.name!r} of {self.graph!r} was asked with {fact} {_shown(then.get(fact))}, "
                    f"and is now asked with {fact} {_shown(now.get(fact))}",
                    "ask the same question again, or give this one another name; "
                    f"`store.ledger({self.population!r})` shows what was asked",
                )

    def require_same(self, other: Release) -> None:
        """Refuse another release of the same name, as one that is to be imported.

        Raises
        ------
        OtherRelease
            If it differs in anything but the time; the message says in what.
        """
        if other.digest == self.digest:
            return
        names = {"population": "population", "asked": "question", "answer": "answer", "levels": "cost", "key": "key"}
        what = next((name for part, name in names.items() if getattr(self, part) != getattr(other, part)), "command")
        raise OtherRelease(
            f"release {other.name!r} of {other.graph!r} is in the store already, with another {what}",
            "nothing was imported; import into another store, or restore this one as it was before, see docs/backup.md",
        )

    def check(self, digest: str | None) -> Release:
        """This release, if it is what was kept.

        Raises
        ------
        DamagedRelease
            If the digest that was kept with it is another one, or is gone. An older neodp kept none, nor what was
            asked.
        """
        if digest != self.digest and (digest is not None or self.asked != "{}"):
            raise damaged(self.graph, self.name)
        return self


def damaged(graph: object, name: object) -> DamagedRelease:
    """The error for a release that is not what was kept."""
    return DamagedRelease(
        f"release {name!r} of {graph!r} is not what was kept: the store was damaged or edited",
        "restore the store from a backup, see docs/backup.md; nothing was answered",
    )


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return repr(text if len(text) <= 60 else text[:57] + "…") if isinstance(value, str) else text[:120]


@dataclass(frozen=True)
class Limit:
    """How much may be answered about a population.

    Attributes
    ----------
    releases : int or None
        How many releases in all; None where only the epsilon is limited.
    epsilon : float or None
        What all releases together may cost the person whom they cost most; None where only their number is limited.
    delta : float
        At which delta that cost is meant.
    """

    releases: int | None = 1
    epsilon: float | None = None
    delta: float = 0.0

    def __post_init__(self) -> None:
        if self.releases is not None and self.releases < 0:
            raise GraphError(f"the limit is {self.releases} releases", "give a whole number of at least 0")
        if self.epsilon is not None and not 0.0 <= self.epsilon < math.inf:
            raise GraphError(f"the limit is epsilon {self.epsilon}", "give a number of at least 0")
        if not 0.0 <= self.delta <= 1.0:
            raise GraphError(f"the limit has delta {self.delta}", "give a number from 0 to 1")

    def changed(
        self,
        *,
        releases: int | EllipsisType | None = ...,
        epsilon: float | EllipsisType | None = ...,
        delta: float | EllipsisType = ...,
    ) -> Limit:
        """This limit with some parts changed; None takes a part away, and what is not named stays.

        Where nothing was set, or all parts were taken away, one release is free. That is no part to keep: a first
        epsilon takes its place.

        Raises
        ------
        GraphError
            If a part is no limit, or a delta is given where no epsilon is limited.

        Examples
        --------
        >>> str(Limit(3).changed(epsilon=2.0))
        '3 releases and epsilon 2 in all for everybody'
        >>> str(Limit().changed(epsilon=2.0)), str(Limit(None, 2.0).changed(epsilon=None))
        ('epsilon 2 in all for everybody', '1 release')
        """
        most = self.epsilon if isinstance(epsilon, EllipsisType) else epsilon
        if most is None and not isinstance(delta, EllipsisType):
            raise GraphError("a delta says at which delta an epsilon is limited", "give `epsilon=...` as well")
        at = self.delta if isinstance(delta, EllipsisType) else delta
        unset = self == Limit() and most is not None
        count = (None if unset else self.releases) if isinstance(releases, EllipsisType) else releases
        return Limit() if count is None and most is None else Limit(count, most, 0.0 if most is None else at)

    def __str__(self) -> str:
        parts = []
        if self.releases is not None:
            parts.append(f"{self.releases:,} release" + ("s" if self.releases != 1 else ""))
        if self.epsilon is not None:
            at = f" at delta {self.delta:g}" if self.delta else ""
            parts.append(f"epsilon {self.epsilon:g}{at} in all for everybody")
        return " and ".join(parts) or "no limit"


@dataclass(frozen=True)
class Spent:
    """What people of one level have spent.

    Attributes
    ----------
    label : str
        The level: its name, or its epsilon.
    losses : mapping
        How many numbers of each loss were released. Where a release knew no such level, its dearest one counts.
    """

    label: str
    losses: Mapping[Loss, int]

    def total(self, delta: float = 0.0) -> Total:
        """What all of them cost together, by the least valid bound."""
        return compose(self.losses, delta)


Price: TypeAlias = tuple[Level, ...]
"""What a release costs: its levels, without how many people have them."""


@dataclass(frozen=True)
class Account:
    """What was answered about a population in sum, and how much may be.

    A further answer is decided by this alone, so that its work does not grow with the number of answers. The sum is
    kept beside the limit, and is written in the transaction that keeps a release.

    Attributes
    ----------
    population : str
    limit : Limit
    used : int
        How many releases there are.
    prices : mapping
        How many of them have each price.
    seal : int
        The sum of all releases' digests, modulo 2^256. It shows whether a release is missing, or another one is there.
    """

    population: str
    limit: Limit = field(default_factory=Limit)
    used: int = 0
    prices: Mapping[Price, int] = field(default_factory=dict)
    seal: int = 0

    @property
    def left(self) -> int | None:
        """How many more there may be; None where their number is not limited."""
        return None if self.limit.releases is None else max(0, self.limit.releases - self.used)

    def plus(self, releases: Iterable[Release]) -> Account:
        """The account after some more releases."""
        used, prices, seal = self.used, Counter(self.prices), self.seal
        for release in releases:
            used += 1
            prices[_price(release.levels)] += 1
            seal = (seal + int(release.digest, 16)) % 2**256
        return replace(self, used=used, prices=prices, seal=seal)

    # --- as a text ----------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The sum as it is kept: lines of words between tabs. The first is a digest of the rest.

        Then come the number of releases and the seal, and a line for every price: how many releases have it, and the
        epsilon, delta, times and name of each level.

        Examples
        --------
        >>> one = Account("default").plus([Release("g", "spring", "yes", levels=(Level(0.5),))])
        >>> one.text.split("\\n")[2].split("\\t")
        ['1', '0x1.0000000000000p-1', '0x0.0p+0', '1', 'null']
        >>> Account("default").read(one.text) == one
        True
        """
        lines = [f"{self.used}\t{self.seal:064x}"]
        for price, n in self.prices.items():
            words = [str(n)]
            for level in price:
                name = json.dumps(level.name, ensure_ascii=False)
                words += [level.epsilon.hex(), level.delta.hex(), str(level.times), name]
            lines.append("\t".join(words))
        body = "\n".join([self.population, *lines])
        return "\n".join([hashlib.sha256(body.encode()).hexdigest(), *lines])

    def read(self, text: str) -> Account:
        """This population's account with the sum that a text states.

        Raises
        ------
        DamagedRelease
            If the text is not what was kept.
        """
        digest, _, rest = text.partition("\n")
        if hashlib.sha256(f"{self.population}\n{rest}".encode()).hexdigest() != digest:
            raise self.damaged("cannot be read")
        first, *lines = rest.split("\n")
        used, seal = first.split("\t")
        prices = {}
        for line in lines:
            n, *words = line.split("\t")
            each = zip(*(words[i::4] for i in range(4)), strict=True)
            levels = [
                Level(float.fromhex(e), float.fromhex(d), json.loads(name), None, int(t)) for e, d, t, name in each
            ]
            prices[tuple(levels)] = int(n)
        return replace(self, used=int(used), prices=prices, seal=int(seal, 16))

    def damaged(self, what: str) -> DamagedRelease:
        """The error for an account that is not what was kept."""
        return DamagedRelease(
            f"the account of population {self.population!r} {what}: the store was damaged or edited",
            "restore the store from a backup, see docs/backup.md; nothing was answered",
        )

    # --- what may be --------------------------------------------------------------------------------------

    def spent(self, planned: Sequence[Sequence[Level]] = ()) -> tuple[Spent, ...]:
        """What the people of every level have spent, and would have after some planned questions.

        A level is known by its name, or else by its epsilon. People are taken to keep their level: where a release did
        not know it, they are charged its dearest one.

        Examples
        --------
        Somebody was asked at epsilon 5 once, and at 0.25 once: nobody can be charged less than both together.

        >>> account = Account("default", prices={(Level(5.0),): 1})
        >>> [(each.label, each.total().epsilon) for each in account.spent([[Level(0.25)]])]
        [('epsilon 0.25', 5.25), ('epsilon 5', 5.25)]
        """
        prices = Counter(self.prices)
        prices.update(_price(levels) for levels in planned)
        del prices[()]  # kept before there were prices
        order = {level.label: level.epsilon for price in prices for level in price}
        found = []
        for label in sorted(order, key=lambda label: (order[label], label)):
            losses: Counter[Loss] = Counter()
            for price, n in prices.items():
                same = [level for level in price if level.label == label] or price
                worst = max(same, key=lambda level: (level.epsilon * level.times, level.delta))
                losses[Loss(worst.epsilon, max(level.delta for level in same))] += worst.times * n
            found.append(Spent(label, losses))
        return tuple(found)

    def spend(self, names: Sequence[str], levels: Sequence[Sequence[Level]]) -> None:
        """Refuse new releases that the limit does not leave room for.

        Parameters
        ----------
        names : strings
            The releases.
        levels : sequence of Levels
            What each of them costs.

        Raises
        ------
        BudgetSpent
            If there are too many of them, or they cost too much; the message has the figures.
        """
        asked = f"release {names[0]!r}" if len(names) == 1 else f"{len(names)} releases ({', '.join(map(repr, names))})"

        def hint(part: str) -> str:
            return (
                f"`store.ledger({self.population!r}).spent()` shows what was spent, and "
                f"`store.change_limit({self.population!r}, {part})` allows more"
            )

        if self.left is not None and len(names) > self.left:
            raise BudgetSpent(
                f"{asked} about population {self.population!r} is refused: requested {len(names)}, used {self.used}, "
                f"allowed {self.limit.releases}",
                hint("releases=N"),
            )
        if self.limit.epsilon is not None:
            for after in self.spent(levels):
                if not fits(after.losses, self.limit.epsilon, self.limit.delta):
                    total = after.total(self.limit.delta)
                    raise BudgetSpent(
                        f"{asked} about population {self.population!r} is refused: people of {after.label} would have "
                        f"spent epsilon {in_words(total.epsilon)} at delta {number(total.delta)}, allowed is "
                        f"{self.limit}",
                        hint("epsilon=E"),
                    )

    def keep(
        self,
        releases: Sequence[Release],
        there: Sequence[Release | None],
        create: Callable[[Release], str],
        write: Callable[[str], object],
        *,
        given_elsewhere: bool = False,
    ) -> list[Release]:
        """The releases that are kept: those that are there already, and the new ones, if the limit leaves room for all.

        Every store calls this within the transaction that holds the ledger's lock.

        Parameters
        ----------
        releases : Releases
            About this population.
        there : Releases or None
            For each of them, the one of its name that was kept before.
        create : callable
            Writes a new release, and returns the time at which it was kept.
        write : callable
            Writes the text of the account after that.
        given_elsewhere : bool
            Whether the answers were given by another store: then they count, whatever the limit.

        Raises
        ------
        BudgetSpent
            If the limit does not leave room for all.
        OtherRelease
            If answers were given elsewhere, and one of that name is there which is not the same.
        """
        if given_elsewhere:
            for release, kept in zip(releases, there, strict=True):
                if kept is not None:
                    kept.require_same(release)
        new = [release for release, kept in zip(releases, there, strict=True) if kept is None]
        if new and not given_elsewhere:
            self.spend([release.name for release in new], [release.levels for release in new])
        if new:
            write(self.plus(new).text)
        return [kept or replace(release, time=create(release)) for release, kept in zip(releases, there, strict=True)]


def _price(levels: Sequence[Level]) -> Price:
    return tuple(replace(level, people=None) for level in levels)


@dataclass(frozen=True)
class Ledger:
    """The releases about a population, by time, and how much may be answered in all."""

    population: str
    limit: Limit = field(default_factory=Limit)
    releases: tuple[Release, ...] = ()

    @cached_property
    def account(self) -> Account:
        """All releases in sum."""
        return Account(self.population, self.limit).plus(self.releases)

    @property
    def used(self) -> int:
        """How many releases there are."""
        return len(self.releases)

    @property
    def left(self) -> int | None:
        """How many more there may be; None where their number is not limited."""
        return self.account.left

    def spent(self, planned: Sequence[Sequence[Level]] = ()) -> tuple[Spent, ...]:
        """As :meth:`Account.spent`."""
        return self.account.spent(planned)


class Keeper(Protocol):
    """Where releases are kept: a store."""

    def account(self, population: str) -> Account:
        """The account of a population; an empty one where nothing was ever answered."""

    def kept(self, subject: str, name: str) -> Release | None:
        """The release of a name about a subject, whatever its population."""

    def keep(self, releases: Sequence[Release]) -> list[Release]:
        """Keep releases of one population unless there are some by their names; those that are kept. All or nothing."""


def answer_once(
    keeper: Keeper,
    questions: Sequence[Question],
    name: str,
    distribution: Callable[[Question], Mapping[str, Any]],
    *,
    key: str | None = None,
) -> list[Release]:
    """The answers to questions of one population under one name: those that are kept, or else drawn now and kept.

    Parameters
    ----------
    keeper : Keeper
        A store.
    questions : Questions
        Each about a subject of its own. All of them are answered, or none.
    name : str
        The release.
    distribution : callable
        Gives the possible answers to a question with their probabilities, or such a mapping for each of its parts;
        called only for questions that have no answer yet, and only if as many answers are allowed.
    key : str, optional
        The dataset, if that is to be kept beside the answer.

    Raises
    ------
    OtherQuestion
        If something else was asked under that name.
    BudgetSpent
        If the limit of the population does not leave room for all.
    """
    found = [keeper.kept(question.subject, name) for question in questions]
    if not any(found) and name != normal(name):
        return answer_once(keeper, questions, normal(name), distribution, key=key)
    for release, question in zip(found, questions, strict=True):
        if release is not None:
            release.require(question)
    new = [question for release, question in zip(found, questions, strict=True) if release is None]
    if not new:
        return [release for release in found if release is not None]
    valid_name("release", name)
    valid_name("population", new[0].population)
    try:
        keeper.account(new[0].population).spend([name] * len(new), [question.levels for question in new])
    except BudgetSpent:
        if not all(keeper.kept(question.subject, name) for question in new):
            raise
        return answer_once(keeper, questions, name, distribution, key=key)  # somebody was faster, and that was counted
    drawn = []
    for release, question in zip(found, questions, strict=True):
        if release is None:
            release = Release.of(question, name, _drawn(question, distribution(question)), key)
        drawn.append(release)
    kept = keeper.keep(drawn)
    for release, question in zip(kept, questions, strict=True):
        release.require(question)  # somebody may have been faster, with another question
    return kept


def _drawn(question: Question, chances: Mapping[str, Any]) -> str:
    """An answer; for a question about several parts, one for each of them, each with random bits of its own."""

    def one(chances: Mapping[str, float]) -> str:
        return list(chances)[choose(list(chances.values()), secrets.randbits(BITS))]

    if not question.parts:
        return one(chances)
    return json.dumps({part: one(chances[part]) for part in question.parts}, ensure_ascii=False)


def in_words(epsilon: float) -> str:
    """An epsilon for people: four digits, rounded up so that it never looks smaller than it is.

    Examples
    --------
    >>> in_words(14.154845), in_words(0.1 + 0.2), in_words(5.0)
    ('14.16', '0.3', '5')
    """
    if not math.isfinite(epsilon) or epsilon == 0.0:
        return f"{epsilon:g}"
    step = 10.0 ** (math.floor(math.log10(epsilon)) - 3)
    return f"{math.ceil(epsilon / step * (1.0 - 1e-12)) * step:.4g}"
