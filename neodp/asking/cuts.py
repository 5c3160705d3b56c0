"""Distances by minimum cuts: exact if no witness needs more than two people.

For a price mu per amount, let L(mu) be the least of sum w_i x_i + mu sum c_g z_g over x and z that satisfy the
witnesses. Then D(T) = max over mu >= 0 of L(mu) - mu T. If witnesses have at most two people, 2 L(mu) is a least cut of
a network with two copies i and i' of every person, between a source and a sink::

    source → i, i' → sink            capacity w_i
    i → j', j → i'                   capacity mu c_g, if {i, j} is the only witness of g
    i → sink, source → i'            capacity mu c_g, if {i} is the only witness of g
    i → s → j', j → s' → i'          i → s and s' → i' with capacity mu c_g, the others without limit, if all {i, j} are
                                     witnesses of g: s and s' are made for g; without i, the source and the sink stand
                                     for the copies of somebody who never leaves

*Proof.* Let x_i be half the number of these that hold: i is not on the source's side; i' is on the source's side. A
cut counts w_i twice x_i times. If neither half of a witness {i, j} holds, the arcs i → j' and j → i' are cut, so
the cut at g is at least 2 c_g mu z_g for the least z that x allows: 2 L is at most the least cut. Conversely, let
i have the potential x_i, i' 1 - x_i, s the potential x_i + z_g and s' the least x_j of the witnesses (at most 1 each);
the sink has 1. Every arc then pays its capacity times how far the potential rises, which adds up to twice the value of
(x, z), and the arcs without limit pay nothing; a fractional cut is never below the least one.

With mu = p/q, all capacities are multiplied by q, and are whole, and so is the flow: cut and flow have the same value,
and prove each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from neodp.asking.cover import SAFE, Cover, Dual, Ints, Primal, Result, total

__all__ = ["Cuts", "Network", "network"]


@dataclass(frozen=True)
class Network:
    """The network of a program, for any price.

    Attributes
    ----------
    tail, head : arrays of int64
        The ends of the arcs. The source is 0, the sink 1, then come the people, their copies, and the groups' nodes.
    weight, amount : arrays of int64
        An arc's capacity is weight q + amount p; an arc with neither has no limit.
    witness : array of int64
        The witness whose v the flow of an arc counts for, or -1.
    nodes : int
    """

    tail: Ints
    head: Ints
    weight: Ints
    amount: Ints
    witness: Ints
    nodes: int


def network(cover: Cover) -> Network | None:
    """Return the network of a program; None if a group needs more than two people at once."""
    n, source, sink = len(cover.weight), 0, 1
    left, right = 2 + np.arange(n), 2 + n + np.arange(n)
    if int(cover.sizes.max(initial=0)) > 2:
        return None
    size = np.bincount(cover.group, minlength=len(cover.amount))
    alone = size[cover.group] == 1
    one, two = (np.flatnonzero(alone & (cover.sizes == k)) for k in (1, 2))
    a, b = cover.person[cover.first[two]], cover.person[cover.first[two] + 1]
    i = cover.person[cover.first[one]]
    c1, c2 = cover.amount[cover.group[one]], cover.amount[cover.group[two]]
    none = np.full(n, -1)
    arcs = [
        (np.full(n, source), left, cover.weight, np.zeros(n, np.int64), none),
        (right, np.full(n, sink), cover.weight, np.zeros(n, np.int64), none),
        (left[a], right[b], np.zeros(len(a), np.int64), c2, two),
        (left[b], right[a], np.zeros(len(a), np.int64), c2, two),
        (left[i], np.full(len(i), sink), np.zeros(len(i), np.int64), c1, one),
        (np.full(len(i), source), right[i], np.zeros(len(i), np.int64), c1, one),
    ]
    several = _several(cover, np.flatnonzero(size > 1), 2 + 2 * n)
    if several is None:
        return None
    tail, head, weight, amount, witness = (
        np.concatenate(each).astype(np.int64) for each in zip(*arcs, *several, strict=True)
    )
    return Network(tail, head, weight, amount, witness, 2 + 2 * n + 2 * int((size > 1).sum()))


def _several(cover: Cover, groups: Ints, start: int) -> list[tuple[Ints, ...]] | None:
    """Return the arcs of the groups with several witnesses, whose own nodes begin at `start`; None if it cannot be."""
    rows: list[tuple[int, int, int, int, int]] = []
    n = len(cover.weight)
    order = np.argsort(cover.group, kind="stable")
    begin = np.searchsorted(cover.group[order], groups, side="left")
    end = np.searchsorted(cover.group[order], groups, side="right")
    for number, (g, low, high) in enumerate(zip(groups.tolist(), begin.tolist(), end.tolist(), strict=True)):
        witnesses = order[low:high].tolist()
        sets = [cover.person[cover.first[m] : cover.first[m + 1]].tolist() for m in witnesses]
        common = set(sets[0]).intersection(*sets[1:])
        center = min(common) if common else None
        others = [[j for j in each if j != center] for each in sets]
        if any(len(each) != 1 for each in others):
            return None
        s, mirror = start + 2 * number, start + 2 * number + 1
        c = int(cover.amount[g])
        rows.append((0 if center is None else 2 + center, s, 0, c, -1))
        rows.append((mirror, 1 if center is None else 2 + n + center, 0, c, -1))
        for m, (j,) in zip(witnesses, others, strict=True):
            rows.append((s, 2 + n + j, 0, 0, m))
            rows.append((2 + j, mirror, 0, 0, m))
    table = np.array(rows, np.int64).reshape(-1, 5)
    return [tuple(table.T)]


class Cuts:
    """Best solutions at any price, by least cuts.

    Parameters
    ----------
    cover : Cover
    net : Network
        The network of the program.
    """

    def __init__(self, cover: Cover, net: Network) -> None:
        self._cover, self._flows = cover, _Flows(net)

    def at(self, p: int, q: int) -> Result:
        """Return best solutions at the price p / q: people who leave, in halves, and the prices of the witnesses."""
        flow, inside = self._flows.at(p, q)
        primal = Primal(self._flows.twice(inside, len(self._cover.weight)), 2)
        return Result(primal, Dual(self._flows.prices(flow, len(self._cover.group)), 2 * p, 2 * q))

    exactly = at


class _Flows:
    """Maximum flows on a network, at one price after another."""

    def __init__(self, net: Network) -> None:
        self.net = net
        count = len(net.tail)
        tail, head = np.concatenate([net.tail, net.head]), np.concatenate([net.head, net.tail])
        order = np.argsort(tail, kind="stable")
        self.place = np.empty(2 * count, np.int64)
        self.place[order] = np.arange(2 * count)
        self.first = np.searchsorted(tail[order], np.arange(net.nodes + 1))
        self.head = head[order]
        self.pair = self.place[(order + count) % (2 * count)]
        self.unlimited = (net.weight == 0) & (net.amount == 0)

    def at(self, p: int, q: int) -> tuple[Ints, Any]:
        """Return the flow on each arc, and the nodes on the source's side of a least cut."""
        from neodp.compiled import flows

        net = self.net
        out = net.tail == 0
        greatest = total(net.weight[out]) * q + total(net.amount[out]) * p
        widest = int(net.weight.max(initial=0)) * q + int(net.amount.max(initial=0)) * p
        kind: Any = np.int64 if max(greatest, widest) < SAFE // 2 else object
        capacity = net.weight.astype(kind) * q + net.amount.astype(kind) * p
        capacity[self.unlimited] = greatest + 1
        room = np.zeros(2 * len(capacity), kind)
        room[self.place[: len(capacity)]] = capacity
        run = flows.push if kind is np.int64 else flows.push.interpreted
        inside = run(self.first, self.head, self.pair, room, 0, 1)
        return capacity - room[self.place[: len(capacity)]], np.asarray(inside)

    @staticmethod
    def twice(inside: Any, n: int) -> Ints:
        """Return twice the x of every person: the halves that a cut takes away."""
        found: Ints = (~inside[2 : 2 + n]).astype(np.int64) + inside[2 + n : 2 + 2 * n]
        return found

    def prices(self, flow: Ints, witnesses: int) -> Ints:
        """Return 2q times the v of every witness: the flow through both of its halves."""
        found = np.zeros(witnesses, flow.dtype)
        counted = self.net.witness >= 0
        np.add.at(found, self.net.witness[counted], flow[counted])
        return found
