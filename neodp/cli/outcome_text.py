"""Text output of ``neodp poll`` for medians, quantiles, counts and ranked ballots."""

from __future__ import annotations

from typing import Any

import typer

from neodp.cli.common import harmless, say, table
from neodp.cli.poll_text import guarantees, heading, sure_margins, typed_mechanism, what_if_table
from neodp.data.formatting import at_least, chance, count, kept, listed, number, share
from neodp.polls.outcomes.survey import OutcomeSurvey, outcome_figures

__all__ = ["outcome_choice", "shown_outcomes", "shown_proposals"]

NOW = "the epsilons as they are"
LIKELY = 8
"""The number of chances that are shown."""


def outcome_choice(survey: OutcomeSurvey) -> str:
    """Ask on stderr which mechanism to use."""
    for inquiry in survey.inquiries:
        if inquiry.both.differ:
            typer.echo(harmless(f"{inquiry.label}: {outcome_figures(inquiry)}."), err=True)
    return typed_mechanism()


def shown_outcomes(survey: OutcomeSurvey, facts: list[dict[str, Any]], since: str | None = None) -> None:
    """Show all questions, one after another, and what depends on the votes.

    `since` is the time since which the answers are kept, if they were not drawn now.
    """
    for inquiry, fact in zip(survey.inquiries, facts, strict=True):
        if fact["part"] is not None:
            say(f"part         {fact['part']}")
        heading(fact)
        guarantees(inquiry.groups, 1)
        _mechanisms(fact, survey.chosen is not None)
        if "what_if" in fact:
            what_if_table(fact["what_if"], counted=fact["error_in"] == "people")
        _answered(fact, since)
        if len(facts) > 1:
            say("")
    if len({fact["question"] for fact in facts}) > 1:
        say("Each question costs everybody their epsilon again.")
    secret = ["the answers"] * ("answer" in facts[0]) + ["what is marked"] * ("revealed" in facts[0])
    what = f"Only {' and '.join(secret)} may reveal" if secret else "Nothing here reveals"
    by = f", and who belongs to which {survey.by!r}" if survey.by is not None else ""
    say(f"\n{what} anything about the votes. Who took part, with which epsilon{by}, is treated as public.")


def _mechanisms(facts: dict[str, Any], chosen: bool) -> None:
    """Show both mechanisms side by side."""
    say(f"What to expect of the two mechanisms if the votes are as the prior {facts['prior']!r} assumes:")
    counted = facts["error_in"] == "people"
    columns = ["mechanism", "heard up to epsilon"]
    columns += ["off by, on average", "off by at most, 95 %"] if counted else ["right, on average"]
    columns += ["where privacy goes with the answer", "answers are drawn from"]
    rows: list[list[Any]] = []
    for name, each in facts["mechanisms"].items():
        figures = [round(each["error"], 2), each["within_95"]] if counted else [at_least(each["expected"])]
        hard = f"off by {each['against_error']:.1f}" if counted else f"right {at_least(each['against'])} of the time"
        rows.append([name, each["cap"], *figures, hard, "this one" if name == facts["mechanism"] else ""])
    table(columns, rows)
    say("Averages are estimates, from tables drawn from the prior: they decide what is expected, never privacy.")
    balanced, weighted = facts["mechanisms"]["balanced"], facts["mechanisms"]["weighted"]
    fair = "everybody counts alike, and the noise is centred on the true number"
    if balanced["drawn"] != "noise":
        fair = "whatever the votes are, no outcome is likelier than the true one"
    say(f"Balanced: {fair}.")
    if not weighted["all_count_alike"]:
        say(
            f"Weighted: people are heard by their epsilon, up to {number(weighted['cap'])}. Where those who ask for "
            "most privacy answer one way and all others another, a wrong outcome is likelier."
        )
    if balanced["certain_95"] is not None:
        other = f", weighted by at most {weighted['certain_95']:,}" if not weighted["all_count_alike"] else ""
        off = f"{balanced['certain_95']:,} people{other}"
        say(f"Balanced is off by at most {off} with a chance of 95 %, whatever the votes.")
    if known := sure_margins(facts):
        often = listed([f"{sure} from {margin:,}" for sure, margin in known])
        say(f"Right at least so often, by how many people would have to answer otherwise: {often} on.")
    if facts["differ"] and not chosen:
        say("They differ much: choose with --mechanism balanced or --mechanism weighted.")


def _answered(facts: dict[str, Any], since: str | None) -> None:
    """Show the answer, and what is revealed."""
    if "answer" in facts:
        answer = facts["answer"]
        shown = answer if isinstance(answer, str) else "; ".join(f"{name}: {text}" for name, text in answer.items())
        say(f"\nanswer       {shown}    (release {facts['release']!r} of {facts['graph']!r}, {kept(since)})")
    if "revealed" not in facts:
        return
    say("\nNOT PRIVATE, do not pass on:")
    found = facts["revealed"]
    for option, each in found.get("options", {None: found}).items():
        likely = sorted(each["probabilities"].items(), key=lambda pair: -pair[1])[:LIKELY]
        exact = f", which is {each['number']:,}" if "number" in each and str(each["number"]) != each["color"] else ""
        named = "" if option is None else f"{option}: "
        say(f"truth        {named}{each['color']}{exact}")
        say("chances      " + ", ".join(f"{outcome}: {chance(p)}" for outcome, p in likely))


def shown_proposals(proposals: list[dict[str, Any]], prior: str, *, given: bool) -> None:
    """Show what it takes to reach an accuracy; without present epsilons, only one epsilon for everybody."""
    for each in proposals:
        margin = each["margin"]
        how = (
            f"if votes are as the prior {prior!r} says"
            if margin is None
            else f"at a margin of {count(margin, 'person', 'people')}"
        )
        say(f"{each['question']}: to be right {share(each['accuracy'])} of the time, {how}:")
        rows = [("one epsilon for everybody", each["epsilon"], each["epsilon_reaches"])]
        if given:
            rows.insert(0, (NOW, None, each["now"]))
            rows.append(("everybody's epsilon times", each["factor"], each["factor_reaches"]))
            rows.append(("as many people in all, in these proportions", each["people"], each["people_reaches"]))
        shown = [
            (what, "none" if value is None and what != NOW else value, None if right is None else at_least(right))
            for what, value, right in rows
        ]
        table(("what", "needed", "right"), shown)
    say("Nothing here reveals anything about the votes.")
