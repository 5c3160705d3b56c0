"""Distances by least cuts, exact, if no witness needs more than two people.

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
cut counts w_i twice x_i times. If both halves of a witness {i, j} hold not, the arcs i → j' and j → i' are cut, so that
what is cut at g is at least 2 c_g mu z_g for the least z that x allows: 2 L is at most the least cut. Conversely, let
i have the potential x_i, i' 1 - x_i, s the potential x_i + z_g and s' the least x_j of the witnesses (at most 1 each);
the sink has 1. Every arc then pays its capacity times how far the potential rises, which adds up to twice the value of
(x, z), and the arcs without limit pay nothing; a fractional cut is never below the least one.

So L is the least of finitely many lines (A + B mu) / 2 with whole A and B. Between a line with B >= 2T and one with
B <= 2T, the maximum of L - mu T is at most where they meet. A cut there either has the same value, which proves it, or
gives a new line that replaces one of both. With mu = p/q, all capacities are multiplied by q, and are whole.

A search for the best mu by golden section would not be exact, and so not private.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from neodp.asking.cover import SAFE, Cover, Dual, Ints, Primal, total

__all__ = ["Cuts", "Network", "Result", "network", "solve"]


class Result(NamedTuple):
    """A best solution of the program and one of its dual."""

    primal: Primal
    dual: Dual


class CutLine(NamedTuple):
    """A cut as a line A + B mu, with twice the x of its people."""

    start: int
    slope: int
    twice: Ints


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
    """The cuts of a program that are known so far, which any amount that may remain can start from.

    Parameters
    ----------
    cover : Cover
    net : Network
        The network of the program.
    """

    def __init__(self, cover: Cover, net: Network) -> None:
        n = len(cover.weight)
        self.cover = cover
        self.flows = _Flows(net)
        self.lines = [
            CutLine(0, 2 * cover.total, np.zeros(n, np.int64)),
            CutLine(2 * cover.weight_of_all, 0, np.full(n, 2, np.int64)),
        ]

    def ends(self, most: int) -> tuple[CutLine, CutLine]:
        """Return the line with slope above 2T and the one with slope at most 2T that meet lowest, seen from T."""

        def meet(pair: tuple[CutLine, CutLine]) -> Fraction:
            steep, flat = pair
            more, less = 2 * most - flat.slope, steep.slope - 2 * most
            return Fraction(more * steep.start + less * flat.start, more + less)

        steep = [line for line in self.lines if line.slope > 2 * most]
        flat = [line for line in self.lines if line.slope <= 2 * most]
        return min(product(steep, flat), key=meet)


def solve(cuts: Cuts, most: int) -> Result:
    """Return best solutions for an amount that may remain, from 0 to below the total amount."""
    cover, flows, n = cuts.cover, cuts.flows, len(cuts.cover.weight)
    steep, flat = cuts.ends(most)
    while True:
        p, q = flat.start - steep.start, steep.slope - flat.slope
        p, q = p // gcd(p, q), q // gcd(p, q)
        flow, inside = flows.at(p, q)
        line = flows.line(inside, n)
        if line.start * q + line.slope * p != flows.value(flow):
            raise ArithmeticError("a cut is not as great as its flow")
        cuts.lines.append(line)
        dual = Dual(flows.prices(flow, len(cover.group)), 2 * p, 2 * q)
        if line.slope == 2 * most:
            return Result(Primal(line.twice, 2), dual)
        if line.start * q + line.slope * p == steep.start * q + steep.slope * p:
            return Result(_between(steep, flat, most), dual)
        if line.slope > 2 * most:
            steep = line
        else:
            flat = line


def _between(steep: CutLine, flat: CutLine, most: int) -> Primal:
    """Return the mixture of two cuts that leaves exactly the amount `most`."""
    more, less = 2 * most - flat.slope, steep.slope - 2 * most
    if 2 * (more + less) < SAFE:
        return Primal(more * steep.twice + less * flat.twice, 2 * (more + less))
    return Primal(more * steep.twice.astype(object) + less * flat.twice.astype(object), 2 * (more + less))


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

    def value(self, flow: Ints) -> int:
        """Return the amount that leaves the source."""
        return total(flow[self.net.tail == 0])

    def line(self, inside: Any, n: int) -> CutLine:
        """Return the line of a cut."""
        net = self.net
        cut = inside[net.tail] & ~inside[net.head]
        if (cut & self.unlimited).any():
            raise ArithmeticError("an arc without limit is cut")
        twice = (~inside[2 : 2 + n]).astype(np.int64) + inside[2 + n : 2 + 2 * n]
        return CutLine(total(net.weight[cut]), total(net.amount[cut]), twice)

    def prices(self, flow: Ints, witnesses: int) -> Ints:
        """Return 2q times the v of every witness: the flow through both of its halves."""
        found = np.zeros(witnesses, flow.dtype)
        counted = self.net.witness >= 0
        np.add.at(found, self.net.witness[counted], flow[counted])
        return found
