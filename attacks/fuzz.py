"""Random words on the command line, random queries and addresses: a result, or one sentence."""

from __future__ import annotations

import random
from pathlib import Path

from attacks.arena import Arena
from attacks.attack import attack
from attacks.batches import batch, command
from attacks.judges import Failed, behaved, untouched
from attacks.lines import commands

__all__ = ["VALUES", "words"]

VALUES = [
    *("nan", "inf", "-inf", "-1", "0", "1", "2", "0.5", "1e-320", "1e400", "1_0", "٣", "0x10", "3", "17", "", " "),
    *("g", "nothing", "p", "-", "--", "=", ",", ";", "a,b", "a=b", "yes", "no", "vote", "epsilon", "key", "default"),
    *("people.csv", "nodes.csv", "edges.csv", "ratings.csv", ".", "..", "missing.csv", "out", "x.svg", "x.png"),
    *("majority", "plurality", "threshold:2/3", "threshold:nan", "threshold:5/0", "uniform", "balanced", "weighted"),
    *("0-0", "2-3", "u1", "u2", "cosine", "dot", "x\x1b[2J", "\x00", "\ud800", "'", '"', "`", "\\", "é", "\u202e"),
    *("summary", "least_accurate", "limit=nan", "limit=-1", "limit=3", "0.1x3", "1xnan", "infx2", "utf-8", "utf-99"),
    *("line", "prefix", "stream", "stats", "write", "estimate", "auto", "client", "server", "blocks", "ball", "exact"),
    *("west", "westin", "slices:0.1:3", "slices:nan:0", "1,2,3", "1;2", "A1:B2", "12" * 40),
]
FAMILIES = ["path", "grid", "hypercube", "votes", "counts", "plurality", "three_voters", "random_graph", "hamming"]
LONG = (("demo",), ("stretch", "recall"))
"""Commands that take longer than a try may, and have few options."""
ADDRESSES = ["neo4j", "bolt", ":", "@", "/", "//", "+s", "secret", "host", "7687", "[", "]", "%", "\x1b", "localhost"]


def words(rng: random.Random) -> list[str]:
    """Return a command with random options and values."""
    named, made = rng.choice([each for each in commands().items() if each[0] not in LONG])
    given = list(named)
    if named == ("generate",):
        given += [rng.choice(FAMILIES), rng.choice(["g", "h"]), *rng.choices(["1", "2", "3", "4", "-1", "x"], k=2)]
    parameters = list(made.params)
    for one in parameters:
        options = [name for name in one.opts if name.startswith("-")]
        if not options and named != ("generate",):
            given += [rng.choice(["g", "people.csv", "0-0", "p", rng.choice(VALUES)])] if rng.random() < 0.9 else []
        elif options and rng.random() < 2.5 / max(len(parameters), 1):
            given.append(rng.choice(options))
            if not one.is_flag and rng.random() < 0.95:
                given += rng.choices(VALUES, k=max(one.nargs, 1))
    if named == ("explore",):
        given += ["-o", "x.html"]  # else it serves until somebody ends it
    if rng.random() < 0.1:
        given.insert(rng.randrange(len(given) + 1), rng.choice(VALUES))
    return [word for word in given if word not in ("--store", "--timeout", "--install-completion", "--show-completion")]


def one_line(rng: random.Random, folder: Path, address: str) -> None:
    """Run a random command line on a small store."""
    store = folder / "s.db"
    store.write_bytes(_kept(folder).read_bytes())
    (folder / "people.csv").write_text("vote,epsilon\nyes,1\nno,0.5\nyes,2\n")
    (folder / "nodes.csv").write_text("key,color\na,yes\nb,no\n")
    (folder / "edges.csv").write_text("source,target,epsilon\na,b,1\n")
    (folder / "ratings.csv").write_text("user,item,rating\nu1,i,5\nu2,i,3\nu2,j,4\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path != store}
    given = words(rng)
    behaved(command("--store", str(store), *given), (0, 1, 2, 3))
    untouched(before, folder, ["s.db", "neodp", *(word for word in given if word.strip("./"))])


def _kept(folder: Path) -> Path:
    """Return a small store with a graph, its mechanism and profiles, made once for a process."""
    global _STORE
    if _STORE is None:
        import tempfile

        _STORE = Path(tempfile.mkdtemp(prefix="neodp-attack-", dir=folder.parent)) / "kept.db"
        made = ["--store", str(_STORE)]
        (folder / "ratings.csv").write_text("user,item,rating\nu1,i,5\nu2,i,3\nu2,j,4\n")
        for words in (
            ["generate", "grid", "g", "3", "4", "--balanced"],
            ["extend", "g"],
            ["budget", "--releases", "5"],
            ["stretch", "load", "ratings.csv", "--name", "p"],
        ):
            assert command(*made, *words).code == 0
    return _STORE


_STORE: Path | None = None


@attack("options", "embedded", share=1.5)
def options(rng: random.Random, arena: Arena) -> int:
    """Run random commands, options and values: a result or one sentence, and no file but the one asked for."""
    return batch(one_line, 25, rng, arena)


def one_address(rng: random.Random, folder: Path, address: str) -> None:
    """Name a store by random words: refused, without a file, and without a secret in the message."""
    uri = rng.choice(["neo4j:", "bolt:", "me:secret@", "//me:secret@"]) + "".join(
        rng.choices(ADDRESSES, k=rng.randint(0, 6))
    )
    done = behaved(command("--timeout", "0.2", "--store", uri + "@", rng.choice(["list", "init"])), (2, 3))
    if "secret" in done.err + done.out:
        raise Failed(f"a secret is told: {done}")
    untouched({}, folder)


@attack("addresses", "no store", share=0.3)
def addresses(rng: random.Random, arena: Arena) -> int:
    """Use words that look like addresses: refused, no file made, no secret repeated."""
    return batch(one_address, 100, rng, arena)


CYPHER = [
    *("MATCH (d:Dataset)", "RETURN d.key AS vote", "WITH d", "WHERE 1=1", "UNWIND [1] AS x", "RETURN *", "CALL {", "}"),
    *("LOAD FROM 'x.csv'", "LOAD CSV FROM 'file:///x.csv' AS l", "COPY Dataset TO 'y.csv'", "SET d.color='z'"),
    *("DETACH DELETE d", "'", '"', "`", "\\", "\\u0027", "//", "/*", "*/", ";", "1", "1.", "e0", ".", ":", "$", "0x1"),
    *("EXPORT DATABASE 'out'", "INSTALL json", "ATTACH 'x' AS y", "SHOW USERS", "DROP TABLE Dataset", "UNION"),
    *("CREATE (:X)", "CALL db.labels()", "OPTIONAL MATCH (d)"),
]


def one_query(rng: random.Random, folder: Path, address: str) -> None:
    """Run a random query: it reads, or it is refused; nothing is changed, and no file is read or made."""
    store = address or "s.db"
    (folder / "x.csv").write_text("a,b\ncanary,2\n")
    if not address:
        (folder / store).write_bytes(_kept(folder).read_bytes())
        (folder / "ratings.csv").unlink(missing_ok=True)
    text = rng.choice(["MATCH (d:Dataset) WITH d", "MATCH (d:Dataset)", "UNWIND [1] AS d", ""])
    text += rng.choice([" ", ""]) + rng.choice([" ", "", ""]).join(rng.choices(CYPHER, k=rng.randint(1, 6)))
    before = {"x.csv": b"a,b\ncanary,2\n"}
    shown = command("--store", store, "list", "--json").out
    how = rng.choice([["--vote", "vote", "--epsilon", "1"], ["--vote", "a", "--epsilon", "1"]])
    done = behaved(command("--store", store, "poll", "--cypher", text, *how), (0, 1, 2))
    if "canary" in done.out + done.err.replace(text, ""):
        raise Failed(f"it has read a file: {text!r} {done}")
    untouched(before, folder, ["s.db"])
    if command("--store", store, "list", "--json").out != shown:
        raise Failed(f"it has changed something: {text!r}")


@attack("queries", "embedded", "neo4j")
def queries(rng: random.Random, arena: Arena) -> int:
    """Give poll --cypher random Cypher: it reads the graph or is refused, and no file is read or written."""
    return batch(one_query, 20, rng, arena)
