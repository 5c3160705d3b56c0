"""Privacy weights of whole populations: one for all, in slices, by attitude.

In *slices*: every like gets one of the n + 1 equally spaced weights from u to 1, each as likely. (The paper's text says
n values, which leaves n = 1 without a meaning; its program takes n gaps between them.)

By *attitude* (Westin): a user is unconcerned, a pragmatist or a fundamentalist, in shares of 23, 43 and 34 %, and every
like gets one of the group's weights, each as likely. Shares are met as exactly as whole users allow: everybody's share
is rounded down, and the users left over go to the groups that lost most. Who is in which group is drawn from a seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neodp.columns import Floats
from neodp.errors import GraphError, PrivacyError, near
from neodp.tables import number, whole

if TYPE_CHECKING:
    from neodp.stretch.profiles import Profiles
    from neodp.tables import ReadOptions

__all__ = ["ATTITUDES", "SHARES", "attitudes", "by_attitude", "in_slices", "weighted"]

ATTITUDES: Mapping[str, tuple[float, ...]] = {
    "unconcerned": (1.0,),
    "pragmatist": (0.5, 0.75, 1.0),
    "fundamentalist": (0.0, 0.5, 1.0),
}
"""The weights of each group."""
SHARES: Mapping[str, float] = {"unconcerned": 0.23, "pragmatist": 0.43, "fundamentalist": 0.34}
"""The group's shares of a population, by a poll of 2004."""


def in_slices(likes: int, low: float, slices: int, seed: int) -> Floats:
    """A weight for each of so many likes, drawn from low, low + (1 - low) / slices, .., 1.

    Raises
    ------
    PrivacyError
        If `low` is not from 0 to 1, or there is not at least one slice.

    Examples
    --------
    >>> sorted(set(in_slices(100, 0.5, 2, seed=1).tolist()))
    [0.5, 0.75, 1.0]
    """
    if not 0.0 <= low <= 1.0:
        raise PrivacyError(f"the lowest weight is {low}", "give a number from 0 to 1")
    if slices < 1:
        raise PrivacyError(f"there are {slices} slices", "give at least 1")
    return np.random.default_rng((seed, 1)).choice(np.linspace(low, 1.0, slices + 1), likes)


def attitudes(users: int, seed: int, shares: Mapping[str, float] = SHARES) -> NDArray[np.str_]:
    """A group for each of so many users, in true shares.

    Raises
    ------
    PrivacyError
        If a share belongs to no group, or they are not from 0 to 1 with a sum of 1.

    Examples
    --------
    >>> groups, sizes = np.unique(attitudes(610, seed=1), return_counts=True)
    >>> dict(zip(groups.tolist(), sizes.tolist()))
    {'fundamentalist': 208, 'pragmatist': 262, 'unconcerned': 140}
    """
    for group in shares:
        _known(group)
    share = np.array(list(shares.values()))
    if not ((share >= 0.0).all() and abs(share.sum() - 1.0) <= 1e-9):
        raise PrivacyError(f"the shares are {', '.join(map(str, shares.values()))}", "give numbers with a sum of 1")
    exact = users * share
    size = np.floor(exact + 1e-9).astype(np.int64)
    size[np.argsort(size - exact, kind="stable")[: users - size.sum()]] += 1
    groups = np.repeat(np.array(list(shares), dtype=np.str_), size)
    np.random.default_rng((seed, 2)).shuffle(groups)
    return groups


def by_attitude(groups: Sequence[str] | NDArray[np.str_], user: NDArray[np.integer], seed: int) -> Floats:
    """A weight for each like of a user, drawn from the weights of the user's group.

    Parameters
    ----------
    groups : strings
        Every user's group.
    user : array of int
        Whose like it is.

    Examples
    --------
    >>> weight = by_attitude(["unconcerned", "fundamentalist"], np.repeat([0, 1], 50), seed=1)
    >>> sorted(set(weight[:50].tolist())), sorted(set(weight[50:].tolist()))
    ([1.0], [0.0, 0.5, 1.0])
    """
    random = np.random.default_rng((seed, 3))
    group = np.asarray(groups, dtype=np.str_)[user]
    weight = np.full(len(user), np.nan)
    for name in np.unique(group):
        mine = group == name
        weight[mine] = random.choice(_known(str(name)), int(mine.sum()))
    return weight


def _known(group: str) -> tuple[float, ...]:
    if group not in ATTITUDES:
        raise PrivacyError(
            f"there is no group {group!r}", near(group, ATTITUDES) or f"there are {', '.join(ATTITUDES)}"
        )
    return ATTITUDES[group]


def weighted(profiles: Profiles, weights: str, seed: int, options: ReadOptions | None = None) -> tuple[Profiles, int]:
    """Profiles with other weights, and how many likes got none and therefore have weight 0.

    Parameters
    ----------
    profiles : Profiles
    weights : str
        ``westin`` for weights by attitude, ``slices:LOW:N`` as in ``slices:0.5:3``, one number for all, or the path of
        a table with ``item,weight``, ``user,weight``, ``user,item,weight`` or ``user,group``.
    seed : int
        For the same groups and weights again.
    options : ReadOptions, optional
        How to read the table, where it does not say it itself.

    Raises
    ------
    PrivacyError, GraphError
        If the words or the table are invalid; the message says what is allowed.
    """
    if weights == "westin":
        groups = attitudes(len(profiles), seed)
        return profiles.with_weights(by_attitude(groups, profiles.user, seed), groups.tolist()), 0
    kind, _, rest = weights.partition(":")
    try:
        if kind == "slices":
            low, slices = rest.split(":")
            return profiles.with_weights(in_slices(profiles.likes, number(low), whole(slices), seed)), 0
        return profiles.with_weights(number(weights)), 0
    except (GraphError, PrivacyError):
        raise
    except ValueError:
        if kind == "slices" or not Path(weights).suffix:
            raise PrivacyError(
                f"`weights={weights!r}` is not known",
                "give westin, slices:LOW:N as in slices:0.5:3, a number, or a CSV file",
            ) from None
    return profiles.with_weights_from(weights, seed, options)
