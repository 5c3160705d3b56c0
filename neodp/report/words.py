"""The sentences of a report, for readers who know nothing of differential privacy.

Shares are whole per cents, rounded so that nothing is promised that does not hold: how often an answer is right is
rounded down, and how sure somebody can become is rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from neodp.asking.mechanism import AtLeast, Counting
from neodp.data.formatting import at_most, count, listed
from neodp.ledger.account import Ledger, epsilon_rounded_up
from neodp.ledger.composition import Total
from neodp.ledger.question import Level
from neodp.ledger.shares import share_of, shares_in
from neodp.report.accuracy import AnswerAccuracy
from neodp.report.asked import Reported, ReportedPart

__all__ = ["NO_METHOD", "NO_PROMISE", "method", "promise", "promises", "question", "right", "spending"]

DRAWN = "The answer is private: it was drawn at random and may be wrong."
ENDED = (
    "Nothing was drawn: the question was ended before, and what is said instead of an answer is certain.",
    "This is not private: it may depend on a single person that the question was ended. Nothing else is told by it.",
)
NO_PROMISE = (
    "What is said here was not drawn, so that nobody is promised anything about it. It counts as an answer all the "
    "same, since people could otherwise be counted at no cost."
)
LITTLE = 0.99
"""The certainty about a person from which a report says that there is little privacy."""
NO_METHOD = "No answer was drawn: neodp {version} ended the question, and told why."
"""The sentences about a question that was ended before an answer was drawn."""
VOTE, DATA = "how one of them voted", "between two values of a person's data"
"""The things that somebody may guess: a vote, or anything."""
MANY, MOST = 6, 12
"""The greatest number of levels that a sentence names, and that have a sentence each."""
SHOWN = (0.5, 1.0, 2.0)
"""The epsilons for which a promise is shown if everybody has one that nobody learns."""


def question(part: ReportedPart, reported: Reported) -> str:
    """Return the question in neodp's own words."""
    if isinstance(part.own, AtLeast | Counting):
        asked = _asked_graph(part.own, reported.facts)
    elif part.own is not None:
        asked = part.own.question
    else:
        other = reported.facts.get("asks", f"what is the answer of {reported.release.graph!r}?")
        asked = part.poll.question if part.poll is not None else str(other)
    return asked[0].upper() + asked[1:]


def _asked_graph(asked: AtLeast | Counting, facts: dict[str, Any]) -> str:
    """Return a question about a graph of people in words."""
    what = "matches"
    if "distinct" in facts:
        what = f"different nodes {facts['distinct']}"
    counted, where = f"the number of {what}", f"of {facts['question']}"
    if "sum" in facts:
        counted = f"the sum of {facts['sum']}, each at most {facts['cap']:,},"
    if isinstance(asked, AtLeast):
        if "sum" in facts:
            return f"is {counted} over {facts['question']} at least {asked.threshold:,}?"
        return f"are there at least {asked.threshold:,} {what} {where}?"
    if asked.coarse:
        return f"in which range is {counted} {where}?"
    return f"what is {counted} {where}?"


def promise(level: Level, guess: str) -> str:
    """Return what the people of a level are promised, in one sentence.

    Examples
    --------
    >>> promise(Level(0.3, name="high", people=12), VOTE)
    "The 12 people of level 'high' (epsilon 0.3): someone who guessed 50:50 how one of them voted can become at most \
58 % sure by the answer."
    """
    part = share_of(level)
    if part is not None:
        some = listed([f"{at_most(_belief(float(part) * epsilon))} with epsilon {epsilon:g}" for epsilon in SHOWN])
        return (
            f"Everybody has an epsilon of their own, which nobody learns, and the answer spends {part} of it. Someone "
            f"who guessed 50:50 {'about a person' if guess == DATA else guess} can become at most so sure by the "
            f"answer: {some}."
        )
    belief = _belief(level.epsilon)
    if level.people is None:
        who = f"Everybody with epsilon {epsilon_rounded_up(level.epsilon)}"
    else:
        named = f"of level {level.name!r} (epsilon {epsilon_rounded_up(level.epsilon)})"
        named = named if level.name is not None else f"with epsilon {epsilon_rounded_up(level.epsilon)}"
        who = f"The {count(level.people, 'person', 'people')} {named}"
    little = " That is little privacy." if belief >= LITTLE else ""
    sure = f"at most {at_most(belief)} sure by the answer" + (
        f", except with chance {level.delta:g}" * bool(level.delta)
    )
    return f"{who}: someone who guessed 50:50 {guess} can become {sure}.{little}"


def promises(levels: Sequence[Level], guess: str) -> list[str]:
    """Return what the people of some levels are promised: a sentence for each level, or one for very many."""
    if len(levels) <= MOST or any(level.delta for level in levels):
        return [promise(level, guess) for level in levels]
    least, most = (end(level.epsilon for level in levels) for end in (min, max))
    return [
        f"People have many different epsilons, from {epsilon_rounded_up(least)} to {epsilon_rounded_up(most)}: someone "
        f"who guessed 50:50 {guess} can become at most {at_most(_belief(least))} sure by the answer with the least of "
        f"them, and at most {at_most(_belief(most))} with the greatest; with an epsilon e, at most 1/(1 + exp(-e))."
    ]


def _belief(epsilon: float) -> float:
    """Return the greatest certainty of someone who guessed 50:50 before."""
    return 1.0 / (1.0 + math.exp(-epsilon)) if epsilon < 700.0 else 1.0


def spending(ledger: Ledger) -> list[str]:
    """Return what the answers about a population have cost so far, what they tell together, and what is left."""
    limit, shares, many = ledger.limit, shares_in(ledger.account.prices.items()), ledger.used > 1
    given = (
        f"{count(ledger.used, 'answer')} about the population {ledger.population!r} {'have' if many else 'has'} been"
    )
    cost = "Together they have cost" if many else "It has cost"
    together = "Someone who guessed 50:50 {} can become at most so sure by all of them together: {}."
    if shares:
        left = "Nothing is left." if shares == 1 else f"{1 - shares} of it is left."
        sure = [f"{at_most(_belief(float(shares) * epsilon))} with epsilon {epsilon:g}" for epsilon in SHOWN]
        found = [f"{given} given so far.", f"{cost} {shares} of everybody's epsilon. {left}"]
        return [*found, together.format("about a person", listed(sure))] if many else found
    left = "" if ledger.left is None else f", and {ledger.left or 'no'} more may be given"
    costs, sure = [], []
    for label, total in sorted(((each.label, each.total(limit.delta)) for each in ledger.spent()), key=_epsilon):
        at = f" at delta {total.delta:g}" if total.delta else ""
        rest = "" if limit.epsilon is None else f" of {epsilon_rounded_up(limit.epsilon)}"
        costs.append(f"{epsilon_rounded_up(total.epsilon)}{rest}{at} ({label})")
        sure.append(f"{at_most(_belief(total.epsilon))}{f' but for chance {total.delta:g}' if at else ''} ({label})")
    found = [f"{given} given so far{left}.", *([f"{cost} epsilon {_some(costs)}."] if costs else [])]
    return [*found, together.format(DATA, _some(sure))] if many and costs else found


def _epsilon(spent: tuple[str, Total]) -> float:
    return spent[1].epsilon


def _some(levels: Sequence[str]) -> str:
    """Return some levels in words; of many, the first and the last."""
    return listed(levels) if len(levels) <= MANY else f"from {levels[0]} to {levels[-1]}"


CHANGE, LEAVE = (
    "the data of a person with epsilon e change",
    "a person with epsilon e, and all theirs, takes part or not",
)
METHOD = (
    "The answer was drawn once, with integer arithmetic and the randomness of the operating system, by neodp "
    "{version}. {mechanism} It is differentially private with each person's own {epsilons}: if the data of a person "
    "with epsilon e change, the probability of every answer changes by a factor of at most exp(e){delta}. {proof}"
)
"""The paragraph on the method, for a paper."""
PROVEN = "The probabilities are exact, and anybody can recompute from the certificate that the mechanism is private."
PAPER = "(Torkamani et al., Optimal Binary Differential Privacy via Graphs, arXiv:2310.20486)"
MECHANISMS = {
    "balanced": f"The mechanism is the optimal one for a balanced boundary {PAPER}; whatever the votes are, the true "
    "answer is at least as likely as any other.",
    "plurality": "The mechanism is the balanced plurality of neodp; whatever the votes are, the true answer is at "
    "least as likely as any other.",
    "weighted": "The mechanism weighs votes by epsilon, and maximises the expected accuracy under a public prior.",
    "balanced outcomes": "The mechanism is permute-and-flip (McKenna and Sheldon 2020) over the amount of epsilon that "
    "would have to answer otherwise until an outcome is the true one, or draws with everybody counted alike.",
    "weighted outcomes": "The mechanism counts everybody by their epsilon, up to a public cap, and draws by "
    "permute-and-flip (McKenna and Sheldon 2020), or with discrete Laplace noise on a sum.",
    "secret-levels": "The mechanism adds up the votes, each heard by the epsilon of the person, and draws the answer "
    "by that score; neither who takes part nor with which epsilon is public.",
    "at least": "The mechanism draws the answer by the amount of epsilon that would have to leave the graph, with all "
    "relationships, until there are too few matches.",
    "ranges": "The mechanism is a shifted inverse (Fang, Dong and Yi 2022) with permute-and-flip (McKenna and Sheldon "
    "2020), over the amount of epsilon that would have to leave the graph until there are fewer matches.",
    "graph": f"The mechanism is the optimal extension of its values on the boundary to all datasets {PAPER}.",
}
"""A sentence on each kind of mechanism."""


def right(reported: Reported, found: AnswerAccuracy | None) -> tuple[str, ...]:
    """Return how often an answer is right, in words."""
    return (DRAWN, *(() if found is None else found.sentences)) if reported.drawn else ENDED


def method(mechanism: str, levels: Sequence[Level], version: str, *, proven: bool) -> str:
    """Return a paragraph on the method that can be used in a paper."""
    epsilons = sorted({level.epsilon for level in levels})
    shares = {share_of(level) for level in levels}
    if None not in shares:
        people = METHOD if mechanism == "secret-levels" else METHOD.replace(CHANGE, LEAVE)
        people = people.replace("{epsilons}", "epsilon, of which it spends {epsilons}").replace(
            "exp(e)", "exp({share} e)"
        )
        part = listed([str(each) for each in sorted(filter(None, shares))])
        return people.format(
            version=version, mechanism=MECHANISMS.get(mechanism, ""), epsilons=part, delta="", share=part,
            proof=PROVEN if proven else "",
        ).rstrip()  # fmt: skip
    shown = listed([epsilon_rounded_up(e) for e in epsilons])
    if len(epsilons) > MANY:
        shown = f"from {epsilon_rounded_up(epsilons[0])} to {epsilon_rounded_up(epsilons[-1])}"
    delta = max((level.delta for level in levels), default=0.0)
    return (
        METHOD.format(
            version=version,
            mechanism=MECHANISMS.get(mechanism, ""),
            epsilons=f"epsilon ({shown})",
            delta=f", plus a delta of at most {delta:g}" if delta else "",
            proof=PROVEN if proven else "",
        )
        .replace("  ", " ")
        .rstrip()
    )
