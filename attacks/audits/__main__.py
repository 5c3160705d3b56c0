"""``python -m attacks.audits draws|exact|timing``: the audits at full size, as tables for docs/audits.md."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import neodp
from attacks.audits import exact, faults, subjects, timing
from attacks.audits.subjects import Finding, Subject, coin, examined
from bench.report import machine, show, table
from bench.stores import server
from neodp import generate
from neodp.store import Settings, Store, open_store

PLUGIN = Path(neodp.__file__).parent / "neodp-plugin.jar"
"""The plugin, where ``make plugin`` puts it."""
HEADER = ("draws of", "datasets", "edges", "draws each", "tests", "faults", "5 % missed", "30 % missed")


@contextmanager
def _stores(neo4j: bool) -> Iterator[list[Store]]:
    with timing.embedded() as store:
        if not neo4j:
            yield [store]
            return
        with (
            server(plugins=[PLUGIN]) as running,
            open_store(Settings(running.uri, running.user, running.password)) as other,
        ):
            yield [store, other]


def draws(options: argparse.Namespace) -> None:
    """Audit every way to an answer, edge by edge; then the planted faults."""
    graph = generate.votes(3, epsilon=[0.5, 1.0, 2.0], delta=0.01)
    graph = graph.with_alpha(neodp.balanced(graph))
    rows: list[tuple[str, ...]] = []

    def audit(subject: Subject, n: int) -> None:
        rows.append(_found(examined(subject, n)))

    with _stores(options.neo4j) as stores:
        for store in stores:
            store.load("coin", coin(faults.EPSILON))
            store.load("votes", graph)
            audit(subjects.stored(store, "coin", coin(faults.EPSILON)), options.draws)
            audit(subjects.stored(store, "votes", graph), options.draws)
            audit(subjects.answered(store, "coin", coin(faults.EPSILON)), options.answers)
            if store.dialect == "neo4j":
                audit(subjects.answered(store, "coin", coin(faults.EPSILON), "server"), options.answers)
                audit(subjects.answered(store, "votes", graph, "server"), options.answers)
        audit(subjects.polled(faults.EPSILON, faults.EPSILON), options.draws)
        audit(subjects.stretched(faults.EPSILON, faults.EPSILON), options.draws)
        show(table(HEADER, rows))
        show(
            f"False alarm: at most {subjects.ALARM:g} for each row. Missed: the chance that an epsilon which is "
            "understated by so much goes unnoticed."
        )
        planted = [
            (name, f"{found.draws:,}", "caught" if caught else "MISSED", (found.faults or ("nothing",))[0])
            for name, found, caught in faults.planted(stores[0], options.draws)
        ]
    show(table(("planted fault", "draws each", "", "what the audit says first"), planted))


def _found(found: Finding) -> tuple[str, ...]:
    subject = found.subject
    counts = (len(subject.datasets), len(subject.pairs), found.draws, found.comparisons, len(found.faults))
    for fault in found.faults:
        print(f"{subject.name}: {fault}", flush=True)
    return (subject.name, *(f"{count:,}" for count in counts), *(f"{found.miss(part):.2g}" for part in (0.05, 0.3)))


def counted(options: argparse.Namespace) -> None:
    """Count the random numbers of samplers."""
    rows = []
    for epsilon in (0.1, 1.0, 10.0, 30.0, 35.0, 36.0, 36.4, 100.0, 600.0):
        ours = [exact.neodp_choice(row) for row in neodp.extend(coin(epsilon)).probabilities.tolist()]
        theirs = exact.diffprivlib_binary(epsilon)
        cells = [_epsilon(one, other, epsilon) for one, other in (ours, theirs)]
        rows.append((f"{epsilon:g}", *cells))
    show(table(("promised epsilon", "neodp answer", "diffprivlib Binary"), rows))
    graph = generate.path(800, epsilon=0.1)
    chances = neodp.extend(graph.with_alpha(neodp.balanced(graph))).probabilities.tolist()
    near = [i for i, row in enumerate(chances[:-1]) if 2.0**-56 < min(row) < 2.0**-50]
    rows = []
    for name, sampler in (("whole numbers (neodp)", exact.neodp_choice), ("floats (planted)", exact.by_floats)):
        pairs = [(sampler(chances[i]), sampler(chances[i + 1])) for i in near]
        worst = max(pairs, key=lambda pair: exact.effective(*pair))
        bad = sum(not exact.keeps(*pair, 0.1) for pair in pairs)
        rows.append((name, str(len(near)), str(bad), f"{exact.effective(*worst):.4f}"))
    show(table(("comparison of", "edges of epsilon 0.1", "broken", "largest epsilon"), rows))


def _epsilon(one: exact.Chances, other: exact.Chances, promised: float) -> str:
    found = exact.effective(one, other)
    kept = "kept" if exact.keeps(one, other, promised) else "BROKEN"
    return f"{'unbounded' if math.isinf(found) else f'{found:.6g}'}, {kept}"


def clocked(options: argparse.Namespace) -> None:
    """Compare the times for datasets that are far apart."""
    rows = []
    with timing.embedded() as store, timing.answers(store, 60) as work:
        rows.append(("answer --constant-work", *_times(timing.compared(work, options.times))))
    rows.append(("poll --release", *_times(timing.compared(timing.polls(1_000), options.times))))
    header = ("what", "datasets", "times each", "median ms", "median ms", "chance", "verdict", "would notice ms")
    show(table(header, rows))


def _times(found: timing.Compared) -> tuple[str, ...]:
    verdict = "no difference" if found.chance > timing.LEVEL else "DIFFERENT"
    one, other = (f"{1e3 * median:.3f}" for median in found.medians)
    return (
        " / ".join(found.names),
        str(found.n),
        one,
        other,
        f"{found.chance:.3g}",
        verdict,
        f"{1e3 * found.noticed:.3f}",
    )


def main() -> None:
    """Run one of the audits."""
    parser = argparse.ArgumentParser(prog="python -m attacks.audits", description="Audits of the running program.")
    kinds = parser.add_subparsers(required=True)
    kind = kinds.add_parser("draws", help="draw answers, and test every edge")
    kind.add_argument("--draws", type=int, default=100_000, help="at each dataset")
    kind.add_argument("--answers", type=int, default=1_000, help="at each dataset, through all of answer")
    kind.add_argument("--neo4j", action="store_true", help="on a Neo4j server with the plugin as well")
    kind.set_defaults(run=draws)
    kinds.add_parser("exact", help="count random numbers").set_defaults(run=counted)
    kind = kinds.add_parser("timing", help="look for datasets in the clock")
    kind.add_argument("--times", type=int, default=500, help="how often each dataset is asked for")
    kind.set_defaults(run=clocked)
    options = parser.parse_args()
    show(machine())
    options.run(options)


if __name__ == "__main__":
    main()
