"""Tables that are damaged: read, or refused in one sentence that names them."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
from functools import cache
from pathlib import Path

from attacks.arena import Arena
from attacks.attack import attack
from attacks.batches import batch, command
from attacks.judges import Failed, behaved, untouched
from tests.data.tables import make

__all__ = ["damaged"]


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return a file of which some bytes, or the end, are changed, missing, doubled or new."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        place, size = rng.randrange(len(found) + 1), rng.choice([1, 1, 2, 8, 64])
        how = rng.choice(["change", "change", "remove", "insert", "cut", "double", "zero"])
        some = bytes(rng.choice([rng.randrange(256), *b'",;\n\r\0\xff=']) for _ in range(size))
        if how == "change":
            found[place : place + size] = some
        elif how == "remove":
            del found[place : place + size]
        elif how == "insert":
            found[place:place] = some
        elif how == "double":
            found[place:place] = found[place : place + size]
        elif how == "zero":
            found[place : place + size] = bytes(len(found[place : place + size]))
        elif rng.random() < 0.3:
            del found[max(place, 1) :]
    return bytes(found)


def _deep(name: str, data: bytes, rng: random.Random) -> bytes:
    """Damage a file; if it is a packed one, perhaps inside, with the packing right."""
    try:
        if name.endswith(".gz") and rng.random() < 0.5:
            return gzip.compress(damaged(gzip.decompress(data), rng))
        if name.endswith((".xlsx", ".ods")) and rng.random() < 0.6:
            with zipfile.ZipFile(io.BytesIO(data)) as packed, io.BytesIO() as new:
                parts = {part: packed.read(part) for part in packed.namelist()}
                part = rng.choice(sorted(parts))
                parts[part] = damaged(parts[part], rng)
                with zipfile.ZipFile(new, "w") as again:
                    for part, content in parts.items():
                        again.writestr(part, content)
                return new.getvalue()
    except (OSError, EOFError, zipfile.BadZipFile):  # one of the tables is no such file to begin with
        pass
    return damaged(data, rng)


@cache
def wholes() -> dict[str, bytes]:
    """Return whole tables of every kind."""
    kinds = (".csv", ".gz", ".xlsx", ".ods", ".parquet", ".arrow", ".feather", ".tsv")
    found = {name: x if isinstance(x, bytes) else x.encode() for name, x in make.tables().items()}
    return {name: content for name, content in found.items() if name.endswith(kinds)}


def one_table(rng: random.Random, folder: Path, address: str) -> None:
    """Give a damaged table to a command that reads tables."""
    name = rng.choice(sorted(wholes()))
    (folder / name).write_bytes(_deep(name, wholes()[name], rng))
    (folder / "edges.csv").write_text("source,target,epsilon\na,b,1\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    words = rng.choice(
        [
            ["poll", name, "--vote", "vote", "--epsilon", rng.choice(["epsilon", "1"])],
            ["poll", name, "--vote", "vote", "--epsilon", "1", "--option", "yes", "--option", "no", "--other", "no"],
            ["audit", "--nodes", name, "--edges", "edges.csv"],
            ["audit", "--nodes", "edges.csv", "--edges", name],
            ["compare", name, name],
            ["--store", "s.db", "load", "g", name, "edges.csv", *rng.choice([[], ["--extra-columns", "ignore"]])],
            ["--store", "s.db", "stretch", "load", name, "--extra-columns", "ignore"],
        ]
    )
    done = behaved(command(*words, *rng.choice([[], ["--json"]])), (0, 1, 2))
    if done.code == 2 and not done.err.startswith('{"error"') and not done.err.startswith("neodp: "):
        raise Failed(f"no message of neodp's: {done}")
    untouched(before, folder, ["s.db"])


@attack("tables", "no store", share=1.5)
def tables(rng: random.Random, arena: Arena) -> int:
    """Damage tables of every kind (CSV, gz, xlsx, ods, Parquet, Arrow): read, or refused in one sentence."""
    return batch(one_table, 50, rng, arena)
