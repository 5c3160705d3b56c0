"""``python -m attacks.model``: see the package."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from attacks.model.machine import Failed, Machine
from tools import neo4j_server as servers

__all__ = ["main"]


def main() -> int:
    """Run the machine, and print how much was done."""
    parser = argparse.ArgumentParser(prog="python -m attacks.model", description="Compare a store with a model.")
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--store", choices=["embedded", "neo4j"], default="embedded")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.store == "embedded":
            return _run(str(Path(folder) / "store.db"), Path(folder), given)
        with servers.running() as server:
            os.environ.update(server.environment())
            return _run(server.uri, Path(folder), given)


def _run(address: str, folder: Path, given: argparse.Namespace) -> int:
    begun = time.monotonic()
    machine = Machine(address, given.seed, folder)
    failed = None
    try:
        machine.run(given.operations, lambda done: print(f"{done:,} operations, 0 failures", flush=True))
    except Failed as e:
        failed = e
    finally:
        machine.close()
    kinds = ", ".join(f"{kind} {count}" for kind, count in machine.done.most_common())
    print(f"{given.store}, seed {given.seed}: {machine.done.total():,} operations ({kinds})")
    spent = time.monotonic() - begun
    print(f"{len(machine.model.releases):,} releases; {spent:.0f} s; {int(failed is not None)} failures")
    if failed is not None:
        print(failed, file=sys.stderr)
    return int(failed is not None)


if __name__ == "__main__":
    sys.exit(main())
