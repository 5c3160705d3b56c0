"""One valid call of every public method, and of every function that needs a store, a folder or a file.

:func:`public` names all that a test compares with these and with :mod:`attacks.arguments`.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import neodp
from attacks.arguments import FANS, FOUND, GIVEN, PATH, POLL, RANKS, TABLE, Call, store
from neodp import blocks, bridges, generate, plot, polls, rainbow, report, stretch, study
from neodp.ledger.account import Ledger, Limit
from neodp.ledger.release import Release

__all__ = ["UNCALLED", "methods", "public"]

GAUSSIAN = neodp.Gaussian(1.0)
TALLIED = neodp.Tabulated.from_columns(["a", "b"], ["x", "y"], [[0.5, 0.5], [0.4, 0.6]], ["a"], ["b"], 1.0)
THREE = RANKS.with_alpha(neodp.balanced(RANKS))
ROWS = neodp.extend(THREE)
SURVEY = neodp.poll(TABLE, vote="v", epsilon="e", mechanism="weighted", name="p")
SECRET = neodp.poll(TABLE, vote="v", epsilon="e", secret_levels=True, name="s")
CHOICE = polls.poll([polls.Group(1.0, 3)], "plurality", ("a", "b", "c"))
NOISE = stretch.Stretching(stretch.weighted_sum([1, 1]), [1.0, 0.5], 1.0)
PERSONS = {"id": [1, 2, 3], "ill": [True, True, False], "epsilon": [1.0, 0.5, 2.0]}
FRIENDS = {"from": [1, 2], "to": [2, 3]}
PATTERN = "MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.ill"
GIVEN_ELSEWHERE = Release("s", "r", "yes", "2026-01-01T00:00:00+00:00", population="elsewhere")


@cache
def here() -> Path:
    """Return a folder that stays until the process ends."""
    folder = tempfile.TemporaryDirectory()
    _KEPT.append(folder)
    return Path(folder.name)


_KEPT: list[Any] = []


@cache
def folder() -> blocks.Folder:
    """Return a graph in blocks, with its mechanism."""
    made = blocks.write_graph(GIVEN, blocks.by_growth(GIVEN, 2), here() / "blocks")
    blocks.extend(made.path)
    return made


@cache
def table(name: str, text: str) -> str:
    """Return the path of a table."""
    (here() / name).write_text(text)
    return str(here() / name)


@cache
def protected() -> str:
    """Return the name of people who are protected in the store."""
    store().protect(neodp.Protection("crew", "epsilon", people="Person", properties=("ill",)))
    return "crew"


@cache
def parquet() -> dict[str, Any]:
    """Return the tables of a graph as Parquet files."""
    frames = PATH.to_arrow()
    for name, frame in (("n.parquet", frames.nodes), ("e.parquet", frames.edges)):
        pq.write_table(frame, here() / name)
    return {"nodes": here() / "n.parquet", "edges": here() / "e.parquet"}


@cache
def asked() -> Any:
    """Return a question about a graph of people."""
    tables: dict[str, Any] = {"nodes": {"Person": PERSONS}, "relationships": {"KNOWS": FRIENDS}}
    return neodp.ask(store(), protected(), PATTERN, at_least=1, share=0.001, **tables)


@cache
def told() -> report.Report:
    """Return a report of an answer."""
    SURVEY.release(store(), "told")
    return report.report(store(), "told")


@cache
def likes() -> Any:
    """Return the profiles of the store."""
    store().profiles.load("p", FANS, replace=True)
    return store().profiles


def of(made: Callable[[], Any], method: str, /, **arguments: Any) -> Call:
    """Return a call of a method of something that is made when it is needed."""
    return partial(_called, made, method), arguments


def _called(made: Callable[[], Any], method: str, /, **arguments: Any) -> Any:
    found = getattr(made(), method)(**arguments)
    return list(found) if inspect.isgenerator(found) else found


def path(name: str) -> Any:
    """Return a path in the folder, as an argument."""
    return here() / name


COUNTS = np.array([[2, 1]])
THIRDS = np.array([[1, 1, 1]])
NODES, EDGES = "key,color\na,x\nb,y\n", "source,target,epsilon\na,b,1\n"


def _of_polls(counts: Any) -> dict[str, dict[str, Any]]:
    """Return the arguments of the methods that all polls have."""
    return {
        "accuracy_at": {"cost": 2},
        "at": {"margin": 1},
        "cheapest": {"winners": [2], "margin": 1},
        "cost": {"counts": counts},
        "distribution": {"counts": counts},
        "margin": {"counts": counts},
        "margin_for": {"accuracy": 0.9},
        "neighbors": {"counts": counts, "groups": [0]},
        "truth": {"counts": counts},
        "worst_at": {"margin": 1},
    }


@cache
def methods() -> dict[str, Call]:
    """Return one valid call of each."""
    tables: dict[str, Any] = {"nodes": table("n.csv", NODES), "edges": table("e.csv", EDGES)}
    likes_csv = table("likes.csv", "user,item,rating\na,x,5\nb,x,3\n")
    return {
        "ask": (
            neodp.ask,
            {"store": store(), "population": protected(), "question": PATTERN, "at_least": 1, "false_alarm": 0.05,
             "count": False, "at_most": 1000, "ranges": None, "distinct": None, "sum": None, "cap": None, "share": 0.1,
             "ignore_below": 0.0, "exact_distance": False, "nodes": {"Person": PERSONS},
             "relationships": {"KNOWS": FRIENDS}},
        ),
        "ask, count": (
            neodp.ask,
            {"store": store(), "population": protected(), "question": PATTERN, "count": True, "at_most": 100,
             "share": 0.1, "nodes": {"Person": PERSONS}, "relationships": {"KNOWS": FRIENDS}},
        ),
        "Inquiry.release": of(asked, "release", name="i", command=""),
        "Inquiry.question": of(asked, "question", command=""),
        "Inquiry.curve": of(asked, "curve", points=3),
        # --- graphs and mechanisms
        "DatasetGraph.edge_name": (PATH.edge_name, {"edge": 0}),
        "DatasetGraph.key": (PATH.key, {"vertex": 0}),
        "DatasetGraph.from_csv": (neodp.DatasetGraph.from_csv, tables | {"epsilon": None, "delta": 0.0}),
        "DatasetGraph.from_parquet": (neodp.DatasetGraph.from_parquet, parquet()),
        "DatasetGraph.to_csv": (PATH.to_csv, {"nodes": path("out.csv"), "edges": path("out2.csv")}),
        "Mechanism.dominates": (FOUND.dominates, {"other": FOUND}),
        "Mechanism.from_frame": (
            neodp.Mechanism.from_frame, {"graph": GIVEN, "frame": FOUND.to_arrow(), "privacy": None},
        ),
        "Mechanism.path": (FOUND.path, {"vertex": 0}),
        "Protection.role": (neodp.Protection("staff", "e", people="P").role, {"label": "P"}),
        "Tabulated.audit": (TALLIED.audit, {"worst": 1}),
        "Tabulated.key": (TALLIED.key, {"vertex": 0}),
        "Tabulated.write_losses": (TALLIED.write_losses, {"path": path("losses.csv")}),
        "Tabulated.from_tables": (
            neodp.Tabulated.from_tables,
            {"nodes": table("rows.csv", "key,x,y\na,0.5,0.5\nb,0.4,0.6\n"), "edges": tables["edges"], "epsilon": None,
             "delta": 0.0, "options": None},
        ),
        "EpsilonDelta.of": (neodp.EpsilonDelta.of, {"graph": PATH}),
        "Rule": (
            neodp.Rule,
            {"colors": ("a", "b"), "color": str, "neighbors": str, "alpha": str, "least": (0.0, 0.0), "name": "r"},
        ),
        "bridges.sampler": (bridges.sampler, {"mechanism": FOUND}),
        "bridges.measurement": (bridges.measurement, {"mechanism": FOUND, "metric": "edges"}),
        "generate.counts_lattice": (generate.counts_lattice, {"groups": [2, 3], "epsilon": 1.0, "rule": "majority"}),
        "generate.grid_lattice": (partial(generate.grid_lattice, 3, 3), {"threshold": 2, "epsilon": 1.0, "delta": 0.0}),
        # --- more than two colours
        "optimality": (neodp.optimality, {"mechanism": FOUND, "prior": None}),
        "DatasetPrior.of": (rainbow.DatasetPrior.of, {"graph": PATH, "weights": [1.0] * 4}),
        "rainbow.balanced": (rainbow.balanced, {"graph": RANKS}),
        "rainbow.distances": (rainbow.distances, {"graph": THREE}),
        "rainbow.extend": (rainbow.extend, {"graph": THREE, "method": None, "prior": None}),
        "rainbow.homogeneous": (rainbow.homogeneous, {"graph": RANKS, "ranked": 0.5}),
        "rainbow.line": (rainbow.line, {"alpha": [0.2, 0.3, 0.5], "n": 3, "epsilon": 1.0, "delta": 0.0}),
        "rainbow.morphism": (rainbow.morphism, {"graph": THREE}),
        "rainbow.order_name": (rainbow.order_name, {"graph": THREE, "order": 0}),
        "rainbow.randomized_response": (rainbow.randomized_response, {"k": 3, "epsilon": 1.0, "delta": 0.0}),
        "rainbow.require_orders": (rainbow.require_orders, {"graph": THREE}),
        "rainbow.unhit_edge": (rainbow.unhit_edge, {"graph": THREE}),
        # --- polls
        "Expectation.parse": (
            polls.Expectation.parse, {"text": "10 people, levels about 1/1", "levels": {"a": 1.0, "b": 2.0},
                                      "constant": None},
        ),
        "Group": (polls.Group, {"epsilon": 1.0, "size": 3, "level": None}),
        "Prior.chances": (polls.Prior.parse("even").chances, {"options": ("a", "b")}),
        "Prior.shares": (polls.Prior.parse("share:0.6").shares, {"groups": [polls.Group(1.0, 3)]}),
        "Prior.totals": (polls.Prior.parse("beta:1,1").totals, {"people": 3}),
        "Survey.asked": (SURVEY.asked, {"population": "default", "command": ""}),
        "Survey.propose": (SURVEY.with_mechanism("balanced").propose, {"accuracy": 0.55, "margin": None}),
        "Survey.release": (SURVEY.release, {"store": store(), "name": "w", "population": "default", "command": ""}),
        "Survey.with_mechanism": (SURVEY.with_mechanism, {"mechanism": "balanced"}),
        "SecretSurvey.asked": (SECRET.asked, {"population": "secretive", "command": ""}),
        "SecretSurvey.propose": (SECRET.propose, {"accuracy": 0.9, "margin": None}),
        "SecretSurvey.release": (SECRET.release, {"store": store(), "name": "w", "population": "secretive"}),
        "SecretSurvey.revealed": (SECRET.revealed, {"column": "v"}),  # type: ignore[attr-defined]
        "SecretSurvey.with_mechanism": (SECRET.with_mechanism, {"mechanism": "balanced"}),
        "PollQuestion.measure": (next(iter(SURVEY.questions)).measure, {"margin": 1}),
        "Threshold.spread": (POLL.spread, {"winners": 2}),  # type: ignore[attr-defined]
        "Plurality.gaps": (CHOICE.gaps, {"counts": THIRDS}),  # type: ignore[attr-defined]
        **{
            f"{kind}.{method}": (getattr(asked_of, method), arguments)
            for kind, asked_of, counts in (("Threshold", POLL, COUNTS), ("Plurality", CHOICE, THIRDS))
            for method, arguments in _of_polls(counts).items()
        },
        # --- stretching
        "Cost.at": (stretch.Cost(1.0, 3).at, {"delta": 0.1, "weight": 1.0}),
        "Cost.of_pairs": (stretch.Cost.of_pairs, {"pairs": 2, "epsilon": 1.0, "measure": stretch.Measure.COSINE}),
        "Profiles.index": (FANS.index, {"user": "ann"}),
        "Profiles.from_csv": (
            stretch.Profiles.from_csv,
            {"path": likes_csv, "columns": ("user", "item", "rating"), "threshold": 1.0, "best": 5.0, "name": None,
             "options": None},
        ),
        "Profiles.with_weights": (FANS.with_weights, {"weight": [0.5] * 4, "group": None}),
        "Profiles.with_weights_from": (
            FANS.with_weights_from, {"path": table("w.csv", "item,weight\ntea,1\n"), "seed": 0, "options": None},
        ),
        "Stretching.loss": (NOISE.loss, {"one": [0.0, 1.0], "other": [1.0, 1.0]}),
        "Stretching.release": (NOISE.release, {"profile": [0.0, 1.0]}),
        "Stretching.steps": (NOISE.steps, {"profile": [0.0, 1.0]}),
        "stretch.attitudes": (stretch.attitudes, {"users": ["a", "b"], "seed": 1, "shares": {"pragmatist": 1.0}}),
        "stretch.by_attitude": (
            stretch.by_attitude, {"profiles": FANS, "groups": ["pragmatist"] * 3, "seed": 1},
        ),
        "stretch.in_slices": (stretch.in_slices, {"profiles": FANS, "low": 0.5, "slices": 2, "seed": 1}),
        "stretch.stretching_weights": (
            stretch.stretching_weights, {"function": stretch.weighted_sum([1, 1]), "v": [1.0, 0.5]},
        ),
        # --- studies and pictures
        "Accuracy.of": (study.Accuracy.of, {"mechanism": FOUND, "name": "a"}),
        "study.read_accuracy": (study.read_accuracy, {"path": table("a.csv", "key,p_true\n0,0.5\n")}),
        "study.read_weights": (study.read_weights, {"path": table("weights.csv", "key,weight\n0,1\n")}),
        "plot.plot": (plot.plot, {"mechanism": FOUND, "path": path("a.svg"), "title": None}),
        "plot.plot_comparison": (
            plot.plot_comparison,
            {"comparison": neodp.compare(study.Accuracy.of(FOUND, "a"), study.Accuracy.of(FOUND, "b")),
             "path": path("b.svg")},
        ),
        "plot.plot_lines": (plot.plot_lines, {"mechanism": ROWS, "path": path("c.svg"), "title": None}),
        "plot.plot_poll": (plot.plot_poll, {"poll": SURVEY, "path": path("d.svg"), "title": None}),
        "plot.plot_question": (plot.plot_question, {"asked": asked(), "path": path("e.svg"), "title": None}),
        "report.report": (
            report.report,
            {"store": store(), "release": told() and "told", "about": None, "title": None, "survey": None},
        ),
        "Report.text": of(told, "text", suffix=".md"),
        "Report.save": of(told, "save", path=path("r.md")),
        # --- graphs larger than memory
        "Folder.alpha": of(folder, "alpha", block=0),
        "Folder.color": of(folder, "color", block=0),
        "Folder.file": of(folder, "file", kind="keys", block=0),
        "Folder.key": of(folder, "key", block=0, place=0),
        "Folder.keys": of(folder, "keys", block=0),
        "Folder.links": of(folder, "links", block=0),
        "Folder.rows": of(folder, "rows", block=0),
        "blocks.audit": (blocks.audit, {"path": folder().path, "worst": 1}),
        "blocks.balanced": (blocks.balanced, {"path": folder().path}),
        "blocks.extend": (blocks.extend, {"path": folder().path}),
        "blocks.is_stale": (blocks.is_stale, {"path": folder().path}),
        "blocks.open_folder": (blocks.open_folder, {"path": folder().path}),
        "blocks.read_graph": (blocks.read_graph, {"folder": folder()}),
        "blocks.read_mechanism": (blocks.read_mechanism, {"folder": folder(), "graph": GIVEN}),
        "blocks.by_cubes": (blocks.by_cubes, {"shape": [4, 4], "blocks": 2}),
        "blocks.by_growth": (blocks.by_growth, {"graph": PATH, "blocks": 2}),
        "blocks.by_prefix": (blocks.by_prefix, {"graph": PATH, "length": 1}),
        "blocks.write_graph": (
            blocks.write_graph, {"graph": PATH, "partition": np.zeros(4, np.int32), "path": path("blocks2"), "how": ""},
        ),
        "blocks.write_lattice": (
            blocks.write_lattice, {"lattice": generate.grid_lattice(3, 3), "path": path("blocks3"), "blocks": 2},
        ),
        # --- stores
        "Settings.from_env": (neodp.store.Settings.from_env, {"uri": "s.db", "environ": {}}),
        "Store.adopt": (store().adopt, {"ledgers": [Ledger("elsewhere", Limit(), (GIVEN_ELSEWHERE,))]}),
        "Store.allow": (store().allow, {"population": "p", "limit": Limit(10)}),
        "Store.backup": (store().backup, {"path": path("copy.db"), "force": True}),
        "Store.certify": (store().certify, {"name": "g", "verify": False}),
        "Store.drop": (store().drop, {"name": "nothing"}),
        "Store.estimate": (store().estimate, {"name": "g", "engine": "client"}),
        "Store.keep": (store().keep, {"releases": [GIVEN_ELSEWHERE], "given_elsewhere": True}),
        "Store.kept": (store().kept, {"subject": "g", "name": "r"}),
        "Store.neighbors": (store().neighbors, {"name": "g", "keys": ["1"]}),
        "Store.population_of": (store().population_of, {"subject": "g"}),
        "Store.ready": (store().ready, {"name": "g"}),
        "Store.select": (store().select, {"text": "MATCH (d:Dataset) RETURN count(d) AS n"}),
        "Store.stream": of(store, "stream", name="g", engine="client", method=None),
        "Store.unprotect": (store().unprotect, {"population": "nobody"}),
        "Store.view": (store().view, {"name": "g", "keys": ["1"], "write": False}),
        "ProfileStore.load": of(likes, "load", name="q", profiles=FANS, replace=True, population=None),
        "ProfileStore.drop": of(likes, "drop", name="nothing"),
        "ProfileStore.read": of(likes, "read", name="p"),
        "ProfileStore.info": of(likes, "info", name="p"),
        "ProfileStore.ready": of(likes, "ready", name="p"),
        "ProfileStore.write": of(
            likes, "write", profiles=likes().read("p"), found=stretch.neighbors(FANS, 1, epsilon=1.0),
            measure=stretch.Measure.COSINE,
        ),
    }  # fmt: skip


UNCALLED = {
    "DatasetGraph.adjacency_of", "Protection.read", "rainbow.lengths", "polls.epsilons", "polls.tally", "Folder.state",
    "GraphInfo.from_row", "Store.people", "Line.at", "Line.rows",
    *(f"StoredView.{name}" for name in ("agrees", "find", "neighbors", "positions", "write")),
    *(f"Cells.{name}" for name in ("is_missing", "key", "lookup")),
    "People.from_result", "People.of", "PollQuestion.guess", "PollQuestion.of",
}  # fmt: skip
"""Names that are for other modules of neodp: their arguments come from neodp itself."""

HOOKS = {"balance", "cross", "decode", "encode", "fit", "relax", "settle", "settle_over", "too_low"}
"""Methods of a privacy notion, which solvers call."""


def public() -> set[str]:
    """Return the names of all routines of the public modules, and of all public methods that take an argument."""
    found: dict[int, str] = {}
    _add(neodp, "", found)
    for name in vars(neodp)["__all__"]:
        if isinstance(module := getattr(neodp, name), ModuleType):
            _add(module, f"{name}.", found)
    return set(found.values())


def _add(module: ModuleType, before: str, found: dict[int, str]) -> None:
    for name in vars(module)["__all__"]:
        value = getattr(module, name)
        if isinstance(value, ModuleType) and before:
            _add(value, f"{before}{name}.", found)
        elif inspect.isclass(value) and value.__module__ != "neodp.errors" and not inspect.isabstract(value):
            for method in _methods(value):
                found.setdefault(id(getattr(method, "__func__", method)), f"{value.__name__}.{method.__name__}")
        elif inspect.isroutine(value):
            found.setdefault(id(value), f"{before}{name}")


def _methods(owner: type) -> Iterator[Any]:
    """Yield the public methods of a class, its own and those of neodp that it inherits, that take an argument."""
    for name, _ in inspect.getmembers(owner):
        value = getattr(owner, name)
        mine = str(getattr(value, "__module__", "")).startswith("neodp") and inspect.isroutine(value)
        if not mine or name.startswith("_") or name in HOOKS:
            continue
        if len(inspect.signature(value).parameters) > (0 if inspect.ismethod(value) else 1):
            yield value
