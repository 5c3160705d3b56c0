"""Polls with levels that nobody learns: votes, levels and taking part are all protected.

The other polls treat it as public who takes part and with which epsilon. This one does not. Person i has an epsilon
e_i; a public cap c and a public share q give the *weight* x_i = q min(e_i, c).

**Yes or no.** Is the first option chosen by at least a share theta of the people (1/2 for a majority), each heard by
their weight? With y_i = 1 for the first option and 0 for the second, the score is

    s = sum of x_i (y_i - theta),         yes with chance F(s) = 1 - e^-s / 2 for s >= 0, and e^s / 2 for s < 0.

F and 1 - F change by a factor of at most e^d where s moves by d. Another vote of person i moves s by x_i, that is at
most by e_i; another level by at most max(theta, 1 - theta) of the difference; taking part or not, by at most
max(theta, 1 - theta) x_i. Another vote and another level together move s by theta x_i + (1 - theta) x'_i or the like,
never by more than the greater of the two levels.

**Which of three or more options.** Option k has the score S_k, the sum of the x_i of those who choose it. The options
are taken in random order, and each is accepted with chance e^(-(max S - S_k) / 2), until one is accepted
(permute-and-flip, McKenna and Sheldon 2020). It is the option with the greatest S_k + X_k, where the X_k are
independent and exponential with mean 2 [Ding and others, 2021]. Given the noise of all others, option k is answered iff
X_k exceeds the greatest of the others' S_j + X_j, less S_k. Another vote moves that bound by at most 2 x_i, and the
chance of exceeding it changes at most by a factor of e^(x_i). Another level changes one score, by the difference d of
the weights: a factor of at most e^(d / 2); taking part, e^(x_i / 2); another vote and level together,
e^((x_i + x'_i) / 2).

People are *heard by their level*: 60 who say no at epsilon 0.1 weigh 6, and 40 who say yes at 2 weigh 80, so that the
answer is yes. Nothing but the answer depends on the people: nothing that is shown, kept, compared or refused. A cell
without a valid epsilon counts as 0, and one without a valid vote as not taking part, silently: an error would reveal
it.

Exactness
---------
*Whole steps.* A score is a whole number of steps of STEP = 2^-11. An epsilon is first rounded down to a multiple of
2^-22. A vote for the first option counts floor(x (1 - theta) / STEP) steps up, one for the second floor(x theta / STEP)
steps down. Both together are at most e / STEP, so that all bounds above hold in steps, where a level is what is left
of it after rounding down.

*Yes or no.* With u = 2^-50, a step becomes R = 2^39 - 1 units, one less than STEP has. At k >= 0 steps, the chance of
no is Q(k), the least double that is at least e^(-R k u) / 2, but no more than 1/2, and not below the smallest normal
double; that of yes is 1 - Q(k). At k < 0 it is the other way round. Let n >= 1 and x = n R u.

- From k to k + n, both >= 0: Q(k) <= e^x (1 + 2^-52) Q(k + n) < e^(n STEP) Q(k + n), since e^(n STEP) has n units
  more, and a floor under both does not enlarge a quotient. Q does not grow. And (1 - Q(k + n)) - (1 - Q(k)) =
  Q(k) - Q(k + n) <= (1 - e^-(n STEP)) Q(k) <= (e^(n STEP) - 1) (1 - Q(k)), since Q(k) <= 1/2. So both answers keep
  n STEP exactly as they are stored, both ways.
- From -m to k, both > 0, m + k = n: over 0, where both chances are 1/2 exactly, with m STEP and k STEP.

*Three or more* are drawn with exact chances: a whole number G with Pr[G >= n] = e^(-n STEP / 2) for each option
(:func:`neodp.core.sampling.geometric`); an option n steps behind is accepted iff n <= G. Nothing is rounded but scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from neodp.core.permute_and_flip import draw_outcome
from neodp.data.validation import MAX_EPSILON, UNIT, Floats
from neodp.errors import GraphError
from neodp.polls.asking import poll, share_of, valid_epsilon, valid_options
from neodp.polls.mechanism import Group, Threshold
from neodp.polls.prior import Prior
from neodp.polls.scores import score_law
from neodp.polls.weighted import falling

__all__ = ["CAP", "STEP", "SecretPoll", "secret_poll"]

STEP = 2.0**-11
"""The step of a score, in epsilon."""
FINE = 2**22
"""Epsilons are rounded down to whole multiples of 1 / FINE."""
CAP = 2.0
"""The default cap on epsilons."""
FINEST = 1_000
"""The greatest denominator of a share: products of whole numbers then fit into 64 bits."""
RATE = int(STEP * UNIT) - 1
"""The amount by which the logarithm of the smaller chance falls per step, in units of 2^-50: one unit below STEP."""
SCORES = 100
"""The number of units in a cap, for the expected accuracy of an example."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class SecretPoll:
    """A question to people of whom nothing is known beforehand, and the mechanism that answers it.

    Attributes
    ----------
    query : str
        ``majority``, ``threshold:2/3`` or ``plurality``.
    options : tuple of str
        The possible answers.
    cap : float
        The greatest epsilon with which anybody counts.
    share : Fraction
        The share of everybody's own epsilon that an answer costs.
    """

    query: str
    options: tuple[str, ...]
    cap: float = CAP
    share: Fraction = Fraction(1)

    @property
    def question(self) -> str:
        """The question in words."""
        if len(self.options) > 2:
            return f"which of {', '.join(map(repr, self.options))} do most people choose, each counted by their level?"
        part = "more than half" if self.theta == Fraction(1, 2) else f"at least {self.theta}"
        return f"do {part} of the people, each counted by their level, choose {self.options[0]!r}?"

    @property
    def theta(self) -> Fraction:
        """The share of the people that must choose the first of two options."""
        return share_of(self.query) if self.query.startswith("threshold:") else Fraction(1, 2)

    def weight(self, epsilon: float) -> float:
        """Return the weight of a person, before it is rounded down to whole steps: what an answer costs them."""
        return min(epsilon, self.cap) * float(self.share)

    def steps(self, epsilon: Floats, part: Fraction) -> Ints:
        """Return, per person, a part of the weight in whole steps, rounded down."""
        whole = np.floor(np.minimum(epsilon, self.cap) * FINE).astype(np.int64)
        both = self.share * part
        found: Ints = whole * both.numerator // (both.denominator * int(STEP * FINE))
        return found

    def score(self, vote: Ints, epsilon: Floats) -> int:
        """Return the score of a question with two options, in steps.

        Parameters
        ----------
        vote : array of int
            The position of each person's choice; -1 if there is none.
        epsilon : array of float
            The epsilon of each person.
        """
        up, down = self.steps(epsilon, 1 - self.theta), self.steps(epsilon, self.theta)
        return int(up[vote == 0].sum()) - int(down[vote == 1].sum())

    def scores(self, vote: Ints, epsilon: Floats) -> list[int]:
        """Return the score of each option, in steps."""
        each = self.steps(epsilon, Fraction(1))
        return [int(each[vote == k].sum()) for k in range(len(self.options))]

    def chances(self, vote: Ints, epsilon: Floats) -> dict[str, float]:
        """Return the chances of both answers: the smaller is exact, the larger is one minus it, rounded."""
        return dict(zip(self.options, chances_at(self.score(vote, epsilon)), strict=True))

    def distribution(self, vote: Ints, epsilon: Floats) -> dict[str, float]:
        """Return the chances of the answers to draw from; with three or more options, one that is drawn already."""
        if len(self.options) == 2:
            return self.chances(vote, epsilon)
        scores = self.scores(vote, epsilon)
        drawn = draw_outcome([max(scores) - score for score in scores], Fraction(STEP) / 2)
        return {option: float(k == drawn) for k, option in enumerate(self.options)}

    def expected(self, groups: Sequence[Group], prior: str | Prior = "even") -> float:
        """Return the expected accuracy for an *example* of groups: how often the answer is that of a count by heads.

        Examples
        --------
        >>> round(secret_poll("majority").expected([Group(0.1, 10), Group(1.0, 10), Group(2.0, 11)]), 3)
        0.776
        """
        given, asked = Prior.parse(prior), poll(groups, self.query, self.options)
        if not isinstance(asked, Threshold):
            return _expected_plurality(self, groups, given)
        unit = min(self.cap, max(group.epsilon for group in groups)) / SCORES
        weights = [round(min(group.epsilon, self.cap) / unit) for group in asked.groups]
        if not any(weights):
            return 0.5
        joint = score_law(asked, weights, given)
        top = sum(weight * group.size for weight, group in zip(weights, asked.groups, strict=True))
        x = (joint.scores - float(self.theta) * top) * unit * float(self.share)
        small = np.exp(-np.abs(x)) / 2.0
        yes = np.where(x >= 0.0, 1.0 - small, small)
        return min(1.0, float(joint.yes @ yes + joint.no @ (1.0 - yes)))


def secret_poll(
    query: str = "majority",
    options: Sequence[str] = ("yes", "no"),
    *,
    cap: float = CAP,
    share: Fraction | float | str = 1,
) -> SecretPoll:
    """Return the poll with secret levels for a query.

    Parameters
    ----------
    query, options
        As for :func:`neodp.polls.poll`.
    cap : float
        The greatest epsilon with which anybody counts. It is public, and does not depend on the people.
    share : number
        The share of everybody's own epsilon that an answer costs, above 0 and up to 1; its denominator is at most 1000.

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

    Examples
    --------
    >>> secret_poll("majority").question
    "do more than half of the people, each counted by their level, choose 'yes'?"
    """
    names = valid_options(options)
    poll([Group(1.0, 1)], query, names)  # refuses an invalid query or options
    if not valid_epsilon(cap):
        raise GraphError("the cap is 0", f"give a number above 0 and up to {MAX_EPSILON:g}")
    try:
        part = Fraction(str(share)).limit_denominator(FINEST)
        known = part == Fraction(str(share)) and 0 < part <= 1
    except (ValueError, ZeroDivisionError):
        known, part = False, Fraction(0)
    if not known:
        raise GraphError(f"the share is {share!r}", "give a number above 0 and up to 1, such as 0.25 or 1/3")
    found = SecretPoll(query, names, float(cap), part)
    theta = found.theta
    if not 0 < theta < 1:
        raise GraphError(f"the query is {query!r}, which has only one possible answer", "give a share between 0 and 1")
    if theta.denominator > FINEST:
        raise GraphError(f"the query is {query!r}", f"give a share with a denominator of at most {FINEST:,}")
    return found


def chances_at(score: int) -> tuple[float, float]:
    """Return the chances of yes and no at a score in steps; the smaller one is exact.

    Examples
    --------
    >>> chances_at(0), [round(p, 4) for p in chances_at(2**11)]
    ((0.5, 0.5), [0.8161, 0.1839])
    """
    small = falling(0.5, abs(score) * RATE)
    return (1.0 - small, small) if score >= 0 else (small, 1.0 - small)


def _expected_plurality(asked: SecretPoll, groups: Sequence[Group], prior: Prior) -> float:
    """Return the expected accuracy of an example of a plurality, on tables drawn from the prior with a fixed seed."""
    from neodp.polls.mechanism import Plurality
    from neodp.polls.samples import sample
    from neodp.polls.weighted_plurality import flips

    public = poll([replace(group, level=None) for group in groups], "plurality", asked.options)
    assert isinstance(public, Plurality)
    known = sample(public, prior).judged
    weights = np.array([asked.weight(group.epsilon) for group in public.groups])
    scores = np.einsum("tgk,g->tk", known.counts, weights)
    right = flips((scores.max(axis=1, keepdims=True) - scores) / 2.0, known.truth)
    return min(1.0, float(known.chance @ right))
