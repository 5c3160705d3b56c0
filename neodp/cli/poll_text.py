"""How ``neodp poll`` shows a poll to people: guarantees, accuracy by margin, answers."""

from __future__ import annotations

from typing import Any

from neodp.cli.common import say, table
from neodp.polls import Poll, Question

__all__ = ["shown"]

MOST = 20
"""How many groups to show."""


def shown(questions: list[Question], facts: list[dict[str, Any]], *, reveal: bool) -> None:
    """One question in full, or several with one row each; and what may tell something about the votes."""
    if len(questions) == 1:
        _one(questions[0], facts[0])
    else:
        _several(questions, facts)
    secret = ["the answers"] * ("answer" in facts[0]) + ["what is marked"] * reveal
    what = f"Only {' and '.join(secret)} may tell" if secret else "Nothing here tells"
    say(f"\n{what} anything about the votes. Who took part, with which epsilon, is taken as public.")


def _one(question: Question, facts: dict[str, Any]) -> None:
    """One question in full."""
    _facts(question, facts)
    _guarantees(question.poll, 1)
    if facts["by_margin"]:
        say("Accuracy, the chance of the true answer, by how many people would have to vote otherwise to change it:")
        rows = [(f"{r['margin']:,}", r["worst"], r["even"], r["best"]) for r in facts["by_margin"]]
        shown = 2 if all(row[2:] == (None, None) for row in rows) else 4  # by plurality only the least is known
        table(("margin", "at least", "evenly spread", "at most")[:shown], [row[:shown] for row in rows])
        known = [f"{float(s):g} from {m:,} on" for s, m in facts["margin_for"].items() if m is not None]
        say(f"At least {', '.join(known)}." if known else "No margin makes it 0.9 or more for certain.")
    else:
        say("There is only one possible answer, whatever the votes are; it is given with certainty.")
    if "what_if" in facts:
        _what_if_table(facts["what_if"])
    if "answer" in facts:
        say(f"\nanswer       {facts['answer']}    (release {facts['release']!r} of {facts['graph']!r}, kept)")
    if "revealed" in facts:
        found = facts["revealed"]
        chances = ", ".join(f"Pr[{color}] = {p!r}" for color, p in found["probabilities"].items())
        say("\nNOT PRIVATE, not to be passed on:")
        counts = question.tally.counts.sum(axis=0).tolist()
        chosen = ", ".join(f"{n:,} {option}" for option, n in zip(facts["options"], counts, strict=True))
        say(f"truth        {found['color']}, by a margin of {found['margin']}: {chosen}")
        say(f"mechanism    {chances}")


def _facts(question: Question, facts: dict[str, Any]) -> None:
    tie = " A tie is a no." if question.query == "majority" and facts["people"] % 2 == 0 else ""
    say(f"question     {question.name}: {facts['asks']}{tie}")
    say(f"people       {facts['people']:,} in {len(facts['groups']):,} groups of equal epsilon")
    if facts["skipped"]:
        say(f"skipped      {facts['skipped']:,} without a vote")
    if facts["silent"]:
        say(f"silent       {facts['silent']:,} with epsilon 0, who are not asked: no answer may depend on them")


def _guarantees(poll: Poll, questions: int) -> None:
    """What each group is promised."""
    columns = [
        "level",
        "epsilon",
        "people",
        "one vote changes the chance of an answer by at most",
        "a guess at 50% gets at most to",
    ]
    rows = [
        [g.level, g.epsilon, f"{g.size:,}", f"a factor of {g.factor:.4g}", f"{g.belief:.1%}"]
        for g in poll.groups[:MOST]
    ]
    if questions > 1:  # how many people took part differs from question to question
        columns, rows = columns[:2] + columns[3:], [row[:2] + row[3:] for row in rows]
    table(columns, rows)
    if len(poll.groups) > MOST:
        say(f"… and {len(poll.groups) - MOST:,} more groups")
    if questions > 1:
        say(f"This is per question: over all {questions} of them, each epsilon counts {questions} times.")


def _several(questions: list[Question], facts: list[dict[str, Any]]) -> None:
    """Several questions, one row each."""
    columns = ["question", "people", "skipped", "worst", "0.95 from", "0.99 from"]
    columns += ["answer"] if "answer" in facts[0] else []
    columns += ["truth", "margin", "accuracy", "Pr[wrong], exactly"] if "revealed" in facts[0] else []
    rows = []
    for fact in facts:
        row = [fact[name] for name in ("question", "people", "skipped", "worst")]
        row += [fact["margin_for"]["0.95"], fact["margin_for"]["0.99"]]
        row += [fact["answer"]] if "answer" in fact else []
        if "revealed" in fact:
            found = fact["revealed"]
            row += [found["color"], found["margin"], found["p_true"], repr(min(found["probabilities"].values()))]
        rows.append(row)
    _guarantees(questions[0].poll, len(questions))
    table(columns, rows)
    say("worst: the least accuracy, whatever the votes; 0.95 from: the margin from which on it is at least that.")
    if "revealed" in facts[0]:
        say("NOT PRIVATE, not to be passed on: the columns from truth on.")
    for fact in facts:
        if "what_if" in fact:
            say(f"\n{fact['question']}")
            _what_if_table(fact["what_if"])


def _what_if_table(rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    now, *raised = rows
    margin = now["all"]["margin"]
    say(f"What if somebody asked for less? Accuracy at a margin of {margin:,}, at least and evenly spread:")
    shown = [("now", None, None, now["all"]["worst"], now["all"]["even"])]
    for row in raised:
        group = row["group"]
        label = group["level"] or f"{group['epsilon']:g}"
        for who in ("one", "all"):
            shown.append((f"{who} of {label}", group["epsilon"], row["epsilon"], row[who]["worst"], row[who]["even"]))
    table(("who", "epsilon", "raised to", "at least", "evenly spread"), shown)
