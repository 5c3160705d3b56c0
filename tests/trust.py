"""``python -m tests.trust --minutes 5``: attacks on the embedded store and the command line, and what failed.

Each attack is one try with a random generator whose seed is printed; it raises where the program did not stand. A try
that can end the process runs in one of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from neodp import DatasetGraph, generate
from neodp.cli import main as command
from neodp.cli.common import OBEYED
from neodp.store import open_store

__all__ = ["ATTACKS", "main"]

Attack = Callable[[random.Random, Path], None]


def run(*words: str) -> tuple[int, str]:
    """A command's exit code, and all it printed."""
    with io.StringIO() as text, contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        code = command(list(words))
        return code, text.getvalue()


def kill(rng: random.Random, folder: Path) -> None:
    """kill -9 at any moment of a replacement: the old graph or the new one is there, whole."""
    file = folder / "s.lbdb"
    with open_store(file) as store:
        store.load("g", generate.path(1000))
    words = ["generate", "path", "g", "2000", "--replace"]
    child = subprocess.Popen([sys.executable, "-m", "neodp", "--store", str(file), *words], stdout=subprocess.DEVNULL)
    time.sleep(rng.uniform(0.5, 4.0))
    with contextlib.suppress(ProcessLookupError):
        os.kill(child.pid, signal.SIGKILL)
    child.wait()
    with open_store(file) as store:
        assert [info.state for info in store.graphs()] == ["ready"]
        assert len(store.read("g")) in (1000, 2000)


def race(rng: random.Random, folder: Path) -> None:
    """Several processes ask the same question at once: there is one answer."""
    file = str(folder / "s.lbdb")
    assert run("--store", file, "generate", "path", "g", "50", "--balanced")[0] == 0
    words = [sys.executable, "-m", "neodp", "--store", file, "answer", "g", str(rng.randrange(50)), "--release", "r"]
    asked = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert len({child.communicate()[0] for child in asked}) == 1


def damage(rng: random.Random, folder: Path) -> None:
    """Bytes of the file are changed: a command says so or reads what is there, and never shows its own inside."""
    file = folder / "s.lbdb"
    assert run("--store", str(file), "generate", "path", "g", "50", "--balanced")[0] == 0
    content = bytearray(file.read_bytes())
    for _ in range(rng.randint(1, 20)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    file.write_bytes(content[: rng.randrange(len(content))] if rng.random() < 0.3 else content)
    words = [sys.executable, "-m", "neodp", "--store", str(file), rng.choice(["list", "releases"])]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 2, 3), f"exit code {done.returncode}"
    assert "something went wrong inside" not in done.stderr, done.stderr


def names(rng: random.Random, folder: Path) -> None:
    """Names of Cypher, HTML, terminals and spreadsheets: kept as they are, printed as nothing that acts."""
    parts = [
        "'",
        '"',
        "`",
        "\\",
        "\x1b[2J",
        "\x9b",
        "\u202e",
        "</script>",
        "=1+1",
        "}) DETACH DELETE n //",
        "\n",
        "é",
        "$x",
    ]
    name, one, two = ("".join(rng.choices(parts, k=4)) + end for end in "abc")
    file = str(folder / "s.lbdb")
    with open_store(file) as store:
        store.load(name, DatasetGraph.from_columns([one, two], [one, two], [one], [two], 1.0, alpha={one: 0.5}))
    for words in (["list"], ["extend", name], ["eval", name, one], ["audit", name], ["query", "least_accurate", name]):
        code, text = run("--store", file, *words, *rng.choice([[], ["--json"]]))
        assert code == 0, text
        assert not OBEYED.findall(text.replace("\n", "")), text
    with open_store(file) as store:
        assert store.read(name).keys.to_pylist() == [one, two]


def addresses(rng: random.Random, folder: Path) -> None:
    """Words that are no store: refused, without a file and without a secret in the message."""
    parts = ["neo4j", "bolt", ":", "@", "/", "//", "+s", "secret", "host", "7687", "[", "]", "%"]
    uri = rng.choice(["neo4j:", "bolt:", "me:secret@"]) + "".join(rng.choices(parts, k=rng.randint(0, 6)))
    if "@" not in uri:
        uri += "@"
    with contextlib.chdir(folder):
        code, text = run("--timeout", "1", "--store", uri, "list")
    assert code in (2, 3), (uri, text)
    assert "secret" not in text, (uri, text)
    assert "something went wrong inside" not in text, (uri, text)
    assert list(folder.iterdir()) == [], uri


ATTACKS: dict[str, Attack] = {"kill": kill, "race": race, "damage": damage, "names": names, "addresses": addresses}


def main(minutes: float, seed: int) -> int:
    """Try attacks by turns until the time is over; print the table; how many failed."""
    until = time.monotonic() + 60 * minutes
    counts = {name: [0, 0] for name in ATTACKS}
    number = 0
    while time.monotonic() < until:
        for name, attack in ATTACKS.items():
            number += 1
            counts[name][0] += 1
            with tempfile.TemporaryDirectory() as folder:
                try:
                    attack(random.Random(f"{seed} {number}"), Path(folder))
                except Exception as error:
                    counts[name][1] += 1
                    print(f"{name}, try {number} of seed {seed}: {type(error).__name__}: {error}", file=sys.stderr)
    print("| attack | tried | failed |\n|---|---|---|")
    for name, (tried, failed) in counts.items():
        print(f"| {name}: {str(ATTACKS[name].__doc__).splitlines()[0]} | {tried} | {failed} |")
    return sum(failed for _, failed in counts.values())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Attacks on neodp, and a table of what failed.")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    given = parser.parse_args()
    print(f"seed {given.seed}", file=sys.stderr)
    sys.exit(min(1, main(given.minutes, given.seed)))
