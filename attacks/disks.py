"""Full disks: nothing is lost, nothing aborts, and what is stored can be read."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from attacks.arena import Arena, Impossible, state_of
from attacks.attack import attack
from attacks.judges import Failed, behaved, whole
from attacks.kills import CASES, judged, prepared, tables

__all__ = ["fill", "small_disk"]


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A disk of so many megabytes at a new folder, where this machine allows to mount one."""
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
    """a disk with little room or none, before or during every command that writes: whole, and readable"""
    case = rng.choice(CASES)
    before, after, (_, seconds) = prepared(arena, case)
    with small_disk(arena.folder, 40) as place:
        here = replace(arena, folder=place, address=str(place / "store.db"))
        shutil.copy(arena.address, here.address)
        tables(here)
        left = rng.choice([0, 0, rng.randrange(2**16), rng.randrange(2**21), rng.randrange(2**24), 2**23 + 2**12])
        filler = fill(place, left)
        during = left >= 2**23 and rng.random() < 0.7
        child = here.start(*case.words)
        if during:  # somebody else takes the room while the command is at work
            time.sleep(rng.uniform(0, seconds))
            with filler.open("ab") as file:
                try:
                    while True:
                        file.write(bytes(2**16))
                        file.flush()
                except OSError:
                    pass
        done = behaved(child.wait(), (0, 1, 2, 3))
        read = behaved(here.run("list"), (0, 3))
        if read.code == 3 and "has a change to bring in first" not in read.err:
            raise Failed(f"what is stored cannot be read: {read}")
        filler.unlink()
        found, _ = judged(here, case, before, after)
        if done.code == 0:
            whole(found, [after])
        again = behaved(here.run(*case.words), (0, 1, 2))
        with here.open() as store:
            if again.code == 0:
                whole(state_of(store), [after])
            elif found != after:
                raise Failed(f"the command cannot be repeated: {again}")
    return 1
