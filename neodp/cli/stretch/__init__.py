"""``neodp stretch …``: users with privacy weights on what they like; who is similar, and what that costs."""

from __future__ import annotations

import typer

from neodp.cli.stretch import experiments, profiles, similar

__all__ = ["app"]

app = typer.Typer(
    name="stretch",
    help="Users with a privacy weight on every item they like: who is similar, privately (the Stretching mechanism).",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
for command in (
    profiles.load,
    profiles.list_profiles,
    profiles.drop,
    similar.similarity,
    similar.neighbors,
    experiments.recall,
    experiments.utility,
):
    app.command(name="list" if command is profiles.list_profiles else command.__name__)(command)
