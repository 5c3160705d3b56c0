"""Random values: doubles of every magnitude, texts of every script, graphs, alpha, mechanisms, profiles and polls."""

from __future__ import annotations

import math
import struct
import unicodedata
from random import Random
from typing import Any

import numpy as np

import neodp
from neodp import DatasetGraph, Mechanism
from neodp.compiled.labels import SMALLEST
from neodp.data.names import normal, valid_name
from neodp.data.validation import MAX_EPSILON
from neodp.errors import GraphError, NeodpError
from neodp.ledger.account import Limit
from neodp.polls.survey import Survey
from neodp.stretch.neighborhoods import Neighbors
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Cost, Measure

__all__ = [
    "alpha_of",
    "delta",
    "epsilon",
    "graph",
    "limit",
    "mechanism_of",
    "names",
    "neighbors_of",
    "profiles",
    "survey",
    "text",
    "texts",
]

LOGARITHMS = tuple(math.log(x) for x in (2, 3, 5, 7))
EPSILONS = (
    *(0.0, 5e-324, 2.0**-1022, 1e-300, 1e-16, 0.1, 1 / 3, 0.5, 1.0, 2.0, 30.0, 689.9999999999999, MAX_EPSILON),
    *LOGARITHMS,
    *(math.nextafter(x, to) for x in (0.5, 1.0, *LOGARITHMS) for to in (0.0, 2.0 * x)),
)
DELTAS = (0.0, 0.0, 0.0, 5e-324, 1e-300, 1e-17, 1e-9, 1 / 3, math.nextafter(1e-6, 0.0), 0.5, 1.0)
CHANCES = (0.0, 1.0, 0.5, 1 / 3, SMALLEST, math.nextafter(SMALLEST, 1.0), 1e-300, 1e-17, 2.0**-53, 0.1, 0.9)
SCRIPTS = (
    *("survey", "it's", 'say "no"', "back`tick", "back\\slash", "a;b,c\td", "$graph {name}", "-- DROP TABLE graph"),
    *("%s %d", "I", "ı", "null", "0", "1e5", "NaN", "Ünïcödé", "Ωμέγα", "опрос", "سوال عمومی", "سؤال", "שאלה", "प्रश्न"),
    *("คำถาม", "質問", "질문", "ปัญหา ๑", "🗳️", "👩‍👩‍👧‍👦", "🇮🇷", "نمی\u200cخواهم", "\ufb01", "\u212b"),
    *("Zoe\u0308", "Zo\u00eb", "a\u0300\u0301\u0302", "\U0001f642\U00010348"),
)
UNSEEN = ("\x00", "\n", "\r\n", "\t", "\x1f", " ", "\u202e", "\u2028", "\ufeff", "", "\x7f", "\ufffd", "\U0010ffff")
"""Texts that no name may have, but keys, colours and answers may."""


# --- numbers and texts --------------------------------------------------------------------------------------------


def epsilon(rng: Random) -> float:
    """An epsilon from 0 to 690."""
    return rng.choice(EPSILONS) if rng.random() < 0.6 else _bits(rng, MAX_EPSILON)


def delta(rng: Random) -> float:
    """A delta from 0 to 1."""
    return rng.choice(DELTAS) if rng.random() < 0.8 else _bits(rng, 1.0)


def _chance(rng: Random) -> float:
    """A probability that alpha may have: none of them is subnormal."""
    found = rng.choice(CHANCES) if rng.random() < 0.5 else _bits(rng, 1.0) if rng.random() < 0.5 else rng.random()
    if rng.random() < 0.2:
        found = 1.0 - found
    return found if found >= SMALLEST else 0.0


def _bits(rng: Random, most: float) -> float:
    """Any double from 0 to `most`: all bit patterns are as likely."""
    top = struct.unpack("<Q", struct.pack("<d", most))[0]
    found: float = struct.unpack("<d", struct.pack("<Q", rng.randint(0, top)))[0]
    return found


def _any_double(rng: Random) -> float:
    """A finite double of either sign."""
    found = rng.choice([*EPSILONS, 1e308, 1.7976931348623157e308, _bits(rng, 1.7e308), rng.random()])
    return rng.choice([found, -found])


def text(rng: Random) -> str:
    """A text of any script."""
    found = rng.choice(SCRIPTS) if rng.random() < 0.7 else "".join(_letter(rng) for _ in range(rng.randint(1, 8)))
    if rng.random() < 0.2:
        found = rng.choice([found + rng.choice(UNSEEN), rng.choice(UNSEEN) + found, rng.choice(UNSEEN)])
    return found * 300 if rng.random() < 0.005 else found


def _letter(rng: Random) -> str:
    top = rng.choice([0x7F, 0x7FF, 0xFFFF, 0x10FFFF])
    while 0xD800 <= (code := rng.randint(0, top)) <= 0xDFFF:
        pass
    return chr(code)


def texts(rng: Random, count: int) -> list[str]:
    """Different texts."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[text(rng) if rng.random() < 0.7 else f"{rng.choice(SCRIPTS)} {len(found)}"] = None
    return list(found)


def names(rng: Random, count: int) -> list[str]:
    """Names that differ in the form in which names are kept; some are given in another form."""
    found: dict[str, str] = {}
    while len(found) < count:
        one = unicodedata.normalize(rng.choice(["NFC", "NFC", "NFD"]), text(rng)) * (1 if rng.random() < 0.9 else 7)
        try:
            found.setdefault(valid_name("graph", one), one)
        except GraphError:
            continue
    return list(found.values())


# --- graphs -------------------------------------------------------------------------------------------------------


def graph(rng: Random, large: bool) -> DatasetGraph:
    """A graph of two to five colours, mostly connected, with or without preferences and alpha."""
    if large:
        made = neodp.generate.path(rng.randint(9_000, 30_000), epsilon=epsilon(rng), delta=delta(rng))
        return made.with_alpha(alpha_of(rng, made))
    n = rng.choice([1, 2, 3, 5, 8, 13, rng.randint(10, 40), rng.randint(40, 150)])
    k = rng.choice([2, 2, 2, 3, 3, 4, 5])
    pairs = {(rng.randrange(i), i) for i in range(1, n) if rng.random() < 0.995}
    pairs |= {
        (min(two), max(two)) for two in (rng.sample(range(n), 2) for _ in range(rng.randint(0, n) if n > 1 else 0))
    }
    ends = [rng.sample(pair, 2) for pair in pairs]
    levels = [(epsilon(rng), delta(rng)) for _ in range(rng.choice([1, 2, 3, 300]))]
    allowed = [rng.choice(levels) for _ in ends]
    orders = [rng.sample(range(k), k) for _ in range(rng.randint(2, 4))]
    order = [rng.choice(orders) for _ in range(n)]
    every = rng.random() < 0.9
    preference = np.array([row if every or rng.random() < 0.5 else [-1] * k for row in order], np.int64)
    made = DatasetGraph.from_columns(
        texts(rng, n),
        np.array([row[0] for row in order]),
        np.array([a for a, _ in ends], np.int64),
        np.array([b for _, b in ends], np.int64),
        np.array([e for e, _ in allowed], np.float64),
        np.array([d for _, d in allowed], np.float64),
        preference=preference if rng.random() < (0.2 if k == 2 else 0.8) else None,
        colors=texts(rng, k),
        name=text(rng),
    )
    return made.with_alpha(alpha_of(rng, made)) if rng.random() < 0.8 else made


def alpha_of(rng: Random, made: DatasetGraph) -> Any:
    """Alpha for a graph: balanced, homogeneous, from a compatible mechanism, or any."""
    kind = rng.choice([*["balanced"] * 6, "homogeneous", "random", "random", "none"])
    try:
        if kind == "balanced":
            return neodp.balanced(made)
        if kind == "homogeneous":
            return neodp.homogeneous(made, rng.uniform(1 / len(made.colors), 1.0))
    except NeodpError:  # not for this graph
        pass
    return None if kind == "none" else _rows(rng, made, rng.random())


def _rows(rng: Random, made: DatasetGraph, share: float) -> Any:
    """Any distributions, at some datasets."""
    if len(made) > 1000:
        found = np.full((len(made), len(made.colors)), np.nan)
        found[:, 0] = np.where(np.arange(len(made)) % 3 == 0, _chance(rng), np.nan)
        found[:, 1] = 1.0 - found[:, 0]
        return found
    return {made.key(v): _distribution(rng, len(made.colors)) for v in range(len(made)) if rng.random() < share}


def _distribution(rng: Random, k: int) -> list[float]:
    """A distribution, its largest entry one minus the rest."""
    found = [_chance(rng) / k if k > 2 else _chance(rng) for _ in range(k)]
    found = [x if x >= SMALLEST else 0.0 for x in found]
    place = rng.randrange(k)
    found[place] = 0.0
    total = sum(found)
    if total > 1.0:
        return [1.0 if i == place else 0.0 for i in range(k)]
    found[place] = 1.0 - total
    return found


def mechanism_of(rng: Random, made: DatasetGraph) -> Mechanism:
    """A mechanism: the optimal one, or any, for (epsilon, delta) or Gaussian, for this alpha or for another one."""
    kind = rng.choice(["extend", "extend", "gaussian", "any", "any", "other"])
    if kind == "other":  # a mechanism that was made for another alpha is stale once it is written
        made = made.with_alpha(alpha_of(rng, made))
    privacy = None
    if kind in ("gaussian", "any") and rng.random() < 0.8:
        many = [abs(_any_double(rng)) if rng.random() < 0.2 else epsilon(rng) for _ in range(made.edges)]
        privacy = neodp.Gaussian(np.array(many) if rng.random() < 0.7 and many else epsilon(rng))
    try:
        if kind != "any":
            return neodp.extend(made, privacy)
    except NeodpError:
        pass
    rows = _rows(rng, made, 1.1) if len(made) <= 1000 else np.full((len(made), len(made.colors)), 1 / len(made.colors))
    return Mechanism.of(made, rows, privacy)


# --- profiles, polls, limits --------------------------------------------------------------------------------------


def profiles(rng: Random) -> Profiles:
    """Users, items and likes."""
    users, items = ([x for x in texts(rng, rng.randint(1, 20)) if x] or ["a"] for _ in range(2))
    pairs = [(u, i) for u in users for i in items]
    pairs = rng.sample(pairs, rng.randint(0, min(len(pairs), 40)))
    return Profiles.from_columns(
        [u for u, _ in pairs],
        [i for _, i in pairs],
        np.array([_bits(rng, 1.0) for _ in pairs], np.float64),
        np.array([rng.choice([0.0, 1.0, 0.1, 1 / 3, _bits(rng, 1.0)]) for _ in pairs], np.float64),
        users=users,
        items=items,
        group=[text(rng) for _ in users] if rng.random() < 0.5 else None,
    )


def neighbors_of(rng: Random, made: Profiles) -> tuple[Neighbors, Measure]:
    """Neighbours of some users, as if they had been released."""
    n = len(made)
    k = rng.randint(0, min(3, n - 1))
    users = sorted(rng.sample(range(n), rng.randint(1, n)))
    others = [rng.sample([v for v in range(n) if v != u], k) for u in users]
    scored = rng.random() < 0.7
    scores = [[_any_double(rng) if scored else math.nan for _ in range(k)] for _ in users]
    shape = (len(users), k)
    found = Neighbors(
        np.array(users, np.int32),
        np.array(others, np.int32).reshape(shape),
        np.array(scores, np.float64).reshape(shape),
        Cost(epsilon(rng), k),
        Cost(0.5, 1),
    )
    return found, rng.choice(list(Measure))


def survey(rng: Random, name: str, columns: list[str]) -> Survey:
    """A poll of a small table: several levels of privacy, several questions, and parts; it may be refused.

    Raises
    ------
    GraphError
        If such a poll is not possible.
    """
    people, votes = rng.randint(1, 25), rng.sample(columns, rng.choice([1, 1, 2, len(columns)]))
    options = [x for x in texts(rng, rng.choice([2, 2, 2, 3, 4])) if x.strip()] or ["yes", "no"]
    levels = {each.strip(): epsilon(rng) for each in texts(rng, rng.randint(1, 4))}
    table: dict[str, list[Any]] = {vote: [rng.choice(options) for _ in range(people)] for vote in votes}
    table["level"] = [rng.choice(list(levels)) for _ in range(people)]
    table["own"] = [rng.choice(EPSILONS[5:]) for _ in range(people)]
    parts = [x for x in texts(rng, 3) if x.strip() and x == x.strip()]
    table["part"] = [rng.choice(parts) for _ in range(people)] if parts else ["a"] * people
    how: dict[str, Any] = rng.choice(
        [{"epsilon": "level", "levels": levels}, {"epsilon": "own"}, {"epsilon": epsilon(rng)}]
    )
    if rng.random() < 0.3:
        how |= {"by": "part", "by_values": parts or ["a"]}
    return neodp.poll(
        table,
        vote=votes,
        query="plurality" if len(options) > 2 else rng.choice(["majority", "threshold:2/3", "threshold:1/3"]),
        options=options,
        mechanism=rng.choice(["balanced", "balanced", "balanced", "weighted"]),
        exact=True,
        name=normal(name),
        **how,
    )


def limit(rng: Random, used: int) -> Limit:
    """A limit that leaves room for some more answers, or for none."""
    releases = rng.choice([0, used + 1, *(used + rng.randint(5, 40) for _ in range(3)), 2**40, None])
    most = rng.choice([None, None, None, 0.0, _bits(rng, 1e6), used * 10.0, 1e5])
    return Limit(releases, most, delta(rng))
