"""Budgets of people: what was answered about a population in sum, and how much may be.

Every answer lets everybody learn more about the same people, whatever graph, table or column it came from, so answers
are counted by population. The first answer is free; a :class:`Limit` says how many more there may be.

What all answers cost in sum is kept beside the limit (:class:`Account`), with a digest of its own, and changes in the
transaction that keeps an answer. So the next answer does not have to read all others. Whoever reads them all, as
'neodp budget' and 'neodp releases' do, compares them with the account: an answer that was deleted, added or exchanged
shows.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import EllipsisType
from typing import TypeAlias

from neodp.data.formatting import number
from neodp.errors import BudgetSpent, DamagedRelease, GraphError
from neodp.ledger.composition import Loss, Total, compose, fits
from neodp.ledger.question import Level
from neodp.ledger.release import Release

__all__ = ["Account", "Ledger", "Limit", "Spent", "in_words"]


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
