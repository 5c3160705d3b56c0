"""Rules for the cells of a table of people: the form in which texts are compared, and the option a text stands for."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neodp.errors import GraphError, near
from neodp.hints import Hint, Option

__all__ = ["USUAL", "WORDS", "Cells", "bare", "choices"]

WORDS: dict[str, tuple[str, ...]] = {
    option: tuple(words)
    for option, words in json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8")).items()
}
"""The texts that count as yes and no if the options are not named: English, and the usual words of other languages.

The plugin reads the same file."""

INVISIBLE = "\u200b\u2060\ufeff"
"""Characters without width, which often come with text from the web."""


def bare(text: str) -> str:
    """Return a text without surrounding blanks and invisible characters."""
    return text.strip().strip(INVISIBLE).strip()


@dataclass(frozen=True)
class Cells:
    """Rules for interpreting the cells of a table of people.

    Attributes
    ----------
    missing : tuple of str
        The texts that count as no answer, besides an empty cell, as in ``("?", "n/a")``.
    skip_empty : bool
        If true, people without an answer or without an epsilon are left out, instead of refusing the table. Who took
        part is then assumed to be public.
    exact : bool
        If true, cells must match options, levels and parts letter by letter; by default, case and surrounding blanks
        are ignored.
    mapping : tuple of (str, str)
        Synonyms of options, as in ``(("ja", "yes"), ("nein", "no"))``; if the second text is empty, of no answer.
    other : str, optional
        The option for all other votes.
    """

    missing: tuple[str, ...] = ()
    skip_empty: bool = False
    exact: bool = False
    mapping: tuple[tuple[str, str], ...] = ()
    other: str | None = None

    def key(self, text: str) -> str:
        """Return the form in which texts are compared: without case and surrounding blanks, and normalised."""
        return text if self.exact else unicodedata.normalize("NFC", bare(text)).casefold()

    def lookup(self, names: Iterable[str], what: str) -> dict[str, int]:
        """Return the position of each name, by the form in which it is compared.

        Raises
        ------
        GraphError
            If two names are the same in that form.
        """
        found: dict[str, int] = {}
        listed = tuple(names)
        for i, name in enumerate(listed):
            if self.key(name) in found:
                twin = listed[found[self.key(name)]]
                hint = (
                    "name it once"
                    if twin == name
                    else Hint("tell them apart by case and blanks with ", Option("exact", True))
                )
                raise GraphError(f"{what} {twin!r} and {name!r} are the same", hint)
            found[self.key(name)] = i
        return found

    def is_missing(self, text: str) -> bool:
        """Return whether a cell says that there is no answer."""
        return not bare(text) or self.key(text) in {self.key(word) for word in self.missing}

    def facts(self) -> dict[str, Any]:
        """Return the rules that differ from the usual ones: they determine the meaning of an answer."""
        given = {
            "missing": list(self.missing),
            "exact": self.exact,
            "mapping": dict(self.mapping),
            "other": self.other,
        }
        return {name: value for name, value in given.items() if value}


USUAL = Cells()
"""The default rules for interpreting cells."""


def choices(names: Sequence[str], usual: bool, cells: Cells) -> dict[str, int]:
    """Return the option that each text stands for; -1 for no answer."""
    chosen = cells.lookup(names, "the options")
    mapped = {cells.key(text) for text, _ in cells.mapping}
    if usual:  # 1 is yes, unless 1 to 5 are mapped
        words = {cells.key(word): i for i, option in enumerate(WORDS) for word in WORDS[option]}
        chosen |= {word: i for word, i in words.items() if word not in mapped}
    for word in cells.missing:
        if cells.key(word) in chosen:
            raise GraphError(
                f"{word!r} is an option and also missing",
                Hint("leave it out of ", Option("options"), " or of ", Option("missing")),
            )
    targets = chosen | {cells.key(""): -1}
    for text, option in cells.mapping:
        if cells.key(option) not in targets:
            hint = near(option, names) or f"the options are {', '.join(names)}"
            raise GraphError(f"{text!r} is mapped to {option!r}, which is not an option", hint)
        position = targets[cells.key(option)]
        if chosen.get(cells.key(text), position) != position:
            raise GraphError(f"{text!r} is mapped to {option!r}, and is another option itself", "leave one of them out")
        chosen[cells.key(text)] = position
    if cells.other is not None and cells.key(cells.other) not in chosen:
        raise GraphError(Hint(Option("other", cells.other), " is not an option"), f"the options are {', '.join(names)}")
    return chosen
