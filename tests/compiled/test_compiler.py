"""Code that runs before the compiler is loaded gives the same, in every bit, as what runs after."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, generate
from neodp.compiled import compiler as compiling
from neodp.compiled import kernel
from neodp.core.ball import evaluate
from neodp.core.boundary import distance

GRAPHS = {
    "mixed": generate.counts([4, 5, 3], epsilon=[0.2, 0.5, 1.0]),
    "delta": generate.grid(6, 5, epsilon=0.3, delta=1e-3),
    "far": generate.path(40, epsilon=30.0),
    "three": generate.plurality(3, 3, epsilon=[0.4, 1.0], options=3),
}


def results(graph: DatasetGraph) -> list[bytes]:
    """Everything that compiled functions have a part in, as bits."""
    graph = graph.with_alpha(neodp.balanced(graph))
    mechanism = neodp.extend(graph)
    report = neodp.audit(graph, mechanism)
    found = [graph.alpha, mechanism.probabilities, distance(graph), np.array([report.violations, report.undecided])]
    if len(graph.colors) == 2:
        keys = graph.keys.to_pylist()[::7]
        ball = evaluate(graph, keys)
        found.append(np.array([list(e.probabilities.values()) for e in ball.evaluations]))
    return [np.ascontiguousarray(x).tobytes() for x in found]


@pytest.mark.parametrize("name", GRAPHS)
def test_python_and_the_compiler_agree_in_every_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = results(GRAPHS[name])
    with monkeypatch.context() as patch:
        for function in compiling._functions:  # as a new process has them
            patch.setattr(function, "_compiled", None)
            patch.setitem(function._function.__globals__, function._function.__name__, function)
        patch.setattr(compiling, "_work", -(10**9))
        assert results(GRAPHS[name]) == compiled
        assert compiling._work < 0, "something was compiled"


def test_enough_work_is_compiled() -> None:
    label = np.zeros(compiling.WORK_BEFORE_COMPILING + 1, np.int64)
    kernel.relax_edges(label, np.ones(1), np.zeros(1), kernel.EPSILON_DELTA)
    assert not isinstance(kernel.relax_edges, compiling.Compilable)
    assert not isinstance(kernel.relax, compiling.Compilable)


def test_compiling_is_told_once_for_all_functions() -> None:
    """However many functions are compiled, and however often somebody started to listen."""
    told: list[str] = []
    functions = [compiling.Compilable(lambda x, k=k: x + k, {}) for k in range(3)]
    try:
        with compiling.telling(lambda: told.append("compiling")):
            compiling.watch()
            compiling.watch()
            for function in functions:
                function.compile()
            assert [function(2) for function in functions] == [2, 3, 4]
        assert told == ["compiling"]
    finally:
        for function in functions:
            compiling._functions.remove(function)


def test_small_questions_load_little(tmp_path: Path) -> None:
    """No compiler, nor what else takes long to load: each command in a process of its own, as people run them."""
    (tmp_path / "people.csv").write_text("vote,epsilon\nyes,0.5\nno,1\nyes,1\n")
    code = """
import sys
from neodp.__main__ import main
code = main()
late = {"numba", "pandas", "neo4j", "networkx", "scipy", "pydantic", "ladybug"}
print(code, *sorted(late & set(sys.modules)), file=sys.stderr)
"""
    for words in (
        ["generate", "path", "g", "30", "--balanced"],  # Typer needs pydantic for the number
        ["extend", "g"],
        ["eval", "g", "3"],
        ["answer", "g", "3", "--release", "spring"],
        ["poll", str(tmp_path / "people.csv"), "--vote", "vote", "--epsilon", "epsilon"],
        [
            "poll",
            str(tmp_path / "people.csv"),
            "--vote",
            "vote",
            "--epsilon",
            "1",
            "--release",
            "spring",
            "--population",
            "p",
        ],
    ):
        command = [sys.executable, "-c", code, "--store", str(tmp_path / "s.db"), *words]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        assert set(run.stderr.split()) - ({"pydantic"} if "generate" in words else set()) == {"0"}, words
