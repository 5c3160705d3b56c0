"""``python -m neodp``, and the command ``neodp``: the command line, which Ctrl-C ends with one sentence."""

import sys

__all__ = ["main"]


def main() -> int:
    """Load the command line and run it; the exit code."""
    try:
        from neodp import cli

        return cli.main()
    except KeyboardInterrupt:
        print("neodp: interrupted before anything was done", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
