"""Commands that measure the loss of accuracy through privacy: recall, utility. Their output is not private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from neodp.cli.common import Session, progress, say, show, table
from neodp.cli.options import Force, Json, Quiet
from neodp.cli.stretch.common import Measured, Profile, cost_in_words, numbers
from neodp.data.files import require_new
from neodp.data.formatting import count, number, share
from neodp.stretch.similarities import Cost, Measure

__all__ = ["recall", "utility"]


def recall(
    context: typer.Context,
    profile: Profile,
    slices: Annotated[str, typer.Option(help="The numbers of slices to try; the paper has 1 to 10.")] = "3",
    repeats: Annotated[int, typer.Option(min=2, help="The number of splits; each takes more than a minute.")] = 3,
    k: Annotated[int, typer.Option("-k", help="The number of neighbours.")] = 10,
    measure: Measured = Measure.COSINE,
    seed: Annotated[int, typer.Option(help="The same seed gives the same splits, groups and weights.")] = 0,
    insecure_noise_seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same noise: whoever knows it can remove the noise.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Store results here; after an interruption, continue from them.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the result, to a .svg, .png or .pdf file.")
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Measure how much of what users like is also liked by their private neighbours. The output is not private.

    Example: `neodp stretch recall ratings --results recall.jsonl -o recall.svg`
    """
    from neodp.plot import recall as picture
    from neodp.stretch import recall as experiment

    counts = tuple(map(int, numbers("--slices", slices)))
    plan = experiment.Plan(slices=counts, repeats=repeats, k=k, measure=measure, seed=seed)
    if output is not None:
        picture.check(output)
        if not force:
            require_new(output)
    session: Session = context.obj
    with session.open() as store:
        read = store.profiles.read(profile)
    with progress(quiet) as tell:
        found = experiment.run(read, plan, results, insecure_seed=insecure_noise_seed, progress=tell)
    lines, rows = experiment.by_epsilon(found, plan), experiment.by_slices(found, plan)
    if output is not None:
        picture.draw(found, plan, output, f"{profile}: {len(read):,} users, {read.likes:,} likes, {measure}")
    cost = Cost.of_pairs(max(len(read) - 1, 0), max(plan.epsilons), measure)

    def text() -> None:
        say(
            "Recall: the share of a user's hidden likes that the neighbours like too, by the epsilon of each "
            "number, with a 99 % confidence interval over the splits."
        )
        table(("weights", *(f"{e:g}" for e in plan.epsilons), "mean"), [_shown(x, plan.epsilons) for x in lines])
        say("naive: without the fundamentalists; others: everybody but them; exact: without privacy; blind: at random.")
        if len(plan.slices) > 1:
            say("Recall by number of slices, over all epsilons:")
            table(("weights", *map(str, plan.slices), "mean"), [_shown(x, plan.slices) for x in rows])
        say(cost_in_words(f"every user of a table at epsilon {cost.epsilon:g}", cost))
        if output is not None:
            say(f"drew {output}")

    document = {"profile": profile, "users": len(read), "likes": read.likes, "k": k, "measure": measure.value}
    document |= {"repeats": plan.repeats, "slices": list(plan.slices), "picture": str(output) if output else None}
    document |= {"by_epsilon": list(map(_as_line, lines)), "by_slices": list(map(_as_line, rows))}
    show(document, json, text)


def utility(
    context: typer.Context,
    profile: Profile,
    epsilon: Annotated[float, typer.Option(help="The epsilon of each scalar product.")],
    beyond: Annotated[str, typer.Option(help="The sizes of errors to count.")] = "1,2,5,10,20,50,100",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show the error of private scalar products over all pairs, as measured and in theory. The output is not private.

    Example: `neodp stretch utility ratings --epsilon 1`
    """
    from neodp.stretch.utility import compare, corollary_2

    limits = numbers("--beyond", beyond)
    session: Session = context.obj
    with session.open() as store, progress(quiet) as tell:
        read = store.profiles.read(profile, progress=tell)
    size = 2 * len(read.items)
    errors = compare(read, epsilon, [*limits, size**0.5])
    claimed = corollary_2(size, float(read.weight.min(initial=1.0)), epsilon)

    def text() -> None:
        say("The share of pairs of users whose scalar product is off by more than a given number:")
        names = ("off by more than", "measured", "computed", "at most, by Theorem 3 corrected")
        table(names, [(e.beyond, e.measured, e.exact, e.bound) for e in errors])
        verdict = "holds here" if errors[-1].exact <= claimed else "does not hold here"
        say(
            f"The paper's Corollary 2 says that at most {share(claimed)} of the pairs are off by more than the root of "
            f"{count(size, 'coordinate')}, {number(size**0.5)}: this {verdict}."
        )

    result = {"profile": profile, "epsilon": epsilon, "errors": [asdict(e) for e in errors], "corollary_2": claimed}
    show(result, json, text)


def _shown(line: Any, values: Sequence[float]) -> list[str]:
    cells = [line.by.get(value) for value in values] + [line.overall]
    return [line.label, *("" if x is None else f"{x.mean:.3f} ±{x.margin:.3f}".replace("0.", ".") for x in cells)]


def _as_line(line: Any) -> dict[str, Any]:
    by = {f"{value:g}": interval._asdict() for value, interval in line.by.items()}
    return {"weights": line.label, "by": by, "overall": line.overall._asdict()}
