"""``python -m neodp``, and the command ``neodp``: the command line, which Ctrl-C ends with one sentence."""

import sys

from neodp.compiling import told

__all__ = ["main"]


def main() -> int:
    """Load the command line and run it; the exit code."""
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
