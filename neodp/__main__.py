"""``python -m neodp``, and the command ``neodp``: the command line, which Ctrl-C ends with one sentence."""

import sys
from typing import Any

from neodp.compiling import told

__all__ = ["main"]


class _WithoutPandas:
    """Says once that there is no pandas, to pyarrow, which asks first and remembers: loading it takes longer than most
    commands. The embedded store's engine asks too, and must be told the truth: it takes an error for one of its own.
    """

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        if name == "pandas":
            sys.meta_path.remove(_WithoutPandas)
            raise ModuleNotFoundError("the command line does without pandas", name=name)


def main() -> int:
    """Load the command line and run it; the exit code."""
    sys.meta_path.insert(0, _WithoutPandas)
    try:
        from neodp import cli

        told.append(_compiling)
        return cli.main()
    except KeyboardInterrupt:
        print("neodp: interrupted before anything was done", file=sys.stderr)
        return 130


def _compiling() -> None:
    print("neodp: compiling for this machine; this happens once, and takes up to a minute", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
