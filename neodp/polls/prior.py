"""A public prior: assumptions about people's choices before anybody is asked.

A prior says how likely every table of votes is. It determines which private mechanism is the most accurate on average,
and so how accurate the answer will be. It has no influence on privacy: a mechanism is private for every table, however
wrong the prior.

============================  ======================================================================================
``even``                      everybody chooses every option with the same chance, independently of all others
``share:0.6``                 everybody chooses the first of two options with this chance, independently
``share:low=0.6,high=0.4``    the same per level of privacy; a level that is not named is even
``share:a=0.5,b=0.3``         for three or more options, per option; options that are not named share the rest evenly
``beta:2,3``                  the chance is the same for everybody but unknown, with a beta distribution; with
                              ``beta:1,1``, all numbers of votes for the first of two options are equally likely
============================  ======================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neodp.data.kinds import checked
from neodp.data.tables import number
from neodp.data.validation import Floats
from neodp.errors import GraphError, near
from neodp.polls.mechanism import Group

__all__ = ["Prior", "binomial"]

LEAST, MOST = 1e-9, 1e9
"""The least and the greatest parameter of a beta prior."""
MOST_PEOPLE = 10**8
"""The greatest number of people."""


@dataclass(frozen=True)
class Prior:
    """A public prior; see the table in this module's docstring.

    Attributes
    ----------
    text : str
        The prior as it was given.
    share : float
        The chance of the first of two options, if it is the same for everybody.
    named : tuple of (str, float)
        Chances per level, or per option.
    beta : pair of float, optional
        The two parameters of the beta distribution.

    Examples
    --------
    >>> Prior.parse("share:0.6").share
    0.6
    >>> Prior.parse("beta:1,1").totals(3)
    array([0.25, 0.25, 0.25, 0.25])
    >>> Prior.parse("odd")
    Traceback (most recent call last):
      ...
    neodp.errors.GraphError: the prior is 'odd'; give even, share:0.6, share:low=0.6,high=0.4 or beta:2,3
    """

    text: str = "even"
    share: float = 0.5
    named: tuple[tuple[str, float], ...] = ()
    beta: tuple[float, float] | None = None

    @classmethod
    def parse(cls, text: str | Prior) -> Prior:
        """Parse a prior; an argument that is already a prior is returned unchanged.

        Raises
        ------
        GraphError
            If the text has none of the forms in this module's table.
        """
        if isinstance(text, Prior):
            return text
        if not isinstance(text, str):
            raise GraphError(f"the prior is {text!r}", "give a text: even, share:0.6 or beta:2,3")
        kind, _, rest = text.partition(":")
        try:
            if text == "even":
                return cls(text)
            if kind == "share" and "=" in rest:
                pairs = [part.rsplit("=", 1) for part in rest.split(",")]
                named = [(name.strip(), _chance(value)) for name, value in pairs]
                for i, (name, _) in enumerate(named):
                    if name in dict(named[:i]):
                        raise GraphError(f"the prior {text!r} gives {name!r} two shares", "keep one of them")
                return cls(text, named=tuple(named))
            if kind == "share":
                return cls(text, share=_chance(rest))
            if kind == "beta":
                first, second = (number(part) for part in rest.split(","))
                if min(first, second) > 0.0:
                    if not LEAST <= min(first, second) <= max(first, second) <= MOST:
                        hint = f"give two numbers from {LEAST:g} to {MOST:g}: beyond them the prior hardly changes"
                        raise GraphError(f"the prior is {text!r}", hint)
                    return cls(text, beta=(first, second))
        except GraphError:
            raise
        except ValueError:
            pass
        raise GraphError(f"the prior is {text!r}", "give even, share:0.6, share:low=0.6,high=0.4 or beta:2,3")

    @checked
    def shares(self, groups: Sequence[Group]) -> Floats:
        """Return, per group, the chance that a person chooses the first of two options; 1/2 for a beta prior.

        Raises
        ------
        GraphError
            If the prior names a level that no group has.
        """
        if not self.named:
            return np.full(len(groups), self.share)
        given = dict(self.named)
        levels = [group.level for group in groups if group.level is not None]
        for name in given:
            if name not in levels:
                known = f"the levels are {', '.join(levels)}" if levels else "the people have no named levels"
                raise GraphError(f"the prior names the level {name!r}", near(name, levels) or known)
        return np.array([given.get(group.level or "", self.share) for group in groups])

    @checked
    def totals(self, people: int) -> Floats:
        """Return the chance of 0, 1, … votes for the first of two options, if the prior is the same for everybody."""
        if not 0 <= people <= MOST_PEOPLE:
            raise GraphError(f"there are {people} people", f"give from 0 to {MOST_PEOPLE:,}")
        if self.beta is None:
            return binomial(people, self.share)
        (a, b), k = self.beta, np.arange(people)
        ratio = np.log((people - k) / (k + 1.0)) + np.log(k + a) - np.log(people - k - 1.0 + b)
        return _law(ratio, int(np.argmax(np.concatenate([[0.0], np.cumsum(ratio)]))))

    @checked
    def chances(self, options: Sequence[str]) -> Floats:
        """Return the chance of each of three or more options.

        Raises
        ------
        GraphError
            If the prior is for two options, names something that is not an option, or its chances do not fit.
        """
        if self.beta is not None or (self.text != "even" and not self.named):
            hint = f"give even, or a share per option as in share:{options[0]}=0.5"
            raise GraphError(f"the prior {self.text!r} is for two options", hint)
        given = dict(self.named)
        for name in given:
            if name not in options:
                hint = near(name, options) or f"the options are {', '.join(options)}"
                raise GraphError(f"the prior names the option {name!r}", hint)
        rest = 1.0 - sum(given.values())
        others = len(options) - len(given)
        if rest < -1e-9 or (others == 0 and rest > 1e-9) or (others and rest < 1e-9):
            hint = "let them add up to 1, or to less than 1 if an option is not named"
            raise GraphError(f"the shares of the prior {self.text!r} do not fit", hint)
        found = np.array([given.get(option, rest / max(others, 1)) for option in options])
        chances: Floats = found / found.sum()
        return chances


def _chance(text: str) -> float:
    """Parse a number strictly between 0 and 1, or raise ValueError."""
    value = number(text)
    if not 0.0 < value < 1.0:
        raise ValueError(text)
    return value


def binomial(size: int, share: float) -> Floats:
    """Return the chance of 0, 1, …, `size` successes, each with chance `share`, without ``scipy.stats`` (slow to load).

    The ratio p(k + 1) / p(k) of neighbouring chances is (size - k) share / ((k + 1) (1 - share)). The logarithms of the
    ratios are summed from the most likely number outwards, so that errors stay small where chances are large.

    Examples
    --------
    >>> binomial(2, 0.5).tolist()
    [0.25, 0.5, 0.25]
    """
    if share in (0.0, 1.0):
        return np.asarray(np.arange(size + 1) == size * share, np.float64)
    k = np.arange(size)
    ratio = np.log((size - k) / (k + 1.0)) + math.log(share / (1.0 - share))
    return _law(ratio, min(int((size + 1) * share), size))


def _law(ratio: Floats, mode: int) -> Floats:
    """Return the distribution with these log-ratios of neighbouring chances; `mode` is its most likely number."""
    below, above = -np.cumsum(ratio[:mode][::-1])[::-1], np.cumsum(ratio[mode:])
    law: Floats = np.exp(np.concatenate([below, [0.0], above]))
    law /= law.sum()
    return law
