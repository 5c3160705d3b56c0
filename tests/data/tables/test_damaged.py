"""Whatever the bytes of a file are: it is read, or it is refused in one sentence that names the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neodp.data.tables import read_table
from neodp.errors import GraphError
from tests.data.tables import make

WHOLE = {
    name: content if isinstance(content, bytes) else content.encode()
    for name, content in make.tables().items()
    if name in ("newlines_in_cells.csv", "utf16.csv", "people.csv.gz", "people.xlsx", "people.ods", "people.parquet")
    or name == "people.arrow"
}


@st.composite
def damages(draw: st.DrawFn, data: bytes) -> bytes:
    """A file of which some bytes are changed, some are missing, some are new, or the end is."""
    found = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(found)))
        how = draw(st.sampled_from(("change", "remove", "insert", "cut")))
        some = draw(st.binary(min_size=1, max_size=8) | st.sampled_from((b'"', b"\n", b"\r", b",", b";", b"\0")))
        if how == "change":
            found[place : place + len(some)] = some
        elif how == "remove":
            del found[place : place + draw(st.integers(1, 40))]
        elif how == "insert":
            found[place:place] = some
        else:
            del found[max(place, 1) :]
    return bytes(found)


def read(path: Path) -> GraphError | None:
    """Read all of a table; what it is refused with."""
    try:
        table = read_table(path, ["vote"], ["epsilon"], numbers=["epsilon"])
    except GraphError as refused:
        return refused
    places = [table.place(row) for row in range(len(table["vote"]))]
    assert len(set(places)) == len(places)
    for column in table.columns.values():
        assert len(column.to_pylist()) == len(places)
    return None


@pytest.mark.parametrize("name", WHOLE)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files(name: str, tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / name
    path.write_bytes(data.draw(damages(WHOLE[name])))
    refused = read(path)
    if refused is not None:
        assert refused.message.startswith(str(path))
        assert refused.hint
        assert "\n" not in str(refused)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=60) | st.text(max_size=40).map(lambda text: f"vote;{text}".encode()))
def test_anything(tmp_path: Path, content: bytes) -> None:
    for ending in ("csv", "parquet", "arrow", "xlsx", "csv.gz"):
        path = tmp_path / f"anything.{ending}"
        path.write_bytes(content)
        refused = read(path)
        assert refused is None or refused.message.startswith(str(path))
