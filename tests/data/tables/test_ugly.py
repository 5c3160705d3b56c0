"""Tables as people have them: each is read right, or refused in words that name the remedy.

The files are in the folder ``ugly``; :mod:`tests.data.tables.make` says what is in them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from neodp.cli import main
from neodp.data.tables import Problems, ReadOptions, TableColumns, numbers, read_table
from neodp.errors import GraphError
from tests.data.tables import make

VOTES, EPSILONS = ["yes", "no", "yes"], [0.5, 1.0, 2.0]

READ = {
    "bom.csv": "line 4",
    "semicolons.csv": "line 4",
    "quoted_commas.csv": "line 4",
    "tabs.tsv": "line 4",
    "bars.txt": "line 4",
    "sep_line.csv": "line 5",
    "utf16.csv": "line 4",
    "carriage_returns.csv": "line 4",
    "blank_lines.csv": "line 8",
    "newlines_in_cells.csv": "line 5 (row 4)",
    "blanks_in_header.csv": "line 4",
    "index_column.csv": "line 4",
    "trailing_commas.csv": "line 4",
    "bom_semicolons.csv": "line 4",
    "unicode_text.txt": "line 4",
    "rows_of_commas.csv": "line 5",
    "newline_in_header.csv": "line 5 (row 4)",
    "people.csv.gz": "line 4",
    "people.xlsx": "row 5",
    "people.ods": "row 4",
    "workbook.csv": "row 4",
    "people.parquet": "row 3",
    "people.arrow": "row 3",
}
"""Where the last person stands."""

TITLED = {
    "title.csv": ("line 3 names the columns; the lines above it are not read", "line 6"),
    "title.xlsx": ("row 2 names the columns; the lines above it are not read", "row 5"),
    "remarks.csv": ("line 3 names the columns; the lines above it are not read", "line 6"),
}
"""What is said about a header below a title, and where the last person stands."""

ENCODING = (
    "and other encodings cannot be told apart; name it, as in `encoding='windows-1252'` (Excel in America and Western "
    "Europe), windows-1250 (Central Europe) or mac-roman, or save the table as 'CSV UTF-8'"
)
AGAIN = "write the file again, or give it the right ending"

QUOTES = "put cells that contain ',' into double quotes, or name another `delimiter=...`"

REFUSED = {
    "windows_1252.csv": f"is not text in UTF-8: line 3 has the byte 0xeb, {ENCODING}",
    "mac_roman.csv": f"is not text in UTF-8: line 3 has the byte 0x91, {ENCODING}",
    "utf16_without_mark.csv": "has a zero byte in line 1: it is not text in UTF-8; give `encoding='utf-16-le'` if",
    "wrong_byte_in_header.csv": f"is not text in UTF-8: line 1 has the byte 0xff, {ENCODING}",
    "zero_bytes.csv": "has a zero byte in line 2: it is not text in UTF-8; give a text file, or one whose ending says",
    "nothing.csv": "is empty; give a table whose first line names the columns",
    "no_header.csv": "has no column 'vote'; its first line, Ada, yes, 0.5, must name the columns",
    "capitals.csv": "has no column 'vote'; did you mean 'Vote'?",
    "twice.csv": "has 2 columns 'vote'; rename or remove all but one",
    "misspelt.csv": "has a column 'weigth', but no column 'weight'; rename it, or give `extra_columns='ignore'`",
    "ragged.csv": ": 2 rows do not have as many cells as the header, which has 2 separated by ',': "
    f"line 3 has 3, line 4 has 1; {QUOTES}",
    "open_quote.csv": ": a quotation mark in line 3 or after it is never closed; close it, or double it where it is",
    "mixed_decimals.csv": ", line 3: epsilon is '1.000', written with a point where others have a comma; write all",
    "short_rows.csv": ": 3 rows do not have as many cells as the header, which has 4 separated by ',': line 2 has 3, "
    "line 3 has 3, line 4 has 3; write out the empty cells of such rows, as ',' at their ends",
    "blanks_between.txt": "has no column 'vote'; its first line has only one column, name  vote  epsilon; name "
    "the delimiter with `delimiter=...`",
    "cut_off.csv.gz": "is a damaged or cut-off gzip file; copy it again, or compress the table again",
    "not_compressed.csv.gz": "is not compressed; remove .gz from its name, or compress the table again",
    "two_sheets.xlsx": "has 2 sheets with cells: May, June; name one of them with `sheet=...`",
    "text.xlsx": f"is not a workbook, or it is damaged (Cannot detect file format); {AGAIN}",
    "people.zip": "is a zip archive; unpack it, and name the table that is in it",
    "cut_off.parquet": "is not a Parquet table, or it is damaged (",
    "wrong_text.parquet": "is not a Parquet table, or it is damaged (",
    "cut_off.arrow": f"is not an Arrow table, or it is damaged (Not an Arrow file); {AGAIN}",
}


PLAIN = ("--vote", "vote", "--epsilon", "epsilon")
FORM = ("--vote", "Shall we move?", "--epsilon", "How much privacy?")
MONKEY = ("--vote", "vote", "--epsilon", "privacy", "--levels", "low=2,high=0.3")
LIKERT = (*PLAIN, "--map", "1=no,2=no,3=no,4=yes,5=yes")
OPTIONS = "the options are yes, no; name others with --options, or accept them with --map, --other or --missing"

POLLED = [
    ("google_forms.csv", FORM, "line 3 (row 2) ('A lot (0.3)'), line 4 (row 3) ('Little (2)'); give a number"),
    ("google_forms.csv", (*FORM, "--levels", "A lot (0.3)=0.3,Little (2)=2"), 2),
    ("survey_monkey.csv", MONKEY, "line 2: epsilon is 'Response', neither a number nor a level; the levels are low, "
     "high; or delete the line, if it is a second header"),
    ("likert.csv", PLAIN, f"the vote is none of the options, 2 times: line 2 ('5'), line 4 ('4'); {OPTIONS}"),
    ("likert.csv", LIKERT, 3),
    ("likert.csv", (*PLAIN, "--options", "1,2,3,4,5", "--query", "plurality"), 3),
    ("total_below.csv", PLAIN, f"line 5: the vote is '2', none of the options; {OPTIONS}; "
     "or delete the line, if it is a total"),
    ("total_of_epsilon.csv", PLAIN, "line 5: the vote is missing; give one, or leave such people out with --skip-empty;"
     " or delete the line, if it is a total"),
    ("thousands.csv", PLAIN, "epsilon is '1,000', neither a number nor a level; give a number with a decimal point, "
     "and nothing between thousands"),
    ("percent.csv", PLAIN, "line 2 ('50%'), line 3 ('100 %'); give a number without a percent sign, such as 0.5"),
    ("excel_errors.csv", PLAIN, f"line 3: the vote is '#N/A', none of the options; {OPTIONS}"),
    ("excel_errors.csv", (*PLAIN, "--missing", "#N/A", "--skip-empty"), 2),
    ("no_break_spaces.csv", PLAIN, 3),
    ("decomposed.csv", (*PLAIN, "--options", "grün,blau"), 3),
]  # fmt: skip
"""Tables of programs for surveys, how they are asked, and the remedy or how many people there are."""


def read(name: str, options: ReadOptions | None = None) -> TableColumns:
    path = make.FOLDER / name
    return read_table(path, ["vote", "epsilon"], ["name", "weight"], numbers=["epsilon"], options=options)


def values(table: TableColumns) -> tuple[list[str], list[float]]:
    problems = Problems(table.place)
    found = numbers(table["epsilon"], "epsilon", problems).to_pylist()
    problems.raise_if_any()
    return table["vote"].to_pylist(), found


def test_the_folder_has_what_is_written_down() -> None:
    """Text and workbooks byte by byte; Parquet and Arrow files name the version of Arrow that wrote them."""
    for name, content in make.tables().items():
        found = (make.FOLDER / name).read_bytes()
        if not name.endswith((".parquet", ".arrow", ".gz")):
            assert found == (content if isinstance(content, bytes) else content.encode()), name
    assert {path.name for path in make.FOLDER.iterdir()} == {*make.tables(), ".gitattributes"}
    assert {*READ, *TITLED, *REFUSED, "header_only.csv", *(name for name, *_ in POLLED)} == {*make.tables()}


@pytest.mark.parametrize("name", READ)
def test_read_right(name: str) -> None:
    table = read(name)
    assert values(table) == (VOTES, EPSILONS)
    assert table.place(2) == f"{make.FOLDER / name}, {READ[name]}"
    if name not in ("index_column.csv", "newlines_in_cells.csv"):
        assert table["name"].to_pylist() == ["Ada", "Zoë", "Ben"]


@pytest.mark.filterwarnings("default:.*names the columns")
@pytest.mark.parametrize("name", TITLED)
def test_a_header_below_a_title_is_found(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And naming its row asks the same question: an answer that was drawn without it is the same release."""
    said, last = TITLED[name]
    with pytest.warns(UserWarning, match=said):
        table = read(name)
    assert values(table) == (VOTES, EPSILONS)
    assert table.place(2) == f"{make.FOLDER / name}, {last}"
    words = ["--store", str(tmp_path / "s.db"), "poll", str(make.FOLDER / name), *PLAIN, "--mechanism", "weighted"]
    assert main([*words, "--release", "spring"]) == 0
    assert f"neodp: {make.FOLDER / name}: {said}\n" in capsys.readouterr().err
    assert main([*words, "--release", "spring", "--header-row", str(table.header_row)]) == 0
    assert "nothing was drawn" in capsys.readouterr().out


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_remedy(name: str) -> None:
    with pytest.raises(GraphError) as caught:
        read(name)
    assert str(caught.value).removeprefix(str(make.FOLDER / name)).lstrip(" ").startswith(REFUSED[name])


def test_a_header_alone_is_a_table() -> None:
    assert values(read("header_only.csv")) == ([], [])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("windows_1252.csv", ReadOptions(encoding="windows-1252")),
        ("mac_roman.csv", ReadOptions(encoding="mac-roman", delimiter=";")),
        ("utf16_without_mark.csv", ReadOptions(encoding="utf-16-le")),
        ("utf16.csv", ReadOptions(encoding="UTF-16")),
        ("bom.csv", ReadOptions(encoding="utf8")),
        ("two_sheets.xlsx", ReadOptions(sheet="May")),
        ("tabs.tsv", ReadOptions(delimiter="tab")),
    ],
)
def test_the_remedies_help(name: str, options: ReadOptions) -> None:
    table = read(name, options)
    assert values(table) == (VOTES, EPSILONS)
    assert table["name"].to_pylist() == ["Ada", "Zoë", "Ben"]


def test_a_column_may_be_ignored_but_not_in_silence() -> None:
    with pytest.warns(UserWarning, match="the column 'weigth' is ignored, and there is no column 'weight'"):
        table = read("misspelt.csv", ReadOptions(extra_columns="ignore"))
    assert table.get("weight") is None


@pytest.mark.parametrize("name", [*READ, *REFUSED])
def test_on_the_command_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table that can be read is answered, any other is bad input: a sentence, exit code 2, nothing "inside neodp"."""
    words = [
        "--store",
        str(tmp_path / "s.db"),
        "poll",
        str(make.FOLDER / name),
        "--vote",
        "vote",
        "--epsilon",
        "epsilon",
    ]
    code, (_, err) = main(words), capsys.readouterr()
    if name in READ or name == "misspelt.csv":  # where a poll does not ask for a weight
        assert (code, err) == (0, "")
    else:
        assert code == 2
        assert err.startswith(f"neodp: {make.FOLDER / name}")
        assert "inside neodp" not in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(("name", "words", "expected"), POLLED)
def test_tables_of_surveys(
    name: str, words: tuple[str, ...], expected: str | int, capsys: pytest.CaptureFixture[str]
) -> None:
    code, (out, err) = main(["poll", str(make.FOLDER / name), *words]), capsys.readouterr()
    if isinstance(expected, int):
        assert (code, err) == (0, "")
        assert f"people       {expected} in" in out
    else:
        assert (code, out) == (2, "")
        assert expected in err
