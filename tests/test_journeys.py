"""The journeys in ARCHITECTURE.md: every arrow is a call that the command makes, and no call goes back."""

import itertools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from neodp.cli import main

ROOT = Path(__file__).parents[1]
TRANSPARENT = {"data/kinds", "compiled/compiler"}
"""Wrappers of functions, which a call passes through on its way."""


def journeys() -> dict[str, tuple[list[list[str]], int]]:
    """Return, for every journey, its chains of modules and the number of hops that is stated."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `neodp (\w+)` \| (.*→.*) \| (\d+) \|$", text, re.MULTILINE)
    return {name: ([re.findall(r"`([\w/]+)`", chain) for chain in way.split("; ")], int(n)) for name, way, n in rows}


def module(frame: FrameType | None) -> str | None:
    """Return the module of neodp that a frame belongs to, as ARCHITECTURE.md writes it; None for all others."""
    if frame is None or frame.f_code.co_name == "<module>":
        return None
    _, found, name = frame.f_code.co_filename.rpartition(f"{ROOT}/neodp/")
    name = name.removesuffix(".py")
    return name if found and name not in TRANSPARENT else None


def calls(run: Callable[[], Any]) -> set[tuple[str, str]]:
    """Return the calls from one module of neodp to another while something runs."""
    found = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event != "call" or (called := module(frame)) is None:
            return
        caller = frame.f_back
        while caller is not None and module(caller) is None:
            caller = caller.f_back
        if caller is not None and (calling := module(caller)) is not None and calling != called:
            found.add((calling, called))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return found


@pytest.fixture
def command(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command of a journey, in a folder with the store, the graph and the tables that it needs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEODP_STORE", str(tmp_path / "neodp.db"))
    Path("datasets.csv").write_text("key,color\na,no\nb,no\nc,yes\n")
    Path("edges.csv").write_text("source,target,epsilon\na,b,1\nb,c,1\n")
    Path("people.csv").write_text("vote,epsilon\nyes,1\nno,1\nyes,0.5\n")
    made = ["load made datasets.csv edges.csv", "boundary made --balanced --write"]
    for line in made if name != "eval" else ["generate path long 40000", "boundary long --balanced --write"]:
        assert main(line.split()) == 0
    commands = {
        "load": "load new datasets.csv edges.csv",
        "extend": "extend made",
        "eval": "eval long 20000",
        "answer": "answer made a --release spring",
        "poll": "poll people.csv --vote vote --epsilon epsilon --release autumn",
        "explore": "explore made -o page.html",
    }
    return commands[name].split()


def test_there_are_six() -> None:
    assert set(journeys()) == {"load", "extend", "eval", "answer", "poll", "explore"}


@pytest.mark.parametrize("name", ["load", "extend", "eval", "answer", "poll", "explore"])
def test_a_journey_is_as_it_is_drawn(name: str, command: list[str]) -> None:
    chains, hops = journeys()[name]
    arrows = {arrow for chain in chains for arrow in itertools.pairwise(chain)}
    made = calls(lambda: main(command))
    assert sorted(arrows - made) == []
    assert sorted((b, a) for a, b in arrows if (b, a) in made) == []
    assert hops == len(arrows)
