"""``python -m tools.advisories``: a check for known security problems in the installed packages.

pip-audit asks the Python Package Index. If a problem is found, the exit code is 1. If the index cannot be reached, the
tool says that nothing was checked, and exits with 0: a check that needs a network must not stop work without one, and
must not look as if it had passed either.
"""

from __future__ import annotations

import subprocess
import sys

__all__ = ["main"]

PATIENCE = 120
"""The number of seconds that the index may take."""
COMMAND = (
    sys.executable,
    "-m",
    "pip_audit",
    "--local",
    "--skip-editable",
    "--progress-spinner",
    "off",
    "--timeout",
    "10",
)


def main(command: tuple[str, ...] = COMMAND, patience: float = PATIENCE) -> int:
    """Run the check, report the result, and return the exit code."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return _unchecked(f"no answer within {patience:g} seconds")
    if "No known vulnerabilities found" in done.stderr + done.stdout:
        print("advisories: none known for the packages that are installed")
        return 0
    if done.returncode == 1 and done.stdout.startswith("Name"):  # a table of what was found
        print(done.stdout)
        return 1
    last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
    return _unchecked(last[0].strip() if last else f"pip-audit ended with {done.returncode}")


def _unchecked(why: str) -> int:
    print(f"advisories: NOT CHECKED, the index of packages cannot be asked ({why[:200]})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
