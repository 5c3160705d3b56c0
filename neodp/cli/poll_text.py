"""Text output of ``neodp poll``: guarantees, both mechanisms, accuracy by margin, answers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer

from neodp.cli.common import harmless, say, table
from neodp.data.formatting import count, listed, number, share
from neodp.polls import Group, PollQuestion, Survey

__all__ = ["choice", "guarantees", "heading", "shown", "shown_secret", "typed_mechanism"]

MOST = 20
"""The largest number of groups to show."""


HOW = {
    "exact": "",
    "normal": " (by a normal distribution: it decides what is expected, never privacy)",
    "sampled": " (from tables that were drawn from the prior: they decide what is expected, never privacy)",
}
"""The ways in which an expected accuracy was found, in words for people."""


def choice(survey: Survey) -> str:
    """Ask on stderr which mechanism to use, until one is typed; without any input, do nothing."""
    for question in survey.questions:
        if question.both.differ:
            facts = question.facts()["mechanisms"]
            typer.echo(harmless(f"{question.label}: {_side_by_side(facts)}. {_in_words(facts)}"), err=True)
    return typed_mechanism()


def typed_mechanism() -> str:
    """Ask for a mechanism on stderr, until one is typed; without any input, end without an answer."""
    typer.echo("An answer cannot be drawn again. Which mechanism, balanced or weighted? ", err=True, nl=False)
    while (answer := sys.stdin.readline().strip().lower()) not in ("balanced", "weighted"):
        if not answer:
            raise typer.Abort
        typer.echo("Type balanced or weighted, or nothing to end without an answer: ", err=True, nl=False)
    return answer


def shown(survey: Survey, facts: list[dict[str, Any]], *, reveal: bool) -> None:
    """Show one question in full, or several with one row each, and the parts that depend on the votes."""
    questions = survey.questions
    if len(questions) == 1:
        _one(questions[0], facts[0], survey.chosen is not None)
    else:
        _several(survey, facts)
    secret = ["the answers"] * ("answer" in facts[0]) + ["what is marked"] * reveal
    what = f"Only {' and '.join(secret)} may reveal" if secret else "Nothing here reveals"
    by = f", and who belongs to which {survey.by!r}" if survey.by is not None else ""
    say(f"\n{what} anything about the votes. Who took part, with which epsilon{by}, is treated as public.")


def _one(question: PollQuestion, facts: dict[str, Any], chosen: bool) -> None:
    """Show one question in full."""
    _facts(question, facts)
    guarantees(question.poll.groups, 1)
    if facts["by_margin"]:
        _mechanisms(facts, chosen)
        say(
            f"Accuracy of {facts['mechanism']}, the chance of the true answer, by how many people would have to vote "
            "otherwise to change it:"
        )
        rows = [(r["margin"], r["worst"], r["even"], r["best"]) for r in facts["by_margin"]]
        shown = 2 if all(row[2:] == (None, None) for row in rows) else 4  # by plurality only the least is known
        table(("margin", "at least", "evenly spread", "at most")[:shown], [row[:shown] for row in rows])
        if shown == 4:
            say("At least, at most: whoever casts these votes. Evenly spread: people of every epsilon vote alike.")
        known = [(share(float(s)), m) for s, m in facts["margin_for"].items() if m is not None]
        say(_by_margin(known) if known else "No margin guarantees that the answer is right 90 % of the time.")
    else:
        say("There is only one possible answer, whatever the votes are; it is given with certainty.")
    if "what_if" in facts:
        _what_if_table(facts["what_if"])
    if "answer" in facts:
        say(f"\nanswer       {facts['answer']}    (release {facts['release']!r} of {facts['graph']!r}, kept)")
    if "revealed" in facts:
        found = facts["revealed"]
        chances = ", ".join(f"{color} {number(p)}" for color, p in found["probabilities"].items())
        say("\nNOT PRIVATE, do not pass on:")
        counts = question.tally.counts.sum(axis=0).tolist()
        voted = ", ".join(f"{n:,} {option}" for option, n in zip(facts["options"], counts, strict=True))
        say(f"truth        {found['color']}, by a margin of {found['margin']:,}: {voted}")
        say(f"chances      {chances}")


def _by_margin(known: list[tuple[str, int]]) -> str:
    """Return the margins from which an answer is right so often, as a sentence."""
    (least, margin), *others = known
    first = f"at least {least} of the time if the margin is {count(margin, 'vote')} or more"
    return f"The answer is right {listed([first, *(f'at least {often} from {m:,} on' for often, m in others)])}."


def _facts(question: PollQuestion, facts: dict[str, Any]) -> None:
    tie = " A tie is a no." if question.query == "majority" and facts["people"] % 2 == 0 else ""
    heading(facts, tie)


def heading(facts: dict[str, Any], tie: str = "") -> None:
    """Show the question, and who is asked."""
    say(f"question     {facts['question']}: {facts['asks']}{tie}")
    say(f"people       {facts['people']:,} in {count(len(facts['groups']), 'group')} of equal epsilon")
    if facts["skipped"]:
        say(f"skipped      {facts['skipped']:,} without a vote or an epsilon; it is public that they took no part")
    if facts["silent"]:
        say(f"silent       {facts['silent']:,} with epsilon 0, who are not counted: no answer may depend on them")


def _mechanisms(facts: dict[str, Any], chosen: bool) -> None:
    """Show both mechanisms side by side, and what happens if the wish for privacy depends on the vote."""
    both = facts["mechanisms"]
    say(f"What to expect of the two mechanisms if the votes are as the prior {facts['prior']!r} assumes:")
    rows = [
        (name, _expected(each), each["worst"], "this one" if name == facts["mechanism"] else "")
        for name, each in both.items()
    ]
    table(("mechanism", "expected accuracy", "accuracy at least, whatever the votes", "answers are drawn from"), rows)
    how = HOW[both["weighted"]["method"]]
    if how:
        say(f"Expected accuracies are estimates{how}.")
    say(_in_words(both))
    if facts["differ"] and not chosen:
        say("They differ by more than 0.05: choose with --mechanism balanced or --mechanism weighted.")


def _expected(mechanism: dict[str, Any]) -> float:
    """Return an expected accuracy, with three digits if it is an estimate."""
    found: float = mechanism["expected"]
    return found if mechanism["method"] == "exact" else round(found, 3)


def _side_by_side(both: dict[str, Any]) -> str:
    return "; ".join(
        f"{name} is expected to be right with {number(_expected(each))}, and whatever the votes with at least "
        f"{number(each['worst'])}"
        for name, each in both.items()
    )


def _in_words(both: dict[str, Any]) -> str:
    """Return what happens if all people who ask for much privacy vote the same way, in words."""
    if both["weighted"] == both["balanced"]:
        return "Weighted is the same as balanced here: no better mechanism was found."
    pairs = list(zip(both["balanced"]["against"], both["weighted"]["against"], strict=True))
    if not pairs:
        return "Whatever the votes are, there is one answer."
    balanced, weighted = min(pairs, key=lambda pair: pair[1]["right"])
    text = (
        f"If the {weighted['people']:,} people who ask for most privacy (epsilon up to {number(weighted['epsilon'])}) "
        f"all choose {weighted['answer']!r}, and all others do not, {weighted['answer']!r} is the true answer. "
        f"Balanced then says so with chance {number(balanced['right'])}, weighted with chance "
        f"{number(weighted['right'])}"
    )
    wrong = weighted["right"] < min(0.5, balanced["right"])
    return text + (
        ": weighted gives these people the least weight, and is then wrong more often than right." if wrong else "."
    )


def _asked_of_all(survey: Survey) -> int:
    """Return the number of questions that everybody is asked."""
    return len({question.name for question in survey.questions})


def guarantees(people: Sequence[Group], questions: int, *, sizes: bool = True) -> None:
    """Show the guarantee for each group."""
    columns = [
        "level",
        "epsilon",
        "people",
        "one vote changes the chance of an answer by at most",
        "someone who guessed 50:50 can become at most this sure",
    ]
    rows = [[g.level, g.epsilon, g.size, f"a factor of {number(g.factor)}", share(g.belief)] for g in people[:MOST]]
    if not sizes:  # how many people took part differs from question to question
        columns, rows = columns[:2] + columns[3:], [row[:2] + row[3:] for row in rows]
    table(columns, rows)
    if len(people) > MOST:
        say(f"… and {count(len(people) - MOST, 'more group')}")
    if questions > 1:
        say(f"This holds for each question: over all {questions} of them, each epsilon counts {questions} times.")


def _several(survey: Survey, facts: list[dict[str, Any]]) -> None:
    """Show several questions, one row each."""
    questions = survey.questions
    columns = ["question"] + ["part"] * (survey.by is not None)
    columns += ["people", "skipped", "balanced", "weighted", "worst", "95 % from", "99 % from"]
    columns += ["answer"] if "answer" in facts[0] else []
    columns += ["truth", "margin", "accuracy", "chance of a wrong answer"] if "revealed" in facts[0] else []
    rows = []
    for fact in facts:
        row = [fact["question"]] + [fact["part"]] * (survey.by is not None) + [fact["people"], fact["skipped"]]
        row += [_expected(each) for each in fact["mechanisms"].values()]
        row += [fact["worst"], fact["margin_for"]["0.95"], fact["margin_for"]["0.99"]]
        row += [fact["answer"]] if "answer" in fact else []
        if "revealed" in fact:
            found = fact["revealed"]
            row += [found["color"], found["margin"], found["p_true"], min(found["probabilities"].values())]
        rows.append(row)
    most = max((question.poll for question in questions), key=lambda poll: len(poll.groups))
    guarantees(most.groups, _asked_of_all(survey), sizes=False)
    if survey.by is not None:
        unchecked = "" if survey.id is not None else ", if nobody has two rows (--id COL checks that)"
        say(f"One answer for each {survey.by!r}: everybody is in one of them only, and pays once{unchecked}.")
    table(columns, rows)
    say(
        "balanced, weighted: the expected accuracy of either mechanism, if the votes are as the prior "
        f"{facts[0]['prior']!r} says."
    )
    say(f"worst: the least accuracy of {facts[0]['mechanism']}, which answers are drawn from, whatever the votes;")
    say("95 % from: the margin, in people who could change the answer, from which the accuracy is at least 95 %.")
    dearest = min(
        facts, key=lambda fact: min((a["right"] for a in fact["mechanisms"]["weighted"]["against"]), default=1.0)
    )
    say(f"{questions[facts.index(dearest)].label}: {_in_words(dearest['mechanisms'])}")
    if survey.chosen is None and any(fact["differ"] for fact in facts):
        say("They differ by more than 0.05: choose with --mechanism balanced or --mechanism weighted.")
    if "revealed" in facts[0]:
        say("NOT PRIVATE, do not pass on: the columns from 'truth' on.")
    for fact in facts:
        if "what_if" in fact:
            say(f"\n{fact['question']}")
            _what_if_table(fact["what_if"])


def _what_if_table(rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    now, *raised = rows
    margin = now["all"]["margin"]
    say(f"If people asked for less privacy: the chance of the true answer at a margin of {margin:,}")
    shown = [("now", None, None, now["all"]["worst"], now["all"]["even"])]
    for row in raised:
        group = row["group"]
        label = group["level"] or f"epsilon {number(group['epsilon'])}"
        for who in ("one", "all"):
            shown.append((f"{who} of {label}", group["epsilon"], row["epsilon"], row[who]["worst"], row[who]["even"]))
    table(("who", "epsilon", "raised to", "at least", "evenly spread"), shown)


def shown_secret(facts: list[dict[str, Any]]) -> None:
    """Show the questions of a poll with secret levels: what is promised, an example, answers, what is revealed."""
    first = facts[0]
    for fact in facts:
        say(f"question     {fact['question']}: {fact['asks']}")
    say(
        f"cost         {first['share']} of everybody's own epsilon for each question; an epsilon counts up to "
        f"{number(first['cap'])}"
    )
    columns = (
        "level",
        "epsilon",
        "another vote costs",
        "taking part costs at most",
        "a vote changes a chance by at most",
    )
    rows = [
        (g["level"], g["epsilon"], g["vote"], g["taking_part"], f"a factor of {number(g['factor'])}")
        for g in first["guarantees"]
    ]
    table(columns, rows)
    say(
        "People are heard by their level: 60 people who say no at epsilon 0.1 weigh less than 40 who say yes at 2. "
        "Votes, levels and who takes part are all protected; a cell that is no vote or no epsilon does not count."
    )
    if first["example"] is not None:
        found = first["example"]
        say(
            f"An example, not this table: with {found['expect']}, if votes are as the prior {found['prior']!r} says, "
            f"the answer is that of a count by heads with {number(round(found['expected'], 3))}."
        )
    else:
        say("How accurate is that? State an example: --expect '500 people, levels about 30/50/20'.")
    for fact in facts:
        if "answer" in fact:
            say(f"\nanswer       {fact['answer']}    (release {fact['release']!r} of {fact['graph']!r}, kept)")
    for fact in facts:
        if "revealed" in fact:
            found = fact["revealed"]
            say(f"\nNOT PRIVATE, not to be passed on: {fact['question']}")
            voted = ", ".join(f"{n:,} {option}" for option, n in found["votes"].items())
            say(f"truth        {voted}; {found['not_counted']:,} of {count(found['rows'], 'row')} do not count")
            if "probabilities" in found:
                say("chances      " + ", ".join(f"{name} {number(p)}" for name, p in found["probabilities"].items()))
    what = "Only the answers depend" if "answer" in first else "Nothing here depends"
    if "revealed" in first:
        what = "Only the answers and what is marked depend" if "answer" in first else "Only what is marked depends"
    say(f"\n{what} on the people.")
