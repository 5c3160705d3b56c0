"""Damage to the file of the embedded store and to its journal: read as it was, or refused in one sentence."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import neodp
from attacks.arena import Arena, Impossible, children, state_of
from attacks.attack import attack
from attacks.batches import batch, command
from attacks.contents import Content, content_of, stands
from attacks.disks import small_disk
from attacks.judges import Failed, behaved, whole
from attacks.kills import CASES, Case, absent, prepared, tables
from attacks.traps import KILLS, Trap
from neodp import generate
from neodp.errors import NeodpError
from neodp.ledger.account import Limit
from neodp.store import Store, open_store
from neodp.stretch.profiles import Profiles

__all__ = ["filled"]

PAGE = 8192
"""The bytes of a page of the file."""
CROWD = 60
"""The number of releases about the second population: enough for tables of several pages."""


def filled(store: Store) -> None:
    """Fill a store with something of every kind, and spend every budget."""
    made = generate.grid(12, 12, epsilon=0.5)
    store.load("g", made.with_alpha(neodp.balanced(made)))
    store.write("g", neodp.extend(store.read("g")))
    made = generate.path(40)
    store.load("half", made.with_alpha(neodp.balanced(made)))
    store.evaluate("half", ["3", "20"], write=True)
    made = generate.plurality(4, options=3)
    store.load("many", made)
    store.load("crowd", generate.path(20).with_alpha({"9": 0.6, "10": 0.4}), population="crowd")
    users, items = [f"u{i % 40}" for i in range(200)], [f"i{i % 23}" for i in range(200)]
    store.profiles.load("p", Profiles.from_columns(users, items, 1.0, 0.5, name="p"), population="readers")
    store.allow("default", Limit(3))
    store.allow("readers", Limit(2, 50.0))
    store.allow("crowd", Limit(CROWD))
    for name in ("first", "second", "third"):
        store.answer("g", "3-4", name, keep_key=name == "second")


def long_name(number: int) -> str:
    """Return the name of a release, long enough that an index has several pages."""
    return f"{number:03} {'x' * 150}"


def _filled(arena: Arena) -> Path:
    """Make a filled store once for a run, with its content beside it; return its folder."""
    folder = arena.shared / "filled"
    if not folder.exists():
        new = arena.folder / "new"
        new.mkdir()
        with open_store(new / "s.db") as store:
            filled(store)
            for number in range(CROWD):
                store.answer("crowd", "3", long_name(number))
        neighbors = ("stretch", "neighbors", "p", "--epsilon", "1", "--write", "--release", "n")
        behaved(command("--store", str(new / "s.db"), *neighbors), (0,))
        content_of(new / "s.db").write(new / "content.json")
        new.rename(folder)
    return folder


@cache
def _content(file: Path) -> Content:
    return Content.load(file)


# --- a file that was altered ------------------------------------------------------------------------------------------


def one_flip(rng: random.Random, folder: Path, place: str) -> None:
    """Flip one bit of a filled store."""
    data = bytearray((Path(place) / "s.db").read_bytes())
    byte = rng.choice([rng.randrange(100), _in_tree(data, rng), _in_tree(data, rng), rng.randrange(len(data))])
    data[byte] ^= 1 << rng.randrange(8)
    (folder / "s.db").write_bytes(data)
    stands(folder / "s.db", rng, _content(Path(place) / "content.json"))


def _in_tree(data: bytearray, rng: random.Random) -> int:
    """Return a byte of a page that holds rows or an index, often of its header."""
    pages = [page for page in range(0, len(data), PAGE) if data[page] in (2, 5, 10, 13)]
    return rng.choice(pages) + rng.choice([rng.randrange(64), rng.randrange(PAGE), rng.randrange(PAGE)])


@attack("flips", "embedded")
def flips(rng: random.Random, arena: Arena) -> int:
    """Flip one bit of the file: everything is read as before or is refused; no answer changes, no budget returns."""
    return batch(one_flip, 20, rng, arena, _filled(arena))


def one_cut(rng: random.Random, folder: Path, place: str) -> None:
    """Cut a filled store off at some length, or make it longer."""
    data = (Path(place) / "s.db").read_bytes()
    length = rng.choice([rng.randrange(len(data)), rng.randrange(len(data) // PAGE) * PAGE, rng.randrange(200)])
    data = data[:length] if rng.random() < 0.9 else data + rng.randbytes(rng.choice([1, PAGE, length or 1]))
    (folder / "s.db").write_bytes(data)
    if stands(folder / "s.db", rng, _content(Path(place) / "content.json")):
        raise Failed(f"a file of {len(data):,} bytes is read as if it were whole")


@attack("cuts", "embedded", share=0.3)
def cuts(rng: random.Random, arena: Arena) -> int:
    """Cut the file off at any length, or append to it: it is refused."""
    return batch(one_cut, 20, rng, arena, _filled(arena))


def one_page(rng: random.Random, folder: Path, place: str) -> None:
    """Change bytes of a filled store, or lose, double or exchange pages."""
    data = bytearray((Path(place) / "s.db").read_bytes())
    one, other = (PAGE * rng.randrange(len(data) // PAGE) for _ in range(2))
    how = rng.choice(["bytes", "zero", "double", "exchange"])
    if how == "bytes":
        for _ in range(rng.randint(2, 20)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    elif how == "zero":
        data[one : one + PAGE] = bytes(PAGE)
    elif how == "double":
        data[one : one + PAGE] = data[other : other + PAGE]
    else:
        data[one : one + PAGE], data[other : other + PAGE] = data[other : other + PAGE], data[one : one + PAGE]
    (folder / "s.db").write_bytes(data)
    stands(folder / "s.db", rng, _content(Path(place) / "content.json"))


@attack("pages", "embedded", share=0.5)
def pages(rng: random.Random, arena: Arena) -> int:
    """Overwrite bytes of the file, or lose, double or exchange pages of it: read as before, or refused."""
    return batch(one_page, 20, rng, arena, _filled(arena))


# --- a change that was interrupted ------------------------------------------------------------------------------------


def _pair(arena: Arena, case: Case) -> Path:
    """Make the files before and after a command once for a run, with their contents; return their folder."""
    folder = arena.shared / f"pair {case.name}"
    if not folder.exists():
        new = arena.folder / "new"
        new.mkdir()
        prepared(arena, case)
        shutil.copy(arena.address, new / "before.db")
        behaved(arena.run(*case.words), (0,))
        shutil.move(arena.address, new / "after.db")
        for name in ("before", "after"):
            content_of(new / f"{name}.db").write(new / f"{name}.json")
        new.rename(folder)
    return folder


def _growth(arena: Arena, number: int) -> Path:
    """Make the files before and after one of many answers once for a run; return their folder."""
    folder = arena.shared / f"growth {number}"
    if not folder.exists():
        with open_store(arena.address) as store:
            store.load("g", generate.path(20).with_alpha({"9": 0.6, "10": 0.4}))
            store.allow("default", Limit(number + 2))
            for each in range(number):
                store.answer("g", "3", long_name(each))
        folder.mkdir()
        shutil.copy(arena.address, folder / "before.db")
        with open_store(arena.address) as store:
            store.answer("g", "3", long_name(number))
        shutil.move(arena.address, folder / "after.db")
        for name in ("before", "after"):
            content_of(folder / f"{name}.db").write(folder / f"{name}.json")
    return folder


INTERRUPTIBLE = [case for case in CASES if case.before is not absent and case.name != "init"]


def one_mixture(rng: random.Random, folder: Path, place: str) -> None:
    """Take some pages of the file before a command, and the others of the file after it."""
    before, after = ((Path(place) / f"{name}.db").read_bytes() for name in ("before", "after"))
    mixed = bytearray(rng.choice([before, after, max(before, after, key=len)]))
    share = rng.random()
    for start in range(0, min(len(before), len(after)), PAGE):
        mixed[start : start + PAGE] = (after if rng.random() < share else before)[start : start + PAGE]
    (folder / "s.db").write_bytes(mixed)
    contents = [_content(Path(place) / f"{name}.json") for name in ("before", "after")]
    stands(folder / "s.db", rng, *contents)


@attack("lost-journals", "embedded", share=0.7)
def mixtures(rng: random.Random, arena: Arena) -> int:
    """Keep only some pages of a change, without its journal: old, new or refused; no answer changes."""
    odd = rng.random() < 0.5
    place = _growth(arena, rng.choice([12, 24, 47, 48])) if odd else _pair(arena, rng.choice(INTERRUPTIBLE))
    return batch(one_mixture, 20, rng, arena, place)


def one_journal(rng: random.Random, folder: Path, place: str) -> None:
    """Damage the journal that a kill left, or the file beside it."""
    pair, hot = (Path(line) for line in Path(place).read_text().splitlines())
    data, journal = (bytearray((hot / name).read_bytes()) for name in ("s.db", "s.db-journal"))
    how = rng.choice(["flip", "flip", "flip", "head", "cut", "empty", "missing", "zero", "append", "file"])
    if how in ("flip", "head"):
        byte = rng.randrange(28 if how == "head" else len(journal))
        journal[byte] ^= 1 << rng.randrange(8)
    elif how == "cut":
        del journal[rng.randrange(len(journal)) :]
    elif how == "empty":
        journal.clear()
    elif how == "zero":
        start = rng.randrange(len(journal))
        journal[start : start + 512] = bytes(len(journal[start : start + 512]))
    elif how == "append":
        journal += rng.randbytes(rng.randrange(1, 2 * PAGE))
    elif how == "file":
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    (folder / "s.db").write_bytes(data)
    if how != "missing":
        (folder / "s.db-journal").write_bytes(journal)
    contents = [_content(pair / f"{name}.json") for name in ("before", "after")]
    stands(folder / "s.db", rng, *contents, same=False)


@attack("journals", "embedded")
def journals(rng: random.Random, arena: Arena) -> int:
    """Flip bits of a journal that a kill left, cut, empty or remove it: old, new or refused; no answer changes."""
    case = rng.choice(INTERRUPTIBLE)
    pair, hot = _pair(arena, case), arena.folder / "hot"
    _, _, (calls, _) = prepared(arena, case)
    hot.mkdir()
    for _ in range(20):
        prepared(arena, case)
        trap = Trap(rng.randint(1, max(calls, 1)), rng.choice(KILLS), spill=rng.random() < 0.5)
        died = arena.run(*case.words, trap=trap).code == -signal.SIGKILL
        journal = Path(f"{arena.address}-journal")
        if died and journal.exists() and journal.stat().st_size > 512:
            break
    else:
        return 0
    shutil.move(arena.address, hot / "s.db")
    shutil.move(journal, hot / "s.db-journal")
    (arena.folder / "place").write_text(f"{pair}\n{hot}")
    return batch(one_journal, 20, rng, arena, arena.folder / "place")


# --- copies -----------------------------------------------------------------------------------------------------------


def _answering(address: str, report: str, seed: str) -> None:
    """Answer, load and drop without end; write every answer that was told to a report."""
    rng = random.Random(seed)
    graph = generate.path(20).with_alpha({"9": 0.6, "10": 0.4})
    with open_store(address) as store, Path(report).open("a") as told:
        for number in range(10_000):
            answer = store.answer("g", "3", long_name(number)).answer
            told.write(json.dumps([long_name(number), answer]) + "\n")
            told.flush()
            if rng.random() < 0.3:
                store.load("h", generate.path(rng.choice([30, 3000])), replace=True)
            if rng.random() < 0.1:
                store.load("g", graph, replace=True)


@attack("copies", "embedded", share=0.7)
def copies(rng: random.Random, arena: Arena) -> int:
    """Copy the file with cp while another process writes to it: the copy has every answer told, or is refused."""
    with open_store(arena.address) as store:
        store.load("g", generate.path(20).with_alpha({"9": 0.6, "10": 0.4}))
        store.load("h", generate.path(30))
        store.allow("default", Limit(10_000))
    report = arena.folder / "told"
    report.touch()
    writer = children.Process(target=_answering, args=(arena.address, str(report), f"{rng.random()}"))
    writer.start()
    try:
        made = [_copied(rng, arena, report, number) for number in range(20)]
    finally:
        writer.kill()
        writer.join()
    for file, told in made:
        _copy_stands(file, told)
    return len(made)


def _copied(rng: random.Random, arena: Arena, report: Path, number: int) -> tuple[Path, dict[str, str]]:
    """Copy the file, and perhaps its journal, as cp does; return the copy, and what had been told before."""
    time.sleep(rng.uniform(0, 0.1))
    file = arena.folder / f"copy{number}.db"
    names = rng.choice([[""], [""], ["", "-journal"], ["-journal", ""]])
    told = dict(json.loads(line) for line in report.read_text().splitlines())
    for end in names:
        if Path(arena.address + end).exists():
            subprocess.run(["cp", arena.address + end, f"{file}{end}"], check=False, capture_output=True)
    return file, told


def _copy_stands(file: Path, told: dict[str, str]) -> None:
    for act in (
        lambda store: {name: release.answer for name in told if (release := store.kept("g", name))},
        lambda store: {r.name: r.answer for r in store.ledger().releases if r.name in told},
        lambda store: told if store.account().used >= len(told) else {},
        lambda store: told if [store.read(info.name) for info in store.graphs()] else {},
    ):
        try:
            with open_store(file) as store:
                found = act(store)
        except NeodpError:
            continue
        if found != told:
            raise Failed(f"the copy has {len(found)} of {len(told)} answers that were told before it was made")


# --- files and folders that may only be read --------------------------------------------------------------------------


@contextmanager
def _locked(folder: Path, what: str) -> Iterator[None]:
    """Forbid writing to a folder and what is in it, or to its file only."""
    file = folder / "store.db"
    if os.geteuid() != 0:
        file.chmod(0o400)
        folder.chmod(0o500 if what == "folder" else 0o700)
        yield
        folder.chmod(0o700)
        return
    if sys.platform != "linux":
        raise Impossible("forbidding root to write needs Linux")
    target = folder if what == "folder" else file
    subprocess.run(["mount", "--bind", str(target), str(target)], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(target)], check=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(target)], check=True)


@attack("read-only", "embedded", share=0.4)
def read_only(rng: random.Random, arena: Arena) -> int:
    """Run every command that writes on a file or in a folder that may only be read, also after a kill: refused."""
    case, what = rng.choice(INTERRUPTIBLE), rng.choice(["folder", "file"])
    before, after, (calls, _) = prepared(arena, case)
    killed = rng.random() < 0.5
    with small_disk(arena.folder, 40) as disk:
        here = arena.at(disk)
        shutil.copy(arena.address, here.address)
        tables(here)
        if killed:
            here.run(*case.words, trap=Trap(rng.randint(1, max(calls, 1)), rng.choice(KILLS), spill=True))
        files = {path.name: path.read_bytes() for path in disk.glob("store.db*")}
        with _locked(disk, what):
            done = behaved(here.run(*case.words), (0, 1, 2, 3))
            for words in (("list",), ("releases",)):
                behaved(here.run(*words), (0, 3) if killed else (0,))
            now = {path.name: path.read_bytes() for path in disk.glob("store.db*")}
        if what == "folder" and now != files:
            raise Failed(f"a file changed that may only be read: {sorted(files)}, {sorted(now)}")
        if done.code == 0 and not killed:
            raise Failed(f"a change of a file that may only be read: {done}")
        with here.open() as store:
            whole(state_of(store), [before, after])
    return 1
