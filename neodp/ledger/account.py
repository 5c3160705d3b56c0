"""Privacy budgets: the total cost of all answers about a population, and the limit on that cost.

Every answer lets everybody learn more about the same people, whatever graph, table or column it came from, so answers
are counted by population. The first answer is free; a :class:`Limit` says how many more are allowed. Answers that cost
shares of everybody's own epsilon (:mod:`neodp.ledger.shares`) are free until the shares add up to 1, unless a limit is
set; beyond 1, no limit allows them.

The total cost of all answers is stored beside the limit (:class:`Account`), with a digest of its own, and is updated in
the transaction that stores an answer. So the next answer does not have to read all earlier ones. Commands that do read
them all, such as 'neodp budget' and 'neodp releases', compare them with the account, and so detect an answer that was
deleted, added or exchanged.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import EllipsisType
from typing import TypeAlias

from neodp.data.formatting import number
from neodp.data.kinds import require_fields
from neodp.errors import BudgetSpent, DamagedRelease, GraphError
from neodp.hints import Call, Hint, Option
from neodp.ledger.composition import Loss, Total, admits, filtered
from neodp.ledger.question import Level
from neodp.ledger.release import Release
from neodp.ledger.shares import share_of, shares_in

__all__ = ["Account", "Ledger", "Limit", "Spent", "epsilon_rounded_up"]


@dataclass(frozen=True)
class Limit:
    """The limit on what may be answered about a population.

    Attributes
    ----------
    releases : int or None
        The greatest total number of releases; None if only the epsilon is limited.
    epsilon : float or None
        The greatest total cost of all releases to the person whom they cost most; None if only their number is limited.
    delta : float
        The delta at which that cost is measured.
    """

    releases: int | None = 1
    epsilon: float | None = None
    delta: float = 0.0

    def __post_init__(self) -> None:
        require_fields(self)
        if self.releases is not None and not 0 <= self.releases < 2**63:
            raise GraphError(f"the limit is {self.releases} releases", "give a whole number of at least 0, below 2^63")
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
        """Return this limit with some parts changed; None removes a part, and parts that are not named stay.

        If nothing was set, or if all parts were removed, one release is free. This default is not a part that stays:
        the first epsilon that is set replaces it.

        Raises
        ------
        GraphError
            If a part is not a valid limit, or a delta is given although no epsilon is limited.

        Examples
        --------
        >>> str(Limit(3).changed(epsilon=2.0))
        '3 releases and epsilon 2 in total for each person'
        >>> str(Limit().changed(epsilon=2.0)), str(Limit(None, 2.0).changed(epsilon=None))
        ('epsilon 2 in total for each person', '1 release')
        """
        most = self.epsilon if isinstance(epsilon, EllipsisType) else epsilon
        if most is None and not isinstance(delta, EllipsisType):
            raise GraphError("a delta is given without an epsilon", Hint("give ", Option("epsilon"), " as well"))
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
            parts.append(f"epsilon {self.epsilon:g}{at} in total for each person")
        return " and ".join(parts) or "no limit"


@dataclass(frozen=True)
class Spent:
    """The amount that people of one level have spent.

    Attributes
    ----------
    label : str
        The level: its name, or its epsilon; both, if two levels have the same name.
    losses : mapping
        How many numbers of each loss were released. If a release did not have this level, its most expensive level
        counts.
    """

    label: str
    losses: Mapping[Loss, int]

    def total(self, delta: float = 0.0) -> Total:
        """Return the total cost of all these losses, as the filter for a delta counts it."""
        return filtered(self.losses, delta)


Price: TypeAlias = tuple[Level, ...]
"""The cost of a release: its levels, without the number of people at each level."""


@dataclass(frozen=True)
class Account:
    """The total of what was answered about a population, and its limit.

    The account alone decides whether a further answer is allowed, so the work does not grow with the number of answers.
    The total is stored beside the limit, and is written in the transaction that stores a release.

    Attributes
    ----------
    population : str
    limit : Limit
    used : int
        The number of releases.
    prices : mapping
        The number of releases at each price.
    seal : int
        The sum of all releases' digests, modulo 2^256. It shows whether a release is missing or was replaced.
    """

    population: str
    limit: Limit = field(default_factory=Limit)
    used: int = 0
    prices: Mapping[Price, int] = field(default_factory=dict)
    seal: int = 0

    @property
    def left(self) -> int | None:
        """The number of releases still allowed; None if their number is not limited."""
        return None if self.limit.releases is None else max(0, self.limit.releases - self.used)

    def plus(self, releases: Iterable[Release]) -> Account:
        """Return the account after some more releases."""
        used, prices, seal = self.used, Counter(self.prices), self.seal
        for release in releases:
            used += 1
            prices[_price(release.levels)] += 1
            seal = (seal + int(release.digest, 16)) % 2**256
        return replace(self, used=used, prices=prices, seal=seal)

    # --- as a text ----------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        r"""The total as it is stored: lines of words between tabs. The first line is a digest of the rest.

        Then come the number of releases and the seal, and a line for every price: how many releases have it, and the
        epsilon, delta, times and name of each level.

        Examples
        --------
        >>> one = Account("default").plus([Release("g", "spring", "yes", levels=(Level(0.5),))])
        >>> one.text.split("\n")[2].split("\t")
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
        """Return this population's account with the total that a stored text states.

        Raises
        ------
        DamagedRelease
            If the text was altered since it was stored.
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
        """Return the error for an account that was altered since it was stored."""
        return DamagedRelease(
            f"the account of population {self.population!r} {what}: the store was damaged or edited",
            "restore the store from a backup, see docs/backup.md; nothing was answered",
        )

    # --- limits -------------------------------------------------------------------------------------------

    def spent(self, planned: Sequence[Sequence[Level]] = ()) -> tuple[Spent, ...]:
        """Return what the people of every level have spent, including the cost of some planned questions.

        People are assumed to keep their level only where a release had the very same one, with the same name and the
        same cost. Any other release charges them its most expensive level, so that nobody has spent more than the level
        that has spent most, whatever the levels were called.

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
        levels = {level for price in prices for level in price}
        found: list[Spent] = []
        for own in sorted(levels, key=lambda level: (level.epsilon, level.label, level.times, level.delta)):
            losses: Counter[Loss] = Counter()
            for price, n in prices.items():
                cost = own if own in price else _dearest(price)
                losses[Loss(cost.epsilon, cost.delta)] += cost.times * n
            spent = Spent(_label(own, levels), losses)
            if spent not in found:
                found.append(spent)
        return tuple(found)

    def spend(self, names: Sequence[str], levels: Sequence[Sequence[Level]]) -> None:
        """Refuse new releases that would exceed the limit.

        Parameters
        ----------
        names : strings
            The names of the releases.
        levels : sequence of Levels
            The cost of each release.

        Raises
        ------
        BudgetSpent
            If there are too many releases, or they cost too much; the message has the figures.
        """
        asked = f"release {names[0]!r}" if len(names) == 1 else f"{len(names)} releases ({', '.join(map(repr, names))})"

        def hint(verb: str) -> Hint:
            spent, allow = (Call(name, population=self.population) for name in ("spent", verb))
            return Hint(spent, " shows what was spent, and ", allow, " allows more")

        prices = Counter(self.prices)
        prices.update(_price(each) for each in levels)
        had, would_have = shares_in(self.prices.items()), shares_in(prices.items())
        if would_have > max(had, Fraction(1)):
            raise BudgetSpent(
                f"{asked} about population {self.population!r} is refused: {had} of everybody's own epsilon is "
                f"spent, and it would be {would_have}",
                "people give their epsilon once: a smaller share may be left",
            )
        only_shares = self.limit == Limit() and all(price and share_of(price[0]) for price in prices)
        if self.left is not None and len(names) > self.left and not only_shares:
            raise BudgetSpent(
                f"{asked} about population {self.population!r} is refused: {self.used} "
                f"answer{'s' if self.used != 1 else ''} given, {self.limit.releases} allowed",
                hint("allow_releases"),
            )
        if self.limit.epsilon is not None:
            for after in self.spent(levels):
                if not admits(after.losses, self.limit.epsilon, self.limit.delta):
                    total = after.total(self.limit.delta)
                    raise BudgetSpent(
                        f"{asked} about population {self.population!r} is refused: people of {after.label} would have "
                        f"spent epsilon {epsilon_rounded_up(total.epsilon)} at delta {number(total.delta)}, allowed is "
                        f"{self.limit}",
                        hint("allow_epsilon"),
                    )

    def admit(
        self, releases: Sequence[Release], there: Sequence[Release | None], *, given_elsewhere: bool = False
    ) -> Account:
        """Return the account with the releases that are not stored yet, if the limit allows all of them.

        Every store calls this within the transaction that holds the ledger's lock, and then writes both.

        Parameters
        ----------
        releases : Releases
            The releases to store, all about this population.
        there : Releases or None
            For each of them, the release that is already stored under its name.
        given_elsewhere : bool
            True if the answers were given by another store: then they count, whatever the limit.

        Raises
        ------
        BudgetSpent
            If the limit does not allow all of them.
        OtherRelease
            If answers were given elsewhere, and a different release is already stored under the same name.
        """
        if given_elsewhere:
            for release, kept in zip(releases, there, strict=True):
                if kept is not None:
                    kept.require_same(release)
        new = [release for release, kept in zip(releases, there, strict=True) if kept is None]
        if new and not given_elsewhere:
            self.spend([release.name for release in new], [release.levels for release in new])
        return self.plus(new)


def _dearest(price: Price) -> Level:
    """Return the cost of a release to somebody whose level is not known: never below that of any of its levels."""
    worst = max(price, key=lambda level: (level.epsilon * level.times, level.delta))
    return replace(worst, delta=max(level.delta for level in price))


def _label(level: Level, levels: Iterable[Level]) -> str:
    """Return the name of a level, with its epsilon if another level of that name has a different one."""
    alike = any(other.name == level.name and other.epsilon != level.epsilon for other in levels)
    return f"{level.name} (epsilon {level.epsilon:g})" if level.name is not None and alike else level.label


def _price(levels: Sequence[Level]) -> Price:
    return tuple(replace(level, people=None) for level in levels)


@dataclass(frozen=True)
class Ledger:
    """The releases about a population, by time, and their limit."""

    population: str
    limit: Limit = field(default_factory=Limit)
    releases: tuple[Release, ...] = ()

    @cached_property
    def account(self) -> Account:
        """The total of all releases."""
        return Account(self.population, self.limit).plus(self.releases)

    @property
    def used(self) -> int:
        """The number of releases."""
        return len(self.releases)

    @property
    def left(self) -> int | None:
        """The number of releases still allowed; None if their number is not limited."""
        return self.account.left

    @property
    def share(self) -> Fraction:
        """The sum of the shares of everybody's own epsilon that were spent; at most 1."""
        return shares_in(self.account.prices.items())

    def spent(self, planned: Sequence[Sequence[Level]] = ()) -> tuple[Spent, ...]:
        """Return what the people of every level have spent; see :meth:`Account.spent`."""
        return self.account.spent(planned)


def epsilon_rounded_up(epsilon: float) -> str:
    """Return an epsilon for people to read: four digits, rounded up so that it never looks smaller than it is.

    Examples
    --------
    >>> epsilon_rounded_up(14.154845), epsilon_rounded_up(0.1 + 0.2), epsilon_rounded_up(5.0)
    ('14.16', '0.3', '5')
    """
    if not math.isfinite(epsilon) or epsilon == 0.0:
        return f"{epsilon:g}"
    step = 10.0 ** (math.floor(math.log10(epsilon)) - 3)
    return f"{math.ceil(epsilon / step * (1.0 - 1e-12)) * step:.4g}"
