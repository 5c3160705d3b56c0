"""Processes that may be killed: copies of one that has all of neodp loaded, so that each starts at once."""

import multiprocessing
import os
import sys

__all__ = ["children", "run"]

children = multiprocessing.get_context("forkserver")
children.set_forkserver_preload(
    ["neodp.store.neo4j", "neodp.store.embedded", "tests.warm", "tests.children", "tests.store.test_evaluation"]
)


def run(code: str, *words: str) -> int | None:
    """Run a script with these arguments, in the environment as it is now; its exit code."""
    child = children.Process(target=_script, args=(code, words, dict(os.environ)))
    child.start()
    child.join()
    return child.exitcode


def _script(code: str, words: tuple[str, ...], environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["-c", *words]
    exec(compile(code, "<child>", "exec"), {"__name__": "__main__"})
