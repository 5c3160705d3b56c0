"""Judges of what must hold after an attack. Each raises `Failed`; tests/attacks/test_judges.py shows each a fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from neodp.cli.common import OBEYED

__all__ = ["CODES", "Failed", "Outcome", "State", "behaved", "exact", "once", "untouched", "whole"]

State = Mapping[str, str]
"""The content of a store, as facts by name; answers are not among them."""

CODES = (0, 1, 2, 3, 130)
"""The exit codes of the command line."""


class Failed(AssertionError):
    """An attack that did harm: in how many of how many tries."""

    def __init__(self, message: str, failed: int = 1, tried: int = 1) -> None:
        super().__init__(message)
        self.failed, self.tried = failed, tried


@dataclass(frozen=True)
class Outcome:
    """The outcome of a command: its exit code, negative if a signal ended it, and its output."""

    words: tuple[str, ...]
    code: int | None
    out: str
    err: str

    def __str__(self) -> str:
        return f"{' '.join(map(repr, self.words))} gave {self.code}: {self.out[-300:]!r} {self.err[-600:]!r}"


def behaved(outcome: Outcome, codes: Collection[int] = CODES) -> Outcome:
    """Require an exit code of the contract and one message for people; return the outcome."""
    said = outcome.out + outcome.err
    if outcome.code is None:
        raise Failed(f"it did not end: {outcome}")
    if outcome.code not in codes:
        raise Failed(f"exit code {outcome.code}: {outcome}")
    if "Traceback (most recent call last)" in said or "something went wrong inside" in said:
        raise Failed(f"it shows its inside: {outcome}")
    if OBEYED.search(said.replace("\n", "").replace("\t", "")):
        raise Failed(f"it sends what a terminal obeys: {outcome}")
    if outcome.code not in (0, 1) and not outcome.err.strip():
        raise Failed(f"it says nothing: {outcome}")
    return outcome


def whole(found: State, allowed: Iterable[State]) -> None:
    """Require one of the states that are allowed: the old one, or the new one."""
    allowed = list(allowed)
    if not any(found == state for state in allowed):
        nearest = min(allowed, key=lambda state: len(set(state.items()) ^ set(found.items())))
        differ = sorted(set(nearest.items()) ^ set(found.items()))
        raise Failed(f"neither the old state nor the new one: {differ}")


def once(answers: Mapping[str, str], given: Iterable[tuple[str, str]]) -> None:
    """Require that each answer that was given, by the name of its release, is the one that is kept."""
    for name, answer in given:
        if answers.get(name) != answer:
            raise Failed(f"{name} was answered {answer!r}, and {answers.get(name)!r} is kept")


def exact(spent: int, allowed: int, given: Iterable[tuple[str, str]]) -> None:
    """Require that the ledger counts every release, and that there are no more than are allowed."""
    names = Counter(name for name, _ in given)
    if len(names) > spent or spent > allowed:
        raise Failed(f"{len(names)} releases were answered, {spent} are counted, {allowed} are allowed")


def untouched(before: Mapping[str, bytes], folder: Path, allowed: Collection[str] = ()) -> None:
    """Require that a folder has its files, and others only if their names begin with an allowed word."""
    now = {str(path.relative_to(folder)): path for path in folder.rglob("*") if not path.is_dir()}
    for name in now.keys() - before.keys():
        if not name.startswith(tuple(allowed)):
            raise Failed(f"a file was made: {name}")
    for name, content in before.items():
        if name.startswith(tuple(allowed)):
            continue
        if name not in now or now[name].is_symlink() or now[name].read_bytes() != content:
            raise Failed(f"a file was changed: {name}")
