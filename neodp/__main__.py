"""``python -m neodp``, and the command ``neodp``: the command line, which Ctrl-C ends with one sentence."""

import os
import sys
from importlib.machinery import PathFinder
from typing import Any

from neodp.compiled.compiler import telling

__all__ = ["main"]


class _WithoutPandas(PathFinder):
    """Finds every module but pandas.

    Nothing here needs pandas, but pyarrow and the embedded store's engine load it wherever there is one, and that takes
    longer than most commands. Both do without it where it cannot be found, as where it was never installed.
    """

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> Any:
        return None if fullname == "pandas" else super().find_spec(fullname, path, target)


def main() -> int:
    """Load the command line and run it; the exit code."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's others start with it, and no command needs them
    if "spark" not in sys.argv:  # --engine spark: PySpark needs pandas
        sys.meta_path[:] = [_WithoutPandas if finder is PathFinder else finder for finder in sys.meta_path]
    try:
        from neodp import cli

        with telling(_compiling):
            return cli.main()
    except KeyboardInterrupt:
        print("neodp: interrupted before anything was done", file=sys.stderr)
        return 130


def _compiling() -> None:
    print("neodp: compiling for this machine; this happens once, and takes up to a minute", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
