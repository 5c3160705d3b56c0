"""Text output of ``neodp poll``: guarantees, both mechanisms, accuracy by margin, answers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer

from neodp.cli.common import harmless, say, table
from neodp.data.formatting import at_least, at_most, chance, count, kept, listed, number, share
from neodp.ledger.account import epsilon_rounded_up
from neodp.polls import Group, PollQuestion, Survey

__all__ = [
    "choice",
    "guarantees",
    "heading",
    "shown",
    "shown_secret",
    "sure_margins",
    "typed_mechanism",
    "what_if_table",
]

MOST_GROUPS = 20
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
            facts = question.facts()
            both = facts["mechanisms"]
            words = f"{question.label}: {_side_by_side(both)}. {_in_words(both, facts['groups'])}"
            typer.echo(harmless(words), err=True)
    return typed_mechanism()


def typed_mechanism() -> str:
    """Ask for a mechanism on stderr, until one is typed; without any input, end without an answer."""
    typer.echo("An answer cannot be drawn again. Which mechanism, balanced or weighted? ", err=True, nl=False)
    while (answer := sys.stdin.readline().strip().lower()) not in ("balanced", "weighted"):
        if not answer:
            raise typer.Abort
        typer.echo("Type balanced or weighted, or nothing to end without an answer: ", err=True, nl=False)
    return answer


def shown(survey: Survey, facts: list[dict[str, Any]], *, reveal: bool, since: str | None = None) -> None:
    """Show one question in full, or several with one row each, and the parts that depend on the votes.

    `since` is the time since which the answers are kept, if they were not drawn now.
    """
    questions = survey.questions
    if len(questions) == 1:
        _one(questions[0], facts[0], survey.chosen is not None, since)
    else:
        _several(survey, facts)
    secret = ["the answers"] * ("answer" in facts[0]) + ["what is marked"] * reveal
    what = f"Only {' and '.join(secret)} may reveal" if secret else "Nothing here reveals"
    by = f", and who belongs to which {survey.by!r}" if survey.by is not None else ""
    say(f"\n{what} anything about the votes. Who took part, with which epsilon{by}, is treated as public.")


def _one(question: PollQuestion, facts: dict[str, Any], chosen: bool, since: str | None) -> None:
    """Show one question in full."""
    _facts(question, facts)
    guarantees(question.poll.groups, 1)
    if facts["by_margin"]:
        _mechanisms(facts, chosen)
        say(
            f"Accuracy of {facts['mechanism']}, the chance of the true answer, by how many people would have to vote "
            "otherwise to change it:"
        )
        rows = [(r["margin"], *map(_percent, (r["worst"], r["even"], r["best"]))) for r in facts["by_margin"]]
        shown = 2 if all(row[2:] == (None, None) for row in rows) else 4  # by plurality only the least is known
        table(("margin", "at least", "evenly spread", "at most")[:shown], [row[:shown] for row in rows])
        if shown == 4:
            say("At least, at most: whoever casts these votes. Evenly spread: people of every epsilon vote alike.")
        known = sure_margins(facts)
        say(_by_margin(known) if known else "No margin guarantees that the answer is right 90 % of the time.")
    else:
        say("There is only one possible answer, whatever the votes are; it is given with certainty.")
    if "what_if" in facts:
        what_if_table(facts["what_if"])
    if "prices" in facts:
        _prices_table(facts["prices"])
    if "answer" in facts:
        say(_answered(facts, since))
    if "revealed" in facts:
        found = facts["revealed"]
        chances = ", ".join(f"{color}: {chance(p)}" for color, p in found["probabilities"].items())
        say("\nNOT PRIVATE, do not pass on:")
        counts = question.tally.counts.sum(axis=0).tolist()
        voted = ", ".join(f"{n:,} {option}" for option, n in zip(facts["options"], counts, strict=True))
        say(f"truth        {found['color']}, by a margin of {found['margin']:,}: {voted}")
        say(f"chances      {chances}")


def sure_margins(facts: dict[str, Any]) -> list[tuple[str, int]]:
    """Return accuracies, each with the margin from which it holds; of those with one margin, the greatest.

    Examples
    --------
    >>> sure_margins({"margin_for": {"0.9": 5, "0.95": 5, "0.99": 7, "0.999": None}})
    [('95 %', 5), ('99 %', 7)]
    """
    found = {m: share(float(s)) for s, m in facts["margin_for"].items() if m is not None}
    return [(often, margin) for margin, often in found.items()]


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
        (name, at_least(each["expected"]), at_least(each["worst"]), "this one" * (name == facts["mechanism"]))
        for name, each in both.items()
    ]
    table(("mechanism", "expected accuracy", "accuracy at least, whatever the votes", "answers are drawn from"), rows)
    how = HOW[both["weighted"]["method"]]
    if how:
        say(f"Expected accuracies are estimates{how}.")
    say(_in_words(both, facts["groups"]))
    if facts["differ"] and not chosen:
        say("They differ by more than 0.05: choose with --mechanism balanced or --mechanism weighted.")


def _percent(chance: float | None) -> str | None:
    return None if chance is None else at_least(chance)


def _both(row: dict[str, Any]) -> tuple[str | None, str | None]:
    return _percent(row["worst"]), _percent(row["even"])


def _answered(fact: dict[str, Any], since: str | None) -> str:
    """Return the line with an answer, which says whether it was drawn now or earlier."""
    return f"\nanswer       {fact['answer']}    (release {fact['release']!r} of {fact['graph']!r}, {kept(since)})"


def _side_by_side(both: dict[str, Any]) -> str:
    return "; ".join(
        f"{name} is expected to be right {at_least(each['expected'])} of the time, and whatever the votes at least "
        f"{at_least(each['worst'])}"
        for name, each in both.items()
    )


def _in_words(both: dict[str, Any], groups: Sequence[Any]) -> str:
    """Return what happens if all people who ask for much privacy vote the same way, in words."""
    if both["weighted"] == both["balanced"]:
        return "Weighted is the same as balanced here: no better mechanism was found."
    if len(groups) == 1:
        return "Everybody has the same epsilon, so nobody's vote weighs more than another's."
    pairs = list(zip(both["balanced"]["against"], both["weighted"]["against"], strict=True))
    if not pairs:
        return "Whatever the votes are, there is one answer."
    balanced, weighted = min(pairs, key=lambda pair: pair[1]["right"])
    text = (
        f"If the {weighted['people']:,} people who ask for most privacy (epsilon up to {number(weighted['epsilon'])}) "
        f"all choose {weighted['answer']!r}, and all others do not, {weighted['answer']!r} is the true answer. "
        f"Balanced then says so {at_least(balanced['right'])} of the time, weighted {at_least(weighted['right'])}"
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
    rows = [
        [g.level, g.epsilon, g.size, f"a factor of {epsilon_rounded_up(g.factor)}", at_most(g.belief)]
        for g in people[:MOST_GROUPS]
    ]
    if not sizes:  # how many people took part differs from question to question
        columns, rows = columns[:2] + columns[3:], [row[:2] + row[3:] for row in rows]
    table(columns, rows)
    if len(people) > MOST_GROUPS:
        say(f"… and {count(len(people) - MOST_GROUPS, 'more group')}")
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
        row += [at_least(each["expected"]) for each in fact["mechanisms"].values()]
        row += [at_least(fact["worst"]), fact["margin_for"]["0.95"], fact["margin_for"]["0.99"]]
        row += [fact["answer"]] if "answer" in fact else []
        if "revealed" in fact:
            found = fact["revealed"]
            wrong = min(found["probabilities"].values())
            row += [found["color"], found["margin"], chance(found["p_true"]), chance(wrong)]
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
    say(f"{questions[facts.index(dearest)].label}: {_in_words(dearest['mechanisms'], dearest['groups'])}")
    if survey.chosen is None and any(fact["differ"] for fact in facts):
        say("They differ by more than 0.05: choose with --mechanism balanced or --mechanism weighted.")
    if "revealed" in facts[0]:
        say("NOT PRIVATE, do not pass on: the columns from 'truth' on.")
    for question, fact in zip(questions, facts, strict=True):
        if "what_if" in fact or "prices" in fact:
            say(f"\n{question.label}")
        if "what_if" in fact:
            what_if_table(fact["what_if"])
        if "prices" in fact:
            _prices_table(fact["prices"])


def what_if_table(rows: list[dict[str, Any]], *, counted: bool = False) -> None:
    """Show the accuracy if a level's epsilon were higher; of a count, the chance to be off by at most so much."""
    if not rows:
        return
    now, *raised = rows
    margin = now["all"]["margin"]
    of = f"to be off by at most {count(margin, 'person', 'people')}" if counted else "of the true answer"
    say(f"If people asked for less privacy: the chance {of}{'' if counted else f' at a margin of {margin:,}'}")
    before = _both(now["all"])
    if all(_both(row[who]) == before for row in raised for who in ("one", "all")):
        say(f"It stays at {before[0]}, whoever asks for less privacy.")
        return
    shown = [("now", None, None, *before)]
    for row in raised:
        group = row["group"]
        label = group["level"] or f"epsilon {number(group['epsilon'])}"
        for who in ("one", "all"):
            if _both(row[who]) != before:
                shown.append((f"{who} of {label}", group["epsilon"], row["epsilon"], *_both(row[who])))
    columns = ("who", "epsilon", "raised to", "at least", "evenly spread")
    known = 5 if any(row[4] is not None for row in shown) else 4
    table(columns[:known], [row[:known] for row in shown])
    if len(shown) < 1 + 2 * len(raised):
        say("Whoever else asks for less privacy, it stays as it is now.")


def _prices_table(found: dict[str, Any]) -> None:
    """Show the price of each level."""
    say(
        f"What each level is worth: weighted is expected to be right {at_least(found['expected'])} of the time, the "
        f"likeliest answer alone {at_least(found['guess'])}"
    )
    rows = [
        [
            *(each["level"], each["epsilon"], each["people"]),
            *map(_points, (0.1 * each["per_epsilon"], each["one_more"], each["share"])),
        ]
        for each in found["levels"]
    ]
    columns = ["level", "epsilon", "people", "for each 0.1 of epsilon more", "for one more person", "share of the gain"]
    shared = found["levels"][0]["share"] is not None
    table(columns if shared else columns[:-1], rows if shared else [row[:-1] for row in rows])
    say("In percentage points of expected accuracy; the shares (Shapley) add up to the gain over that answer.")
    if found["estimated"]:
        say("These are estimates: they decide nothing.")


def _points(gain: float | None) -> str | None:
    """Return a gain in accuracy in percentage points."""
    return None if gain is None else f"{100.0 * gain:+.3f}"


def shown_secret(facts: list[dict[str, Any]], since: str | None = None) -> None:
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
        (g["level"], g["epsilon"], g["vote"], g["taking_part"], f"a factor of {epsilon_rounded_up(g['factor'])}")
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
            f"the answer is that of a count by heads {at_least(found['expected'])} of the time."
        )
    else:
        say("How accurate is that? State an example: --expect '500 people, levels about 30/50/20'.")
    for fact in facts:
        if "answer" in fact:
            say(_answered(fact, since))
    for fact in facts:
        if "revealed" in fact:
            found = fact["revealed"]
            say(f"\nNOT PRIVATE, not to be passed on: {fact['question']}")
            voted = ", ".join(f"{n:,} {option}" for option, n in found["votes"].items())
            say(f"truth        {voted}; {found['not_counted']:,} of {count(found['rows'], 'row')} do not count")
            if "probabilities" in found:
                say("chances      " + ", ".join(f"{name}: {chance(p)}" for name, p in found["probabilities"].items()))
    what = "Only the answers depend" if "answer" in first else "Nothing here depends"
    if "revealed" in first:
        what = "Only the answers and what is marked depend" if "answer" in first else "Only what is marked depends"
    say(f"\n{what} on the people.")
