"""A ledger as a file: from either store to either, whole or refused, and what was spent only grows."""

import hashlib
import io
import json
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp import generate
from neodp.errors import BudgetSpent, DamagedRelease, DamagedStore, GraphError, OtherRelease
from neodp.ledger.account import Ledger, Limit
from neodp.ledger.question import Level
from neodp.ledger.release import Release
from neodp.store import Settings, Store, open_store
from neodp.store.transfer import Exported, Imported, export_ledger, import_ledger, read_ledger

ODD = Release(
    "poll 'Zoë.csv' of \"a\tb\"",
    "spring 🗳",
    '{"sales": "yes", "it": "no"}',
    "2026-05-01T12:00:00.120Z",
    "key\nof\x1fit",
    "default",
    '{"colors": ["j\u00e4", "nej"], "population": "default"}',
    (Level(5e-324, 1e-300, "users a and b", 2, 7), Level(0.1 + 0.2, 0.0, None, None, 1)),
    "neodp poll 'Zoë.csv'",
)
STAFF = [
    Release("g", name, "yes", f"2026-05-0{i}T12:00:00.123Z", None, "staff", '{"graph": "g"}', (Level(0.5),), "neodp")
    for i, name in enumerate(("one", "two", "three"), 1)
]


def fill(store: Store) -> None:
    """Answer something about two populations, and allow something for a third."""
    store.allow("staff", Limit(3, 2.5, 1e-6))
    store.allow("planned", Limit(None, 0.1))
    store.keep([ODD])
    for release in STAFF:
        store.keep([release])


def exported(store: Store) -> bytes:
    file = io.BytesIO()
    export_ledger(store, file)
    return file.getvalue()


def imported(store: Store, data: bytes) -> Imported:
    return import_ledger(store, io.BytesIO(data))


def summed(lines: list[bytes]) -> bytes:
    """Lines, and a last line that fits them."""
    body = b"".join(line + b"\n" for line in lines)
    kinds = [json.loads(line) for line in lines[1:]]
    releases = sum("release" in each for each in kinds)
    end = {"populations": len(kinds) - releases, "releases": releases, "sha256": hashlib.sha256(body).hexdigest()}
    return body + json.dumps(end).encode() + b"\n"


def instants(ledgers: list[Ledger]) -> list[Ledger]:
    """Ledgers without the digits of times that say nothing, which each store writes in its way."""

    def short(release: Release) -> Release:
        return replace(release, time=(release.time or "").rstrip("Z").rstrip("0"))

    return [replace(ledger, releases=tuple(map(short, ledger.releases))) for ledger in ledgers]


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """Another store, in a file."""
    with open_store(tmp_path / "other.db") as store:
        yield store


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An exported ledger."""
    with open_store(tmp_path_factory.mktemp("filled") / "store.db") as store:
        fill(store)
        return exported(store)


# --- from store to store --------------------------------------------------------------------------------------------


def test_a_ledger_goes_from_store_to_store_and_back(store: Store, other: Store, tmp_path: Path) -> None:
    fill(store)
    assert export_ledger(store, tmp_path / "ledger.jsonl") == Exported(3, 4)
    assert stat.S_IMODE((tmp_path / "ledger.jsonl").stat().st_mode) == 0o600
    assert import_ledger(other, tmp_path / "ledger.jsonl") == Imported(3, 4, 0)
    assert instants(other.ledgers()) == instants(store.ledgers())
    for ledger in store.ledgers():
        assert other.ledger(ledger.population).spent() == ledger.spent()
        assert other.account(ledger.population) == ledger.account
    found = other.kept(ODD.graph, ODD.name)
    assert found is not None
    assert found.digest == ODD.digest
    assert (found.time or "")[:22] == (ODD.time or "")[:22]
    assert imported(store, exported(other)) == Imported(3, 0, 4)


def test_a_ledger_from_a_file_goes_into_either_store(store: Store, data: bytes) -> None:
    assert imported(store, data) == Imported(3, 4, 0)
    before = store.ledgers()
    assert [(each.population, str(each.limit), each.used) for each in before] == [
        ("default", "1 release", 1),
        ("planned", "epsilon 0.1 in all for everybody", 0),
        ("staff", "3 releases and epsilon 2.5 at delta 1e-06 in all for everybody", 3),
    ]
    assert [release.time for release in before[2].releases] == [release.time for release in STAFF]
    assert imported(store, data) == Imported(3, 0, 4)
    assert store.ledgers() == before


def test_an_import_that_knows_all_leaves_the_file_as_it_is(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "store.db"
    with open_store(path) as store:
        imported(store, data)
    before = path.read_bytes()
    with open_store(path) as store:
        assert imported(store, data).imported == 0
    assert path.read_bytes() == before


def test_a_ledger_without_anything(store: Store, other: Store) -> None:
    store.load("g", generate.path(3), population="only a graph")
    assert len(exported(store).splitlines()) == 2
    assert imported(other, exported(store)) == Imported(0, 0, 0)
    assert other.ledgers() == []


def test_the_same_question_gets_the_imported_answer(store: Store, other: Store) -> None:
    g = generate.path(8, epsilon=0.5)
    for each in (store, other):
        each.load("g", g.with_alpha(neodp.balanced(g)))
    store.allow("default", Limit(40))
    answers = {f"r{i}": store.answer("g", "3", f"r{i}").answer for i in range(12)}
    other.allow("default", Limit(1))
    assert imported(other, exported(store)) == Imported(1, 12, 0)
    assert {name: other.answer("g", "3", name).answer for name in answers} == answers
    assert other.ledger().used == 12
    with pytest.raises(BudgetSpent, match="requested 1, used 12, allowed 1"):
        other.answer("g", "3", "new")


# --- what was spent, and limits -------------------------------------------------------------------------------------


def test_what_was_spent_only_grows_whatever_the_limit(store: Store, data: bytes) -> None:
    store.allow("staff", Limit(1))
    store.keep([Release("g", "own", "no", None, None, "staff", '{"a": 1}', (Level(1.0),))])
    before = store.ledger("staff").spent()[-1].total().epsilon
    assert imported(store, data).imported == 4
    after = store.ledger("staff")
    assert (after.used, after.left, after.limit) == (4, 0, Limit(1))
    assert before == 1.0
    assert after.spent()[-1].total().epsilon == 2.5
    with pytest.raises(BudgetSpent):
        store.keep([Release("g", "more", "no", None, None, "staff", '{"a": 1}', (Level(1.0),))])


@pytest.mark.parametrize("limit", [Limit(0), Limit(1), Limit(1000), Limit(None, 9.0)])
def test_a_limit_that_the_store_has_stays(store: Store, data: bytes, limit: Limit) -> None:
    store.allow("staff", limit)
    imported(store, data)
    assert store.ledger("staff").limit == limit


def test_the_free_release_is_a_limit_once_it_is_used(store: Store, data: bytes) -> None:
    store.keep([Release("g", "own", "no", None, None, "staff", '{"a": 1}', (Level(1.0),))])
    imported(store, data)
    assert store.ledger("staff").limit == Limit()


# --- conflicts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"answer": "no"}, "answer"),
        ({"asked": '{"graph": "h"}'}, "question"),
        ({"levels": (Level(0.25),)}, "cost"),
        ({"key": "a"}, "key"),
        ({"command": "neodp answer"}, "command"),
        ({"population": "others"}, "population"),
    ],
)
def test_another_release_of_that_name_is_refused_and_nothing_changes(
    store: Store, data: bytes, changes: dict[str, Any], what: str
) -> None:
    store.keep([replace(STAFF[-1], **changes)])
    before = store.ledgers()
    with pytest.raises(OtherRelease, match=f"^release 'three' of 'g' is in the store already, with another {what};"):
        imported(store, data)
    assert store.ledgers() == before
    assert store.kept(ODD.graph, ODD.name) is None


def test_the_time_alone_is_no_conflict(store: Store, data: bytes) -> None:
    store.keep([replace(STAFF[0], time="2020-01-01T00:00:00.500Z")])
    assert imported(store, data) == Imported(3, 3, 1)
    assert (store.ledger("staff").releases[0].time or "").startswith("2020-01-01T00:00:00.5")


# --- files that are not whole ---------------------------------------------------------------------------------------


def test_a_file_that_was_cut_off_is_refused_wherever_that_was(store: Store, data: bytes) -> None:
    for end in range(len(data)):
        with pytest.raises(GraphError):
            read_ledger(io.BytesIO(data[:end]))
    lines = data.splitlines(keepends=True)
    for n in range(len(lines)):
        with pytest.raises(GraphError, match=r"is not a ledger of neodp|was cut off: its last line is missing"):
            imported(store, b"".join(lines[:n]))
    assert store.ledgers() == []


def test_a_flipped_bit_is_refused_wherever_it_is(data: bytes) -> None:
    for place in range(len(data)):
        for bit in (1, 32):
            changed = bytearray(data)
            changed[place] ^= bit
            with pytest.raises(GraphError):
                read_ledger(io.BytesIO(changed))


def fields(value: Any, *before: Any) -> Iterator[tuple[Any, ...]]:
    """The ways to all values in a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield (*before, name)
        yield from fields(each, *before, name)


def changed(value: Any) -> Iterator[Any]:
    """Other values than one."""
    if isinstance(value, str):
        yield from (value + "x", value + "0", "", None, 7)
    elif isinstance(value, int):
        yield from (value + 1, -1, True, 2**63, 0.5, str(value))
    elif value is None:
        yield from (0, "x", [])
    else:
        yield from (None, [], {})


def test_a_changed_field_is_refused_also_if_the_last_line_fits(data: bytes) -> None:
    """But for what nothing else in the file tells: a limit, and when an answer was given."""
    lines = data.splitlines()[:-1]
    tried = 0
    for number, line in enumerate(lines):
        for *way, last in fields(json.loads(line)):
            for new in changed(at(json.loads(line), [*way, last])):
                document = json.loads(line)
                at(document, way)[last] = new
                if document == json.loads(line) or (number and (last == "time" or "limit" in way)):
                    continue
                with pytest.raises(GraphError):
                    read_ledger(
                        io.BytesIO(summed([*lines[:number], json.dumps(document).encode(), *lines[number + 1 :]]))
                    )
                tried += 1
    assert tried > 300
    assert len(read_ledger(io.BytesIO(summed(lines)))) == 3


def at(document: Any, way: list[Any]) -> Any:
    for name in way:
        document = document[name]
    return document


def test_lines_that_are_missing_twice_or_elsewhere_are_refused(data: bytes) -> None:
    lines = data.splitlines()[:-1]
    for number in range(1, len(lines)):
        fewer = lines[:number] + lines[number + 1 :]
        if b"planned" not in lines[number]:  # which has no releases: nothing else tells of it
            with pytest.raises(GraphError):
                read_ledger(io.BytesIO(summed(fewer)))
        with pytest.raises(GraphError):
            read_ledger(io.BytesIO(summed([*lines, lines[number]])))
    with pytest.raises(GraphError):
        read_ledger(io.BytesIO(summed([lines[0], *lines[2:], lines[1]])))


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"epsilon": "-1.0"}, True),
        ({"epsilon": "nan"}, True),
        ({"epsilon": "inf"}, True),
        ({"delta": "1.5"}, True),
        ({"times": -1}, True),
        ({"times": 2**70}, True),
        ({"people": -1}, True),
        ({"level": ""}, True),
        ({"epsilon": "0.75", "people": 3, "level": "x", "times": 2}, False),
    ],
)
def test_a_forged_cost_cannot_lower_what_was_spent(
    store: Store, data: bytes, changes: dict[str, Any], wrong: bool
) -> None:
    """All digests fit: whoever writes a ledger can make them."""
    line = json.loads(data.splitlines()[-2])
    (level,) = line["levels"]
    level |= changes
    cost = Level(float(level["epsilon"]), float(level["delta"]), level["level"], level["people"], level["times"])
    release = replace(STAFF[-1], levels=(cost,))
    line["digest"] = release.digest
    population = json.loads(data.splitlines()[-5])
    population["spent"] = Ledger("staff", Limit(), (release,)).account.text
    forged = summed([data.splitlines()[0], json.dumps(population).encode(), json.dumps(line).encode()])
    if wrong:
        with pytest.raises(GraphError, match="line 3 is not what was exported"):
            imported(store, forged)
        assert store.ledgers() == []
    else:
        assert imported(store, forged).imported == 1
        assert store.ledger("staff").releases[0].digest == release.digest


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a ledger of neodp"),
        (b"key,color\na,yes\n", "is not a ledger of neodp"),
        (b"\xff\xfe{}", "is not a ledger of neodp"),
        (b"[" * 100_000, "is not a ledger of neodp"),
        (b'{"neodp": "ledger", "version": 2}\n', "has version 2, and this neodp reads version 1; update neodp"),
        (b'{"neodp": "ledger", "version": 1}', "was cut off"),
        (b'{"neodp": "ledger", "version": 1}\n', "was cut off"),
    ],
)
def test_what_is_no_ledger(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(GraphError, match=message):
        read_ledger(tmp_path / "file")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for name in ("missing", "", "a\0b"):
        with pytest.raises(GraphError, match=r"cannot be read: .*; name another file$"):
            read_ledger(tmp_path / name)


# --- exports --------------------------------------------------------------------------------------------------------


def test_an_export_takes_no_place_unasked(other: Store, tmp_path: Path) -> None:
    fill(other)
    target = tmp_path / "ledger.jsonl"
    target.write_text("mine")
    with pytest.raises(GraphError, match=r"is there already; name another file, or use `force=True` to replace it$"):
        export_ledger(other, target)
    assert target.read_text() == "mine"
    export_ledger(other, target, force=True)
    assert target.read_bytes() == exported(other)
    with pytest.raises(GraphError, match="is the store itself; name another file"):
        export_ledger(other, tmp_path / "other.db", force=True)
    os.link(tmp_path / "other.db", tmp_path / "again.db")
    with pytest.raises(GraphError, match="is the store itself; name another file"):
        export_ledger(other, tmp_path / "again.db", force=True)
    assert other.ledger("staff").used == 3


def test_an_altered_answer_cannot_be_exported_nor_imported_over(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "store.db"
    with open_store(path) as store:
        imported(store, data)
    edit(path, "UPDATE release SET answer = 'no' WHERE name = 'two'")
    before = path.read_bytes()
    with open_store(path) as store:
        with pytest.raises(
            DamagedRelease, match=r"release 'two' of 'g' is not what was kept: .*; restore the store from a"
        ):
            export_ledger(store, tmp_path / "ledger.jsonl")
        with pytest.raises(DamagedRelease, match="release 'two' of 'g' is not what was kept"):
            imported(store, data)
    assert path.read_bytes() == before
    assert not (tmp_path / "ledger.jsonl").exists()


def edit(path: Path, statement: str) -> None:
    """Change a file past neodp."""
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def wreck(path: Path, table: str) -> None:
    """Overwrite the first page of a table."""
    connection = sqlite3.connect(path)
    ((page,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", [table])
    ((size,),) = connection.execute("PRAGMA page_size")
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "a column": lambda path: edit(path, "UPDATE chunk SET data = zeroblob(length(data))"),
    "all columns": lambda path: wreck(path, "chunk"),
    "a row": lambda path: edit(path, "UPDATE graph SET edges = 7"),
    "all graphs": lambda path: wreck(path, "graph"),
    "all profiles": lambda path: wreck(path, "profile"),
}


def look(store: Store) -> None:
    """Read what there is but for the ledger."""
    store.read("g")
    store.profiles.all()


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_ledger_of_a_damaged_file_is_saved(tmp_path: Path, data: bytes, damage: str) -> None:
    path = tmp_path / "store.db"
    with open_store(path) as store:
        imported(store, data)
        store.load("g", generate.path(9), population="staff")
    DAMAGES[damage](path)
    with open_store(path) as store:
        with pytest.raises(
            DamagedStore, match=r"store.db is damaged: .*; nothing was changed; restore it from a"
        ) as found:
            look(store)
        assert found.value.hint.endswith(
            "the ledger is intact: `neodp.store.transfer.export_ledger(store, FILE)` saves it"
        )
        assert exported(store) == data
    edit(path, "UPDATE release SET answer = 'no' WHERE name = 'two'")
    with open_store(path) as store:
        with pytest.raises(DamagedStore) as found:
            look(store)
        assert found.value.hint.endswith("; its ledger is damaged too")
        with pytest.raises(DamagedRelease):
            exported(store)


def test_a_ledger_that_was_half_changed_is_not_called_damaged(
    tmp_path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The account was written by then, and the release was not; both are taken back before the ledger is looked at."""
    with open_store(Settings(str(tmp_path / "store.db"))) as store:
        imported(store, data)
        store.allow("staff", Limit(10))

        def fail(release: Release) -> str:
            raise store.port._file.damaged("a page is gone")  # type: ignore[attr-defined]

        monkeypatch.setattr(store.port, "_create_release", fail)
        with pytest.raises(DamagedStore, match=r"a page is gone; .*; the ledger is intact"):
            store.keep([Release("g", "four", "no", None, None, "staff", '{"a": 1}', (Level(1.0),))])
        assert store.ledger("staff").used == 3
