"""Other methods for a private yes or no, and how often they are right.

Each rival is private for everybody with their own epsilon, as the polls of neodp are, and makes the best use of what is
public: sizes, epsilons, the threshold, and a prior under which people choose independently. Expected accuracy is an
exact sum.

*least*: everybody at the least epsilon: a discrete Laplace (two-sided geometric) count, then a comparison. This is the
result of a library that has one epsilon for all. The noise has the distribution of OpenDP's ``make_laplace``, and
:func:`drawn` draws from that.

*cut*: people below some epsilon are left out, all others count at that epsilon; the best of all such cuts. The
comparison adds the average contribution of those who are left out.

*sampled*: personalised differential privacy by sampling (Jorgensen, Yu and Cormode, 2015). With a threshold t,
somebody with epsilon < t is heard with chance (e^epsilon - 1) / (e^t - 1), and the others certainly; then yes less no
among those heard, with discrete Laplace noise of epsilon t; the best of all t. (A changed vote moves that difference
by 2, so the noise falls off by e^(-t/2) per unit; not to be heard lies between yes and no, so that sampling has at
least the effect it has for neighbours that lack a person.)

*randomised response*: everybody reports their own vote with odds e^epsilon : 1; the answer is the one that is more
likely to be true, given all reports.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from neodp.data.validation import Floats
from neodp.polls import Threshold
from neodp.polls.prior import Prior

__all__ = ["Rival", "cut", "drawn", "least", "randomized_response", "rivals", "sampled"]


class Rival(NamedTuple):
    """A method of answering.

    Attributes
    ----------
    name : str
    expected : float
        Its expected accuracy under a prior.
    chosen : str
        The parameter that was chosen for it.
    right : array of float
        Per number of people who say yes, from 0 on, the chance of the true answer.
    """

    name: str
    expected: float
    chosen: str
    right: Floats


def rivals(poll: Threshold, prior: Prior) -> list[Rival]:
    """Return all rivals; randomised response only if the tables are few enough to sum over."""
    found = [least(poll, prior), cut(poll, prior), sampled(poll, prior)]
    if math.prod(group.size + 1 for group in poll.groups) <= 200_000:
        found.append(randomized_response(poll, prior))
    return found


def noise_above(at: NDArray[np.int64], epsilon: float) -> Floats:
    """Return the chance that discrete Laplace noise of scale 1 / epsilon is at least `at`, for integers.

    Examples
    --------
    >>> noise_above(np.array([0, 1]), math.log(2.0)).round(6)
    array([0.666667, 0.333333])
    """
    fall = math.exp(-epsilon)
    small = np.power(fall, np.abs(np.where(at > 0, at, at - 1.0))) / (1.0 + fall)
    return np.where(at > 0, small, 1.0 - small)


def least(poll: Threshold, prior: Prior) -> Rival:
    """Return the rival that counts everybody at the least epsilon.

    Examples
    --------
    >>> from neodp.polls import Group
    >>> from neodp.polls import poll
    >>> round(least(poll([Group(0.1, 10), Group(1.0, 10), Group(2.0, 11)]), Prior()).expected, 3)
    0.596
    """
    epsilon = poll.groups[0].epsilon
    return Rival("least epsilon", *_counted(poll, prior, epsilon, f"epsilon {epsilon:g}"))


def cut(poll: Threshold, prior: Prior) -> Rival:
    """Return the best of all cuts, which leave out people below an epsilon and count the others at that epsilon."""
    found = [_counted(poll, prior, g.epsilon, f"without those below {g.epsilon:g}") for g in poll.groups]
    return Rival("threshold epsilon", *max(found, key=lambda each: each[0]))


def _counted(poll: Threshold, prior: Prior, epsilon: float, chosen: str) -> tuple[float, str, Floats]:
    """Judge a noisy count of people with at least this epsilon against the threshold less the others' average."""
    shares = prior.shares(poll.groups)
    counted, others, mean = np.ones(1), np.ones(1), 0.0
    for group, share in zip(poll.groups, shares.tolist(), strict=True):
        law = binom(group.size, share).pmf(np.arange(group.size + 1))
        if group.epsilon >= epsilon:
            counted = np.convolve(counted, law)
        else:
            others, mean = np.convolve(others, law), mean + group.size * share
    threshold = math.ceil(poll.needed - mean - 1e-9)
    says_yes = noise_above(threshold - np.arange(len(counted)), epsilon)
    joint = np.zeros((len(counted), poll.people + 1))
    for row, chance in enumerate(counted.tolist()):
        joint[row, row : row + len(others)] = chance * others
    return _judged(poll, joint, says_yes, chosen)


def _judged(poll: Threshold, joint: Floats, says_yes: Floats, chosen: str) -> tuple[float, str, Floats]:
    """Return the accuracy in total and per column; rows are observations, columns how many people say yes."""
    votes = joint.sum(axis=0)
    yes = says_yes @ joint / np.maximum(votes, 1e-300)
    right = np.where(np.arange(len(votes)) >= poll.needed, yes, 1.0 - yes)
    return float(votes @ right), chosen, right


def sampled(poll: Threshold, prior: Prior) -> Rival:
    """Return personalised sampling with the best threshold t."""
    found = []
    for top in poll.groups:
        heard = [min(1.0, math.expm1(group.epsilon) / math.expm1(top.epsilon)) for group in poll.groups]
        found.append(_heard(poll, prior, heard, top.epsilon))
    return Rival("sampling", *max(found, key=lambda each: each[0]))


def _heard(poll: Threshold, prior: Prior, heard: list[float], t: float) -> tuple[float, str, Floats]:
    """Judge yes less no among those heard, plus noise, against its average for a tied vote."""
    n, shares = poll.people, prior.shares(poll.groups)
    joint = np.zeros((2 * n + 1, n + 1))  # yes less no among those heard, from -n; and all who vote yes
    joint[n, 0] = 1.0
    for group, share, h in zip(poll.groups, shares.tolist(), heard, strict=True):
        for _ in range(group.size):
            longer = joint * ((1.0 - share) * (1.0 - h))
            longer[:, 1:] += joint[:, :-1] * (share * (1.0 - h))
            longer[1:, 1:] += joint[:-1, :-1] * (share * h)
            longer[:-1] += joint[1:] * ((1.0 - share) * h)
            joint = longer
    mean = sum(h * group.size for h, group in zip(heard, poll.groups, strict=True)) / n
    threshold = math.ceil(mean * (2 * poll.needed - 1 - n) - 1e-9)
    says_yes = noise_above(threshold - np.arange(-n, n + 1), t / 2.0)
    return _judged(poll, joint, says_yes, f"t = {t:g}")


def randomized_response(poll: Threshold, prior: Prior) -> Rival:
    """Return randomised response: votes are reported with odds e^epsilon : 1, and the likelier truth is the answer."""
    shares = prior.shares(poll.groups)
    # rows: what was told, one per table of told yes; columns: how many vote yes. Chances of both.
    joint = np.ones((1, 1))
    for group, share in zip(poll.groups, shares.tolist(), strict=True):
        truthful = 1.0 / (1.0 + math.exp(-group.epsilon))
        n = group.size
        told = np.zeros((n + 1, n + 1))
        for yes, chance in enumerate(binom(n, share).pmf(np.arange(n + 1)).tolist()):
            among_yes = binom(yes, truthful).pmf(np.arange(yes + 1))
            among_no = binom(n - yes, 1.0 - truthful).pmf(np.arange(n - yes + 1))
            told[:, yes] = chance * np.convolve(among_yes, among_no)
        longer = np.zeros((len(joint), n + 1, joint.shape[1] + n))
        for yes in range(n + 1):
            longer[:, :, yes : yes + joint.shape[1]] += joint[:, None, :] * told[None, :, yes, None]
        joint = longer.reshape(-1, longer.shape[2])
    yes = joint[:, poll.needed :].sum(axis=1)
    no = joint[:, : poll.needed].sum(axis=1)
    return Rival("randomised response", *_judged(poll, joint, (yes > no).astype(np.float64), "the more likely truth"))


def drawn(poll: Threshold, yes: int, draws: int) -> float:
    """Return how often the first rival says yes if `yes` people do, by draws of OpenDP's discrete Laplace mechanism."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    noise = dp.m.make_laplace(
        dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=1.0 / poll.groups[0].epsilon
    )
    return float(np.mean(np.array(noise([yes] * draws)) >= poll.needed))
