"""The entry point of ``python -m neodp`` and of the command ``neodp``; Ctrl-C ends it with one sentence."""

import os
import sys
from importlib.machinery import PathFinder
from typing import Any

from neodp.compiled.compiler import telling

__all__ = ["main"]


class _WithoutPandas(PathFinder):
    """An import hook that hides pandas.

    Nothing here needs pandas, but pyarrow and the embedded store's engine load it if it is installed, and that takes
    longer than most commands. Both do without pandas if it cannot be found.
    """

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> Any:
        return None if fullname == "pandas" else super().find_spec(fullname, path, target)


def main() -> int:
    """Load the command line, run it, and return the exit code."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's others start with it, and no command needs them
    if "spark" not in sys.argv:  # --engine spark: PySpark needs pandas
        sys.meta_path[:] = [_WithoutPandas if finder is PathFinder else finder for finder in sys.meta_path]
    try:
        from neodp import cli

        with telling(_compiling):
            return cli.main()
    except KeyboardInterrupt:
        print("neodp: interrupted before any change was made", file=sys.stderr)
        return 130


def _compiling() -> None:
    print(
        "neodp: compiling what this command needs, once; it takes up to a minute",
        file=sys.stderr,
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
