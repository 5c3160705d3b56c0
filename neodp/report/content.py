"""Reports: one page on an answer that stands alone, with the certificate in it.

A report says what was asked, what came out, how often such an answer is right, what everybody is promised, what was
spent, and how it was done. It has only public facts and the answer: the reports of two tables that differ in votes only
and got the same answer are equal in every byte, unless they were drawn on different days.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import neodp
from neodp.data.files import private
from neodp.data.kinds import checked
from neodp.errors import GraphError
from neodp.ledger.certificate import certificate, public_facts
from neodp.ledger.verification import UNCHECKED
from neodp.polls.survey import Survey
from neodp.report import words
from neodp.report.accuracy import AnswerAccuracy, accuracy
from neodp.report.asked import Reported, ReportedPart, reported
from neodp.report.mechanisms import of_graph, of_outcomes, of_own, of_poll
from neodp.store import Store

__all__ = ["FORMATS", "Answered", "Report", "checked_report_path", "report"]

FORMATS = (".html", ".md", ".json")
"""The suffixes of the files that a report can be written to."""

PUBLIC = (
    "Who took part, and with which epsilon, is taken as public. Nothing else on this page depends on anybody's data, "
    "but the answer."
)
SECRET_LEVELS = "Nothing on this page depends on who took part, with which epsilon and which data, but the answer."


@checked
def report(
    store: Store, release: str, *, about: str | None = None, title: str | None = None, survey: Survey | None = None
) -> Report:
    """Return the report of a release: of all questions that were asked under this name, or of one.

    Parameters
    ----------
    store : Store
        The store that keeps the release.
    release : str
        The name of the release.
    about : str, optional
        The graph or poll, as ``neodp releases`` shows it, if not all questions of that name are meant.
    title : str, optional
        The question in the steward's own words; by default neodp's.
    survey : Survey, optional
        The survey that was just released: needed only if its people have more than 64 different epsilons.

    Raises
    ------
    GraphError
        If there is no such release.

    Examples
    --------
    >>> import tempfile
    >>> survey = neodp.poll({"answer": ["yes"] * 30, "epsilon": [1.0] * 30}, vote="answer", epsilon="epsilon")
    >>> with tempfile.TemporaryDirectory() as folder, neodp.open_store(f"{folder}/answers.db") as store:
    ...     _ = survey.release(store, "spring")
    ...     found = report(store, "spring", title="Is tea better than coffee?")
    >>> found.answers[0].answer, found.answers[0].accuracy.sure_from
    ('yes', 3)
    """
    return Report(release, title, tuple(reported(store, release, about, survey)))


@dataclass(frozen=True)
class Answered:
    """One answer of a report: of a question, or of a part of its people.

    Attributes
    ----------
    asks : str
        The question in neodp's own words.
    about, population, date : str
        What was asked about, whose data it is, and the day of the draw.
    part : str or None
        The part of the people.
    answer : str
        The answer, or why the question was ended.
    accuracy : AnswerAccuracy or None
        How often such an answer is right; None if the mechanism is not known any more, or nothing was drawn.
    right : tuple of str
        How often such an answer is right, in words.
    drawn : bool
        True unless the question was ended before an answer was drawn.
    """

    asks: str
    about: str
    population: str
    date: str
    part: str | None
    answer: str
    accuracy: AnswerAccuracy | None
    right: tuple[str, ...]
    drawn: bool = True


@dataclass(frozen=True)
class Report:
    """A release, ready to be published.

    Attributes
    ----------
    release : str
        The name of the release.
    title : str or None
        The question in the steward's own words.
    reported : tuple of Reported
        One for each question.
    """

    release: str
    title: str | None
    reported: tuple[Reported, ...]

    @property
    def heading(self) -> str:
        """The title of the page."""
        return self.title or (self.answers[0].asks if len(self.answers) == 1 else f"Release {self.release!r}")

    @cached_property
    def answers(self) -> tuple[Answered, ...]:
        """All answers."""
        return tuple(_answered(part, each) for each in self.reported for part in each.parts)

    @cached_property
    def certificates(self) -> list[dict[str, Any]]:
        """A certificate for each question whose mechanism is known."""
        return [
            certificate(each.release, _mechanisms(each), neodp.__version__) for each in self.reported if _known(each)
        ]

    @property
    def missing(self) -> list[str]:
        """The reasons why some questions have no certificate."""
        return [f"{each.release.graph}: {each.missing}" for each in self.reported if not _known(each)]

    @property
    def public(self) -> str:
        """The facts that are taken as public, in words."""
        return SECRET_LEVELS if any("share" in each.facts for each in self.reported) else PUBLIC

    @cached_property
    def promises(self) -> list[str]:
        """The promise to each level of privacy, a sentence each."""
        found: dict[str, None] = {}
        for each in self.reported:
            about = words.VOTE if "query" in each.facts else words.DATA
            levels = each.release.levels if each.drawn else ()
            found |= dict.fromkeys(words.promises(levels, about) or [words.NO_PROMISE])
        return list(found)

    @cached_property
    def spending(self) -> list[str]:
        """The amounts that were spent and are left, a sentence each."""
        ledgers = {each.ledger.population: each.ledger for each in self.reported}
        return [sentence for ledger in ledgers.values() for sentence in words.spending(ledger)]

    @cached_property
    def method(self) -> str:
        """A paragraph on the method that can be used in a paper."""
        first = self.reported[0]
        if not first.drawn:
            return words.NO_METHOD.format(version=neodp.__version__)
        levels = [level for each in self.reported for level in each.release.levels]
        return words.method(_kind(first), levels, neodp.__version__, proven=bool(self.certificates))

    def json(self) -> dict[str, Any]:
        """Return the report as values that JSON can hold, with the certificates."""
        return {
            "title": self.heading,
            "release": self.release,
            "neodp": neodp.__version__,
            "answers": [
                {
                    "question": each.asks,
                    "about": each.about,
                    "population": each.population,
                    "date": each.date,
                    "part": each.part,
                    "answer": each.answer,
                    "drawn": each.drawn,
                    "accuracy": None if each.accuracy is None else _figures(each.accuracy),
                }
                for each in self.answers
            ],
            "questions": [public_facts(each.release) for each in self.reported],
            "promises": self.promises,
            "spending": self.spending,
            "method": self.method,
            "certificates": self.certificates,
            "without_certificate": self.missing,
            "not_checked": list(UNCHECKED),
        }

    @checked
    def text(self, suffix: str) -> str:
        """Return the content of a file with this suffix: ``.html``, ``.md`` or ``.json``."""
        from neodp.report import pages

        if suffix == ".json":
            return json.dumps(self.json(), ensure_ascii=False, indent=1) + "\n"
        return pages.html(self) if suffix == ".html" else pages.markdown(self)

    @checked
    def save(self, path: str | PathLike[str]) -> Path:
        """Write the report to a file; the suffix of its name decides about the format.

        Raises
        ------
        GraphError
            If the suffix is none of ``.html``, ``.md`` and ``.json``, or the file cannot be written.
        """
        target = checked_report_path(path)
        with private(target) as file:
            file.write(self.text(target.suffix.lower()).encode())
        return target


def checked_report_path(path: str | PathLike[str]) -> Path:
    """Return the path of a file, after checking that a report can be written to it.

    Raises
    ------
    GraphError
        If the suffix is unknown, or the folder does not exist.
    """
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise GraphError(f"a report cannot be written to {target.name!r}", "end its name with .html, .md or .json")
    if not target.parent.is_dir():
        raise GraphError(f"the folder {str(target.parent)!r} does not exist", "make it, or choose another file")
    return target


def _answered(part: ReportedPart, each: Reported) -> Answered:
    release = each.release
    date = (release.time or "")[:10]
    asks = words.question(part, each)
    found = accuracy(part, each)
    said = words.right(each, found)
    return Answered(asks, release.graph, release.population, date, part.name, part.answer, found, said, each.drawn)


def _known(each: Reported) -> bool:
    return not each.missing


def _mechanisms(each: Reported) -> list[dict[str, Any]]:
    found = []
    for part in each.parts:
        if part.poll is not None:
            found.append(of_poll(part.poll, part.name))
        elif part.mechanism is not None:
            found.append(of_graph(part.mechanism.graph, part.mechanism))
        elif part.own is not None:
            found.append(of_own(part.own))
        elif part.drawn is not None:
            found += of_outcomes(part.drawn, each.facts["query"], part.name)
    return found


def _kind(each: Reported) -> str:
    if "fingerprint" in each.facts:
        return "graph"
    if "protection" in each.facts:
        return "at least" if "at_least" in each.facts else "ranges"
    named = str(each.facts.get("mechanism"))
    return "plurality" if named == "balanced" and len(each.facts["options"]) > 2 else named


def _figures(accuracy: AnswerAccuracy) -> dict[str, Any]:
    return {
        "expected": accuracy.expected,
        "averaged_over": accuracy.prior,
        "least": accuracy.least,
        "right_19_in_20_from": accuracy.sure_from,
        "margin_counts": accuracy.unit,
        "by_margin_says": accuracy.heading.removesuffix(":"),
        "by_margin": [{"margin": m, "worst": least, "even": even} for m, least, even in accuracy.curve],
        "in_words": list(accuracy.sentences),
    }
