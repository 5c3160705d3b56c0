"""A report as a page: HTML that needs nothing from elsewhere, or Markdown. Both have the certificates in them."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from neodp.data.formatting import at_least, day
from neodp.ledger.verification import UNCHECKED
from neodp.report.accuracy import margin_text
from neodp.report.content import Answered, Report
from neodp.report.picture import ALIKE, NARROW, WIDTH, answer_lines, picture

__all__ = ["html", "markdown"]

SHORT = 20_000
"""The greatest length of certificates that a page shows in full; longer ones are in the file, but are not shown."""
CHECK = (
    "This file has a certificate in it: the question, the answer, the cost and the whole mechanism as whole numbers. "
    "`neodp verify FILE` recomputes it; so does `python verify_release.py FILE`, one short program that needs neither "
    "neodp nor any other package, and can be read in half an hour. Neither of them can check:"
)
STYLE = """
:root { color-scheme: light dark }
body { font: 17px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2.5rem auto; padding: 0 1.2rem;
  color: #1c2733; background: #fff }
h1 { font-size: 1.7rem; line-height: 1.25 } h2 { font-size: 1.15rem; margin-top: 2rem }
svg { width: 100%; height: auto; border: 1px solid #d8dee4; border-radius: 6px; margin: .6rem 0 }
svg.narrow { display: none }
@media screen and (max-width: 30rem) { svg.wide { display: none } svg.narrow { display: block } }
.small { color: #5b6770; font-size: .9rem }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .3rem .8rem .3rem 0;
  border-bottom: 1px solid #d8dee4; vertical-align: top }
code { overflow-wrap: anywhere }
pre { overflow-x: auto; font-size: .8rem; white-space: pre-wrap; overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { body { color: #dfe6ec; background: #161b20 }
  .small { color: #9aa7b1 } svg { border-color: #3a444d } td, th { border-color: #3a444d } }
@media print { body { font-size: 11pt; margin: 0; max-width: none; color: #000; background: #fff }
  h2 { break-after: avoid } svg, section { break-inside: avoid } details { display: none } }
"""


def html(report: Report) -> str:
    """Return the report as an HTML page that needs nothing from elsewhere."""
    answers = report.answers
    single = len(answers) == 1
    body = [f"<h1>{escape(report.heading)}</h1>"]
    if not single:
        body.append(_summary(answers))
    for each in answers:
        body.append(_answer(each, report.heading if single else f"{_label(each)}: {each.asks}", single))
    for heading, sentences in _sections(report):
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
        body.append(f"<section><h2>{heading}</h2>\n<ul>{items}</ul></section>")
    body.append(f"<section><h2>Method</h2>\n<p>{escape(report.method)}</p></section>")
    body += _certificates(report)
    facts = f"Release {report.release!r}, {_dates(answers)}, neodp {report.json()['neodp']}."
    body.append(f'<p class="small">{escape(facts)} {escape(report.public)}</p>')
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.heading)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    )
    return head + "\n".join(body) + "\n</body>\n</html>\n"


def _label(each: Answered) -> str:
    return f"{each.about}: {each.part}" if each.part is not None else each.about


def _dates(answers: tuple[Answered, ...]) -> str:
    return " and ".join(sorted({f"{'drawn' if each.drawn else 'ended'} on {day(each.date)}" for each in answers}))


def _summary(answers: tuple[Answered, ...]) -> str:
    rows = "".join(f"<tr><td>{escape(_label(a))}</td><td><b>{escape(a.answer)}</b></td></tr>" for a in answers)
    return f"<table><tr><th>question</th><th>answer</th></tr>{rows}</table>"


def _answer(each: Answered, title: str, single: bool) -> str:
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in each.right)
    heading = "" if single else f"<h2>{escape(_label(each))}</h2>"
    asks = f'<p class="small">{escape(each.asks)}</p>' if single and title != each.asks else ""
    drawn = "\n".join(
        [picture(title, each.answer, each.accuracy), picture(title, each.answer, each.accuracy, width=NARROW)]
    )
    cut = any(answer_lines(each.answer, width)[0][-1].endswith(" …") for width in (WIDTH, NARROW))
    full = f"<p><b>{escape(each.answer)}</b></p>" if cut else ""
    return f"<section>{heading}{asks}\n{drawn}\n{full}{words}</section>"


def _sections(report: Report) -> list[tuple[str, list[str]]]:
    return [("What everybody is promised", report.promises), ("What was spent, and is left", report.spending)]


def _certificates(report: Report) -> list[str]:
    """Return the section on the certificate, with the certificates in a form that no browser executes."""
    found = [f"<p>No certificate of {escape(reason)}.</p>" for reason in report.missing]
    if report.certificates:
        items = "".join(f"<li>{escape(each)}</li>" for each in UNCHECKED)
        found.append(f"<p>{_code(escape(CHECK))}</p><ul>{items}</ul>")
        digests = "<br>".join(escape(each["digests"]["certificate"]) for each in report.certificates)
        found.append(f'<p class="small">SHA-256 of the certificate: <code>{digests}</code></p>')
        shown = json.dumps(report.certificates, ensure_ascii=False, indent=1)
        if len(shown) <= SHORT:
            found.append(f"<details><summary>The certificate</summary><pre>{escape(shown)}</pre></details>")
        else:
            found.append('<p class="small">It is too long to be shown here: it is in the source of this page.</p>')
        text = _document(report).replace("<", "\\u003c")
        found.append(f'<script type="application/json" id="certificates">{text}</script>')
    return ["<section><h2>Certificate</h2>", *found, "</section>"]


def _document(report: Report) -> str:
    value: dict[str, Any] = {"certificates": report.certificates}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _code(text: str) -> str:
    """Turn words in backquotes into code."""
    parts = text.split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


# --- Markdown ---------------------------------------------------------------------------------------------------------


def markdown(report: Report) -> str:
    """Return the report in Markdown, with tables instead of pictures."""
    lines = [f"# {_plain(report.heading)}", ""]
    for each in report.answers:
        lines += [f"## {_plain(_label(each))}", "", _plain(each.asks), "", f"**{_plain(each.answer)}**", ""]
        lines += [*each.right, ""]
        lines += _table(each)
    for heading, sentences in _sections(report):
        lines += [f"## {heading}", "", *(f"- {_plain(sentence)}" for sentence in sentences), ""]
    lines += ["## Method", "", report.method, "", "## Certificate", ""]
    lines += [f"No certificate of {_plain(reason)}." for reason in report.missing]
    if report.certificates:
        lines += [CHECK, "", *(f"- {each}" for each in UNCHECKED), "", "```json", _document(report), "```"]
    facts = f"Release {report.release!r}, {_dates(report.answers)}, neodp {report.json()['neodp']}. {report.public}"
    return "\n".join([*lines, "", _plain(facts), ""])


def _table(each: Answered) -> list[str]:
    if each.accuracy is None or not each.accuracy.curve:
        return []
    rows = each.accuracy.curve[:: max(1, len(each.accuracy.curve) // 8)]
    even = any(each is not None for *_, each in rows)
    columns = [each.accuracy.unit, f"{each.accuracy.what} at least", *([ALIKE] if even else [])]
    lines = [each.accuracy.heading, "", f"| {' | '.join(columns)} |", "|" + "---:|" * len(columns)]
    for margin, least, alike in rows:
        cells = [margin_text(margin), at_least(least), *(["" if alike is None else at_least(alike)] if even else [])]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def _plain(text: str) -> str:
    """Escape what Markdown would take for markup, so that a title cannot become a link or a heading."""
    flat = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#|" else letter for letter in flat)
