"""``neodp poll``: from a table of people to a private answer, with no stored graph."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from neodp import polls
from neodp.cli.common import PATIENCE, Json, Population, Session, show
from neodp.cli.poll_text import shown
from neodp.errors import GraphError
from neodp.polls import People, Question, read_levels
from neodp.release import DEFAULT, answer_once

__all__ = ["poll"]


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
    population: Population = DEFAULT,
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
    named = {} if levels is None else read_levels(levels)
    choices = None if options is None else [option.strip() for option in options.split(",")]
    people = _people(session, file, cypher, vote or [], epsilon)
    each = polls.epsilons(people.epsilon, named, people.place)
    questions = []
    for column, votes in people.votes.items():
        counted = polls.tally(votes, each, people.place, options=choices, levels=named, skip_empty=skip_empty)
        questions.append(Question.of(column, counted, query, choices))
    facts = [question.facts() for question in questions]
    for question, fact in zip(questions, facts, strict=True):
        if what_if is not None:
            fact["what_if"] = _what_if(question.poll, margin, what_if)
        if reveal:
            fact["revealed"] = question.revealed()
    if release is not None:
        source = str(file.resolve()) if file is not None else str(cypher)
        subject = name or (file.stem if file is not None else "poll")
        words = _words(file, cypher, epsilon, query, options, levels, skip_empty, name, population)
        asked = {
            question.name: question.asked(subject, source, population, f"{words} --vote {shlex.quote(question.name)}")
            for question in questions
        }
        chances = {asked[question.name].subject: question.distribution for question in questions}
        with session.open(patience=PATIENCE, create=True) as store:
            answers = answer_once(store, list(asked.values()), release, lambda q: chances[q.subject]())
        for fact, kept in zip(facts, answers, strict=True):
            fact |= {"graph": kept.graph, "release": release, "answer": kept.answer}
    show({"questions": facts}, json, lambda: shown(questions, facts, reveal=reveal))


def _words(
    file: Path | None,
    cypher: str | None,
    epsilon: str | None,
    query: str,
    options: str | None,
    levels: str | None,
    skip_empty: bool,
    name: str | None,
    population: str,
) -> str:
    """The command that asks the same again, without its columns of votes and the release."""
    given = {
        "--cypher": cypher,
        "--epsilon": epsilon,
        "--query": query,
        "--options": options,
        "--levels": levels,
        "--name": name,
        "--population": None if population == DEFAULT else population,
    }
    words = ["neodp", "poll", *([str(file)] if file is not None else [])]
    for option, value in given.items():
        words += [option, value] if value is not None else []
    return shlex.join(words + ["--skip-empty"] * skip_empty)


def _people(session: Session, file: Path | None, cypher: str | None, votes: list[str], epsilon: str | None) -> People:
    """The people of the file or the query, whichever is given."""
    if file is not None and cypher is None:
        return People.from_file(file, votes, epsilon)
    if cypher is not None and file is None:
        with session.open() as store:
            return People.from_result(store.select(cypher), votes, epsilon)
    raise GraphError("where are the people?", "give one of a file and --cypher")


def _what_if(poll: polls.Poll, margin: int | None, raised: float) -> list[dict[str, Any]]:
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
