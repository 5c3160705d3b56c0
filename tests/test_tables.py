"""Tables are read by name, and every row of them has a place."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from neodp.errors import GraphError
from neodp.graph import DatasetGraph
from neodp.stretch import Profiles
from neodp.tables import read_table


def test_csv_is_text_and_knows_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('name,vote,rest\n"Ada\nB.",007,x\n\nBen,,y\n', encoding="utf-8")
    table = read_table(path, ["vote"], ["name", "epsilon"])
    assert table["vote"].to_pylist() == ["007", ""]
    assert table["name"].to_pylist() == ["Ada\nB.", "Ben"]
    assert table.get("epsilon") is None
    assert [table.place(row) for row in range(2)] == [f"{path}, line 2", f"{path}, line 5"]


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
