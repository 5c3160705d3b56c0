#!/usr/bin/env python3
"""Check the certificate of a release of neodp, without neodp: `python verify_release.py FILE`.

This one file needs Python 3.11 and its standard library, nothing else, and is meant to be read. FILE is a certificate
in JSON, or a report of neodp (.html, .md, .json) that has one in it. docs/reference/json.md describes the fields.

A certificate states who was asked (groups of people with an epsilon each, or a graph of datasets), what was asked, the
answer, what the answer costs everybody, and the mechanism: the chance of each answer for all data there could be. This
program recomputes

* the digests, so that a change of any field is noticed;
* the question: the threshold follows from the query, the people are those of the question, the answer is an option;
* the cost: everybody is charged the epsilon, and the delta, that the mechanism may use;
* privacy: if the data of one person with (epsilon, delta) changes, then p <= e^epsilon p' + delta for every set of
  answers, with p before and p' after the change. All numbers are whole numbers and fractions; e^epsilon is enclosed
  between two fractions, and an inequality counts as kept only if it holds for the lower one.

Where a mechanism has too many datasets to list, finitely many inequalities imply all others, and these are checked. The
proofs are in neodp/polls/mechanism.py (balanced), weighted.py (scores) and weighted_plurality.py (gaps, flip).
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
import struct
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

__all__ = ["UNCHECKED", "digests", "extract", "verify"]

FORMAT = "neodp certificate 1"
UNIT = 2**50  # an epsilon of 1, in whole units
ONE = 2**52  # a chance of 1 in rows of whole numbers
SCALE = 2**1400  # a chance of 1 here: every chance is a whole number, since doubles are multiples of 2^-1074
TINY = SCALE >> 1022  # no chance of an answer is smaller, unless it is 0
MOST_LEVELS = 64  # more epsilons than these are rounded up in the account
PRECISION = 256  # the binary digits with which e^x is enclosed
UNCHECKED = (
    "that the answer was drawn at random, with the chances that are stated",
    "that the table or the dataset was the true one, that everybody in it exists, and that their epsilons are theirs",
    "which other answers about the same people were given",
    "who wrote the certificate: a digest shows changes, but it is not a signature",
)
Certificate = dict[str, Any]
Chances = list[int]  # of every answer, as multiples of 1 / SCALE


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
    question, mechanisms = certificate["question"], certificate["mechanisms"]
    answers = certificate["release"]["answer"]
    parts = [mechanism["part"] for mechanism in mechanisms]
    if parts != (list(question["parts"]) if "parts" in question else [None]):
        yield "the mechanisms are not those of the question's parts"
    if question["population"] != certificate["release"]["population"]:
        yield "the question is about another population"
    for mechanism in mechanisms:
        part = mechanism["part"]
        answer = answers if part is None else answers[part]
        where = "" if part is None else f" of {part!r}"
        if answer not in mechanism["options"]:
            yield f"the answer{where} is {answer!r}, which is none of the options"
        for problem in itertools.chain(_asked(question, mechanism, answer), KINDS[mechanism["kind"]](mechanism)):
            yield f"{problem}{where}"
    yield from _cost(certificate["levels"], mechanisms)


# --- digests ----------------------------------------------------------------------------------------------------------


def digests(certificate: Certificate) -> dict[str, str]:
    """Return the SHA-256 digests of the question, the mechanisms and the whole, each as JSON with sorted keys."""

    def digest(value: Any) -> str:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()

    whole = {name: value for name, value in certificate.items() if name != "digests"}
    parts = {name: digest(whole[name]) for name in ("question", "mechanisms")}
    return parts | {"certificate": digest(whole)}


def _fingerprint(graph: Certificate) -> str:
    """Return the digest of a graph, whatever the order of its datasets and edges."""
    datasets, edges = graph["datasets"], graph["edges"]
    names = [each["key"].encode() for each in datasets]
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = {place: i for i, place in enumerate(order)}
    ends = sorted((*sorted((rank[i], rank[j])), epsilon, delta) for i, j, epsilon, delta in edges)
    digest = hashlib.sha256(repr((tuple(graph["options"]), len(names), len(edges))).encode())

    def add(kind: str, values: list[Any]) -> None:
        digest.update(struct.pack(f"<{len(values)}{kind}", *values))

    k = len(graph["options"])
    add("i", [len(names[i]) for i in order])
    add("b", [datasets[i]["color"] for i in order])
    add("d", [x for i in order for x in datasets[i]["alpha"] or [math.nan] * k])
    for kind, column in zip("qqdd", range(4), strict=True):
        add(kind, [edge[column] for edge in ends])
    if any(each["preference"] is not None for each in datasets):
        add("b", [x for i in order for x in datasets[i]["preference"]])
    digest.update(b"".join(names[i] for i in order))
    return digest.hexdigest()


# --- the question and its cost ----------------------------------------------------------------------------------------


def _asked(question: Certificate, mechanism: Certificate, answer: str) -> Iterator[str]:
    """Compare a mechanism with the question that was asked."""
    if mechanism["kind"] == "graph":
        if question["colors"] != mechanism["options"]:
            yield "the mechanism has other answers than the question"
        if question["fingerprint"] != _fingerprint(mechanism):
            yield "the graph is not the one of the question: its fingerprint differs"
        return
    if question["options"] != mechanism["options"]:
        yield "the mechanism has other answers than the question"
    if question["mechanism"] != "weighted" and (question["mechanism"], mechanism["kind"]) != ("balanced",) * 2:
        yield "the question was to be answered by another mechanism"
    groups = [[each["level"], each["epsilon"], each["people"]] for each in mechanism["groups"]]
    asked = question["groups"] if mechanism["part"] is None else question["parts"][mechanism["part"]]
    short = hashlib.sha256(json.dumps(groups, ensure_ascii=False).encode()).hexdigest()[:16]
    if asked not in (groups, f"{len(groups)} groups, {short}"):
        yield "the groups of people are not those of the question"
    people, needed = sum(people for _, _, people in groups), mechanism.get("needed")
    kind, _, share = question["query"].partition(":")
    if needed is None or len(mechanism["options"]) != 2:
        if needed is not None or len(mechanism["options"]) == 2 or kind != "plurality":
            yield "a threshold is for two options, and plurality for more"
        return
    follows = {"majority": people // 2 + 1, "plurality": (people + 1) // 2, "threshold": None}[kind]
    if needed != (math.ceil(Fraction(share) * people) if follows is None else follows):
        yield f"the number of people needed is {needed}, which does not follow from the query"
    if not 0 < needed <= people and answer != mechanism["options"][0 if needed <= 0 else 1]:
        yield "only one answer is possible, and it is another one"


def _cost(levels: list[Certificate], mechanisms: list[Certificate]) -> Iterator[str]:
    """Check that everybody is charged what the mechanism may use; parts are disjoint, so that everybody pays once."""
    people: Counter[tuple[float, str | None]] = Counter()
    delta: dict[float, float] = {}
    for mechanism in mechanisms:
        for group in mechanism.get("groups", ()):
            people[group["epsilon"], group["level"]] += group["people"]
        for _, _, epsilon, d in mechanism.get("edges", ()):
            people[epsilon, None] = 0
            delta[epsilon] = max(d, delta.get(epsilon, 0.0))
    known = sorted(people, key=lambda each: each[0])
    charged = [(e, delta.get(e, 0.0), name, people[e, name] or None, 1) for e, name in known]
    if len(known) > MOST_LEVELS:  # everybody is charged as the next of 64 levels, or as their own if these are fewer
        epsilons = sorted({e for e, _ in known})
        ends = {epsilons[-1 - len(epsilons) * i // MOST_LEVELS] for i in range(MOST_LEVELS)}
        charged, most = [], 0.0
        for e in epsilons:
            most = max(most, delta.get(e, 0.0))
            if e in ends or len(epsilons) <= MOST_LEVELS:
                charged, most = [*charged, (e, most, None, None, 1)], 0.0
    if charged != [(each["epsilon"], each["delta"], each["level"], each["people"], each["times"]) for each in levels]:
        yield "the cost is not what the mechanism uses"


# --- privacy ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=100_000)
def power(x: Fraction) -> tuple[Fraction, Fraction]:
    """Return two fractions that enclose e^x: a Taylor series of x / 2^k, rounded down and up, squared k times."""
    if x < 0:
        low, high = power(-x)
        return 1 / high, 1 / low
    if x == 0:
        return Fraction(1), Fraction(1)
    k = math.floor(x).bit_length() + 8
    y = x / 2**k  # less than 1/128, so that what is left of the series is less than its last term
    down = up = below = above = 1 << PRECISION
    n = 0
    while above > 1:
        n += 1
        below = below * y.numerator // (y.denominator * n)
        above = -(-above * y.numerator // (y.denominator * n))
        down, up = down + below, up + above
    up += above
    for _ in range(k):
        down, up = down * down >> PRECISION, -(-up * up >> PRECISION)
    return Fraction(down, 1 << PRECISION), Fraction(up, 1 << PRECISION)


def _close(one: Chances, two: Chances, epsilon: float, delta: float = 0.0) -> bool:
    """Return True if both distributions are within (epsilon, delta) of each other, for every set of answers."""
    factor, allowed = power(Fraction(epsilon))[0], Fraction(delta) * SCALE
    grow, whole = factor.numerator, factor.denominator
    return all(
        sum(max(0, p * whole - grow * q) for p, q in zip(left, right, strict=True)) <= allowed * whole
        for left, right in ((one, two), (two, one))
    )


def _units(epsilon: float, spare: int) -> int:
    return max(0, math.floor(Fraction(epsilon) * UNIT) - spare)


def _people(mechanism: Certificate) -> Iterator[str]:
    epsilons = [group["epsilon"] for group in mechanism["groups"]]
    fewest = min(group["people"] for group in mechanism["groups"])
    if epsilons != sorted(epsilons) or epsilons[0] <= 0 or fewest < 1:
        yield "the groups are not people with an epsilon above 0, by ascending epsilon"


def _balanced(mechanism: Certificate) -> Iterator[str]:
    """Check, for every level: its units leave room for rounding, and it may cross the boundary at its `crossing`.

    At a cost of y, every wrong answer has the chance P(y). A person changes the cost by at most their units; between
    data of different true answers, the cost is at most the person's crossing C, and 1 - (k - 1) P <= e^units P there. C
    grows with the units, and not faster. These facts imply privacy for all data.
    """
    yield from _people(mechanism)
    k, units, crossing = len(mechanism["options"]), 0, 0
    for group in mechanism["groups"]:
        before, units, crossed, crossing = units, group["units"], crossing, group["crossing"]
        name = f"epsilon {group['epsilon']}"
        if units != _units(group["epsilon"], k):
            yield f"the units of {name} leave no room for rounding"
        if not 0 <= crossing - crossed <= units - before:
            yield f"the crossing of {name} grows faster than its units"
        low, high = power(Fraction(units, UNIT))
        if _wrong(crossing, k)[0] * (low + k - 1) < 1:
            yield f"people of {name} would be told apart where their vote decides"
        if units and _wrong(crossing + 1, k)[1] * (high + k - 1) >= 1:
            yield f"the crossing of {name} is not the greatest that is private"


def _wrong(cost: int, k: int) -> tuple[Fraction, Fraction]:
    """Return two fractions that enclose P, the chance of each wrong answer, at a cost."""
    low, high = power(Fraction(cost, UNIT))
    found = [(1 - y / k) / (k - 1) if 2 * y <= k else k / (4 * (k - 1) * y) for y in (high, low)]
    return found[0], found[1]


def _scores(mechanism: Certificate) -> Iterator[str]:
    """Check every step of one person from score to score; far outside the window, the rate at which chances fall."""
    yield from _people(mechanism)
    least: dict[int, tuple[int, float]] = {}  # for every weight, the number of people and their least epsilon
    for group in mechanism["groups"]:
        if group["weight"] < 0:
            yield "a weight is below 0"
            return
        size, epsilon = least.get(group["weight"], (0, group["epsilon"]))
        least[group["weight"]] = size + group["people"], min(epsilon, group["epsilon"])
    least.pop(0, None)  # these people have no influence
    rows = [(side, _chance(m, e)) for side, m, e in mechanism["chances"]]
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
        if score != inside:
            slow, fast = (y * p for y in power(-spread[score > inside] * abs(score - inside)))
            small = {max(math.floor(slow), min(p, TINY)), min(p, max(TINY, math.ceil(fast * (1 + Fraction(1, UNIT)))))}
        else:
            small = {p}
        return [[x, SCALE - x] if side == 0 else [SCALE - x, x] for x in small]

    for weight, (_, epsilon) in least.items():
        if min(spread) < 0 or max(spread) * UNIT * weight > _units(epsilon, 16):
            yield f"beyond the window, chances fall faster than epsilon {epsilon} allows"
        occurring = _sums(least, weight) if (low, high) == (0, top) else -1  # scores that do not occur have any chance
        for s in range(max(0, low - weight), min(high, top - weight) + 1):
            if occurring >> s & 1 and not all(_close(one, two, epsilon) for one in at(s) for two in at(s + weight)):
                yield f"scores {s} and {s + weight} differ by more than epsilon {epsilon} allows"


def _sums(classes: dict[int, tuple[int, float]], without: int) -> int:
    """Return the scores that occur, as the bits of a whole number, before one more person of a weight is added."""
    bits = 1
    for weight, (size, _) in classes.items():
        for _ in range(size - (weight == without)):
            bits |= bits << weight
    return bits


def _flip(mechanism: Certificate) -> Iterator[str]:
    """Check the rate of permute-and-flip: a step changes a gap of scores by 2 w, and a chance by e^(rate w)."""
    yield from _people(mechanism)
    for group in mechanism["groups"]:
        spare = 16 + 4 * len(mechanism["options"])
        if mechanism["rate"] < 0 or mechanism["rate"] * group["weight"] > _units(group["epsilon"], spare):
            yield f"the rate is more than epsilon {group['epsilon']} allows"


def _chance(mantissa: int, exponent: int) -> int:
    """Return the chance mantissa 2^-exponent, which must be a double from 0 to 1, as a multiple of 1 / SCALE."""
    if not (0 <= exponent <= 1074 and 0 <= mantissa < 2**53 and mantissa <= 2**exponent):
        raise ValueError(f"[{mantissa}, {exponent}] is not a chance")
    return mantissa * SCALE >> exponent


def _rows(mechanism: Certificate) -> dict[tuple[int, ...], Chances]:
    """Return the listed distributions, by dataset."""
    found = {}
    for key, row in mechanism["rows"]:
        if sum(row) != ONE or min(row) < 0 or len(row) != len(mechanism["options"]) or tuple(key) in found:
            raise ValueError(f"the chances at {key} are not a distribution")
        found[tuple(key)] = [n * (SCALE // ONE) for n in row]
    return found


def _tables(mechanism: Certificate) -> Iterator[str]:
    """Check every step of one person between all tables of votes."""
    yield from _people(mechanism)
    rows, groups, k = _rows(mechanism), mechanism["groups"], len(mechanism["options"])
    if len(rows) != math.prod(math.comb(group["people"] + k - 1, k - 1) for group in groups):
        yield "there is a table of votes without chances"
    for key, (g, group) in itertools.product(rows, enumerate(groups)):
        if min(key) < 0 or sum(key[g * k : g * k + k]) != group["people"]:
            yield f"{list(key)} is not a table of these people"
        for a, b in itertools.permutations(range(g * k, g * k + k), 2):
            if key[a]:
                moved = tuple(n - (i == a) + (i == b) for i, n in enumerate(key))
                if not _close(rows[key], rows[moved], group["epsilon"]):
                    yield f"tables {list(key)} and {list(moved)} differ by more than epsilon {group['epsilon']} allows"


def _gaps(mechanism: Certificate) -> Iterator[str]:
    """Check every step of one person between the gaps to the leading score, cut off at the reach."""
    yield from _people(mechanism)
    rows, reach, k = _rows(mechanism), mechanism["reach"], len(mechanism["options"])
    ordered, top = mechanism["kind"] == "ordered gaps", sum(g["weight"] * g["people"] for g in mechanism["groups"])
    least: dict[int, float] = {}
    for group in mechanism["groups"]:
        least[group["weight"]] = min(group["epsilon"], least.get(group["weight"], math.inf))
    least.pop(0, None)

    def at(gaps: tuple[int, ...]) -> tuple[Chances, Chances]:
        """Return the least and the greatest chance of every option; options with equal gaps may change places."""
        cut = [min(gap, reach) for gap in gaps]
        if not ordered:
            return rows[tuple(cut)], rows[tuple(cut)]
        key = sorted(cut)
        row = rows[tuple(key)]
        tied = [[p for gap, p in zip(key, row, strict=True) if gap == own] for own in cut]
        return [min(each) for each in tied], [max(each) for each in tied]

    for weight, epsilon in least.items():
        deepest, factor = min(reach + 2 * weight, top), power(Fraction(epsilon))[0]
        for gaps in _occurring(deepest, top, k, ordered):
            low, high = at(gaps)
            for a, b in itertools.permutations(range(k), 2):
                moved = [gap + weight * ((j == a) - (j == b)) for j, gap in enumerate(gaps)]
                there = at(tuple(gap - min(moved) for gap in moved))
                pairs = zip(high + there[1], there[0] + low, strict=True)
                if any(p * factor.denominator > factor.numerator * q for p, q in pairs):
                    yield f"a step from gaps {list(gaps)} changes a chance by more than epsilon {epsilon} allows"


def _occurring(deepest: int, top: int, k: int, ordered: bool) -> Iterator[tuple[int, ...]]:
    """Return the gaps that occur if all scores add up to `top`; gaps of `deepest` stand for deeper ones too."""
    some = itertools.combinations_with_replacement if ordered else None
    rest = some(range(deepest + 1), k - 1) if some else itertools.product(range(deepest + 1), repeat=k)
    for each in rest:
        gaps = (0, *each) if ordered else each
        most, odd = divmod(top + sum(gaps), k)
        if min(gaps) == 0 and ((not odd and most >= max(gaps)) or (max(gaps) == deepest < top)):
            yield gaps


def _graph(graph: Certificate) -> Iterator[str]:
    """Check every edge of a graph of datasets, and that edges join all datasets."""
    rows, k = [], len(graph["options"])
    for each in graph["datasets"]:
        row = [None if x is None else _chance(*x) for x in each["chances"]]
        known = [x for x in row if x is not None]
        if len(row) != k or len(known) != k - 1 or sum(known) > SCALE or not 0 <= each["color"] < k:
            yield f"the chances at {each['key']!r} are not a distribution"
            return
        rows.append([SCALE - sum(known) if x is None else x for x in row])
    group = list(range(len(rows)))  # of every dataset, one that edges join it with; its own, if it is the first

    def first(i: int) -> int:
        while group[i] != i:
            group[i] = i = group[group[i]]
        return i

    for i, j, epsilon, delta in graph["edges"]:
        group[first(i)] = first(j)
        if epsilon < 0 or not 0 <= delta <= 1 or not _close(rows[i], rows[j], epsilon, delta):
            names = " and ".join(repr(graph["datasets"][end]["key"]) for end in (i, j))
            yield f"{names} differ by more than epsilon {epsilon} and delta {delta} allow"
    if len({first(i) for i in group}) != 1:
        yield "no path of edges joins all datasets, so that an answer could tell them apart for certain"


KINDS = {
    "balanced": _balanced,
    "scores": _scores,
    "flip": _flip,
    "tables": _tables,
    "gaps": _gaps,
    "ordered gaps": _gaps,
    "graph": _graph,
}


# --- files ------------------------------------------------------------------------------------------------------------


def extract(text: str) -> list[Certificate]:
    """Return the certificates in a text: a certificate itself, or what a report in JSON, HTML or Markdown has in it."""
    found = re.search(r'<script type="application/json" id="certificates">(.*?)</script>', text, re.DOTALL)
    found = found or re.search(r"^```json\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE)
    value = json.loads(found[1] if found else text)
    certificates = value.get("certificates", [value] if "format" in value else []) if isinstance(value, dict) else value
    if not certificates or not isinstance(certificates, list):
        raise ValueError("there is no certificate in it")
    return certificates


def main(arguments: list[str]) -> int:
    """Check a file and say what was found; return 0 if all certificates are valid, 1 if not, 2 if there is none."""
    if len(arguments) != 1:
        print("give one file: a certificate, or a report with one in it", file=sys.stderr)
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as file:
            certificates = extract(file.read())
    except (OSError, ValueError) as e:
        print(f"{arguments[0]}: {e}", file=sys.stderr)
        return 2
    problems = [problem for certificate in certificates for problem in verify(certificate)]
    print("\n".join(problems) if problems else "valid: every inequality, the cost and the digests were recomputed")
    print("Not checked, since no certificate can show it:", *UNCHECKED, sep="\n- ")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
