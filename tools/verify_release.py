#!/usr/bin/env python3
"""Check the certificate of a release of neodp, without neodp: `python verify_release.py FILE`.

This one file needs Python 3.11 and its standard library, nothing else, and is meant to be read. FILE is a certificate
in JSON, or a report of neodp (.html, .md, .json) that has one in it. docs/reference/json.md describes the fields.

A certificate states who was asked, what was asked, the answer, what the answer costs everybody, and the mechanism: the
chance of each answer for all data there could be. This program recomputes

* the digests, so that a change of any field is noticed;
* the question: the mechanism, the people and the threshold are those that were asked for, and the answer is possible;
* the cost: everybody is charged the epsilon, and the delta, that the mechanism may use;
* privacy: if the data of one person with (epsilon, delta) changes, then p <= e^epsilon p' + delta for every set of
  answers, with p before and p' after the change. All numbers are whole numbers and fractions; e^epsilon is enclosed
  between two fractions, and an inequality counts as kept only if it holds for the lower one.

Where there are too many datasets to list, finitely many inequalities imply all others, and these are checked. The
proofs are in neodp/polls/mechanism.py (balanced), weighted.py (scores), weighted_plurality.py (gaps, flip), secret.py
(heard scores, heard flip), outcomes/query.py (by distance, by weight, with noise); neodp/asking/mechanism.py (others).
"""

import hashlib
import itertools
import json
import math
import re
import struct
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

__all__ = ["UNCHECKED", "digests", "extract", "verify"]

FORMAT = "neodp certificate 1"
UNIT = 2**50  # an epsilon of 1, in whole units
ONE = 2**52  # a chance of 1 in rows of whole numbers
SCALE = 2**1400  # a chance of 1 here: every chance is a whole number, since doubles are multiples of 2^-1074
TINY = SCALE >> 1022  # no chance of an answer is smaller, unless it is 0
MOST_LEVELS = 64  # more epsilons than these are rounded up in the account
MOST_EPSILON = 100.0  # a greater epsilon counts as this one, in a graph of people
BETA = Fraction(1, 20)  # the chance with which a count may be too high
LISTED = (0, *(2**i for i in range(16)))  # the distances whose chances are listed
UNCHECKED = (
    "that the answer was drawn at random, with the chances that are stated",
    "that the data were the true ones, that everybody in them exists, and that their epsilons are theirs",
    "which other answers about the same people were given",
    "who wrote the certificate: a digest shows changes, but it is not a signature",
)
Certificate = dict[str, Any]
Chances = list[int]  # of every answer, as multiples of 1 / SCALE
Charge = tuple[float, float, str | None, int | None, int]  # epsilon, delta, level, people, times


def verify(certificate: Certificate) -> list[str]:
    """Return the problems of a certificate in words; none if it is valid."""
    try:
        return list(itertools.islice(_problems(certificate), 20))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, struct.error) as e:
        return [f"the certificate cannot be read: {type(e).__name__} {e}"]


def _problems(certificate: Certificate) -> Iterator[str]:
    if certificate["format"] != FORMAT:
        yield f"the format is {certificate['format']!r}, and this program knows {FORMAT!r}"
        return
    stated, found = certificate["digests"], digests(certificate)
    if stated != found:
        names = " and ".join(name for name in found if stated.get(name) != found[name])
        yield f"the digests ({names or 'others'}) are not those of the content: something was changed"
        return
    question, mechanisms, answers = certificate["question"], certificate["mechanisms"], certificate["release"]["answer"]
    parts, counted = question.get("parts", [None]), question["options"] if question.get("query") == "counts" else [None]
    if [(each["part"], each.get("counted")) for each in mechanisms] != [*itertools.product(parts, counted)]:
        yield "the mechanisms are not those of the question's parts"
    if question["population"] != certificate["release"]["population"]:
        yield "the question is about another population"
    for mechanism in mechanisms:
        named = [name for name in (mechanism["part"], mechanism.get("counted")) if name is not None]
        answer, where = reduce(dict.__getitem__, named, answers), "".join(f" of {name!r}" for name in named)
        possible, needed = mechanism["options"], mechanism.get("needed")
        if needed is not None and not 0 < needed <= sum(group["people"] for group in mechanism["groups"]):
            possible = possible[:1] if needed <= 0 else possible[1:]
        if answer not in possible:
            yield f"the answer{where} is {answer!r}, which is not possible"
        for check in KINDS[mechanism["kind"]]:
            yield from (f"{problem}{where}" for problem in check(mechanism, question))
    columns = ("epsilon", "delta", "level", "people", "times")
    if _charged(question, mechanisms) != [tuple(level[name] for name in columns) for level in certificate["levels"]]:
        yield "the cost is not what the mechanism uses"


# --- digests ----------------------------------------------------------------------------------------------------------
def digests(certificate: Certificate) -> dict[str, str]:
    """Return the SHA-256 digests of the question, the mechanisms and the whole, each as JSON with sorted keys."""
    whole = {name: value for name, value in certificate.items() if name != "digests"}
    parts = {name: whole[name] for name in ("question", "mechanisms")} | {"certificate": whole}
    settings: Any = {"sort_keys": True, "separators": (",", ":"), "ensure_ascii": False, "allow_nan": False}
    return {name: hashlib.sha256(json.dumps(each, **settings).encode()).hexdigest() for name, each in parts.items()}


def _fingerprint(graph: Certificate) -> str:
    """Return the digest of a graph, whatever the order of its datasets and edges."""
    datasets = sorted(((each["key"].encode(), place, each) for place, each in enumerate(graph["datasets"])))
    rank = {place: i for i, (_, place, _) in enumerate(datasets)}
    edges = sorted((*sorted((rank[i], rank[j])), epsilon, delta) for i, j, epsilon, delta in graph["edges"])
    digest = hashlib.sha256(repr((tuple(graph["options"]), len(datasets), len(edges))).encode())
    unknown = [math.nan] * len(graph["options"])
    columns = [
        ("i", [len(key) for key, _, _ in datasets]),
        ("b", [each["color"] for *_, each in datasets]),
        ("d", [x for *_, each in datasets for x in each["alpha"] or unknown]),
        *((kind, [edge[i] for edge in edges]) for i, kind in enumerate("qqdd")),
    ]
    if any(each["preference"] is not None for *_, each in datasets):
        columns.append(("b", [x for *_, each in datasets for x in each["preference"]]))
    for kind, values in columns:
        digest.update(struct.pack(f"<{len(values)}{kind}", *values))
    digest.update(b"".join(key for key, _, _ in datasets))
    return digest.hexdigest()


# --- the question and its cost ----------------------------------------------------------------------------------------
def _own_asked(mechanism: Certificate, question: Certificate) -> Iterator[str]:
    """Compare a mechanism for people whose epsilons nobody learns with the question that was asked."""
    kind, options = mechanism["kind"], question.get("options", ["yes", "no"])
    if kind == "ranges":
        grid = [*question.get("ranges", [0])]
        while grid[-1] < question.get("at_most", 0):  # all whole numbers at first, then with a ratio of 1.005
            grid.append(min(question["at_most"], max(grid[-1] + 1, grid[-1] * 1005 // 1000)))
        options = [*(str(b - 1) for b in grid[1:]), str(grid[-1])]
        if "ranges" in question:
            ends = [f"{a} to {b - 1}" if b - 1 > a else str(a) for a, b in itertools.pairwise(grid)]
            options = [*ends, f"{grid[-1]} or more"]
    heard = "heard flip" if len(options) > 2 else "heard scores"
    if "query" in question:
        query, _, share = question["query"].partition(":")
        fits = query == "plurality" or (len(options) == 2 and (query == "majority" or 0 < Fraction(share) < 1))
        asked = heard if fits and question["mechanism"] == "secret-levels" else None
    else:
        asked = "at least" if "at_least" in question else "ranges" if question.get("count", True) is True else None
    if mechanism["options"] != options or kind != asked:
        yield "the mechanism is for another question, or has other answers"
    if mechanism["cap"] != (MOST_EPSILON if "protection" in question else question["cap"]):
        yield "the greatest epsilon that counts is not the one of the question"


def _poll_asked(mechanism: Certificate, question: Certificate) -> Iterator[str]:
    """Compare the mechanism of a poll with the question that was asked."""
    groups = [[each["level"], each["epsilon"], each["people"]] for each in mechanism["groups"]]
    asked = question["groups"] if mechanism["part"] is None else question["parts"][mechanism["part"]]
    short = hashlib.sha256(json.dumps(groups, ensure_ascii=False).encode()).hexdigest()[:16]
    if asked not in (groups, f"{len(groups)} groups, {short}"):
        yield "the groups of people are not those of the question"
    epsilons, people = [epsilon for _, epsilon, _ in groups], sum(size for *_, size in groups)
    if epsilons != sorted(epsilons) or epsilons[0] <= 0 or min(size for *_, size in groups) < 1:
        yield "the groups are not people with an epsilon above 0, by ascending epsilon"
    if mechanism["kind"] in OUTCOMES:
        return
    options, named = mechanism["options"], question["mechanism"]
    if question["options"] != options or not (named == "weighted" or named == mechanism["kind"] == "balanced"):
        yield "the question has other answers, or was to be answered by another mechanism"
    needed, (kind, _, share), two = mechanism.get("needed"), question["query"].partition(":"), len(options) == 2
    follows = {"majority": people // 2 + 1, "plurality": (people + 1) // 2 if two else None, "threshold": None}[kind]
    if needed != (math.ceil(Fraction(share) * people) if kind == "threshold" else follows) or two == (needed is None):
        yield f"the number of people needed is {needed}, which does not follow from the query"


def _charged(question: Certificate, mechanisms: list[Certificate]) -> list[Charge]:
    """Return what everybody is to be charged; parts of the people are disjoint, so that everybody pays once."""
    if "share" in question:  # of everybody's own epsilon, up to the greatest that counts
        share = Fraction(str(question["share"]))
        exact = share * Fraction(mechanisms[0]["cap"])
        epsilon = float(exact) if Fraction(float(exact)) >= exact else math.nextafter(float(exact), math.inf)
        return [(epsilon, 0.0, f"= {share} of everybody's own epsilon", None, 1)]
    people: Counter[tuple[float, str | None]] = Counter()
    delta: dict[float, float] = {}
    for mechanism in {each["part"]: each for each in mechanisms}.values():
        for group in mechanism.get("groups", ()):
            people[group["epsilon"], group["level"]] += group["people"]
        for _, _, epsilon, d in mechanism.get("edges", ()):
            people[epsilon, None] = 0
            delta[epsilon] = max(d, delta.get(epsilon, 0.0))
    known = sorted(people, key=lambda each: each[0])
    if len(known) <= MOST_LEVELS:
        return [(e, delta.get(e, 0.0), name, people[e, name] or None, 1) for e, name in known]
    epsilons = sorted({e for e, _ in known})  # everybody is charged as the next of 64 levels, or as their own
    ends = sorted({epsilons[-1 - len(epsilons) * i // MOST_LEVELS] for i in range(MOST_LEVELS)})
    spans = itertools.pairwise([-1.0, *ends])
    return [(end, max(delta.get(e, 0.0) for e in epsilons if low < e <= end), None, None, 1) for low, end in spans]


# --- privacy ----------------------------------------------------------------------------------------------------------
@lru_cache(maxsize=100_000)
def power(x: Fraction) -> tuple[Fraction, Fraction]:
    """Return two fractions that enclose e^x for a multiple x of 2^-k; Python's decimals round e^x correctly."""
    k = x.denominator.bit_length() - 1
    if x.denominator != 2**k:
        raise ValueError(f"{x} is not a double")
    near = Fraction(Context(prec=80).exp(Decimal(f"{x.numerator * 5**k}e-{k}")))
    return near * (1 - Fraction(1, 10**79)), near * (1 + Fraction(1, 10**79))


def _close(one: Chances, two: Chances, epsilon: float | Fraction, delta: float = 0.0) -> bool:
    """Return True if both distributions are within (epsilon, delta) of each other, for every set of answers."""
    grow, whole = power(Fraction(epsilon))[0].as_integer_ratio()
    allowed = int(Fraction(delta) * SCALE) * whole  # a double is a multiple of 1 / SCALE
    pairs = ([*zip(one, two, strict=True)], [*zip(two, one, strict=True)])
    return all(sum(max(0, p * whole - grow * q) for p, q in each) <= allowed for each in pairs)


def _units(epsilon: float, spare: int) -> int:
    return max(0, math.floor(Fraction(epsilon) * UNIT) - spare)


def _chance(mantissa: int, exponent: int) -> int:
    """Return the chance mantissa 2^-exponent, which must be a double from 0 to 1, as a multiple of 1 / SCALE."""
    if not (0 <= exponent <= 1074 and 0 <= mantissa < 2**53 and mantissa <= 2**exponent):
        raise ValueError(f"[{mantissa}, {exponent}] is not a chance")
    return mantissa * SCALE >> exponent


def _balanced(mechanism: Certificate, _question: Certificate) -> Iterator[str]:
    """Check, for every level: its units leave room for rounding, and it may cross the boundary at its `crossing`.

    At a cost of y, every wrong answer has the chance P(y). A person changes the cost by at most their units; between
    data of different true answers, the cost is at most the person's crossing C, and 1 - (k - 1) P <= e^units P there. C
    grows with the units, and not faster. These facts imply privacy for all data.
    """
    k, units, crossing = len(mechanism["options"]), 0, 0

    def wrong(cost: int) -> list[Fraction]:  # two fractions that enclose P at a cost
        low, high = power(Fraction(cost, UNIT))
        return [(1 - y / k) / (k - 1) if 2 * y <= k else k / (4 * (k - 1) * y) for y in (high, low)]

    for group in mechanism["groups"]:
        before, units, crossed, crossing = units, group["units"], crossing, group["crossing"]
        name, (low, high) = f"epsilon {group['epsilon']}", power(Fraction(units, UNIT))
        if units != _units(group["epsilon"], k):
            yield f"the units of {name} leave no room for rounding"
        if not 0 <= crossing - crossed <= units - before:
            yield f"the crossing of {name} grows faster than its units"
        if wrong(crossing)[0] * (low + k - 1) < 1:
            yield f"people of {name} would be told apart where their vote decides"
        if units and wrong(crossing + 1)[1] * (high + k - 1) >= 1:
            yield f"the crossing of {name} is not the greatest that is private"


def _least(mechanism: Certificate) -> dict[int, tuple[int, float]]:
    """Return, for every weight above 0, the number of people and their least epsilon."""
    least: dict[int, tuple[int, float]] = {}
    for group in mechanism["groups"]:
        weight, (size, epsilon) = group["weight"], least.get(group["weight"], (0, math.inf))
        least[weight] = size + group["people"], min(epsilon, group["epsilon"])
    if min(least) < 0:
        raise ValueError("a weight is below 0")
    return {weight: found for weight, found in least.items() if weight}


def _scores(mechanism: Certificate, _question: Certificate) -> Iterator[str]:
    """Check every step of one person from score to score; far outside the window, the rate at which chances fall."""
    least, rows = _least(mechanism), [(side, _chance(m, e)) for side, m, e in mechanism["chances"]]
    low, high = mechanism["low"], mechanism["low"] + len(rows) - 1
    top = sum(weight * size for weight, (size, _) in least.items())
    if not 0 <= low <= high <= top or any(side not in (0, 1) or 2 * p > SCALE for side, p in rows):
        yield "the scores or their chances are out of range"
        return
    spread = [Fraction(mechanism["below"], UNIT), Fraction(mechanism["above"], UNIT)]

    def at(score: int) -> list[Chances]:
        """Return the distribution at a score, or two that enclose it: the smaller chance rounded down, and up."""
        inside = min(max(score, low), high)
        side, p = rows[inside - low]
        small = {p}
        if score != inside:
            slow, fast = (y * p for y in power(-spread[score > inside] * abs(score - inside)))
            small = {max(math.floor(slow), min(p, TINY)), min(p, max(TINY, math.ceil(fast * (1 + Fraction(1, UNIT)))))}
        return [[x, SCALE - x] if side == 0 else [SCALE - x, x] for x in small]

    for weight, (_, epsilon) in least.items():
        if min(spread) < 0 or max(spread) * UNIT * weight > _units(epsilon, 16):
            yield f"beyond the window, chances fall faster than epsilon {epsilon} allows"
        occurring = 1 if (low, high) == (0, top) else -1  # the bits of all scores that occur, if there is no window
        for other, (size, _) in least.items():
            for _ in range(size - (other == weight)):
                occurring |= occurring << other
        for s in range(max(0, low - weight), min(high, top - weight) + 1):
            if occurring >> s & 1 and not all(_close(one, two, epsilon) for one in at(s) for two in at(s + weight)):
                yield f"scores {s} and {s + weight} differ by more than epsilon {epsilon} allows"


def _flip(mechanism: Certificate, _question: Certificate) -> Iterator[str]:
    """Check the rate of permute-and-flip: a step changes a gap of scores by 2 w, and a chance by e^(rate w)."""
    for weight, (_, epsilon) in _least(mechanism).items():
        if not 0 <= mechanism["rate"] * weight <= _units(epsilon, 16 + 4 * len(mechanism["options"])):
            yield f"the rate is more than epsilon {epsilon} allows"


def _outcomes(mechanism: Certificate, question: Certificate) -> Iterator[str]:
    """Check the possible answers, and the units by which a person moves them: all that an epsilon has, or up to a cap.

    If every option is counted, each has half of them, since another answer changes two counts. No draw is rounded.
    """
    (query, _, rest), options, groups = question["query"].partition(":"), question["options"], mechanism["groups"]
    fits, other = query in ("median", "ranking") or (query == "quantile" and 0 < Fraction(rest) <= 1), "by weight"
    if query in ("count", "counts"):
        fits, other, people = (rest or options[0]) in options, "with noise", sum(group["people"] for group in groups)
        width = next(n for e in range(12) for n in (10**e, 2 * 10**e, 5 * 10**e) if people // n < 2_000)
        given = [int(start) for start in question.get("ranges", str(width)).split(",")]  # one number is a width
        starts = [*(given if len(given) > 1 else range(0, people + 1, given[0])), people + 1]
        options = [f"{a} to {b - 1}" if b - 1 > a else str(a) for a, b in itertools.pairwise(starts)]
    if not fits or mechanism["options"] != options or mechanism["kind"] not in ("by distance", other):
        yield "the mechanism is for another question, or has other answers"
    unit, units = Fraction(mechanism["unit"]) * (2 if query == "counts" else 1), [group["units"] for group in groups]
    most = [Fraction(group["epsilon"]) // unit for group in groups]
    cap = {"balanced outcomes": most[0], "weighted outcomes": max(units)}[question["mechanism"]]
    cap = most[-1] if mechanism["kind"] == "by distance" else cap
    if not 0 < cap == int(cap) or units != [min(each, cap) for each in most]:
        yield "the units of a group are not those that its epsilon allows"


def _rows(mechanism: Certificate) -> dict[tuple[int, ...], Chances]:
    """Return the listed distributions, by dataset."""
    found = {}
    for key, row in mechanism["rows"]:
        if sum(row) != ONE or min(row) < 0 or len(row) != len(mechanism["options"]) or tuple(key) in found:
            raise ValueError(f"the chances at {key} are not a distribution")
        found[tuple(key)] = [n * (SCALE // ONE) for n in row]
    return found


def _tables(mechanism: Certificate, _question: Certificate) -> Iterator[str]:
    """Check every step of one person between all tables of votes."""
    rows, groups, k = _rows(mechanism), mechanism["groups"], len(mechanism["options"])
    if len(rows) != math.prod(math.comb(group["people"] + k - 1, k - 1) for group in groups):
        yield "there is a table of votes without chances"
    for key, (g, group) in itertools.product(rows, enumerate(groups)):
        if min(key) < 0 or sum(key[g * k : g * k + k]) != group["people"]:
            yield f"{list(key)} is not a table of these people"
        for a, b in itertools.permutations(range(g * k, g * k + k), 2):
            moved = tuple(n - (i == a) + (i == b) for i, n in enumerate(key))
            if key[a] and not _close(rows[key], rows[moved], group["epsilon"]):
                yield f"tables {list(key)} and {list(moved)} differ by more than epsilon {group['epsilon']} allows"


def _gaps(mechanism: Certificate, _question: Certificate) -> Iterator[str]:
    """Check every step of one person between the gaps to the leading score, cut off at the reach."""
    rows, reach, k, least = _rows(mechanism), mechanism["reach"], len(mechanism["options"]), _least(mechanism)
    ordered, top = mechanism["kind"] == "ordered gaps", sum(weight * size for weight, (size, _) in least.items())

    def at(gaps: tuple[int, ...]) -> tuple[Chances, Chances]:
        """Return the least and the greatest chance of every option; options with equal gaps may change places."""
        cut = [min(gap, reach) for gap in gaps]
        if not ordered:
            return rows[tuple(cut)], rows[tuple(cut)]
        key = sorted(cut)
        tied = [[p for gap, p in zip(key, rows[tuple(key)], strict=True) if gap == own] for own in cut]
        return [min(each) for each in tied], [max(each) for each in tied]

    def occurring(deepest: int) -> Iterator[tuple[int, ...]]:
        """Return the gaps that occur if all scores add up to `top`; gaps of `deepest` stand for deeper ones too."""
        some = itertools.combinations_with_replacement(range(deepest + 1), k - 1) if ordered else None
        for gaps in ((0, *each) for each in some) if some else itertools.product(range(deepest + 1), repeat=k):
            most, odd = divmod(top + sum(gaps), k)
            if min(gaps) == 0 and ((not odd and most >= max(gaps)) or (max(gaps) == deepest < top)):
                yield gaps

    for weight, (_, epsilon) in least.items():
        grow, whole = power(Fraction(epsilon))[0].as_integer_ratio()
        for gaps in occurring(min(reach + 2 * weight, top)):
            low, high = at(gaps)
            for a, b in itertools.permutations(range(k), 2):
                moved = [gap + weight * ((j == a) - (j == b)) for j, gap in enumerate(gaps)]
                there = at(tuple(gap - min(moved) for gap in moved))
                if any(p * whole > grow * q for p, q in zip(high + there[1], there[0] + low, strict=True)):
                    yield f"a step from gaps {list(gaps)} changes a chance by more than epsilon {epsilon} allows"


def _graph(graph: Certificate, question: Certificate) -> Iterator[str]:
    """Check every edge of a graph of datasets, that edges join all datasets, and that it is the question's graph."""
    if question["colors"] != graph["options"] or question["fingerprint"] != _fingerprint(graph):
        yield "the graph is not the one of the question: its fingerprint differs"
    rows, k = list[Chances](), len(graph["options"])
    for each in graph["datasets"]:
        row = [None if x is None else _chance(*x) for x in each["chances"]]
        known = [x for x in row if x is not None]
        if len(row) != k or len(known) != k - 1 or sum(known) > SCALE or not 0 <= each["color"] < k:
            yield f"the chances at {each['key']!r} are not a distribution"
            return
        rows.append([SCALE - sum(known) if x is None else x for x in row])
    joined: list[set[int]] = [set() for _ in rows]
    for i, j, epsilon, delta in graph["edges"]:
        joined[i].add(j)
        joined[j].add(i)
        if epsilon < 0 or not 0 <= delta <= 1 or not _close(rows[i], rows[j], epsilon, delta):
            names = " and ".join(repr(graph["datasets"][end]["key"]) for end in (i, j))
            yield f"{names} differ by more than epsilon {epsilon} and delta {delta} allow"
    reached, ends = {0}, [0]
    for i in ends:  # which grows, until nothing new is reached
        ends += joined[i] - reached
        reached |= joined[i]
    if len(reached) != len(rows):
        yield "no path of edges joins all datasets, so that an answer could tell them apart for certain"


def _at_least(mechanism: Certificate, question: Certificate) -> Iterator[str]:
    """Check the chances F_k of a yes, if people with k units of epsilon must leave until there are too few.

    Somebody with n units changes k by at most n, and so takes at most n steps of F. A step multiplies the smaller
    chance of both answers, a double, by the factor, or divides it by the factor; products are rounded.
    """
    unit, factor = Fraction(mechanism["unit"]), mechanism["factor"]
    chances, private = _steps(question["false_alarm"], factor, unit)
    if not private or not 1 - Fraction(1, UNIT) <= Fraction(factor) / power(unit)[0] <= 1 - Fraction(1, 2**53):
        yield "a step changes a chance by more than a unit of epsilon allows, or by less"
    if [(k, (side, _chance(m, e))) for k, side, m, e in mechanism["chances"]] != [(k, chances[k]) for k in LISTED]:
        yield "the chances do not follow from the rate of false alarms"


@lru_cache(maxsize=16)
def _steps(alpha: float, factor: float, unit: Fraction) -> tuple[list[tuple[int, int]], bool]:
    """Return (0, F_k), or (1, 1 - F_k) if that is smaller, for many k; and True if all of these steps are private."""

    def divided(r: float) -> float:  # the least normal double whose product with the factor is at least r
        x = max(r / factor, 2.0**-1022)
        down, up = math.nextafter(x, 0.0), math.nextafter(x, 1.0)
        return up if factor * x < r else down if factor * down >= r and x > 2.0**-1022 else x

    found = [(0, alpha) if alpha <= 0.5 else (1, 1.0 - alpha)]
    for _ in range(LISTED[-1]):
        side, x = found[-1]
        next_one = (1, divided(x)) if side else (0, factor * x)
        if next_one[1] > 0.5:
            rest = 1.0 - x if 1.0 - (1.0 - x) <= x else math.nextafter(1.0 - x, 1.0)  # 1 - x, rounded up
            next_one = (1, max(1.0 - next_one[1], divided(rest)))
        found.append(next_one)
    chances = [(side, int(Fraction(x) * SCALE)) for side, x in found]
    both = [[SCALE - p, p] if side else [p, SCALE - p] for side, p in chances]
    return chances, all(_close(one, two, unit) for one, two in itertools.pairwise(both))


def _ranges(mechanism: Certificate, _question: Certificate) -> Iterator[str]:
    """Check permute-and-flip over ranges that are off by whole units, which n units of a person change by at most n."""
    unit, shift = Fraction(mechanism["unit"]), mechanism["shift"]
    often = len(mechanism["options"]) / BETA
    if not power(unit * (shift - 1) / 2)[0] < often <= power(unit * shift / 2)[1] or mechanism["depth"] != 2 * shift:
        yield f"the shift or the depth is not the one with which a count is too high with a chance of {BETA}"


def _rate(mechanism: Certificate, _question: Certificate) -> Iterator[str]:
    """Check that n units of a person change a chance by e^n: noise moves once, a flip twice; scores are rounded."""
    rate, unit = Fraction(mechanism["rate"]), Fraction(mechanism["step" if "step" in mechanism else "unit"])
    used = {"with noise": rate, "heard scores": rate + Fraction(1, UNIT)}.get(mechanism["kind"], 2 * rate)
    if not 0 < used == unit:
        yield "the rate is not what a unit of epsilon allows"


POLLS = {"balanced": _balanced, "scores": _scores, "flip": _flip, "tables": _tables, "gaps": _gaps}
OWN = {"at least": (_at_least,), "ranges": (_rate, _ranges), "heard scores": (_rate,), "heard flip": (_rate,)}
OUTCOMES = ("by distance", "by weight", "with noise")
KINDS = {
    **{kind: (_poll_asked, private) for kind, private in (POLLS | {"ordered gaps": _gaps}).items()},
    **{kind: (_own_asked, *private) for kind, private in OWN.items()},
    **dict.fromkeys(OUTCOMES, (_poll_asked, _rate, _outcomes)),
    "graph": (_graph,),
}


# --- files ------------------------------------------------------------------------------------------------------------
def extract(text: str) -> list[Certificate]:
    """Return the certificates in a text: a certificate itself, or what a report in JSON, HTML or Markdown has in it."""
    forms = r'<script type="application/json" id="certificates">(.*?)</script>', r"^```json\n(.*?)\n```$"
    found = next(filter(None, (re.search(form, text, re.DOTALL | re.MULTILINE) for form in forms)), None)
    value = json.loads(found[1] if found else text)
    certificates = value.get("certificates", [value] if "format" in value else []) if isinstance(value, dict) else value
    if not certificates or not isinstance(certificates, list):
        raise ValueError("there is no certificate in it")
    return certificates


def main(arguments: list[str]) -> int:
    """Check a file and say what was found; return 0 if all certificates are valid, 1 if not, 2 if there is none."""
    try:
        (name,) = arguments
        with open(name, encoding="utf-8") as file:
            certificates = extract(file.read())
    except (OSError, ValueError) as e:
        print(f"give one file: a certificate, or a report with one in it ({e})", file=sys.stderr)
        return 2
    problems = [problem for certificate in certificates for problem in verify(certificate)]
    print(*problems or ["valid: every inequality, the cost and the digests were recomputed"], sep="\n")
    print("Not checked, since no certificate can show it:", *UNCHECKED, sep="\n- ")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
