"""From a table of people to a poll: everything that ``neodp.poll`` and ``neodp poll`` accept, read and checked.

>>> table = {"answer": ["yes", "no", "yes", "yes", "no"], "privacy": ["low", "high", "low", "high", "low"]}
>>> found = poll(table, vote="answer", epsilon="privacy", levels={"low": 2.0, "high": 0.3})
>>> found.questions[0].poll.question
"do at least 3 of 5 people choose 'yes'?"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from neodp.data.names import valid_name
from neodp.data.tables import Problems, ReadOptions, number
from neodp.data.validation import caution
from neodp.errors import GraphError
from neodp.hints import Hint, Option
from neodp.polls.asking import valid_epsilon, valid_options
from neodp.polls.cells import WORDS, Cells
from neodp.polls.outcomes.parsing import has_outcomes
from neodp.polls.outcomes.question import OutcomeQuestion
from neodp.polls.outcomes.ranking import Ballot
from neodp.polls.outcomes.reading import ballots_of
from neodp.polls.outcomes.survey import OutcomeSurvey
from neodp.polls.people import People, read_levels, read_list, read_mapping
from neodp.polls.prior import Prior
from neodp.polls.question import MechanismName, PollQuestion, mechanism_name
from neodp.polls.secret import CAP, secret_poll
from neodp.polls.secret_survey import Expectation, SecretSurvey, read_rows
from neodp.polls.survey import Survey
from neodp.polls.table import Tally, Voters, epsilons, one_row_a_person, parts

__all__ = ["poll"]


def poll(
    table: Any,
    *,
    vote: str | Sequence[str],
    epsilon: str | float,
    levels: str | PathLike[str] | Mapping[str, float] | None = None,
    query: str = "majority",
    options: str | Sequence[str] | None = None,
    mechanism: str | None = None,
    prior: str | Prior = "even",
    by: str | None = None,
    by_values: str | PathLike[str] | Sequence[str] | None = None,
    by_other: str | None = None,
    id: str | None = None,
    missing: str | Sequence[str] = (),
    skip_empty: bool = False,
    exact: bool = False,
    mapping: str | PathLike[str] | Mapping[str, str] | None = None,
    other: str | None = None,
    name: str | None = None,
    reading: ReadOptions | None = None,
    secret_levels: bool = False,
    cap: float | None = None,
    share: float | str | None = None,
    expect: str | None = None,
    ranges: str | int | None = None,
) -> Survey:
    """Prepare a poll of a table of people, each with a vote and an epsilon; return the preview before an answer.

    Parameters
    ----------
    table : path, data frame, Arrow table, or dict of columns
        The table, with one row per person. Frames of pandas and polars are read by the Arrow C interface.
    vote : str or strings
        The columns with the votes. Each column is a question, and each question costs everybody their epsilon.
    epsilon : str or float
        The column with each person's epsilon or level; or one epsilon for everybody.
    levels : mapping, str or path, optional
        Names for epsilons: a mapping, ``"low=2,high=0.3"``, or a table of ``level,epsilon``.
    query : str
        ``majority``, ``threshold:2/3`` or ``plurality``, as for :func:`neodp.polls.mechanism.poll`; or ``median``,
        ``quantile:0.9``, ``count:yes``, ``counts`` or ``ranking``, whose columns of votes are the ranks of one ballot
        (:mod:`neodp.polls.outcomes`).
    options : strings, optional
        The options, also as ``"tea,coffee"``; by default yes and no in the usual words.
    mechanism : "balanced" or "weighted", optional
        Balanced is never worse than a coin, whatever the votes; weighted is right most often under the prior. By
        default, answers are balanced; but if weighted is expected to be much better, ``release`` requires a choice.
    prior : str
        ``even``, ``share:0.6``, ``share:low=0.6,high=0.4`` or ``beta:2,3``, as in :mod:`neodp.polls.prior`.
    by : str, optional
        A column that divides the people into parts, with an answer for each part.
    by_values : strings, str or path, optional
        The list of parts: names, ``"sales,it"``, or a file with one name per line.
    by_other : str, optional
        The part of everybody whose part is not in the list.
    id : str, optional
        A column of ids, which must be different for everybody; ids are compared in the same way as votes.
    missing : strings
        The texts that count as no answer, besides an empty cell; also as ``"?,n/a"``.
    skip_empty : bool
        If true, people without an answer or an epsilon are left out. Who took part is then assumed to be public.
    exact : bool
        If true, cells must match options, levels and parts letter by letter. By default, case and surrounding blanks
        are ignored.
    mapping : mapping, str or path, optional
        Synonyms of options: a mapping, ``"ja=yes,nein=no"``, or a table of two columns.
    other : str, optional
        The option for all other votes; it is added to the options if it is not one of them.
    name : str, optional
        The name of the poll; by default the file's name.
    reading : ReadOptions, optional
        Options for reading a file.
    secret_levels : bool
        If true, levels and taking part are protected as votes are, and nothing but the answer depends on the people
        (:mod:`neodp.polls.secret`). The next three are for such polls.
    cap : float, optional
        The greatest epsilon with which anybody counts; by default 2.
    share : number or str, optional
        The share of everybody's own epsilon that an answer costs, as in 0.25 or ``"1/3"``; by default all of it.
    expect : str, optional
        An example for which the accuracy is computed: ``"500 people, levels about 30/50/20"``.
    ranges : str or int, optional
        For counts: the width of all ranges, as in 50, or the first number of each, as in ``"0,100,200"``.

    Raises
    ------
    GraphError
        If something is invalid. One error names all invalid cells.

    Examples
    --------
    >>> table = {"answer": ["yes", "no", "YES ", "?"], "team": ["a", "a", "b", "b"]}
    >>> found = poll(table, vote="answer", epsilon=1.0, by="team", by_values="a,b", missing="?", skip_empty=True)
    >>> [(question.part, question.poll.people) for question in found.questions]
    [('a', 2), ('b', 1)]
    """
    votes = list(_texts([vote] if isinstance(vote, str) else vote, "vote", "'answer'"))
    for what, value in {"by": by, "by_other": by_other, "id": id, "other": other}.items():
        if value is not None and not (isinstance(value, str) and value):
            raise GraphError(f"`{what}={value!r}` is given", "give a text, or leave it out")
    for what, flag in {"skip_empty": skip_empty, "exact": exact, "secret_levels": secret_levels}.items():
        if not isinstance(flag, bool):
            raise GraphError(f"{what} is {flag!r}", "give True or False")
    if not isinstance(reading, ReadOptions | None):
        raise GraphError(f"reading is {reading!r}", "give ReadOptions, as in ReadOptions(delimiter=';')")
    named = {} if levels is None else read_levels(levels)
    chosen = None if mechanism is None else mechanism_name(mechanism)
    given = Prior.parse(prior)
    choices = _options(options, other)
    words = () if mapping is None else tuple(read_mapping(mapping).items())
    absent = tuple(missing.split(",")) if isinstance(missing, str) else _texts(missing, "missing", "'?,n/a'")
    cells = Cells(tuple(word.strip() for word in absent), skip_empty, exact, words, other)
    if by is not None and by_values is None:
        raise GraphError(
            "the parts are not named",
            Hint("name them with ", Option("by_values"), ": they are never read from the table"),
        )
    if by is None and (by_values is not None or by_other is not None):
        raise GraphError("which column says who belongs to which part?", Hint("name it, as in ", Option("by", "COL")))
    if not votes:
        raise GraphError("which column has the votes?", Hint("name it, as in ", Option("vote", "COL")))
    constant = _number(epsilon)
    several = has_outcomes(query)
    _require_query(query, several, choices, secret_levels, ranges)
    caution([constant or 0.0, *named.values(), *([] if cap is None else [valid_epsilon(cap)])])
    _require_fitting(secret_levels, by=by, id=id, mechanism=mechanism, cap=cap, share=share, expect=expect)
    needed = [
        *votes,
        *([] if constant is not None else [str(epsilon)]),
        *(each for each in (by, id) if each is not None),
    ]
    maybe = [epsilon] if isinstance(epsilon, str) and constant is not None else []
    numbers = [] if secret_levels else [str(epsilon)]  # a decimal comma among points would be an error
    people = People.of(table, needed, maybe, numbers=numbers, reading=reading)
    how = reading or ReadOptions()
    said = {
        "epsilon": str(epsilon).strip() if str(epsilon) in people.columns and isinstance(epsilon, str) else constant,
        "skip_empty": skip_empty,
        "by_other": by_other,
        "sheet": people.sheet,
        "encoding": how.encoding,
        "delimiter": how.delimiter,
        **({} if people.header_row is None else {"header_row": people.header_row}),
    }
    called = people.name if name is None else valid_name("poll", name)
    if secret_levels:
        if expect is not None and not isinstance(expect, str):
            raise GraphError(
                f"the expectation is {expect!r}", "give a text such as '500 people, levels about 30/50/20'"
            )
        wanted = str(epsilon) if str(epsilon) in people.columns and isinstance(epsilon, str) else constant or 0.0
        asks = secret_poll(query, choices or tuple(WORDS), cap=CAP if cap is None else cap, share=share or 1)
        return SecretSurvey(
            *(called, people.source, (), None, None, cells, said),
            asks=asks,
            levels=named,
            expectation=None if expect is None else Expectation.parse(expect, named, constant),
            prior=given,
            rows=read_rows(people, votes, wanted, named, cells, choices, asks.options),
        )
    problems = Problems(people.place)
    if str(epsilon) in people.columns and isinstance(epsilon, str):
        each = epsilons(people.columns[epsilon], named, people.place, cells=cells, problems=problems)
        caution(each)  # where levels are public; of secret ones nothing is said
    else:
        each = np.full(len(people.columns[votes[0]]), valid_epsilon(constant or 0.0))
    if id is not None:
        one_row_a_person(people.columns[id], problems, cells=cells)
    divided: list[tuple[str | None, Any]] = [(None, None)]
    if by is not None and by_values is not None:
        divided = [*parts(people.columns[by], read_list(by_values), problems, cells=cells, other=by_other).items()]
    voters = Voters(people, each, choices, named, cells, problems)
    counted: list[tuple[list[str], str | None, Tally, tuple[Ballot, ...]]] = []
    if query == "ranking":
        counted += [(votes, part, *ballots_of(voters, votes, rows)) for part, rows in divided]
    for column in votes if query != "ranking" else ():
        what = "the vote" if len(votes) == 1 else f"the vote in {column!r}"
        counted += [([column], part, voters.tally(column, rows, what), ()) for part, rows in divided]
    problems.raise_if_any()
    used: MechanismName = chosen or "balanced"
    by_level = len(choices or WORDS) == 2  # a prior of more options names options, which may be called as levels are
    priors = [_fitting(given, found, named) if by_level else given for _, _, found, _ in counted]
    if several:
        survey = (called, people.source, (), chosen, by, cells, said, id)
        width = None if ranges is None else str(ranges)
        inquiries = tuple(
            OutcomeQuestion.of(
                *(columns, found, query, choices), ballots=ballots, ranges=width, mechanism=used, prior=prior, part=part
            )
            for (columns, part, found, ballots), prior in zip(counted, priors, strict=True)
        )
        return OutcomeSurvey(*survey, inquiries=inquiries, ranges=width)
    questions = tuple(
        PollQuestion.of(columns[0], found, query, choices, mechanism=used, prior=prior, part=part)
        for (columns, part, found, _), prior in zip(counted, priors, strict=True)
    )
    return Survey(called, people.source, questions, chosen, by, cells, said, id)


def _require_query(query: str, several: bool, options: Any, secret_levels: bool, ranges: Any) -> None:
    """Refuse what does not go with a question of several outcomes, or only with one."""
    if several and secret_levels:
        raise GraphError(f"{query} needs public levels", Hint("leave out ", Option("secret_levels", True)))
    if several and options is None and query.partition(":")[0] not in ("count", "counts"):
        which = "the options" if query == "ranking" else "the options in ascending order"
        raise GraphError(f"{query} needs options", Hint(f"name {which}, as in ", Option("options", "1,2,3,4,5")))
    if ranges is not None and not several:
        raise GraphError(f"{query} has no ranges", Hint("leave out ", Option("ranges"), ", or ask for count"))


def _require_fitting(secret_levels: bool, *, cap: Any, share: Any, expect: Any, **public: Any) -> None:
    """Refuse arguments that do not go with secret levels, or only with them."""
    if secret_levels:
        for what, value in public.items():
            if value is not None:
                why = (
                    "it would reveal something about the people"
                    if what != "mechanism"
                    else "it is a mechanism of its own"
                )
                raise GraphError(f"`{what}` does not go with secret levels: {why}", f"leave `{what}` out")
        return
    for what, value in {"cap": cap, "share": share, "expect": expect}.items():
        if value is not None:
            raise GraphError(f"`{what}` is for polls with secret levels", Hint("add ", Option("secret_levels", True)))


def _options(options: str | Sequence[str] | None, other: str | None) -> tuple[str, ...] | None:
    """Return the options, including the one for all other votes."""
    if options is None and other is None:
        return None
    listed = tuple(WORDS) if options is None else options
    names = tuple(each.strip() for each in listed.split(",")) if isinstance(listed, str) else valid_options(listed)
    return names if other is None or other in names else (*names, other)


def _texts(given: Any, what: str, example: str) -> tuple[str, ...]:
    """Return an argument that is a sequence of texts, or raise GraphError."""
    if not isinstance(given, Sequence) or not all(isinstance(each, str) for each in given):
        raise GraphError(f"`{what}={given!r}` is given", f"give texts, as in `{what}={example}`")
    return tuple(given)


def _fitting(prior: Prior, counted: Tally, levels: Mapping[str, float]) -> Prior:
    """Return the prior without those levels that exist but that none of the people asked has."""
    there = {group.level for group in counted.groups}
    named = tuple((name, share) for name, share in prior.named if name in there or name not in levels)
    return replace(prior, named=named)


def _number(epsilon: str | float) -> float | None:
    """Return one epsilon for everybody, or None if the argument is the name of a column."""
    if not isinstance(epsilon, str):
        return valid_epsilon(epsilon)
    try:
        return number(epsilon)
    except ValueError:
        return None
