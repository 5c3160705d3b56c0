"""``neodp poll``: from a table of people to a private answer, with no stored graph."""

from __future__ import annotations

import json as json_module
import os
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neodp import polls
from neodp.cli.common import PATIENCE, Session, harmless, say, show, typed
from neodp.cli.options import (
    Delimiter,
    Encoding,
    Force,
    HeaderRow,
    Json,
    Population,
    ReportFile,
    Sheet,
    Title,
    reading,
)
from neodp.cli.outcome_text import outcome_choice, shown_outcomes, shown_proposals
from neodp.cli.poll_text import choice, shown, shown_secret
from neodp.cli.reports import require_report, write_report
from neodp.cli.roles import hidden, require_limit
from neodp.data.files import require_new
from neodp.data.formatting import count
from neodp.data.names import normal
from neodp.errors import BudgetSpent, GraphError, NeodpError
from neodp.hints import Hint, Option
from neodp.ledger.answering import look_up
from neodp.ledger.question import DEFAULT
from neodp.polls import Margin, People, PollQuestion, SecretSurvey, Survey, read_list
from neodp.polls.from_graph import PeopleQuery
from neodp.polls.from_table import poll as survey_of
from neodp.polls.outcomes.question import OutcomeQuestion
from neodp.polls.outcomes.survey import OutcomeSurvey

if TYPE_CHECKING:
    from neodp.store import Store

__all__ = ["poll"]


def poll(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(help="One row per person: CSV, Parquet and others.", metavar="FILE")
    ] = None,
    vote: Annotated[
        list[str] | None,
        typer.Option(help="The column with the votes. Give it several times to ask several questions.", metavar="COL"),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(
            help="The column with each person's epsilon or level; or one number for everybody.", metavar="COL|NUMBER"
        ),
    ] = None,
    cypher: Annotated[
        str | None,
        typer.Option(
            help="Instead of a file: one label and its own properties, 'MATCH (p:Person) RETURN p.vote, p.epsilon'."
        ),
    ] = None,
    query: Annotated[
        str,
        typer.Option(help="majority, threshold:2/3, plurality, median, quantile:0.9, count:yes, counts or ranking."),
    ] = "majority",
    mechanism: Annotated[
        str | None,
        typer.Option(
            help="balanced: never less accurate than a coin toss. weighted: the most accurate on average under "
            "--prior. Default: balanced."
        ),
    ] = None,
    prior: Annotated[
        str, typer.Option(help="What is expected of the votes: even, share:0.6, share:low=0.6,high=0.4 or beta:2,3.")
    ] = "even",
    options: Annotated[
        str | None,
        typer.Option(help="The options to vote for, separated by commas. Default: yes,no in their usual spellings."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            help="One option to vote for, which may contain commas; give it once for each option.", metavar="TEXT"
        ),
    ] = None,
    options_file: Annotated[
        Path | None, typer.Option(help="A text file with the options to vote for, one per line.", metavar="FILE")
    ] = None,
    other: Annotated[str | None, typer.Option(help="The option that any other vote counts as.", metavar="NAME")] = None,
    map: Annotated[
        str | None, typer.Option(help="Other spellings of the options: ja=yes,nein=no, or a table of two columns.")
    ] = None,
    missing: Annotated[
        str | None, typer.Option(help="Texts that count as no answer, like an empty cell: '?,n/a'.", metavar="TEXTS")
    ] = None,
    skip_empty: Annotated[
        bool, typer.Option("--skip-empty", help="Leave out people without a vote or an epsilon.")
    ] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Compare cells letter by letter: case and blanks matter.")
    ] = False,
    levels: Annotated[
        str | None, typer.Option(help="Names for epsilons: low=2,medium=1,high=0.3, or a table of level,epsilon.")
    ] = None,
    id: Annotated[
        str | None, typer.Option(help="A column whose values must be different for every person.", metavar="COL")
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="A column: answer separately for each of its values.", metavar="COL")
    ] = None,
    by_values: Annotated[
        str | None, typer.Option(help="With --by: the values, separated by commas, or a file with one per line.")
    ] = None,
    by_other: Annotated[
        str | None, typer.Option(help="With --by: the value that stands for all others.", metavar="NAME")
    ] = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    what_if: Annotated[
        float | None,
        typer.Option(help="Show the accuracy if a group's epsilon were higher by this much.", metavar="EPSILON"),
    ] = None,
    accuracy: Annotated[
        float | None,
        typer.Option(help="Show the epsilon that makes the answer right so often, as in 0.95.", metavar="SHARE"),
    ] = None,
    margin: Annotated[
        int | None,
        typer.Option(min=1, help="With --what-if: the margin to look at. With --accuracy: the margin it is meant for."),
    ] = None,
    prices: Annotated[
        bool, typer.Option("--prices", help="Show what each level's epsilon and people are worth in accuracy.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the accuracy of both mechanisms, to a .svg, .png or .pdf file.")
    ] = None,
    force: Force = False,
    release: Annotated[
        str | None, typer.Option(help="Draw the answer, once, and store it under this name.", metavar="NAME")
    ] = None,
    report: ReportFile = None,
    title: Title = None,
    name: Annotated[str | None, typer.Option(help="A name for the poll. Default: the file's name.")] = None,
    population: Population = None,
    secret_levels: Annotated[
        bool, typer.Option("--secret-levels", help="Protect levels and taking part as well: nobody learns them.")
    ] = False,
    cap: Annotated[
        float | None,
        typer.Option(help="With --secret-levels: nobody is heard with more than this epsilon. Default: 2."),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(help="With --secret-levels: the share of everybody's own epsilon that it costs. Default: 1."),
    ] = None,
    expect: Annotated[
        str | None,
        typer.Option(
            help="With --secret-levels: an example, as in '500 people, levels about 30/50/20'.", metavar="TEXT"
        ),
    ] = None,
    ranges: Annotated[
        str | None,
        typer.Option(help="With --query count or counts: the width of ranges, 50, or where each begins, 0,100,200."),
    ] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Also show the true counts and probabilities. This is NOT private.")
    ] = False,
    json: Json = False,
) -> None:
    """Answer privately what most people in a table want; each person has a vote and an epsilon.

    Without --release or --reveal, nothing that is shown depends on the votes.

    Example: `neodp poll people.csv --vote answer --epsilon privacy --levels low=2,high=0.3 --release first`
    """
    session: Session = context.obj
    session.require_right(of_server=reveal)
    require_report(report, release, force)
    if plot is not None and not force:
        require_new(plot)
    votes = vote or []
    choices = _choices(options, option, options_file)
    given = epsilon is not None
    if accuracy is not None and (release is not None or reveal):
        raise GraphError("--accuracy proposes an epsilon, before anything is drawn", "leave out --release and --reveal")
    if accuracy is not None and votes and not given and cypher is None:
        epsilon = "1"
    table, votes, epsilon = _people(session, file, cypher, votes, epsilon)
    survey = _survey(
        session,
        table,
        vote=votes,
        epsilon=epsilon,
        levels=levels,
        query=query,
        options=choices,
        mechanism=mechanism,
        prior=prior,
        by=by,
        by_values=by_values,
        by_other=by_other,
        id=id,
        missing=missing or (),
        skip_empty=skip_empty,
        exact=exact,
        mapping=map,
        other=other,
        name=name,
        reading=reading(encoding, delimiter, sheet, header_row=header_row),
        secret_levels=secret_levels,
        cap=cap,
        share=share,
        expect=expect,
        ranges=ranges,
    )
    if accuracy is not None:
        proposed = survey.propose(accuracy, margin)
        found = [{"question": label, "margin": margin, **asdict(each)} for label, each in proposed.items()]
        show({"questions": found}, json, lambda: shown_proposals(found, prior, given=given or cypher is not None))
        return
    if release is not None:
        survey = _chosen(survey)
    if isinstance(survey, SecretSurvey):
        if any(each is not None for each in (what_if, margin, plot)):
            raise GraphError("--what-if, --margin and --plot need public levels", "leave them out")
        facts = survey.facts()
        for fact in facts if reveal else ():
            fact["revealed"] = survey.revealed(fact["question"])
    elif isinstance(survey, OutcomeSurvey):
        facts = survey.facts()
        for inquiry, fact in zip(survey.inquiries, facts, strict=True):
            if what_if is not None:
                fact["what_if"] = _what_if(inquiry, margin, what_if)
            if reveal:
                fact["revealed"] = inquiry.revealed()
    else:
        facts = [question.facts() for question in survey.questions]
    if prices:
        for fact, priced in zip(facts, survey.prices().values(), strict=True):
            fact["prices"] = asdict(priced)
    for question, fact in zip(survey.questions, facts, strict=False):
        if what_if is not None:
            fact["what_if"] = _what_if(question, margin, what_if)
        if reveal:
            fact["revealed"] = question.revealed()
    if plot is not None:
        from neodp.plot import plot_poll

        plot_poll(survey, plot)
    since: str | None = None
    if release is not None:
        command = _words(context, file, survey)
        with session.open(patience=PATIENCE, create=True) as store:
            people = DEFAULT if population is None else population
            require_limit(store, people)
            subjects = [asked.subject for asked in survey.asked().values()]
            since = next((kept.time for kept in look_up(store, subjects, release).releases.values() if kept), None)
            try:
                answers = survey.release(store, release, population=people, command=command)
            except BudgetSpent as error:
                if population is None:
                    error.hint = Hint("other people? ", Option("population", "NAME"), "; the same: ", error.hint)
                raise
            if str(file) != "-":  # which may be another table every time
                _same_table(store, survey, people)
            if store.made:
                note = f"the store {store.address} was made now; answers given elsewhere are not counted in it"
                typer.echo(f"neodp: {harmless(note)}", err=True)
            if report is not None:
                write_report(store, release, subjects, report, title, survey)
        for fact in facts:
            answer = answers[fact["question"]]
            subject = f"{survey.name} {fact['question'].strip()}"
            fact |= {
                "graph": subject,
                "release": release,
                "answer": answer if fact.get("part") is None else answer[fact["part"]],
            }
    if isinstance(survey, SecretSurvey):
        show({"questions": facts}, json, lambda: shown_secret(facts, since))
    elif isinstance(survey, OutcomeSurvey):
        show({"questions": facts}, json, lambda: shown_outcomes(survey, facts, since))
    else:
        show({"questions": facts}, json, lambda: shown(survey, facts, reveal=reveal, since=since))
    if release is not None and report is None and not json:
        page = typed("report", release, "-o", "answer.html")
        say(f"To publish {'it' if len(facts) == 1 else 'them'}, with how often such an answer is right: {page}")


def _same_table(store: Store, survey: Survey, population: str) -> None:
    """Point out that the same table was asked about under other populations."""
    tables = {asked.facts.get("table") for asked in survey.asked().values()}
    for other in store.populations():
        if other != normal(population) and any(
            json_module.loads(release.asked).get("table") in tables for release in store.ledger(other).releases
        ):
            note = (
                f"this table was also asked about as population {other!r}: if they are the same people, their answers "
                "must count together, under one name"
            )
            typer.echo(f"neodp: {harmless(note)}", err=True)


def _survey(session: Session, table: Path | People, **given: Any) -> Survey:
    """Return the survey of a table; an analyst is not told what is wrong with the table, which could quote it."""
    try:
        return survey_of(table, **given)
    except NeodpError:
        if session.store_is_for_analysts():
            raise hidden() from None
        raise


def _choices(options: str | None, option: list[str] | None, file: Path | None) -> tuple[str, ...] | None:
    """Return the options that people can vote for, from whichever parameter gives them."""
    given = [each for each in (options, option, file) if each]
    if len(given) > 1:
        raise GraphError("the options are given more than once", "give one of --options, --option and --options-file")
    if file is not None:
        if not os.path.isfile(file):
            raise GraphError(f"there is no file {file}", "correct the path")
        return read_list(file)
    if option:
        return tuple(option)
    return None if options is None else tuple(each.strip() for each in options.split(","))


def _people(
    session: Session, file: Path | None, cypher: str | None, votes: list[str], epsilon: str | None
) -> tuple[Path | People, list[str], str]:
    """Return the people from the file or the query, whichever is given, and the names of the columns."""
    if (file is None) == (cypher is None):
        raise GraphError("which people?", "give a file, or --cypher")
    table: Path | People | None = file
    if cypher is not None:
        query = PeopleQuery.parse(cypher)
        with session.open() as store:
            table = People.from_result(store.select(query.cypher), query.cypher)
        header = list(table.columns)
        if not votes and epsilon is None:
            if len(header) != 2:
                raise GraphError(
                    f"the query returns {count(len(header), 'column')}: {', '.join(header)}",
                    "return a vote and an epsilon, or name the columns with --vote and --epsilon",
                )
            votes, epsilon = header[:1], header[1]
    if not votes or epsilon is None:
        if votes:
            again = "a column, or one number such as 1: neodp poll … --accuracy 0.9 proposes one"
            raise GraphError("everybody's epsilon is missing", again)
        raise GraphError("which column has the votes?", "name it, as in --vote COL")
    assert table is not None
    return table, votes, epsilon


def _chosen(survey: Survey) -> Survey:
    """Return the survey with a mechanism; if the choice matters and none was named, ask at the terminal."""
    try:
        survey.require_choice()
    except GraphError:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        chosen = outcome_choice(survey) if isinstance(survey, OutcomeSurvey) else choice(survey)
        return survey.with_mechanism(chosen)
    return survey


UNKEPT = {"release", "vote", "reveal", "json", "what_if", "margin", "plot", "force", "file", "mechanism", "option"}
UNKEPT |= {"store", "timeout", "report", "title", "accuracy", "prices"}
"""Parameters that are not part of the command that asks again, or that appear there in another form."""


def _words(context: typer.Context, file: Path | None, survey: Survey) -> str:
    """Return the command that asks the same again, without its columns of votes and the release."""
    words = ["neodp", "poll", *([str(file)] if file is not None else [])]
    given = context.params
    for parameter in context.command.params:
        value = given.get(str(parameter.name))
        if parameter.name in UNKEPT or value is None or value is False or value == parameter.default:
            continue
        words += [parameter.opts[0]] if value is True else [parameter.opts[0], str(value)]
    for each in given.get("option") or ():
        words += ["--option", each]
    return shlex.join(words + (["--mechanism", survey.chosen] if survey.chosen else []))


def _what_if(asked: PollQuestion | OutcomeQuestion, margin: int | None, raised: float) -> list[dict[str, Any]]:
    """Return the accuracy that a higher epsilon of each group would give."""
    if not raised > 0.0:
        raise GraphError(f"--what-if is {raised!r}", "give by how much an epsilon is raised, as in 0.5")
    if isinstance(asked, OutcomeQuestion):
        found = asked.what_if(raised, margin)
        at = found[0].all.margin
        now = Margin(at, asked.measure(at)(asked.groups))
    else:
        poll = asked.balanced
        if not poll.largest_margin:
            return []
        at = margin or min(max(1, poll.people // 100), poll.largest_margin)
        if at > poll.largest_margin:
            raise GraphError(f"--margin is {at}", f"no dataset has a margin above {poll.largest_margin:,}")
        found, now = polls.what_if(poll, at, raised), poll.at(at)
    return [{"group": None, "epsilon": None, "one": None, "all": asdict(now)}, *map(asdict, found)]
