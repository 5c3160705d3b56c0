"""``neodp poll``: from a table of people to a private answer, with no stored graph."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from neodp import polls
from neodp.cli.common import Json, Session, say, show, table
from neodp.errors import GraphError, PrivacyError, near
from neodp.graph import line_of, read_columns
from neodp.polls import Place, Poll, Tally
from neodp.release import answer_once
from neodp.store import Store

__all__ = ["poll"]

SURE = (0.9, 0.95, 0.99, 0.999)
"""The accuracies for which the least margin is shown."""
MOST = 20
"""How many groups to show."""
CHECKED = 500
"""Before an answer is drawn, its privacy is checked on the edges of people of so many groups."""


def poll(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="One row per person: CSV or Parquet.", metavar="[FILE]")] = None,
    vote: Annotated[
        list[str] | None, typer.Option(help="The column with the votes. Several are several questions.", metavar="COL")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="The column with each person's epsilon, or level.", metavar="COL")
    ] = None,
    cypher: Annotated[
        str | None,
        typer.Option(
            help="Instead of a file: a query to the store, as in 'MATCH (p:Person) RETURN p.vote, p.epsilon'."
        ),
    ] = None,
    query: Annotated[str, typer.Option(help="majority, threshold:2/3 or plurality.")] = "majority",
    options: Annotated[
        str | None, typer.Option(help="What one can vote for, joined by commas. Default: yes,no in the usual words.")
    ] = None,
    levels: Annotated[
        str | None, typer.Option(help="Names for epsilons: low=2,medium=1,high=0.3, or a table of level,epsilon.")
    ] = None,
    skip_empty: Annotated[bool, typer.Option("--skip-empty", help="Leave out people without a vote.")] = False,
    what_if: Annotated[
        float | None, typer.Option(help="What if a group's epsilon were higher by so much?", metavar="EPSILON")
    ] = None,
    margin: Annotated[
        int | None, typer.Option(min=1, help="With --what-if: at which margin. Default: one in a hundred people.")
    ] = None,
    release: Annotated[
        str | None, typer.Option(help="Answer, once: the answer is kept under this name.", metavar="NAME")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What to call the poll. Default: the file's name.")] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Also show the true counts and probabilities. This is NOT private.")
    ] = False,
    json: Json = False,
) -> None:
    """The private majority of a table of people, each with a vote and an epsilon.

    Without --release and --reveal, nothing that is shown depends on the votes.

    Example: `neodp poll people.csv --vote answer --epsilon privacy --levels low=2,high=0.3 --release first`
    """
    session: Session = context.obj
    named = _levels(levels)
    choices = None if options is None else [option.strip() for option in options.split(",")]
    if (file is None) == (cypher is None):
        raise GraphError("where are the people?", "give one of a file and --cypher")
    with ExitStack() as stack:
        store = stack.enter_context(session.open()) if cypher is not None else None
        people = _people(store, file, cypher, vote or [], epsilon)
        each = polls.epsilons(people.epsilon, named, people.place)
        questions = []
        for column, votes in people.votes.items():
            counted = polls.tally(votes, each, people.place, options=choices, levels=named, skip_empty=skip_empty)
            asked = _asked(column, counted, query, choices)
            questions.append(_Question(column, query, asked, counted))
        raised = [_what_if(q.poll, margin, what_if) for q in questions] if what_if is not None else []
        subject = name or (file.stem if file is not None else "poll")
        answers = []
        if release is not None:
            store = store or stack.enter_context(session.open())
            answers = [_answer(store, f"{subject} {q.name}", release, q) for q in questions]
    facts = [q.facts() for q in questions]
    for i, fact in enumerate(facts):
        if answers:
            fact |= {"graph": f"{subject} {questions[i].name}", "release": release, "answer": answers[i]}
        if raised:
            fact["what_if"] = raised[i]
        if reveal:
            fact["revealed"] = questions[i].revealed()

    def text() -> None:
        if len(questions) == 1:
            _one(questions[0], facts[0])
        else:
            _several(questions, facts)
        secret = ["the answers"] * bool(answers) + ["what is marked"] * reveal
        what = f"Only {' and '.join(secret)} may tell" if secret else "Nothing here tells"
        say(f"\n{what} anything about the votes. Who took part, with which epsilon, is taken as public.")

    show({"questions": facts}, json, text)


# --- a question -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Question:
    """One question, with its secret counts."""

    name: str
    query: str
    poll: Poll
    tally: Tally

    def facts(self) -> dict[str, Any]:
        """What can be said without looking at the votes."""
        poll = self.poll
        return {
            "question": self.name,
            "query": self.query,
            "asks": poll.question,
            "options": list(poll.options),
            "people": poll.people,
            "skipped": self.tally.skipped,
            "silent": self.tally.silent,
            "groups": [asdict(g) | {"odds": g.odds, "belief": g.belief} for g in poll.groups],
            "worst": poll.worst,
            "by_margin": [asdict(row) for row in map(poll.at, _margins(poll))],
            "margin_for": {f"{sure:g}": poll.margin_for(sure) for sure in SURE},
        }

    def revealed(self) -> dict[str, Any]:
        """The true dataset, as ``eval`` shows one: not private."""
        counts, poll = self.tally.counts, self.poll
        row, truth = poll.distribution(counts), poll.truth(counts)
        shown = counts[:, :1] if len(poll.options) == 2 else counts  # as generate.counts has it, or every option
        return {
            "key": "-".join(".".join(map(str, row)) for row in shown.tolist()),
            "color": poll.options[truth],
            "probabilities": dict(zip(poll.options, row, strict=True)),
            "p_true": row[truth],
            "margin": poll.margin(counts),
        }


def _asked(column: str, counted: Tally, query: str, options: list[str] | None) -> Poll:
    if not counted.groups:
        nobody = "everybody has epsilon 0" if counted.silent else "nobody is in the table"
        nobody = "nobody voted" if counted.skipped else nobody
        raise GraphError(f"{column!r} cannot be asked: {nobody}", "a poll needs a person with an epsilon above 0")
    return polls.poll(counted.groups, query, options or tuple(polls.WORDS))


def _answer(store: Store, subject: str, name: str, question: _Question) -> str:
    """The kept answer of a release, or one drawn now; what is drawn from is checked beforehand."""

    def distribution() -> dict[str, float]:
        poll, counts = question.poll, question.tally.counts
        groups = np.unique(np.linspace(0, len(poll.groups) - 1, CHECKED).astype(int)).tolist()
        broken = polls.violations(poll, counts, groups=groups)
        if broken:
            raise PrivacyError(f"the mechanism is not private: {broken[0]}", "report this; nothing was answered")
        return dict(zip(poll.options, poll.distribution(counts), strict=True))

    return answer_once(store, subject, name, distribution).answer


def _margins(poll: Poll) -> list[int]:
    """1, 2, 5, 10, … until the answer is all but certain."""
    margins = []
    for margin in (m * 10**e for e in range(12) for m in (1, 2, 5)):
        if margin > poll.largest_margin:
            break
        margins.append(margin)
        if poll.worst_at(margin) > 0.9999:
            break
    return margins


def _what_if(poll: Poll, margin: int | None, raised: float) -> list[dict[str, Any]]:
    """What a higher epsilon of each group would bring."""
    if not raised > 0.0:
        raise GraphError(f"--what-if is {raised!r}", "give by how much an epsilon is raised, as in 0.5")
    if not poll.largest_margin:
        return []
    at = margin or min(max(1, poll.people // 100), poll.largest_margin)
    if at > poll.largest_margin:
        raise GraphError(f"--margin is {at}", f"no dataset has a margin above {poll.largest_margin:,}")
    now = {"group": None, "epsilon": None, "one": None, "all": asdict(poll.at(at))}
    return [now, *map(asdict, polls.what_if(poll, at, raised))]


# --- people ---------------------------------------------------------------------------------------------------------


class _People(NamedTuple):
    """The columns of a table of people, and how to name its rows."""

    votes: dict[str, Any]
    epsilon: Any
    place: Place


def _people(
    store: Store | None, file: Path | None, cypher: str | None, vote: list[str], epsilon: str | None
) -> _People:
    if cypher is not None and store is not None:
        return _queried(store, cypher, vote, epsilon)
    assert file is not None
    if not vote or epsilon is None:
        raise _which(vote)
    columns = read_columns(file, (*vote, epsilon))

    def place(row: int) -> str:
        return f"{file}, row {row + 1}" if file.suffix == ".parquet" else f"{file}, line {line_of(file, row)}"

    return _People({column: columns[column] for column in vote}, columns[epsilon], place)


def _queried(store: Store, cypher: str, vote: list[str], epsilon: str | None) -> _People:
    """The votes and epsilons that a query returns: two columns, or those that are named."""
    found = store.select(cypher)
    header = found.column_names
    if not vote and epsilon is None:
        if len(header) != 2:
            raise GraphError(
                f"the query returns {len(header)} columns: {', '.join(header)}",
                "return a vote and an epsilon, or name the columns with --vote and --epsilon",
            )
        vote, epsilon = header[:1], header[1]
    if not vote or epsilon is None:
        raise _which(vote)
    for column in (*vote, epsilon):
        if column not in header:
            raise GraphError(
                f"the query returns no column {column!r}",
                near(column, header) or f"its columns are {', '.join(header)}",
            )
    return _People(
        {column: found[column] for column in vote},
        found[epsilon],
        lambda row: f"row {row + 1} of the query's result",
    )


def _which(vote: list[str]) -> GraphError:
    missing = "--epsilon" if vote else "--vote"
    return GraphError(f"which column is it, {missing}?", f"name it, as in {missing} COL")


def _levels(text: str | None) -> dict[str, float]:
    """Names for epsilons: joined by commas, or from a table."""
    if text is None:
        return {}
    if "=" in text:
        pairs = [part.partition("=")[::2] for part in text.split(",")]
    else:
        columns = read_columns(Path(text), ("level", "epsilon"))
        pairs = list(zip(columns["level"].to_pylist(), columns["epsilon"].to_pylist(), strict=True))
    found: dict[str, float] = {}
    for level, value in pairs:
        name = str(level).strip()
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise GraphError(f"the level {name!r} is {value!r}", "give it an epsilon, as in low=2,high=0.3") from None
        try:
            found[name] = polls.positive(number)
        except GraphError as e:
            raise GraphError(f"the level {name!r}: {e.message}", e.hint) from None
    return found


# --- for people -----------------------------------------------------------------------------------------------------


def _one(question: _Question, facts: dict[str, Any]) -> None:
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


def _facts(question: _Question, facts: dict[str, Any]) -> None:
    tie = " A tie is a no." if question.query == "majority" and facts["people"] % 2 == 0 else ""
    say(f"question     {question.name}: {facts['asks']}{tie}")
    say(f"people       {facts['people']:,} in {len(facts['groups']):,} groups of equal epsilon")
    if facts["skipped"]:
        say(f"skipped      {facts['skipped']:,} without a vote")
    if facts["silent"]:
        say(f"silent       {facts['silent']:,} with epsilon 0, who are not asked: no answer may depend on them")


def _guarantees(poll: Poll, questions: int) -> None:
    """What each group is promised."""
    columns = ["level", "epsilon", "people", "one vote changes the odds by at most", "a guess at 50% gets at most to"]
    rows = [
        [g.level, g.epsilon, f"{g.size:,}", f"a factor of {g.odds:.4g}", f"{g.belief:.1%}"] for g in poll.groups[:MOST]
    ]
    if questions > 1:  # how many people took part differs from question to question
        columns, rows = columns[:2] + columns[3:], [row[:2] + row[3:] for row in rows]
    table(columns, rows)
    if len(poll.groups) > MOST:
        say(f"… and {len(poll.groups) - MOST:,} more groups")
    if questions > 1:
        say(f"This is per question: over all {questions} of them, each epsilon counts {questions} times.")


def _several(questions: list[_Question], facts: list[dict[str, Any]]) -> None:
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
