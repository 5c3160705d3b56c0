"""Disks that are full or fail: nothing is lost, and the content of the store can be read."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from attacks.arena import Arena, Impossible, answers_in, state_of
from attacks.attack import attack
from attacks.judges import Failed, Outcome, State, behaved, once, whole
from attacks.kills import CASES, Case, judged, prepared, tables
from attacks.traps import Trap

__all__ = ["fill", "small_disk"]


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """Mount a disk of so many megabytes at a new folder, where this machine allows that."""
    place = folder / "disk"
    place.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("mount") is None:
        raise Impossible("mounting a small disk needs Linux and root")
    words = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "none", str(place)]
    made = subprocess.run(words, capture_output=True, text=True)
    if made.returncode != 0:
        raise Impossible(f"a small disk cannot be mounted: {made.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path, left: int) -> Path:
    """Fill a disk until so many bytes are left."""
    file = place / "others"
    size = max(shutil.disk_usage(place).free - left, 0)
    with file.open("wb") as filler:
        filler.write(bytes(size))
    return file


@attack("full-disk", "embedded")
def full_disk(rng: random.Random, arena: Arena) -> int:
    """Leave little room on the disk or none, before or during every command that writes: whole, and readable."""
    case = rng.choice(CASES)
    before, after, (_, seconds) = prepared(arena, case)
    with small_disk(arena.folder, 40) as place:
        here = arena.at(place)
        if Path(arena.address).exists():
            shutil.copy(arena.address, here.address)
        tables(here)
        left = rng.choice([0, 0, rng.randrange(2**16), rng.randrange(2**21), rng.randrange(2**24), 2**23 + 2**12])
        filler = fill(place, left)
        during = left >= 2**23 and rng.random() < 0.7
        child = here.start(*case.words)
        if during:  # somebody else takes the room while the command is at work
            time.sleep(rng.uniform(0, seconds))
            with filler.open("ab", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(2**16))
                        file.flush()
                except OSError:
                    pass
        done = behaved(child.wait(), (0, 1, 2, 3))
        if Path(here.address).exists():
            behaved(here.run("list"), (0,))
        filler.unlink()
        _stands(here, case, before, after, done)
    return 1


def _stands(arena: Arena, case: Case, before: State, after: State, done: Outcome) -> None:
    """Judge the store once the disk is in order: old or new, new if the command said so, and it can be repeated."""
    found, answers = judged(arena, case, before, after)
    if done.code == 0:
        whole(found, [after])
    again = behaved(arena.run(*case.words), (0, 1, 2))
    with arena.open() as store:
        if again.code == 0:
            whole(state_of(store), [after])
        elif found != after:
            raise Failed(f"the command cannot be repeated: {again}")
        once(answers_in(store), answers.items())


@attack("disk-errors", "embedded")
def disk_errors(rng: random.Random, arena: Arena) -> int:
    """Have the disk report that it is full or broken at any write of every command that writes: one sentence, whole."""
    case = rng.choice(CASES)
    before, after, (calls, _) = prepared(arena, case)
    if not calls:
        return 0
    how: Literal["full", "broken"] = rng.choice(["full", "broken"])
    trap = Trap(rng.randint(1, calls), how, lasting=rng.random() < 0.5, spill=rng.random() < 0.5)
    _stands(arena, case, before, after, behaved(arena.run(*case.words, trap=trap), (0, 1, 2, 3)))
    return 1
