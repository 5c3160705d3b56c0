"""Commands for graphs of people: protect, ask."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neodp.cli.common import PATIENCE, Session, facts, harmless, progress, say, show, table, typed
from neodp.cli.options import Force, Json, Quiet, ReportFile, Title
from neodp.cli.reports import require_report, write_report
from neodp.data.files import require_new
from neodp.data.formatting import chance, kept
from neodp.errors import GraphError

if TYPE_CHECKING:
    from neodp.asking.inquiry import Inquiry, Revealed
    from neodp.asking.protection import Protection

__all__ = ["ask", "protect"]


def protect(
    context: typer.Context,
    population: Annotated[
        str | None, typer.Argument(help="The name of the population.", metavar="POPULATION", show_default=False)
    ] = None,
    people: Annotated[str | None, typer.Option(help="The label of the people.", metavar="LABEL")] = None,
    relationships: Annotated[
        list[str] | None,
        typer.Option(
            help="The type of the relationships, if these are protected instead of people; or TYPE=FILE, a table of "
            "relationships, and TYPE:LABEL:LABEL=FILE if its ends are not both people.",
            metavar="TYPE",
        ),
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="The property that holds everybody's epsilon.", metavar="PROPERTY")
    ] = None,
    default_epsilon: Annotated[
        float | None,
        typer.Option(help="The epsilon of people without one. Default: 0, so that nothing depends on them."),
    ] = None,
    properties: Annotated[
        str | None,
        typer.Option(
            help="The properties of people, their owned nodes and their relationships that may be asked about, "
            "separated by commas.",
            metavar="NAMES",
        ),
    ] = None,
    owned: Annotated[
        list[str] | None,
        typer.Option(help="Nodes that people own, and the type that joins them to their owners.", metavar="LABEL:TYPE"),
    ] = None,
    public: Annotated[
        str | None,
        typer.Option(help="Labels of nodes that exist whoever takes part, separated by commas.", metavar="LABELS"),
    ] = None,
    nodes: Annotated[
        list[str] | None, typer.Option(help="A table of nodes, if the graph is in files.", metavar="LABEL=FILE")
    ] = None,
    ladybug: Annotated[
        str | None, typer.Option(help="A ladybug database that holds the graph; it is only read.", metavar="FILE")
    ] = None,
    most_matches: Annotated[
        int, typer.Option(help="The greatest number of matches that a question may have.")
    ] = 10_000_000,
    list_all: Annotated[bool, typer.Option("--list", help="List who is protected.")] = False,
    drop: Annotated[
        bool, typer.Option("--drop", help="Stop protecting this population; what was spent stays spent.")
    ] = False,
    json: Json = False,
) -> None:
    """Say who is protected in a graph of people, and what may be asked about them.

    The graph is in the Neo4j store, in tables of nodes (column `id`) and relationships (columns `from`, `to`), or in a
    ladybug database.

    Example: `neodp protect staff --people Person --epsilon epsilon --properties ill,age --public Office`
    """
    session: Session = context.obj
    if list_all:
        with session.open() as store:
            found = store.protections()
        show({"protections": [_parts(each) for each in found]}, json, lambda: _listed(found))
        return
    if population is None:
        raise GraphError("the name of the population is missing", "give one, or --list")
    if drop:
        with session.open() as store:
            store.unprotect(population)
        show({"population": population, "protected": False}, json, lambda: say(f"{population} is no longer protected."))
        return
    from neodp.ledger.shares import shares_in

    made = _made(
        population, people, relationships or [], epsilon, default_epsilon, properties, owned or [], public, nodes or [],
        most_matches, ladybug,
    )  # fmt: skip
    with session.open(patience=PATIENCE, create=True) as store:
        store.protect(made)
        left = float(1 - shares_in(store.account(made.account).prices.items()))
    show(_parts(made) | {"left": left}, json, lambda: _protected(made, left))


def _made(
    population: str,
    people: str | None,
    relationships: list[str],
    epsilon: str | None,
    default_epsilon: float | None,
    properties: str | None,
    owned: list[str],
    public: str | None,
    nodes: list[str],
    most_matches: int,
    ladybug: str | None,
) -> Protection:
    from neodp.asking.protection import Protection, listed
    from neodp.asking.tables import ends

    if epsilon is None:
        raise GraphError("the property with the epsilons is missing", "give --epsilon PROPERTY")
    units = [each for each in relationships if "=" not in each]
    if len(units) > 1:
        raise GraphError(
            f"--relationships names {len(units)} types", "only one type can be protected; tables are given as TYPE=FILE"
        )
    pairs = [tuple(each.split(":")) for group in owned for each in listed(group)]
    for pair in pairs:
        if len(pair) != 2:
            raise GraphError(f"--owned is {':'.join(pair)!r}", "give a label and a type, as in Account:OWNS")
    links = [_file(each) for each in relationships if "=" in each]
    for name, _ in links:
        ends(name, people or "")
    return Protection(
        population,
        epsilon,
        people,
        units[0] if units else None,
        default_epsilon,
        listed(properties or ""),
        tuple((label, kind) for label, kind in pairs),
        listed(public or ""),
        most_matches,
        tuple(_file(each) for each in nodes),
        tuple(links),
        None if ladybug is None else _there(ladybug),
    )


def _file(text: str) -> tuple[str, str]:
    """Return a label or a type, and the absolute path of its table."""
    name, sign, path = text.partition("=")
    if not (sign and name and path):
        raise GraphError(f"{text!r} is not a table", "give a name and a file, as in Person=people.csv")
    return name, _there(path)


def _there(path: str) -> str:
    """Return the absolute path of a file."""
    if not Path(path).is_file():
        raise GraphError(f"there is no file {path}", "correct the path")
    return str(Path(path).resolve())


def _parts(protection: Protection) -> dict[str, Any]:
    import json

    parts: dict[str, Any] = json.loads(protection.text)
    return parts | {"account": protection.account}


def _listed(found: list[Protection]) -> None:
    if not found:
        say("Nobody is protected yet: neodp protect POPULATION --people LABEL --epsilon PROPERTY")
        return
    rows = [
        (each.population, each.account, each.epsilon, ", ".join(each.properties), ", ".join(each.labels))
        for each in found
    ]
    table(("population", "protected", "epsilon", "may be asked", "labels"), rows)


def _protected(made: Protection, left: float) -> None:
    say(f"{made.population}: {made.account} is protected, each by the epsilon in its property {made.epsilon!r}.")
    say(f"{left:.4g} of everybody's epsilon is left for questions.")
    asked = "MATCH (a:Person)-[:KNOWS]-(b:Person)" if made.people is None else f"MATCH (a:{made.people})"
    say(f"\nTry next:\n  {typed('ask', made.population, asked, '--at-least', '100')}")


def ask(
    context: typer.Context,
    population: Annotated[str, typer.Argument(help="The name of the population.", metavar="POPULATION")],
    question: Annotated[str, typer.Argument(help="A pattern in Cypher: MATCH … WHERE …", metavar="QUESTION")],
    at_least: Annotated[int | None, typer.Option(help="Ask whether there are at least this many matches.")] = None,
    false_alarm: Annotated[float, typer.Option(help="The chance of a yes if there are fewer.")] = 0.05,
    count: Annotated[bool, typer.Option("--count", help="Ask how many there are.")] = False,
    at_most: Annotated[int, typer.Option(help="The greatest answer of a count.")] = 1_000_000,
    ranges: Annotated[
        str | None,
        typer.Option(help="Ask in which range the number lies; give where the ranges begin.", metavar="0,10,100"),
    ] = None,
    distinct: Annotated[
        str | None,
        typer.Option(help="Count the nodes at this variable, each once, instead of matches.", metavar="NAME"),
    ] = None,
    total: Annotated[
        str | None, typer.Option("--sum", help="Add up this property instead of counting.", metavar="r.amount")
    ] = None,
    cap: Annotated[int | None, typer.Option(help="The greatest amount of one match, for a sum.")] = None,
    share: Annotated[float, typer.Option(help="The share of everybody's epsilon that the answer spends.")] = 0.2,
    ignore_below: Annotated[float, typer.Option(help="Leave out people with less epsilon, and their matches.")] = 0.0,
    exact_distance: Annotated[
        bool,
        typer.Option(
            "--exact-distance", help="Compute the distance in whole people, by an integer program: for small questions."
        ),
    ] = False,
    release: Annotated[
        str | None,
        typer.Option(help="Draw the answer, once, under this name; without it, nothing is read.", metavar="NAME"),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw how good the answer would be, to a .svg, .png or .pdf file.")
    ] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Show the true number and the chances: for the steward; not private.")
    ] = False,
    report: ReportFile = None,
    title: Title = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Ask a graph of people privately: everybody is protected with all their relationships, by an epsilon of their own.

    Without --release or --reveal, nothing is read from the graph, and the output says what the answer would promise.

    Example: `neodp ask staff "MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.ill AND b.ill" --at-least 500`
    """
    from neodp.asking.inquiry import ask as prepare
    from neodp.ledger.answering import look_up

    if plot is not None and not force:
        require_new(plot)
    require_report(report, release, force)
    session: Session = context.obj
    with session.open(patience=PATIENCE) as store, progress(quiet) as tell:
        asked = prepare(
            store, population, question, at_least=at_least, false_alarm=false_alarm, count=count, at_most=at_most,
            ranges=_numbers(ranges), distinct=distinct, sum=total, cap=cap, share=share, ignore_below=ignore_below,
            exact_distance=exact_distance,
        )  # fmt: skip
        words = _words(asked, population, question, distinct, total, cap)
        subject = asked.question().subject
        before = look_up(store, [subject], release).releases[subject] if release else None
        answer = asked.release(release, command=shlex.join(["neodp", *words]), progress=tell) if release else None
        if release and report is not None:
            write_report(store, release, [subject], report, title)
        revealed = asked.reveal(progress=tell) if reveal else None
    result = asked.to_dict()
    if release:
        result |= {"release": release, "answer": answer}
    if revealed is not None:
        result |= {"matches": revealed.matches, "counted": revealed.counted, "distance": revealed.distance}
        result["probabilities"] = dict(revealed.probabilities)
        result["carriers"] = [each._asdict() for each in revealed.carriers]
    if plot is not None:
        from neodp.plot import plot_question

        plot_question(asked, plot)
        result["plot"] = str(plot)
    show(result, json, lambda: _shown(asked, answer, revealed, words))
    if release and not json:  # beside the answer, so that a script reads nothing else
        when = kept(None if before is None else before.time)
        when = when if answer in asked.mechanism.answers else "nothing was drawn: the question was ended"
        typer.echo(harmless(f"neodp: release {release!r} of {subject!r}, {when}"), err=True)


def _numbers(text: str | None) -> list[int] | None:
    from neodp.data.tables import whole

    try:
        return None if text is None else [whole(each) for each in text.split(",")]
    except ValueError:
        raise GraphError(f"--ranges is {text!r}", "give whole numbers, as in 0,10,100") from None


def _words(
    asked: Inquiry, population: str, question: str, distinct: str | None, total: str | None, cap: int | None
) -> list[str]:
    """Return the words of the command that asks the same question."""
    words = ["ask", population, question]
    for name, value in asked.facts.items():
        if name in ("at_least", "false_alarm", "at_most", "share", "ignore_below"):
            words += [f"--{name.replace('_', '-')}", f"{value}"]
        elif name in ("count", "exact_distance"):
            words.append(f"--{name.replace('_', '-')}")
        elif name == "ranges":
            words += ["--ranges", ",".join(map(str, value))]
    for option, given in (("--distinct", distinct), ("--sum", total), ("--cap", cap)):
        words += [] if given is None else [option, str(given)]
    return words


def _shown(asked: Inquiry, answer: str | None, revealed: Revealed | None, words: list[str]) -> None:
    if answer is not None and revealed is None:
        say(answer)
        return
    say(asked.pattern.text)
    for line in asked.lines:
        say(f"  {line}")
    if answer is not None:
        say(f"\nThe answer: {answer}")
    if revealed is None:
        say(f"\nNothing was read. To draw the answer, once:\n  {typed(*words, '--release', 'NAME')}")
        return
    say("\nFor the steward, and not private:")
    distance = "no people can change it" if revealed.distance is None else f"{revealed.distance:g} in epsilon"
    facts([("matches", f"{revealed.matches:,}"), ("that count", f"{revealed.counted:,}"), ("distance", distance)])
    likely = sorted(revealed.probabilities.items(), key=lambda each: -each[1])[:10]
    table(("answer", "chance"), [(each, chance(p)) for each, p in likely])
    if revealed.carriers:
        say("The people who would leave first, wholly or in part; together they weigh as much as the distance.")
        table(("person", "part", "epsilon spent"), revealed.carriers)
