"""Tables are read by name, and every row of them has a place."""

import csv
import io
import sys
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neodp.data.graph import DatasetGraph
from neodp.data.tables import ReadOptions, header, read_table
from neodp.errors import GraphError, NeodpError
from neodp.stretch import Profiles
from tests.data.tables import make


def test_csv_is_text_and_knows_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('name,vote,rest\n"Ada\nB.",007,x\n\nBen,,y\n', encoding="utf-8")
    table = read_table(path, ["vote"], ["name", "epsilon"])
    assert table["vote"].to_pylist() == ["007", ""]
    assert table["name"].to_pylist() == ["Ada\nB.", "Ben"]
    assert table.get("epsilon") is None
    assert [table.place(row) for row in range(2)] == [f"{path}, line 2", f"{path}, line 5 (row 4)"]


def test_parquet_keeps_its_types_and_counts_rows(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"vote": [7, 8], "rest": [1, 2]}), path)
    table = read_table(path, ["vote"])
    assert table["vote"].to_pylist() == [7, 8]
    assert table.place(1) == f"{path}, row 2"
    assert sorted(table.columns) == ["vote"]


def test_the_format_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "people.txt"
    pq.write_table(pa.table({"vote": [7]}), path)
    assert read_table(path, ["vote"], format="parquet")["vote"].to_pylist() == [7]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.csv", None, "there is no file .*absent.csv; correct the path"),
        ("a.csv", "voted,x\n1,2\n", "a.csv has no column 'vote'; did you mean 'voted'?"),
        ("a.csv", "a,b\n1,2\n", "a.csv has no column 'vote'; its columns are a, b"),
        ("a.csv", "vote,b\n1,2\n1,2,3\n", "a.csv: 1 row does not have as many cells as the header, which has 2"),
        ("a.parquet", "vote\n1\n", "a.parquet is not a Parquet table, or it is damaged "),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(GraphError, match=message):
        read_table(tmp_path / name, ["vote"])


def test_text_in_parquet_is_read_as_in_csv(tmp_path: Path) -> None:
    nodes, edges = tmp_path / "n.parquet", tmp_path / "e.parquet"
    pq.write_table(pa.table({"key": ["a", "b"], "color": ["x", "y"], "alpha": ["0.25", None]}), nodes)
    pq.write_table(pa.table({"source": ["a"], "target": ["b"], "epsilon": ["0.5"]}), edges)
    g = DatasetGraph.from_parquet(nodes, edges)
    assert (g.alpha[0].tolist(), g.epsilon.tolist(), g.given.tolist()) == ([0.25, 0.75], [0.5], [True, False])
    pq.write_table(pa.table({"source": ["a"], "target": ["b"], "epsilon": ["half"]}), edges)
    with pytest.raises(GraphError, match=r"e.parquet, row 1: epsilon is 'half', not a number; correct the eps"):
        DatasetGraph.from_parquet(nodes, edges)


def test_profiles_in_parquet_name_the_row(tmp_path: Path) -> None:
    path = tmp_path / "likes.parquet"
    pq.write_table(pa.table({"user": ["u", "u"], "item": ["i", "i"]}), path)
    with pytest.raises(GraphError, match=r"likes.parquet, row 2: 'u' likes 'i' twice"):
        Profiles.from_csv(path, columns=("user", "item", "rating"))


def test_standard_input_is_read_once_and_asked_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'vote;epsilon\n"a\nb";0,5\nc;1\n')))
    assert header("-") == ["vote", "epsilon"]
    table = read_table("-", ["vote"], ["epsilon"], numbers=["epsilon"])
    assert (table["vote"].to_pylist(), table["epsilon"].to_pylist()) == (["a\nb", "c"], ["0.5", "1"])
    assert table.place(1) == "standard input, line 4 (row 3)"
    with pytest.raises(GraphError, match="standard input has no column 'weight'; its columns are vote, epsilon"):
        read_table("-", ["weight"])


@pytest.mark.parametrize(
    ("content", "needed", "optional", "message"),
    [
        ("vote,epsilon\n", ["vote", "vote"], [], "the column 'vote' is asked for twice; name two different columns"),
        ("vote,vote \n", ["vote"], [], "has 2 columns 'vote'; rename or remove all but one"),
        ("vote,a,a\n", ["vote"], [], "has 2 columns 'a'; rename or remove all but one"),
        (
            "vote,,a\n1,2,3\n",
            ["vote"],
            ["a"],
            "column 2 has no name; name it in the first line, or give `extra_columns='",
        ),
        (
            "vote,Delta\n",
            ["vote"],
            ["delta"],
            "has a column 'Delta', but no column 'delta'; rename it, or give `extra_columns='",
        ),
        (
            "vote,alhpa\n",
            ["vote"],
            ["alpha"],
            "has a column 'alhpa', but no column 'alpha'; rename it, or give `extra_columns='",
        ),
        (
            "vote,a,b\n",
            ["vote"],
            ["c"],
            "has columns 'a', 'b', which are not expected; it may have vote, c; or give `ex",
        ),
    ],
)
def test_closed_tables(tmp_path: Path, content: str, needed: list[str], optional: list[str], message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(GraphError, match=message):
        read_table(path, needed, optional, closed=True)
    if "twice" not in message and "'vote'; rename" not in message:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read_table(path, needed, optional, closed=True, options=ReadOptions(extra_columns="ignore"))


def test_open_tables_may_have_others_but_no_slips(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("vote,a,a,,weight\n1,2,3,4,5\n")
    assert list(read_table(path, ["vote"], ["weight"]).columns) == ["vote", "weight"]
    with pytest.raises(GraphError, match="has 2 columns 'a'; rename or remove all but one"):
        read_table(path, ["vote", "weight"], options=ReadOptions(extra_columns="refuse", delimiter=","), closed=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "utf-7000"}, "there is no encoding 'utf-7000'; give one such as utf-8, windows-1252"),
        ({"encoding": "hex"}, "there is no encoding 'hex'; give one such as"),
        ({"delimiter": "--"}, "the delimiter is '--'; give one character such as"),
        ({"delimiter": "a"}, "the delimiter is 'a'; give one character such as"),
        ({"extra_columns": "keep"}, "extra_columns is 'keep'; give refuse or ignore"),
    ],
)
def test_invalid_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        ReadOptions(**options)


def test_an_encoding_that_the_file_contradicts(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfvote\nja\n")
    with pytest.raises(GraphError, match="begins with the mark of utf-8, not of latin-1; leave out `encoding="):
        read_table(path, ["vote"], options=ReadOptions(encoding="latin-1"))
    path.write_bytes(b"vote\nj\x81\n")
    with pytest.raises(
        GraphError, match="is not text in windows-1252: line 2 has the byte 0x81; name another `encoding="
    ):
        read_table(path, ["vote"], options=ReadOptions(encoding="windows-1252"))


def test_folders_and_what_may_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="is a folder; name a file in it"):
        read_table(tmp_path, ["vote"])
    with pytest.raises(GraphError, match=r"cannot be read: .*; correct the path or its rights"):
        read_table(tmp_path / ("x" * 300), ["vote"])


def test_workbooks_need_their_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(make.xlsx({"Sheet": (("vote",), (1,))}))
    assert read_table(path, ["vote"])["vote"].to_pylist() == ["1"]
    with pytest.raises(GraphError, match=r"has no sheet 'Shet'; did you mean 'Sheet'\?"):
        read_table(path, ["vote"], options=ReadOptions(sheet="Shet"))
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(
        GraphError, match=r"no reader for workbooks is installed; pip install '.\[excel\]' in the checkout, or save"
    ):
        read_table(path, ["vote"])


def test_cells_longer_than_a_block(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('vote,epsilon\n"' + "x\n" * 1_000_000 + '",1\nyes,2\n')
    table = read_table(path, ["vote", "epsilon"])
    assert table["epsilon"].to_pylist() == ["1", "2"]
    assert table.place(1) == f"{path}, line {1_000_003} (row 3)"


@given(
    st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), min_size=1, max_size=6),
    st.sampled_from((",", ";", "\t", "|")),
    st.sampled_from(("\n", "\r\n", "\r")),
    st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "utf-32")),
)
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_python_writes_is_read(
    tmp_path: Path, rows: list[tuple[str, str]], delimiter: str, end: str, encoding: str
) -> None:
    """The csv module of Python is the reference, for cells and for lines; rows of empty cells are no rows."""
    rows = [(a.replace("\0", ""), b.replace("\0", "")) for a, b in rows]
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerow(("vote", "note"))
    starts = []
    for row in rows:
        starts.append(len(io.StringIO(text.getvalue(), newline="").readlines()) + 1)
        writer.writerow(row)
    path = tmp_path / "a.csv"
    try:
        path.write_bytes(text.getvalue().encode(encoding))
    except UnicodeEncodeError:  # half a surrogate pair is no text
        return
    table = read_table(path, ["vote", "note"])
    where = [f"line {line}" if line == n else f"line {line} (row {n})" for n, line in enumerate(starts, start=2)]
    filled = [(row, line) for row, line in zip(rows, where, strict=True) if any(cell.strip(" \t") for cell in row)]
    assert list(zip(table["vote"].to_pylist(), table["note"].to_pylist(), strict=True)) == [row for row, _ in filled]
    assert [table.place(i) for i in range(len(filled))] == [f"{path}, {line}" for _, line in filled]


def test_a_title_above_the_header_is_skipped_where_the_row_is_named(tmp_path: Path) -> None:
    """In text and in a workbook, counted as a spreadsheet program does; places of rows stay those of the file.

    The row above has as many cells, so that it could be the header itself: nothing is guessed.
    """
    (tmp_path / "title.csv").write_text("Survey 2024;final\n\nvote;epsilon\nyes;0,5\nno;1\n")
    rows = [["Survey 2024", "final"], [], ["vote", "epsilon"], ["yes", "0.5"], ["no", "1"]]
    (tmp_path / "title.xlsx").write_bytes(make.xlsx({"votes": rows}))
    for name, unit in (("title.csv", "line"), ("title.xlsx", "row")):
        with pytest.raises(GraphError, match=f"{unit} 3 names the columns: use `header_row=3`"):
            read_table(tmp_path / name, ["vote"])
        table = read_table(tmp_path / name, ["vote", "epsilon"], numbers=["epsilon"], options=ReadOptions(header_row=3))
        assert table["vote"].to_pylist() == ["yes", "no"]
        assert table["epsilon"].to_pylist() == ["0.5", "1"]
        assert table.place(1).endswith(f"{unit} 5")
        with pytest.raises(GraphError, match=f"has no .*{unit} 9"):
            read_table(tmp_path / name, ["vote"], options=ReadOptions(header_row=9))


def test_rows_are_also_numbered_as_spreadsheets_count_them_where_cells_have_line_breaks(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text('note,epsilon\n"two\nlines",1\n\nplain,oops\n')
    table = read_table(tmp_path / "notes.csv", ["note", "epsilon"])
    assert [table.place(row).rpartition(", ")[2] for row in range(2)] == ["line 2", "line 5 (row 4)"]


def test_a_long_name_is_shortened_in_messages(tmp_path: Path) -> None:
    long = "How satisfied are you with the opening hours of the office and of the library?"
    (tmp_path / "form.csv").write_text(f"{long},epsilon\nyes,1\n")
    with pytest.raises(GraphError) as caught:
        read_table(tmp_path / "form.csv", ["vote"])
    assert "'How satisfied are you with the opening…', epsilon" in str(caught.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (0, "the header row is"),
        (-1, "the header row is"),
        (1.5, "`header_row` is a float; give a whole number"),
        (True, "`header_row` is a bool; give a whole number"),
    ],
)
def test_a_header_row_is_a_whole_number_from_one(row: Any, message: str) -> None:
    with pytest.raises(NeodpError, match=message):
        ReadOptions(header_row=row)
