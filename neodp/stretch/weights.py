"""Privacy weights of whole populations: one for all, in slices, by attitude.

In *slices*: every like gets one of the n + 1 equally spaced weights from u to 1, all equally likely. (The paper's text
says n values, which would have no meaning for n = 1; its program takes n gaps between the values.)

By *attitude* (Westin): a user is unconcerned, a pragmatist or a fundamentalist, with chances of 23, 43 and 34 %, and
every like gets one of the group's weights, all equally likely.

*The draws.* A draw depends on the user and the item that it is for, and on the seed, but on nothing else. Let h(..) be
the 64 bits that BLAKE2b gives for a sequence of texts, each preceded by its length. Then

    the weight of u's like of i is  c[h(seed, u, i) mod |c|],  c the weights of the slices, or of u's group;
    the group of u is the part of [0, 1), cut at 23 and 66 %, in which the first 53 bits of h(seed, u) lie.

Since each text follows its length, different draws hash different words, so that a user's group, the user's weights and
the weights of all other users are practically independent.

*The privacy promise* (:mod:`neodp.stretch.similarities`) holds for these weights. Let two tables of the same users and
items differ in one like: u's like of i is present or not, or has another value. Every other like has the same weight in
both tables, since its weight depends only on its own ids and on its user's group: not on other likes, nor on their
number, nor on its row. So the stretched profiles differ in one number, by at most the weight v of that like, and the
chance of a released number changes at most by a factor of e^(epsilon v). If weights were drawn one after another
instead, a like would shift all later draws, and with them the numbers released about other users. A user's group is not
a like: if a table gives a user another group, all weights of that user may change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.data.kinds import checked, require_each
from neodp.data.tables import number, whole
from neodp.data.validation import Floats
from neodp.errors import GraphError, PrivacyError, near
from neodp.hints import Hint, Option

if TYPE_CHECKING:
    from neodp.data.tables import ReadOptions
    from neodp.stretch.profiles import Profiles

__all__ = ["ATTITUDES", "SHARES", "attitudes", "by_attitude", "in_slices", "weighted"]

MOST_SLICES = 10**8
"""The greatest number of slices."""

ATTITUDES: Mapping[str, tuple[float, ...]] = {
    "unconcerned": (1.0,),
    "pragmatist": (0.5, 0.75, 1.0),
    "fundamentalist": (0.0, 0.5, 1.0),
}
"""The weights of each group."""
SHARES: Mapping[str, float] = {"unconcerned": 0.23, "pragmatist": 0.43, "fundamentalist": 0.34}
"""The groups' shares of the population, according to a poll of 2004."""

Words: TypeAlias = NDArray[np.uint64]


@checked
def in_slices(profiles: Profiles, low: float, slices: int, seed: int) -> Floats:
    """Draw a weight for each like from low, low + (1 - low) / slices, .., 1.

    Raises
    ------
    PrivacyError
        If `low` is not from 0 to 1, or there is not at least one slice.

    Examples
    --------
    >>> from neodp.stretch import Profiles
    >>> p = Profiles.from_columns(["ann"] * 100, list(map(str, range(100))))
    >>> sorted(set(in_slices(p, 0.5, 2, seed=1).tolist()))
    [0.5, 0.75, 1.0]
    """
    if not 0.0 <= low <= 1.0:
        raise PrivacyError(f"the lowest weight is {low}", "give a number from 0 to 1")
    if not 1 <= slices <= MOST_SLICES:
        raise PrivacyError(f"there are {slices} slices", f"give at least 1, and at most {MOST_SLICES:,}")
    return _chosen(np.linspace(low, 1.0, slices + 1), _drawn_for_likes(profiles, seed))


@checked
def attitudes(users: Iterable[str], seed: int, shares: Mapping[str, float] = SHARES) -> NDArray[np.str_]:
    """Draw a group for each user, with the shares as probabilities.

    Raises
    ------
    PrivacyError
        If a share belongs to an unknown group, or the shares are not numbers from 0 to 1 with a sum of 1.

    Examples
    --------
    >>> attitudes(["ann", "bob", "cid"], seed=6).tolist()
    ['unconcerned', 'fundamentalist', 'pragmatist']
    >>> attitudes(["cid"], seed=6).tolist()
    ['pragmatist']
    """
    users = list(users)
    for name, values in (("users", users), ("shares", shares)):
        require_each(name, values, str)
    for group in shares:
        _known(group)
    require_each("shares", shares.values(), Real)
    share = np.array(list(shares.values()), np.float64)
    if not ((share >= 0.0).all() and abs(share.sum() - 1.0) <= 1e-9):
        raise PrivacyError(f"the shares are {', '.join(map(str, shares.values()))}", "give numbers with a sum of 1")
    start = _text(str(seed))
    part = (_words(start + _text(user) for user in users) >> np.uint64(11)) * 2.0**-53  # below 1, without rounding
    return np.array(list(shares), dtype=np.str_)[np.searchsorted(np.cumsum(share)[:-1], part, side="right")]


@checked
def by_attitude(profiles: Profiles, groups: Sequence[str] | NDArray[np.str_], seed: int) -> Floats:
    """Draw a weight for each like from the weights of the user's group; 0 if the user's group is "".

    Parameters
    ----------
    profiles : Profiles
    groups : strings
        The group of each user.
    seed : int

    Raises
    ------
    PrivacyError
        If a group is unknown, even if its users like nothing.

    Examples
    --------
    >>> from neodp.stretch import Profiles
    >>> p = Profiles.from_columns(["ann"] * 50 + ["bob"] * 50, list(map(str, range(100))))
    >>> weight = by_attitude(p, ["unconcerned", "fundamentalist"], seed=1)
    >>> sorted(set(weight[:50].tolist())), sorted(set(weight[50:].tolist()))
    ([1.0], [0.0, 0.5, 1.0])
    """
    group = np.asarray(groups, dtype=np.str_)
    if group.shape != (len(profiles),):
        raise PrivacyError(f"there are {group.size} groups for {len(profiles):,} users", "give one for each user")
    drawn = _drawn_for_likes(profiles, seed)
    weight = np.zeros(profiles.likes)
    for name in set(group.tolist()) - {""}:
        mine = (group == name)[profiles.user]
        weight[mine] = _chosen(np.array(_known(name)), drawn[mine])
    return weight


def _drawn_for_likes(profiles: Profiles, seed: int) -> Words:
    """Return h(seed, user, item) for every like."""
    start = _text(str(seed))
    users = [start + _text(user) for user in profiles.users.to_pylist()]
    items = [_text(item) for item in profiles.items.to_pylist()]
    return _words(users[u] + items[i] for u, i in zip(profiles.user.tolist(), profiles.item.tolist(), strict=True))


def _words(texts: Iterable[bytes]) -> Words:
    """Return the hash h, of 64 bits, of each text."""
    return np.frombuffer(b"".join([blake2b(text, digest_size=8).digest() for text in texts]), "<u8")


def _text(text: str) -> bytes:
    """Return a text preceded by its length."""
    data = text.encode()
    return len(data).to_bytes(8, "little") + data


def _chosen(choices: Floats, drawn: Words) -> Floats:
    """Return one of the choices for each draw; each chance is off by less than 2^-64."""
    return np.asarray(choices[drawn % np.uint64(len(choices))])


def _known(group: str) -> tuple[float, ...]:
    if group not in ATTITUDES:
        raise PrivacyError(
            f"there is no group {group!r}", near(group, ATTITUDES) or f"there are {', '.join(ATTITUDES)}"
        )
    return ATTITUDES[group]


def weighted(profiles: Profiles, weights: str, seed: int, options: ReadOptions | None = None) -> tuple[Profiles, int]:
    """Return profiles with other weights, and the number of likes that got none and therefore have weight 0.

    Parameters
    ----------
    profiles : Profiles
    weights : str
        ``westin`` for weights by attitude, ``slices:LOW:N`` as in ``slices:0.5:3``, one number for all likes, or the
        path of a table with ``item,weight``, ``user,weight``, ``user,item,weight`` or ``user,group``.
    seed : int
        The seed: the same seed gives the same groups and weights.
    options : ReadOptions, optional
        Options for reading a table that does not state them itself.

    Raises
    ------
    PrivacyError, GraphError
        If `weights` or the table is invalid; the message says what is allowed.
    """
    if weights == "westin":
        groups = attitudes(profiles.users.to_pylist(), seed)
        return profiles.with_weights(by_attitude(profiles, groups, seed), groups.tolist()), 0
    kind, _, rest = weights.partition(":")
    try:
        if kind == "slices":
            low, slices = rest.split(":")
            return profiles.with_weights(in_slices(profiles, number(low), whole(slices), seed)), 0
        return profiles.with_weights(number(weights)), 0
    except (GraphError, PrivacyError):
        raise
    except ValueError:
        if kind == "slices" or not Path(weights).suffix:
            raise PrivacyError(
                Hint(Option("weights", weights), " is not known"),
                "give westin, slices:LOW:N as in slices:0.5:3, a number, or a CSV file",
            ) from None
    return profiles.with_weights_from(weights, seed, options)
