"""Commands for copies of data that must not be lost: backup, ledger export, ledger import."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from neodp.cli.common import PATIENCE, Session, say, show
from neodp.cli.options import Force, Json
from neodp.data.formatting import count
from neodp.errors import GraphError

__all__ = ["backup", "export_ledger", "import_ledger"]


def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The file to write; it can be used as a store.", metavar="FILE")],
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a complete, checked copy of the store's file, even while others use the store.

    To restore a backup, put it in place of the store while nobody uses the store. After restoring an older backup,
    import a newer ledger; otherwise, questions that were answered since then could get different answers. A Neo4j
    database has its own backup tool, neo4j-admin.

    Example: `neodp backup backups/monday.db`

    Example: `neodp backup backups/newest.db --force`
    """
    session: Session = context.obj
    if str(file) == "-":
        raise GraphError("a backup is a file, and cannot go to standard output", "name a file")
    with session.open(patience=PATIENCE) as store:
        store.backup(file, force=force)
        facts: dict[str, Any] = {"store": store.address, "file": str(file), "bytes": file.stat().st_size}
    show(facts, json, lambda: say(f"backed up {facts['store']} to {file}, {facts['bytes']:,} bytes, checked"))


def export_ledger(
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="The file, or - for standard output.", metavar="FILE|-")] = "-",
    force: Force = False,
    json: Json = False,
) -> None:
    """Write the answers given, their costs and the limits as JSON lines, which 'ledger import' reads.

    The file has no graphs and no data about people, except for the keys that were stored with `--keep-key`.

    Example: `neodp ledger export ledger.jsonl`

    Example: `neodp ledger export | gzip > ledger.jsonl.gz`
    """
    from neodp.store import transfer

    session: Session = context.obj
    if file == "-" and json:
        raise GraphError("the ledger and the document of --json cannot both go to standard output", "name a file")
    with session.open(patience=PATIENCE) as store:
        if file == "-":
            written = io.BytesIO()
            transfer.export_ledger(store, written)
            typer.echo(written.getvalue().decode(), nl=False)
            return
        done = transfer.export_ledger(store, file, force=force)
    facts = {"releases": done.releases, "populations": done.populations, "file": file}
    about = f"{count(done.releases, 'release')} about {count(done.populations, 'population')}"
    show(facts, json, lambda: say(f"exported {about} to {file}"))


def import_ledger(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(help="A file that 'ledger export' wrote, or - for standard input.", metavar="FILE|-")
    ],
    json: Json = False,
) -> None:
    """Import the answers of another store, or of this one from before a backup was restored; all or nothing.

    The answers count as spent, whatever the limit. Limits that are already in the store stay unchanged. Importing
    the same file twice changes nothing.

    Example: `neodp ledger import ledger.jsonl`

    Example: `neodp --store old.db ledger export | neodp --store neo4j://localhost ledger import -`
    """
    from neodp.store import transfer

    session: Session = context.obj
    ledgers = transfer.read_ledger(sys.stdin.buffer if file == "-" else file)  # before a store is made
    with session.open(patience=PATIENCE, create=True) as store:
        new = store.adopt(ledgers)
        known = sum(ledger.used for ledger in ledgers) - new
        facts = {"imported": new, "known": known, "populations": len(ledgers), "store": store.address}
    about = f"{count(new, 'release')} about {count(len(ledgers), 'population')}"
    more = f"; {count(known, 'release')} {'was' if known == 1 else 'were'} there already" if known else ""
    show(facts, json, lambda: say(f"imported {about} into {facts['store']}{more}"))
