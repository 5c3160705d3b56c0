"""A private count of matches in a real graph of people.

What is measured
----------------
*Accuracy* on the friends of Deezer in Romania (:mod:`bench.deezer`; 41,773 people, 125,826 friendships): the median
relative error of 100 answers to "how many?", for pairs of friends, pairs who both like Rock, triangles, and paths of
two among people who like Rock. Everybody has epsilon 0.8, or one of 0.1, 0.5, 1 and 2 at random. Beside it are R2T and
naive truncation (:mod:`bench.ask_rivals`), which know one epsilon, so that with personal ones it is the least, 0.1; and
neodp's own answer with everybody at the least. Public bounds: at most 10^6 matches for neodp; at most 1,024 friends, as
in R2T's paper, for the others. The aims are 0.6 of R2T's error on pairs and 0.45 on triangles, at epsilon 0.8.

*Time and memory* of one answer, from tables of nodes and relationships to the kept release: the best of two turns, each
in a process of its own that has answered a small question before. A graph of 400,000 people and 10^6 friendships, with
hubs, is there for its size. The aims are 60 s and 4 GB, for 10^6 matches of two people and for 10^5 of three.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import neodp
from bench import deezer
from bench.ask_rivals import R2T, median_error, truncated
from bench.process import Process, mark_peak, peak, spend
from bench.report import megabytes, met, seconds, show, table
from neodp.asking.cover import Cover
from neodp.asking.distance import Distances
from neodp.asking.inquiry import Inquiry
from neodp.asking.mechanism import Counting
from neodp.asking.source import PeopleFound
from neodp.asking.tables import Tables

__all__ = ["QUESTIONS", "run"]

QUESTIONS = {
    "pairs": "MATCH (a:Person)-[:KNOWS]-(b:Person)",
    "pairs, both like Rock": "MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.rock AND b.rock",
    "triangles": "MATCH (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person)-[:KNOWS]-(a)",
    "paths of two, all like Rock": "MATCH (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person) "
    "WHERE a.rock AND b.rock AND c.rock",
}
AIMS = {"pairs": 0.6, "triangles": 0.45}
"""The greatest ratio of errors, neodp's to R2T's."""
LEVELS = (0.1, 0.5, 1.0, 2.0)
FRIENDS = 1024
"""The public bound on the number of friends, for R2T and naive truncation."""
MOST = 10**6
DRAWS = 100
TURNS = 2
SECONDS, BYTES = 60, 4e9


def run(quick: bool) -> None:
    """Measure and print: all in about four minutes of processor time."""
    names = list(QUESTIONS)[:2] if quick else list(QUESTIONS)
    rows, timed = [], []
    for name in names:
        with Process() as process:
            rows += process.call(_accuracy, name, 20 if quick else DRAWS)
        timed.append(_timed(name, "Romania"))
    if not quick:
        timed.append(_timed("pairs", "10^6 friendships"))
    header = ("question", "matches", "epsilon", "neodp", "all at the least", "R2T", "naive", "neodp / R2T", "aim")
    show(f"How many? Median relative error of {20 if quick else DRAWS} answers", table(header, rows))
    columns = ("question", "graph", "matches", "processor s", "wall s", "peak MB", "within 60 s and 4 GB")
    show("One answer, from tables to the release", table(columns, timed))


def _graph(name: str) -> tuple[NDArray[np.int64], int]:
    """Return the friendships of a graph, and the number of people."""
    if name == "Romania":
        pairs = deezer.friendships()
        return pairs, int(pairs.max()) + 1
    people, count = 400_000, 1_000_000
    rng = np.random.default_rng(27)
    ends = np.minimum(rng.integers(0, people, (count * 2, 2)), rng.integers(0, people, (count * 2, 2)))
    pairs = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    return rng.permutation(pairs)[:count], people


def _asked(store: Any, name: str, graph: str, personal: bool) -> Inquiry:
    """Return a question about a graph, before anything is read."""
    pairs, people = _graph(graph)
    epsilon = np.random.default_rng(7).choice(LEVELS, people) if personal else np.full(people, 0.8)
    rock = deezer.likers("Rock", people) if graph == "Romania" else np.zeros(people, bool)
    store.protect(neodp.Protection("romania", "epsilon", people="Person", properties=("rock",)))
    given = deezer.tables(pairs, epsilon, rock)
    most = MOST if graph == "Romania" else 10 * MOST
    return neodp.ask(store, "romania", QUESTIONS[name], count=True, at_most=most, share=1.0, **given)


def _accuracy(name: str, draws: int) -> list[tuple[str, ...]]:
    """Return the rows of a question, with equal and with personal epsilons."""
    pairs, people = _graph("Romania")
    degree = np.bincount(pairs.ravel(), minlength=people)
    rows = []
    with tempfile.TemporaryDirectory() as folder, neodp.open_store(str(Path(folder, "answers.db"))) as store:
        asked = _asked(store, name, "Romania", False)
        given = deezer.tables(pairs, np.zeros(people), deezer.likers("Rock", people))
        found = Tables(given["nodes"], given["relationships"]).people(asked.wanted)
    r2t: R2T | None = None
    for levels, shown in (
        (np.full(people, 0.8), "0.8"),
        (np.random.default_rng(7).choice(LEVELS, people), "0.1 to 2"),
    ):
        least = float(levels.min())
        alike = _cover(found, asked, np.full(people, least))
        r2t = r2t or R2T(alike, FRIENDS if alike.sizes.max() == 2 else FRIENDS**2)
        personal = bool(levels.max() > least)
        same = median_error(_drawn(asked, alike, draws), alike.total)
        own = median_error(_drawn(asked, _cover(found, asked, levels), draws), alike.total) if personal else same
        other = median_error(r2t.draw(np.random.default_rng(1), least, 10_000), alike.total)
        naive = median_error(truncated(degree[alike.people], alike, FRIENDS, least, 10_000), alike.total)
        aim = None if personal else AIMS.get(name)
        rows.append(
            (
                name,
                f"{alike.total:,}",
                shown,
                *(f"{error:.2%}" for error in (own, same, other, naive)),
                f"{own / other:.2f}",
                "" if aim is None else f"{aim}, {met(own <= aim * other)}",
            )
        )
    return rows


def _cover(found: PeopleFound, asked: Inquiry, epsilon: NDArray[np.float64]) -> Cover:
    """Return the program of a question, with other epsilons."""
    with_these = replace(found, epsilon=epsilon.tolist())
    return with_these.cover(asked.wanted, asked.exact_share, asked.mechanism.unit, 0.0)


def _drawn(asked: Inquiry, cover: Cover, draws: int) -> NDArray[np.float64]:
    """Draw answers to "how many?"."""
    assert isinstance(asked.mechanism, Counting)
    known = Distances(cover)
    return np.array([float(asked.mechanism.answers[asked.mechanism.draw(known)]) for _ in range(draws)])


def _timed(name: str, graph: str) -> tuple[str, ...]:
    """Return the row of one answer: its time and its memory."""
    turns = []
    for _ in range(TURNS):
        with Process() as process:
            turns.append(process.call(_release, name, graph))
    processor, wall, most = (min(each) for each in list(zip(*turns, strict=True))[:3])
    reached = wall <= SECONDS and most <= BYTES
    return name, graph, f"{turns[0][3]:,}", seconds(processor), seconds(wall), megabytes(most), met(reached)


def _release(name: str, graph: str) -> tuple[float, float, float, int]:
    """Release an answer, and return its processor time, its wall time, the peak of memory, and the true number."""
    with tempfile.TemporaryDirectory() as folder, neodp.open_store(str(Path(folder, "answers.db"))) as store:
        store.protect(neodp.Protection("few", "epsilon", people="Few"))
        few: dict[str, Any] = {
            "nodes": {"Few": {"id": [1, 2], "epsilon": [1, 1]}},
            "relationships": {"K": {"from": [1], "to": [2]}},
        }
        neodp.ask(store, "few", "MATCH (a:Few)-[:K]-(b:Few)", count=True, at_most=10, **few).release("warm")
        asked = _asked(store, name, graph, personal=True)
        mark_peak()
        spent, answer = spend(lambda: asked.release("timed"))
        highest = peak()
        assert int(answer) >= 0
        return spent.processor, spent.wall, highest, asked.reveal().matches
