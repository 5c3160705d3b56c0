"""Probabilities as integer labels, the effect of one edge on them, and the compiled passes over a graph.

The label
---------
A probability p is kept as the smaller of p and 1 - p, a double, and the side it is on. The *label* is
one 64-bit integer that says both::

    K(p) = bits(p) - HALF      if p <= 1/2
    K(p) = HALF - bits(1 - p)  otherwise,         HALF = bits(1/2)

It orders like p, has full relative precision at both ends, and K(1 - p) = -K(p). The values it takes are
0, 1, and those whose smaller side is a normal double: none is subnormal, so that relative errors stay small.

One edge
--------
An edge (epsilon, delta) allows p at one end and p' at the other iff

    (a)  p' <= e^eps p + delta    and    (b)  1 - p <= e^eps (1 - p') + delta,

and the same with the ends swapped. The largest p' is U(p) of papers 000 and 002. Let f be a double with
f (1 + 2^-53) <= e^eps, so that the rounded product fl(f x) never exceeds e^eps x, and let

    grow(x)   = fl(f x) + delta, rounded down            (never above e^eps x + delta)
    shrink(r) = the smallest value x with grow(x) >= r   (never below (r - delta) / e^eps).

``relax`` is U with (a) and (b) read as p' <= grow(p) and 1 - p <= grow(1 - p'). Hence, for all labels:

* *safe*: K' <= relax(K) implies (a) and (b) for the numbers as stored, exactly;
* *monotone* and never below K, so that label-setting (Dijkstra) finds the least label over all paths;
* *self-adjoint*: K' <= relax(K) iff -K <= relax(-K'). The two colours, and a search forwards or
  backwards, therefore agree in every bit, not only up to rounding.

All of it uses + - * / on doubles in their IEEE meaning: the same bits on every machine.

The whole graph
---------------
``settle`` is the whole extension: label-setting from every source at once. Each source starts with its own label;
the vertices are taken by ascending label, and each neighbour is lowered to what the edge between them allows.

*If all edges are alike*, the bound that a vertex puts on its neighbours never falls from one vertex taken to the next,
since relax is monotone. So the vertices that were lowered wait in a plain queue, which needs no sorting, beside the
sorted sources, and no vertex is lowered twice (``_wave``).

*Otherwise* the queue is a radix heap, a monotone integer priority queue (``_settle``): a bucket holds the keys that
first differ from the last key taken in one byte, and have the same byte there. A key is a label without its lowest
``shift`` bits. An edge raises a label by at least bits(f) - bits(1) - 2; if 2^shift is no more than that, the vertices
of one key cannot lower each other, so they can be taken all at once, and each is expanded once. A larger shift would
cost time, but never change a result: a vertex *waits* from when its label falls until it is expanded, and while it
waits, the queue holds it under the key of its label. If the queue also holds it under other keys, these are higher;
when they come up, the vertex no longer waits, and they are dropped.

``allows`` decides whether an edge lowers a label at all before the new label is computed: shrink(r) <= x iff
grow(x) >= r, which takes one product, whereas shrink takes a division.

Consecutive vertices of the queue usually lie far apart in memory. The vertices of the queue are known before they are
taken, so ``_fetch`` requests their rows ahead of time; if the neighbours in a graph lie far from each other, the
vertices are renumbered to bring them together (``numbering``).

One file holds all compiled code: numba's cache notices a change only in the file of the compiled function.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import Any

import numpy as np

from neodp.compiled.compiler import intrinsic, njit
from neodp.compiled.labels import HALF, SMALLEST

__all__ = [
    "ADD",
    "EPSILON_DELTA",
    "LONGEST",
    "MAX_PROBIT",
    "NO_LEVELS",
    "PROBIT",
    "adjacency",
    "allows",
    "audit",
    "audit_rows",
    "balance",
    "climb",
    "components",
    "cross",
    "decode",
    "differ",
    "exp_dd",
    "factor",
    "factors",
    "flow",
    "hops",
    "levels",
    "links",
    "numbering",
    "pieces",
    "relax",
    "relax_edges",
    "renumbered",
    "settle",
    "side_by_side",
    "spread",
    "too_low",
    "unhit",
    "visit",
    "widened",
    "within",
]


MAX_PROBIT = 37.51937934714
"""The greatest finite probit: Phi(-37.51937934714) is just above SMALLEST."""


def _split(x: Decimal) -> tuple[float, float]:
    """Return x as a double, and the remainder rounded to the nearest double."""
    high = float(x)
    return high, float(x - Decimal(high))


with localcontext() as _context:
    _context.prec = 60
    _ln2 = Decimal(2).ln()
    _step = _ln2 / 64
    # ln 2 / 64 in three parts; the first two have 37 bits, so that their products with j < 2^16 are exact
    _C1 = float(int(_step * 2**43)) / 2**43
    _C2 = float(int((_step - Decimal(_C1)) * 2**80)) / 2**80
    _C3 = float(_step - Decimal(_C1) - Decimal(_C2))
    _POWER = np.array([_split((_step * j).exp()) for j in range(64)])  # 2^(j/64)
    _INVERSE = [Decimal(1)]
    for _n in range(1, 12):
        _INVERSE.append(_INVERSE[-1] / _n)
    _TAYLOR = np.array([_split(x) for x in _INVERSE])  # 1/n!
    _PER_STEP = float(1 / _step)

    def _scaled(x: Decimal) -> tuple[float, float, float]:
        """Return x > 0 as a double-double from 1 to 2, and a power of two."""
        exponent = int(x.ln() / _ln2)
        return (*_split(x / Decimal(2) ** exponent), float(exponent))

    _ONES = np.array([_scaled(Decimal(j).exp()) for j in range(64)])  # e^j
    _SIXTY_FOURS = np.array([_scaled(Decimal(64 * j).exp()) for j in range(24)])  # e^(64 j)


@njit(cache=True)
def two_sum(a, b):
    """Return a + b as a double and its exact error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit(cache=True)
def two_prod(a, b):
    """Return a b as a double and its exact error, for |a|, |b| < 2^996 and a b = 0 or above 2^-968."""
    p = a * b
    t = 134217729.0 * a
    ah = t - (t - a)
    al = a - ah
    t = 134217729.0 * b
    bh = t - (t - b)
    bl = b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@njit(cache=True)
def _mul_dd(ah, al, bh, bl):
    """Return the product of two double-doubles, with a relative error below 2^-102."""
    p, e = two_prod(ah, bh)
    e += ah * bl + al * bh
    s = p + e
    return s, e - (s - p)


@njit(cache=True)
def exp_dd(x):
    """Return e^x for 0 <= x <= 690 as an unevaluated sum of two doubles, with a relative error below 2^-96.

    x = j ln2/64 + r with |r| < 2^-7.5; e^r is its Taylor sum, in double-double up to r^6/6! and in doubles
    beyond, where the terms are below 2^-54.
    """
    j = int(x * _PER_STEP + 0.5)
    a = x - j * _C1  # exact: both lie within a factor of two of each other, or j is 0
    rh, rl = two_sum(a, -(j * _C2))
    rh, rl = two_sum(rh, rl - j * _C3)
    w = _TAYLOR[11, 0]
    for n in range(10, 6, -1):
        w = _TAYLOR[n, 0] + rh * w
    h, l = w, 0.0  # noqa: E741
    for n in range(6, -1, -1):
        h, l = _mul_dd(h, l, rh, rl)  # noqa: E741
        s, e = two_sum(_TAYLOR[n, 0], h)
        e += l + _TAYLOR[n, 1]
        h, l = two_sum(s, e)  # noqa: E741
    h, l = _mul_dd(h, l, _POWER[j & 63, 0], _POWER[j & 63, 1])  # noqa: E741
    scale = np.int64(((j >> 6) + 1023) << 52).view(np.float64)
    return h * scale, l * scale


@njit(cache=True)
def _next_up(x):
    return np.int64(np.float64(x).view(np.int64) + 1).view(np.float64)


@njit(cache=True)
def _next_down(x):
    return np.int64(np.float64(x).view(np.int64) - 1).view(np.float64)


@njit(cache=True)
def factor(epsilon):
    """Return the f of this module: at least 1, at most three units below e^epsilon, fl(f x) <= e^epsilon x."""
    # as in exp_dd, but with doubles for all but e^r = 1 + r + ...: l is within 2^-64 h of e^epsilon - h, which nearly
    # always tells its sign
    j = int(epsilon * _PER_STEP + 0.5)
    rh, rl = two_sum(epsilon - j * _C1, -(j * _C2))
    w = _TAYLOR[8, 0]
    for n in range(7, 1, -1):
        w = _TAYLOR[n, 0] + rh * w
    power, rest = _POWER[j & 63, 0], _POWER[j & 63, 1]
    p, e = two_prod(power, rh)
    h, t = two_sum(power, p)
    h, l = two_sum(h, t + (e + rest + (rest * rh + power * (rl - j * _C3 + rh * rh * w))))  # noqa: E741
    scale = np.int64(((j >> 6) + 1023) << 52).view(np.float64)
    h, l = h * scale, l * scale  # noqa: E741
    if abs(l) <= 2.0**-63 * h:
        h, l = exp_dd(epsilon)  # noqa: E741
    # one step down if h may exceed e^epsilon, and one more makes room for the product's rounding
    return max(1.0, np.int64(np.float64(h).view(np.int64) - 1 - (l <= 2.0**-90 * h)).view(np.float64))


@njit(cache=True)
def grow(x, f, delta):
    """Return the largest p' that (a) allows beside p = x, rounded down."""
    h = f * x
    if delta == 0.0:
        return h
    s, error = two_sum(h, delta)
    return _next_down(s) if error < 0.0 else s


@njit(cache=True)
def shrink(r, f, delta):
    """Return the smallest value x with grow(x, f, delta) >= r, for 0 <= r <= 1."""
    if r <= delta:
        return 0.0
    if delta > 0.0:
        r, error = two_sum(r, -delta)
        if error > 0.0:
            r = _next_up(r)
    # r / f, rounded, is the value or one unit off. Above: f (x + u) > r for the unit u of x, as x + u/2 >= r/f. Below:
    # fl(f (x - 2u)) < r, as f (x - 2u) <= r - 3/2 f u, and f u is at least half the unit of r
    x = max(r / f, SMALLEST)
    bits = np.float64(x).view(np.int64)
    low = f * x < r
    high = x > SMALLEST and f * np.int64(bits - 1).view(np.float64) >= r
    return np.int64(bits + low - high).view(np.float64)


@njit(cache=True)
def _one_minus(x):
    """Return 1 - x, rounded up."""
    r = 1.0 - x
    return _next_up(r) if 1.0 - r > x else r


@njit(cache=True)
def relax(label, f, delta):
    """Return U on labels: the largest label that an edge with this f and delta allows beside `label`."""
    if label >= 0:  # then (b) implies (a)
        return HALF - np.float64(shrink(np.int64(HALF - label).view(np.float64), f, delta)).view(np.int64)
    x = np.int64(HALF + label).view(np.float64)
    t = grow(x, f, delta)
    if t <= 0.5:  # then (a) implies (b)
        return np.float64(t).view(np.int64) - HALF
    smallest = max(1.0 - t, shrink(_one_minus(x), f, delta))
    return HALF - np.float64(smallest).view(np.int64)


@njit(cache=True)
def climb(label, f, labels):
    """Set labels to those after one edge, two edges and so on in a row with this f, each as `relax` without delta."""
    for i in range(len(labels)):
        higher = relax(label, f, 0.0)
        if higher == label:
            labels[i:] = label
            break
        labels[i] = label = higher


@njit(cache=True)
def allows(label, other, f, delta):
    """Return True if other <= relax(label), for any two labels, without the division of shrink."""
    if other <= label:
        return True
    if label >= 0:
        return grow(np.int64(HALF - other).view(np.float64), f, delta) >= np.int64(HALF - label).view(np.float64)
    if other < 0:
        return other <= relax(label, f, delta)
    x, rest = np.int64(HALF + label).view(np.float64), np.int64(HALF - other).view(np.float64)
    t = grow(x, f, delta)
    if t <= 0.5:
        return t == 0.5 and other == 0
    return rest >= 1.0 - t and grow(rest, f, delta) >= _one_minus(x)


@njit(cache=True)
def relax_probit(label, mu):
    """Return Phi(Phi^-1(p) + mu) on labels that hold the bits of |Phi^-1(p)| under its sign.

    An uncertain answer never becomes certain: a finite probit stays within MAX_PROBIT of 0.
    """
    z = np.int64(label).view(np.float64) if label >= 0 else -np.int64(-label).view(np.float64)
    if z < MAX_PROBIT:
        z = min(z + mu, MAX_PROBIT)
    return np.float64(z).view(np.int64) if z >= 0.0 else -np.float64(-z).view(np.int64)


EPSILON_DELTA, PROBIT, ADD = 0, 1, 2
"""The meaning of an edge's first parameter: the factor f of (epsilon, delta), a Gaussian mu, or a length.

A length is a whole number; labels are then distances, whole numbers too, and those beyond LONGEST count as LONGEST.
"""
LONGEST = 1500 << 50
"""1500 in units of 2^-50: over such an epsilon-distance a chance can grow from 2^-1022 to 1 - 2^-1022."""
SMALLEST_BITS = 1 << 52
"""The bits of SMALLEST."""
LEVELS = 8
"""The number of bytes of a key."""


WORTH_A_THREAD = 50_000
"""The number of vertices or edges that makes starting a thread worthwhile."""


def pieces(size: int) -> list[tuple[int, int]]:
    """Return ranges (begin, end) that make up range(size): one per processor, as far as that pays, and at most four."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = max(1, min(4, cores, size // WORTH_A_THREAD))
    ends = [size * i // count for i in range(count + 1)]
    return list(pairwise(ends))


def side_by_side(work: Callable[[Any], Any], items: Sequence[Any], size: int = WORTH_A_THREAD) -> list[Any]:
    """Return the results of `work` for each item, with a thread for each: compiled code that releases Python's lock.

    No threads are started if all items together cover too few vertices or edges (`size`) to be worth them.
    """
    if len(items) == 1 or size < WORTH_A_THREAD:
        return [work(item) for item in items]
    with ThreadPoolExecutor(len(items)) as threads:
        return list(threads.map(work, items))


@njit(cache=True, nogil=True)
def _differ(kind, source, target, begin, end, out):
    for e in range(begin, end):
        out[e] = kind[source[e]] != kind[target[e]]


def differ(kind: Any, source: Any, target: Any) -> Any:
    """Return a mask of the edges whose ends differ in kind."""
    out = np.empty(len(source), np.bool_)
    side_by_side(lambda piece: _differ(kind, source, target, piece[0], piece[1], out), pieces(len(source)))
    return out


@njit(cache=True, nogil=True)
def _decode(color, label, begin, end, rows):
    for v in range(begin, end):
        small = np.int64(HALF - abs(label[v])).view(np.float64)
        likelier = color[v] if label[v] > 0 else 1 - color[v]
        rows[v, likelier], rows[v, 1 - likelier] = 1.0 - small, small


def decode(color: Any, label: Any) -> Any:
    """Return the probabilities of two colours as rows, from labels of each vertex's own colour."""
    rows = np.empty((len(color), 2))
    side_by_side(lambda piece: _decode(color, label, piece[0], piece[1], rows), pieces(len(color)))
    return rows


@njit(cache=True, nogil=True)
def _within(mask, source, target, skip, begin, end, out):
    for e in range(begin, end):
        out[e] = not skip[e] and mask[source[e]] and mask[target[e]]


def within(mask: Any, source: Any, target: Any, skip: Any) -> Any:
    """Return a mask of the edges that have both ends in `mask` and are not to be skipped."""
    out = np.empty(len(source), np.bool_)
    side_by_side(lambda piece: _within(mask, source, target, skip, piece[0], piece[1], out), pieces(len(source)))
    return out


@njit(cache=True, nogil=True)
def widened(mask, source, target, skip):
    """Return the mask extended by the neighbours of its vertices, over edges that are not to be skipped."""
    out = mask.copy()
    for e in range(len(source)):
        if not skip[e] and mask[source[e]] != mask[target[e]]:
            out[source[e]] = out[target[e]] = True
    return out


NO_LEVELS = np.empty(0, np.uint8)
"""The levels of edges that store their parameters directly: none."""
MOST_LEVELS = 256
"""The number of values that a byte can distinguish."""
_NOTHING = np.empty(0)


@njit(cache=True, nogil=True)
def _count(source, target, keep, begin, end, place):
    for e in range(begin, end):
        if keep[e]:
            place[source[e]] += 1
            place[target[e]] += 1


@njit(cache=True, nogil=True)
def _rows(place, indptr):
    """Turn the number of a vertex's edges in each piece into the position of the first of them."""
    total = 0
    for v in range(len(indptr) - 1):
        indptr[v] = total
        for piece in range(len(place)):
            count = place[piece, v]
            place[piece, v] = total
            total += count
    indptr[len(indptr) - 1] = total


@njit(cache=True, nogil=True)
def _fill(source, target, keep, begin, end, place, neighbor, edge, level, first, delta, half):
    half_level, half_first, half_delta = half
    for e in range(begin, end):
        if keep[e]:
            u, v = source[e], target[e]
            i, j = place[u], place[v]
            place[u], place[v] = i + 1, j + 1
            neighbor[i], neighbor[j] = v, u
            if len(edge):
                edge[i], edge[j] = e, e
            if len(level):
                half_level[i], half_level[j] = level[e], level[e]
            if len(first):
                half_first[i], half_first[j] = first[e], first[e]
            if len(delta):
                half_delta[i], half_delta[j] = delta[e], delta[e]


def _both_ends(n, source, target, keep, numbered, level=NO_LEVELS, first=_NOTHING, delta=_NOTHING):
    """Return rows of neighbours, with the edges' numbers on request, and with the edge columns that are not empty.

    Pieces of the edges are counted, and then filled in, in parallel; a row has its edges in the order of the pieces.
    """
    parts = pieces(len(source))
    place = np.zeros((len(parts), n), np.int32 if 2 * len(source) < 2**31 else np.int64)
    side_by_side(lambda i: _count(source, target, keep, *parts[i], place[i]), range(len(parts)))
    indptr = np.empty(n + 1, np.int64)
    _rows(place, indptr)
    size = int(indptr[-1])  # numpy asks for large pages, numba does not: allocate here
    neighbor, edge = np.empty(size, np.int32), np.empty(size if numbered else 0, np.int32)
    half = tuple(np.empty(size if len(x) else 0, x.dtype) for x in (level, first, delta))
    side_by_side(
        lambda i: _fill(source, target, keep, *parts[i], place[i], neighbor, edge, level, first, delta, half),
        range(len(parts)),
    )
    return indptr, neighbor, edge, half


def adjacency(n: int, source: Any, target: Any, keep: Any, numbered: bool) -> tuple[Any, Any, Any]:
    """Return the kept edges from both of their ends, as CSR arrays: ``indptr``, ``neighbor``, ``edge``.

    The neighbours of a vertex are in the order of the edges. No edge may join a vertex to itself. If the edges are not
    `numbered`, ``edge`` is empty.
    """
    indptr, neighbor, edge, _ = _both_ends(n, source, target, keep, numbered)
    return indptr, neighbor, edge


def links(n: int, source: Any, target: Any, keep: Any, first: Any, delta: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return ``indptr`` and ``neighbor`` with the edges' parameters for ``settle``: ``level``, ``first``, ``delta``.

    A byte per half-edge says which of at most MOST_LEVELS pairs of parameters an edge has. If there are more pairs, the
    rows hold the parameters themselves, which take more memory to move.
    """
    level, *pairs = levels(first, delta)
    if len(level):
        indptr, neighbor, _, half = _both_ends(n, source, target, keep, False, level)
        return indptr, neighbor, half[0], *pairs
    columns = (x if len(x) > 1 else _NOTHING for x in (first, delta))
    indptr, neighbor, _, half = _both_ends(n, source, target, keep, False, NO_LEVELS, *columns)
    return indptr, neighbor, NO_LEVELS, half[1] if len(first) > 1 else first, half[2] if len(delta) > 1 else delta


def levels(first: Any, delta: Any) -> tuple[Any, Any, Any]:
    """Return each edge's pair of parameters by number, and the pairs in two columns; no levels if one or too many."""
    level = np.empty(max(len(first), len(delta)), np.uint8)
    pairs = np.empty((2, MOST_LEVELS))
    count = _levels(first, delta, level, pairs)
    return (NO_LEVELS, first, delta) if count < 2 else (level, *pairs[:, :count].copy())


@njit(cache=True, nogil=True)
def _levels(first, delta, level, pairs):
    """Assign numbers to the pairs as they appear; return how many there are, or 0 if there is no room for all."""
    most = pairs.shape[1]
    table = np.full(4 * most, -1, np.int64)  # the numbers of the pairs, by a hash
    mixed, loose = len(first) > 1, len(delta) > 1
    count, last = 0, 0
    for e in range(len(level)):
        f, d = first[e if mixed else 0], delta[e if loose else 0]
        if count == 0 or f != pairs[0, last] or d != pairs[1, last]:
            x = np.float64(f).view(np.int64) ^ np.float64(d).view(np.int64)
            slot = (x ^ x >> 10 ^ x >> 20 ^ x >> 30 ^ x >> 40 ^ x >> 50) % len(table)
            while table[slot] >= 0 and (f != pairs[0, table[slot]] or d != pairs[1, table[slot]]):
                slot = (slot + 1) % len(table)
            if table[slot] < 0:
                if count == most:
                    return 0
                pairs[0, count], pairs[1, count] = f, d
                table[slot] = count
                count += 1
            last = table[slot]
        level[e] = last
    return count


@njit(cache=True, nogil=True)
def _factors(epsilon, begin, end, out):
    for i in range(begin, end):
        out[i] = out[i - 1] if i > begin and epsilon[i] == epsilon[i - 1] else factor(epsilon[i])


def factors(epsilon: Any) -> Any:
    """Return ``factor`` of each epsilon."""
    out = np.empty(len(epsilon))
    side_by_side(lambda piece: _factors(epsilon, piece[0], piece[1], out), pieces(len(epsilon)))
    return out


@njit(cache=True)
def _relax(label, first, delta, kind):
    if kind == EPSILON_DELTA:
        return relax(label, first, delta)
    return relax_probit(label, first) if kind == PROBIT else min(label + np.int64(first), LONGEST)


@njit(cache=True)
def _allows(label, other, first, delta, kind):
    if kind == EPSILON_DELTA:
        return allows(label, other, first, delta)
    return other <= _relax(label, first, delta, kind)


@njit(cache=True)
def relax_edges(label, first, delta, kind):
    """Return the label that edge i allows beside label[i]; parameters of length one hold for every edge."""
    out = np.empty(len(label), np.int64)
    for i in range(len(label)):
        out[i] = _relax(label[i], first[i % len(first)], delta[i % len(delta)], kind)
    return out


@njit(cache=True, nogil=True)
def cross(source, target, edges, color, which, given, first, delta, kind, own, label):
    """Lower the labels of colour `which`, in place, to what given vertices of the other colour allow over `edges`."""
    mixed, loose = len(first) > 1, len(delta) > 1
    for i in range(len(edges)):
        e = edges[i]
        u, v = source[e], target[e]
        if color[v] != which:
            u, v = v, u
        f, d = first[e if mixed else 0], delta[e if loose else 0]
        if given[u] and not _allows(-own[u], label[v], f, d, kind):
            label[v] = _relax(-own[u], f, d, kind)


@njit(cache=True, nogil=True)
def unhit(source, target, edges, mask):
    """Return the first of `edges` with neither end in `mask`; or -1."""
    for i in range(len(edges)):
        if not (mask[source[edges[i]]] or mask[target[edges[i]]]):
            return edges[i]
    return -1


@njit(cache=True, nogil=True)
def too_low(source, target, edges, given, first, delta, kind, label):
    """Return an edge and its given end that answers like its neighbour more often than the edge allows; or -1, -1."""
    for i in range(len(edges)):
        e = edges[i]
        u, v = source[e], target[e]
        if -label[u] <= label[v]:  # what an edge allows is never less
            continue
        f, d = first[e % len(first)], delta[e % len(delta)]
        if given[u] and not _allows(label[v], -label[u], f, d, kind):
            return e, u
        if given[v] and not _allows(label[u], -label[v], f, d, kind):
            return e, v
    return -1, -1


SCATTERED = 4096
"""The difference in number beyond which two vertices do not lie near each other in memory."""


def numbering(n: int, source: Any, target: Any) -> Any:
    """Return new numbers that bring neighbours together in memory; None if they already lie near each other.

    Vertices are numbered in the order in which the edges first mention them. Edges are usually listed region by region
    of a graph, even if its vertices are in no particular order.
    """
    few = source[: 10 * SCATTERED : 10].astype(np.int64)
    if n <= 10 * SCATTERED or np.mean(np.abs(np.diff(few)) > SCATTERED) < 0.5:
        return None
    number = np.full(n, -1, np.int32)
    _number(source, target, number)
    return number


@njit(cache=True, nogil=True)
def _number(source, target, number):
    count = 0
    for e in range(len(source)):
        u, v = source[e], target[e]
        if number[u] < 0:
            number[u] = count
            count += 1
        if number[v] < 0:
            number[v] = count
            count += 1
    for v in range(len(number)):
        if number[v] < 0:
            number[v] = count
            count += 1


@njit(cache=True, nogil=True)
def _renumbered(number, source, target, begin, end, new_source, new_target):
    for e in range(begin, end):
        new_source[e], new_target[e] = number[source[e]], number[target[e]]


def renumbered(number: Any, source: Any, target: Any) -> tuple[Any, Any]:
    """Return the ends of the edges under the new numbers."""
    new = np.empty_like(source), np.empty_like(target)
    side_by_side(lambda piece: _renumbered(number, source, target, *piece, *new), pieces(len(source)))
    return new


@njit(cache=True)
def _level(x):
    """Return the place of the highest byte of x that is not 0."""
    level = 0
    while x > 255:
        x >>= 8
        level += 1
    return level


@njit(cache=True)
def spread(values, edge):
    """Return the values of edges for each half-edge, so that those of a vertex are contiguous."""
    out = np.empty(len(edge))
    for h in range(len(edge)):
        out[h] = values[edge[h]]
    return out


@intrinsic
def _fetch(context, array, i):
    """Ask the processor for array[i] ahead of time. It changes nothing, and i may lie beyond the end."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    def build(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        prefetch = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.VoidType(), [byte, word, word, word]), "llvm.prefetch.p0i8"
        )
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), byte)
        builder.call(prefetch, [place, word(0), word(3), word(1)])  # to read, into all caches, of data
        return context.get_dummy_value()

    return types.none(array, types.intp), build


AHEAD = 8
"""The number of vertices by which a row is requested ahead of its use: enough to hide the latency of memory."""


def settle(
    indptr: Any, neighbor: Any, level: Any, first: Any, delta: Any, kind: int, shift: int, label: Any, seeds: Any
) -> None:
    """Lower every label, in place, to the least that any path from any seed allows.

    Parameters
    ----------
    indptr, neighbor : arrays
        As from ``adjacency``.
    level, first, delta : arrays
        The level of every half-edge, and the parameters of every level; without levels the parameters per half-edge, or
        arrays of length one if all edges are alike.
    kind : int
        EPSILON_DELTA, PROBIT or ADD.
    shift : int
        The number of low bits of a label that the queue may ignore.
    label : array of int64
        The labels to start from.
    seeds : array of int
        The vertices to start from: all whose labels could lower another's. Only vertices that they reach are touched,
        so that parts of a graph can be settled in parallel.
    """
    if len(seeds) == 0:
        return
    if len(first) == 1 and len(delta) == 1:
        seeds = seeds[np.argsort(label[seeds], kind="stable")]
        _wave(indptr, neighbor, first[0], delta[0], kind, label, seeds, np.empty(len(label), np.int32))
    else:
        _settle(indptr, neighbor, level, first, delta, kind, shift, label, seeds)


@njit(cache=True, nogil=True)
def _wave(indptr, neighbor, first, delta, kind, label, seeds, queue):
    """Run ``settle`` if all edges are alike; the seeds ascend in label, and the queue has room for all vertices."""
    start = label[seeds]
    taken, begun, filled = 0, 0, 0  # of the queue, of the seeds; how many the queue has had
    last = start[0]
    bound = _relax(last, first, delta, kind)
    while True:
        if taken < filled and (begun == len(seeds) or label[queue[taken]] <= start[begun]):
            u = np.int64(queue[taken])
            k = label[u]
            taken += 1
            if taken + 2 * AHEAD < filled:
                _fetch(indptr, np.int64(queue[taken + 2 * AHEAD]))
                _fetch(neighbor, indptr[queue[taken + AHEAD]])
        elif begun < len(seeds):
            u = np.int64(seeds[begun])
            k = start[begun]
            begun += 1
            if begun + 2 * AHEAD < len(seeds):
                _fetch(indptr, np.int64(seeds[begun + 2 * AHEAD]))
                _fetch(neighbor, indptr[seeds[begun + AHEAD]])
            if k != label[u]:  # it was lowered, and taken from the queue
                continue
        else:
            return
        if k != last:
            last = k
            bound = _relax(k, first, delta, kind)
        for h in range(indptr[u], indptr[u + 1]):
            v = neighbor[h]
            if label[v] > bound:
                label[v] = bound
                queue[filled] = v
                filled += 1


@njit(cache=True)
def _longer(column):
    out = np.empty(2 * len(column), column.dtype)
    out[: len(column)] = column
    return out


@njit(cache=True, nogil=True)
def _settle(indptr, neighbor, level_of, first, delta, kind, shift, label, seeds):
    """Run ``settle`` if edges differ."""
    few, mixed, loose = len(level_of) > 0, len(first) > 1, len(delta) > 1
    # the queue: entries in a pool, linked into buckets; and a bit per vertex that says whether it waits to be expanded
    vertex, link = np.empty(1024, np.int32), np.empty(1024, np.int32)
    used, free = 0, -1
    head = np.full((LEVELS, 256), -1, np.int32)
    waiting = np.zeros((len(label) + 63) // 64, np.int64)
    base = label[seeds[0]] >> shift
    for v in seeds:
        base = min(base, label[v] >> shift)
    last = np.int64(0)
    for v in seeds:
        if used == len(vertex):
            vertex, link = _longer(vertex), _longer(link)
        key = (label[v] >> shift) - base
        level = _level(key ^ last)
        slot = (key >> (8 * level)) & 255
        vertex[used], link[used] = v, head[level, slot]
        head[level, slot] = used
        used += 1
        waiting[v >> 6] |= np.int64(1) << (v & 63)
    taken = np.empty(1024, np.int32)
    while True:
        level, slot = 0, last & 255
        while head[level, slot] < 0:
            slot += 1
            if slot == 256:
                level += 1
                if level == LEVELS:
                    return
                slot = (last >> (8 * level)) & 255
        # empty the bucket, and keep the vertices that are waiting
        i = head[level, slot]
        head[level, slot] = -1
        count = 0
        while i >= 0:
            u = np.int64(vertex[i])
            if waiting[u >> 6] >> (u & 63) & 1:
                if count == len(taken):
                    taken = _longer(taken)
                taken[count] = u
                count += 1
                _fetch(indptr, u)
            following = link[i]
            link[i] = free
            free = i
            i = following
        if count == 0:
            continue
        if level > 0:  # its least key is the next one
            last = (label[taken[0]] >> shift) - base
            for j in range(1, count):
                last = min(last, (label[taken[j]] >> shift) - base)
            for j in range(count):
                key = (label[taken[j]] >> shift) - base
                level = _level(key ^ last)
                slot = (key >> (8 * level)) & 255
                i = free
                free = link[i]
                vertex[i], link[i] = taken[j], head[level, slot]
                head[level, slot] = i
            continue
        last = (last & ~255) | slot
        for j in range(count):
            if j + 2 * AHEAD < count:
                h = indptr[taken[j + 2 * AHEAD]]
                _fetch(neighbor, h)
                if few:
                    _fetch(level_of, h)
                elif mixed:
                    _fetch(first, h)
            if j + AHEAD < count:
                u = taken[j + AHEAD]
                for h in range(indptr[u], indptr[u + 1]):
                    _fetch(label, np.int64(neighbor[h]))
            u = np.int64(taken[j])
            bit = np.int64(1) << (u & 63)
            if waiting[u >> 6] & bit == 0:  # the queue had it twice
                continue
            waiting[u >> 6] ^= bit
            k = label[u]
            for h in range(indptr[u], indptr[u + 1]):
                v = np.int64(neighbor[h])
                old = label[v]
                if old <= k:
                    continue
                if few:
                    f, d = first[level_of[h]], delta[level_of[h]]
                else:
                    f, d = first[h if mixed else 0], delta[h if loose else 0]
                if _allows(k, old, f, d, kind):
                    continue
                new = label[v] = _relax(k, f, d, kind)
                bit = np.int64(1) << (v & 63)
                if waiting[v >> 6] & bit and old >> shift == new >> shift:
                    continue  # the queue has it under this key
                waiting[v >> 6] |= bit
                if free >= 0:
                    i = free
                    free = link[i]
                else:
                    if used == len(vertex):
                        vertex, link = _longer(vertex), _longer(link)
                    i = used
                    used += 1
                key = (new >> shift) - base
                level = _level(key ^ last)
                slot = (key >> (8 * level)) & 255
                vertex[i], link[i] = v, head[level, slot]
                head[level, slot] = i


@njit(cache=True)
def hops(indptr, neighbor, start):
    """Return each vertex's distance in edges from the nearest of `start`; -1 if none can be reached."""
    out = np.full(len(indptr) - 1, -1, np.int32)
    queue = np.empty(len(out), np.int32)
    queue[: len(start)] = start
    out[start] = 0
    done, filled = 0, len(start)
    while done < filled:
        u = queue[done]
        done += 1
        for h in range(indptr[u], indptr[u + 1]):
            v = neighbor[h]
            if out[v] < 0:
                out[v] = out[u] + 1
                queue[filled] = v
                filled += 1
    return out


@njit(cache=True, nogil=True)
def components(n, source, target):
    """Return the number of components that undirected edges join n vertices into, and each vertex's component number.

    Every vertex points to a vertex of its component that is not greater, and following these pointers leads to the
    least one. Each edge makes the greater of two such least vertices point to the other, and halves the paths that it
    follows.
    """
    number = np.arange(n).astype(np.int32)
    for e in range(len(source)):
        u, v = source[e], target[e]
        while number[u] != u:
            number[u] = number[number[u]]
            u = number[u]
        while number[v] != v:
            number[v] = number[number[v]]
            v = number[v]
        number[max(u, v)] = min(u, v)
    count = 0
    for v in range(n):
        if number[v] == v:
            number[v] = count
            count += 1
        else:
            number[v] = number[number[v]]  # which comes before v, and has its number already
    return count, number


@njit(cache=True)
def visit(indptr, neighbor, part, members, start):
    """Return the members in the order of a breadth-first search from `start` that does not leave their part.

    Parameters
    ----------
    part : array of int
        Per vertex, the part it belongs to; that of the members is set to -1 - part on the way, and back at the end.
    members : array of int
        The vertices of the part. Those that are not reached come next, each with the vertices reachable from it.
    """
    order = np.empty(len(members), np.int32)
    number = part[start]
    done, filled, rest = 0, 0, 0
    while filled < len(members):
        order[filled] = start
        filled += 1
        part[start] = -1 - number
        while done < filled:
            u = order[done]
            done += 1
            for h in range(indptr[u], indptr[u + 1]):
                v = neighbor[h]
                if part[v] == number:
                    part[v] = -1 - number
                    order[filled] = v
                    filled += 1
        while rest < len(members) and part[members[rest]] != number:
            rest += 1
        if rest < len(members):
            start = members[rest]
    for v in members:
        part[v] = number
    return order


@njit(cache=True)
def _even(k, f, delta):
    return k <= relax(-k, f, delta)


@njit(cache=True)
def balance(first, delta):
    """Return, per edge, the greatest label K with K <= relax(-K): both ends tell the truth equally often."""
    out = np.empty(len(first), np.int64)
    for i in range(len(first)):
        f, d = first[i], delta[i]
        if i and f == first[i - 1] and d == delta[i - 1]:
            out[i] = out[i - 1]
            continue
        if d >= 1.0:
            out[i] = HALF
            continue
        # widen from the real solution, a few units off at most, to low (where `_even` holds) < high (where it does not)
        guess = HALF - np.float64(max((1.0 - d) / (f + 1.0), SMALLEST)).view(np.int64)
        low, high, step = guess, guess, 1
        while low > 0 and not _even(low, f, d):
            high = low
            low = max(0, low - step)
            step *= 2
        while high == low or _even(high, f, d):
            low = high
            if high == HALF - SMALLEST_BITS:
                high += 1
                break
            high = min(HALF - SMALLEST_BITS, high + step)
            step *= 2
        while high - low > 1:
            middle = (low + high) // 2
            if _even(middle, f, d):
                low = middle
            else:
                high = middle
        out[i] = low
    return out


@njit(cache=True)
def _exceeds(a, a_low, b, b_low, h, l, delta):  # noqa: E741
    """Return 1 if a + a_low > (h + l)(b + b_low) + delta, 0 if not, and 2 if it is too close to tell here."""
    if a <= 0.0 or (a == b and a_low == b_low):
        return 0
    rough = h * b + delta
    if a < 2.0**-500:
        if rough > 2.0**-490:
            return 0
        scale = 2.0**540
        a, a_low, b, b_low, delta = a * scale, a_low * scale, b * scale, b_low * scale, delta * scale
        rough = h * b + delta
    if a * (1.0 + 2.0**-40) < rough:
        return 0
    if a > rough * (1.0 + 2.0**-40):
        return 1
    p, e = two_prod(h, b)
    e += h * b_low + l * b
    s, t = two_sum(p, delta)
    s, r = two_sum(s, -a)
    d = s + (r + (t + (e - a_low)))
    if abs(d) <= 2.0**-90 * a:
        return 2
    return 1 if d < 0.0 else 0


@njit(cache=True, nogil=True)
def _audit(source, target, epsilon, delta, rows, begin, end, verdict, tightness):
    h, l = 1.0, 0.0  # noqa: E741
    value = np.empty((4, 2))
    for i in range(begin, end):
        if i == begin or epsilon[i] != epsilon[i - 1]:
            h, l = exp_dd(epsilon[i])  # noqa: E741
        for side in range(2):
            w = source[i] if side == 0 else target[i]
            p, q = rows[w, 0], rows[w, 1]
            if p <= q:
                value[side, 0], value[side, 1] = p, 0.0
                value[2 + side, 0], value[2 + side, 1] = two_sum(1.0, -p)
            else:
                value[side, 0], value[side, 1] = two_sum(1.0, -q)
                value[2 + side, 0], value[2 + side, 1] = q, 0.0
        greatest = 0.0
        for c in range(4):
            a, b = value[c, 0], value[c ^ 1, 0]
            verdict[i, c] = _exceeds(a, value[c, 1], b, value[c ^ 1, 1], h, l, delta[i])
            right = h * b + delta[i]
            if a > 0.0:
                greatest = max(greatest, a / right if right > 0.0 else np.inf)
        tightness[i] = greatest


def audit(source: Any, target: Any, epsilon: Any, delta: Any, rows: Any) -> tuple[Any, Any]:
    """Decide p_v <= e^eps p_u + delta and its three companions for every edge, as far as they are clear.

    The smaller of p and q, the two entries of a row, is exact, and the larger is one minus it; sums and products are in
    double-double, with an error below 2^-90 of the left side.

    Returns
    -------
    verdict : array of int8, four per edge
        0 holds, 1 broken, 2 left to exact arithmetic; for p_u, p_v, q_u, q_v on the left side.
    tightness : array
        Per edge the greatest ratio of the left side to the right side, as doubles.
    """
    verdict, tightness = np.empty((len(source), 4), np.int8), np.empty(len(source))
    side_by_side(
        lambda piece: _audit(source, target, epsilon, delta, rows, piece[0], piece[1], verdict, tightness),
        pieces(len(source)),
    )
    return verdict, tightness


@njit(cache=True)
def _spell_out(row, value):
    """Write a distribution in double-double: the largest entry is one minus the rest."""
    largest = 0
    for j in range(len(row)):
        if row[j] > row[largest]:
            largest = j
    h, l = 1.0, 0.0  # noqa: E741
    for j in range(len(row)):
        value[j, 0], value[j, 1] = row[j], 0.0
        if j != largest:
            h, e = two_sum(h, -row[j])
            l += e  # noqa: E741
    value[largest, 0], value[largest, 1] = two_sum(h, l)


@njit(cache=True)
def _surplus(a, b, h, l, delta):  # noqa: E741
    """Return 1 if the sum of max(0, a_j - (h + l) b_j) exceeds delta, 0 if not, and 2 if too close to tell here."""
    high, low, mass = 0.0, 0.0, 0.0
    for j in range(len(a)):
        p, e = two_prod(h, b[j, 0])
        e += h * b[j, 1] + l * b[j, 0]
        s, t = two_sum(a[j, 0], -p)
        s, t = two_sum(s, t - e + a[j, 1])
        if s > -(2.0**-80) * a[j, 0]:
            mass += a[j, 0]
        if s > 0.0:
            high, e = two_sum(high, s)
            low += e + t
    s, t = two_sum(high, -delta)
    d = s + (t + low)
    if abs(d) <= 2.0**-80 * mass + 2.0**-900:
        return 2
    return 1 if d > 0.0 else 0


@njit(cache=True)
def _fullest(a, b, h, delta):
    """Return the greatest ratio of a(A) to h b(A) + delta over all sets A of outputs.

    It is attained by the outputs whose own ratio a_j / b_j is greatest, as many of them as help.
    """
    ratio = a[:, 0] / np.maximum(b[:, 0], 2.0**-1074)
    order = np.argsort(-ratio, kind="mergesort")  # a sort that keeps the order of equal ones
    best, left, right = 0.0, 0.0, delta
    for j in order:
        left += a[j, 0]
        right += h * b[j, 0]
        if left > 0.0:
            best = max(best, left / right if right > 0.0 else np.inf)
    return best


@njit(cache=True)
def audit_rows(source, target, epsilon, delta, rows):
    """Decide P <= e^eps Q + delta for every edge between distributions P and Q, both ways, as far as it is clear.

    With delta = 0 it is enough to check every single output; otherwise the worst set of outputs is A = {j: P_j > e^eps
    Q_j}, and the sum of P_j - e^eps Q_j over it must not exceed delta.

    Returns
    -------
    verdict : array of int8, one row per edge and direction
        0 holds, 1 broken, 2 left to exact arithmetic; an entry per output, with delta > 0 only the first. The first
        direction has the source on the left side.
    tightness : array
        Per edge the greatest ratio of a left side to its right side, as doubles.
    """
    k = rows.shape[1]
    verdict = np.zeros((len(source), 2, k), np.int8)
    tightness = np.zeros(len(source))
    value = np.empty((2, k, 2))
    h, l = 1.0, 0.0  # noqa: E741
    for i in range(len(source)):
        if i == 0 or epsilon[i] != epsilon[i - 1]:
            h, l = exp_dd(epsilon[i])  # noqa: E741
        _spell_out(rows[source[i]], value[0])
        _spell_out(rows[target[i]], value[1])
        for side in range(2):
            a, b = value[side], value[1 - side]
            if delta[i] > 0.0:
                verdict[i, side, 0] = _surplus(a, b, h, l, delta[i])
                tightness[i] = max(tightness[i], _fullest(a, b, h, delta[i]))
                continue
            for j in range(k):
                verdict[i, side, j] = _exceeds(a[j, 0], a[j, 1], b[j, 0], b[j, 1], h, l, 0.0)
                if a[j, 0] > 0.0:
                    right = h * b[j, 0]
                    tightness[i] = max(tightness[i], a[j, 0] / right if right > 0.0 else np.inf)
    return verdict, tightness


@njit(cache=True)
def _scaled_exp(units):
    """Return e^(units 2^-50), for whole numbers up to LONGEST, as a double-double and a power of two."""
    whole = units >> 50
    h, l = exp_dd((units & ((1 << 50) - 1)) * 2.0**-50)  # noqa: E741
    one, many = _ONES[whole & 63], _SIXTY_FOURS[whole >> 6]
    h, l = _mul_dd(h, l, one[0], one[1])  # noqa: E741
    h, l = _mul_dd(h, l, many[0], many[1])  # noqa: E741
    return h, l, int(one[2] + many[2])


@njit(cache=True)
def _sum_dd(ah, al, bh, bl):
    s, e = two_sum(ah, bh)
    return two_sum(s, e + (al + bl))


@njit(cache=True)
def _quotient(ah, al, bh, bl):
    """Return the quotient of two double-doubles near 1, with a relative error below 2^-100."""
    q = ah / bh
    ph, pl = _mul_dd(q, 0.0, bh, bl)
    rh, rl = _sum_dd(ah, al, -ph, -pl)
    return two_sum(q, (rh + rl) / bh)


@njit(cache=True)
def _near_one(h, l):  # noqa: E741
    """Return a double-double as one from 1/2 to 1, and a power of two."""
    m, e = math.frexp(h)
    return m, math.ldexp(l, -e), e


@njit(cache=True)
def _mapped(p, g, power, divide):
    """Return p g or, if `divide`, p / g, for double-doubles p >= 0 and g 2^power."""
    if p[0] <= 0.0:
        return 0.0, 0.0
    h, l, e = _near_one(p[0], p[1])  # noqa: E741
    if divide:
        h, l = _quotient(h, l, g[0], g[1])  # noqa: E741
        e -= power
    else:
        h, l = _mul_dd(h, l, g[0], g[1])  # noqa: E741
        e += power
    return math.ldexp(h, e), math.ldexp(l, e)


@njit(cache=True)
def _middle(p, grow, power, low, high):
    """Return p / (4 grow low high), for double-doubles, where low and high are not 0."""
    a, b, e = _near_one(low[0], low[1])
    c, d, f = _near_one(high[0], high[1])
    h, l = _mul_dd(grow[0], grow[1], a, b)  # noqa: E741
    h, l = _mul_dd(h, l, c, d)  # noqa: E741
    return _mapped(p, (h, l), power + e + f + 2, True)


@njit(cache=True)
def _between(x, most):
    """Return a double-double, clipped to at least 0 and at most `most`."""
    if x[0] <= 0.0:
        return 0.0, 0.0
    return most if x[0] > most[0] or (x[0] == most[0] and x[1] > most[1]) else x


@njit(cache=True)
def flow(units, start):
    """Apply the flow dS/dt = min(S, 1 - S) to the prefix sums of a distribution; return the probabilities between them.

    The flow maps S to S e^t up to e^-t/2, to 1 - e^-t/(4S) up to 1/2, and to 1 - (1 - S) e^-t beyond; an output is
    mapped piece by piece, by the slopes of these maps. At the two bends the slopes agree, so a bend that is misplaced
    by a rounding error does not matter, however short the interval. The relative error of every output is below 2^-90.

    Parameters
    ----------
    units : array of int64
        t in units of 2^-50, up to LONGEST.
    start : array of float, two per output
        The distribution, best output first, in double-double.

    Returns
    -------
    array of float, one row per t; entries other than 0 are at least SMALLEST
    """
    k = len(start)
    rows = np.empty((len(units), k))
    for i in range(len(units)):
        gh, gl, power = _scaled_exp(units[i])
        grow = (gh, gl)
        bend = _mapped((0.5, 0.0), grow, power, True)
        high = (0.0, 0.0)
        for j in range(k):
            p, low = (start[j, 0], start[j, 1]), high
            high = _sum_dd(low[0], low[1], p[0], p[1])
            if p[0] <= 0.0:
                rows[i, j] = 0.0
                continue
            steep = _between(_sum_dd(bend[0], bend[1], -low[0], -low[1]), p)
            rest = _sum_dd(p[0], p[1], -steep[0], -steep[1])
            slow = _between(_sum_dd(high[0], high[1], -0.5, 0.0), rest)
            rest = _sum_dd(rest[0], rest[1], -slow[0], -slow[1])
            if steep[0] == p[0]:
                x = _mapped(p, grow, power, False)
            elif low[0] == 0.0:  # all of the first piece: 1 minus what the flow leaves above
                above = _sum_dd(1.0, 0.0, -high[0], -high[1])
                if slow[0] > 0.0:
                    y = _mapped(above, grow, power, True)
                else:
                    y = _middle((1.0, 0.0), grow, power, high, (1.0, 0.0))
                x = _sum_dd(1.0, 0.0, -y[0], -y[1])
            elif slow[0] == p[0]:
                x = _mapped(p, grow, power, True)
            else:
                one = bend if low[0] < bend[0] else low
                two = (0.5, 0.0) if high[0] > 0.5 else high
                x, y, z = _mapped(steep, grow, power, False), _mapped(slow, grow, power, True), (0.0, 0.0)
                if rest[0] > 0.0:
                    z = _middle(rest, grow, power, one, two)
                x = _sum_dd(x[0], x[1], y[0], y[1])
                x = _sum_dd(x[0], x[1], z[0], z[1])
            rows[i, j] = max(x[0], SMALLEST)
    return rows
