"""Commands for what is published: report, verify."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neodp.cli.common import Session, say, show
from neodp.cli.options import Force, Json
from neodp.data.files import require_new
from neodp.errors import GraphError

if TYPE_CHECKING:
    from neodp.polls.survey import Survey
    from neodp.store import Store

__all__ = ["report", "require_report", "verify", "write_report"]


def report(
    context: typer.Context,
    release: Annotated[str, typer.Argument(help="The name of the release.", metavar="RELEASE")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file to write: .html, .md or .json.", metavar="FILE")
    ],
    title: Annotated[str | None, typer.Option(help="The question in your own words.", metavar="TEXT")] = None,
    about: Annotated[
        str | None,
        typer.Option(
            help="One graph or poll, as 'neodp releases' shows it. Default: all of that name.", metavar="NAME"
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a page about a release that can be published: question, answer, accuracy, promises, cost, certificate.

    Apart from the answer, nothing in it depends on anybody's data.

    Example: `neodp report spring -o spring.html --title "Should the office close on Fridays?"`
    """
    from neodp.report.content import checked_report_path
    from neodp.report.content import report as report_of

    checked_report_path(output)
    if not force:
        require_new(output)
    session: Session = context.obj
    with session.open() as store:
        found = report_of(store, release, about=about, title=title)
    found.save(output)
    facts = {"release": release, "file": str(output), "certificates": len(found.certificates), "missing": found.missing}

    def text() -> None:
        if all(each.drawn for each in found.answers):
            say(f"{output} is ready to be published; it has only public facts and the answer.")
        else:
            say(f"{output} has only public facts, and why a question was ended, which is not private: see there.")
        for reason in found.missing:
            say(f"No certificate: {reason}.")
        if found.certificates:
            say(f"To check its certificate: neodp verify {output}")

    show(facts, json, text)


def require_report(report: Path | None, release: str | None, force: bool) -> None:
    """Refuse a report that cannot be written, before an answer is drawn."""
    if report is not None:
        from neodp.report.content import checked_report_path

        if release is None:
            raise GraphError("--report is about an answer", "add --release NAME, which draws one")
        checked_report_path(report)
        if not force:
            require_new(report)


def write_report(
    store: Store,
    release: str,
    subjects: Iterable[str],
    file: Path,
    title: str | None,
    survey: Survey | None = None,
) -> None:
    """Write the report of the answers that were just given."""
    from neodp.report.content import Report
    from neodp.report.content import report as report_of

    found = [report_of(store, release, about=each, survey=survey).reported for each in subjects]
    Report(release, title, tuple(each for some in found for each in some)).save(file)


def verify(
    file: Annotated[Path, typer.Argument(help="A report, or a certificate alone.", metavar="FILE")],
    json: Json = False,
) -> None:
    """Check a report's certificate: recompute every inequality of the mechanism, the cost and the digests.

    No store is needed. tools/verify_release.py does the same without neodp.

    Example: `neodp verify spring.html`
    """
    from neodp.ledger import verification

    try:
        certificates = verification.extract(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        raise GraphError(
            f"{file} has no certificate that can be read", f"give a report or a certificate ({e})"
        ) from None
    problems = [problem for certificate in certificates for problem in verification.verify(certificate)]
    facts = {
        "valid": not problems,
        "problems": problems,
        "certificates": len(certificates),
        "not_checked": list(verification.UNCHECKED),
    }

    def text() -> None:
        if problems:
            say("NOT valid:")
        for problem in problems:
            say(f"- {problem}")
        if not problems:
            say("valid: every inequality of the mechanism, the cost and the digests were recomputed")
        say("Not checked, since no certificate can show it:")
        for each in verification.UNCHECKED:
            say(f"- {each}")

    show(facts, json, text)
    if problems:
        raise typer.Exit(1)
