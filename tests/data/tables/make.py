"""Makes the ugly tables beside it: ``python -m tests.data.tables.make``. The same bytes every time.

Text could be kept as it is, but not every editor leaves a byte order mark, a carriage return or a wrong byte alone; and
nobody can read a workbook. So the tables are written down here.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

__all__ = ["FOLDER", "ods", "xlsx"]

FOLDER = Path(__file__).parent / "ugly"

PEOPLE = "name,vote,epsilon\nAda,yes,0.5\nZoë,no,1\nBen,yes,2\n"
EUROPE = "name;vote;epsilon\r\nAda;yes;0,5\r\nZoë;no;1\r\nBen;yes;2\r\n"
ROWS = (("name", "vote", "epsilon"), ("Ada", "yes", 0.5), ("Zoë", "no", 1), ("Ben", "yes", 2))

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"

Rows = Sequence[Sequence[object]]


def main() -> None:
    """Write all tables."""
    FOLDER.mkdir(exist_ok=True)
    for name, content in tables().items():
        (FOLDER / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def tables() -> dict[str, str | bytes]:
    """The tables, by the names of their files."""
    whole = gzip.compress(PEOPLE.encode(), mtime=0)
    parquet = _parquet()
    return {
        "bom.csv": b"\xef\xbb\xbf" + PEOPLE.replace("\n", "\r\n").encode(),
        "windows_1252.csv": EUROPE.encode("windows-1252"),
        "mac_roman.csv": EUROPE.encode("mac-roman"),
        "semicolons.csv": EUROPE,
        "quoted_commas.csv": 'name;vote;epsilon\n"Ada";"yes";"0,5"\nZoë;no;1\nBen;yes;2e0\n',
        "tabs.tsv": EUROPE.replace(";", "\t"),
        "bars.txt": PEOPLE.replace(",", "|"),
        "sep_line.csv": "sep=;\r\n" + EUROPE,
        "utf16.csv": EUROPE.replace(";", "\t").encode("utf-16"),
        "utf16_without_mark.csv": EUROPE.encode("utf-16-le"),
        "wrong_byte_in_header.csv": b"na\xffme,vote,epsilon\nAda,yes,0.5\n",
        "zero_bytes.csv": PEOPLE.replace("yes", "y\0s"),
        "carriage_returns.csv": PEOPLE.replace("\n", "\r"),
        "blank_lines.csv": "\n\n" + PEOPLE.replace("Zoë", "\n   \nZoë") + "\n  \n\n",
        "newlines_in_cells.csv": PEOPLE.replace("Ada", '"Ada\n""the first"", Countess"'),
        "blanks_in_header.csv": PEOPLE.replace("name,vote,epsilon", " name ,\tvote , epsilon"),
        "index_column.csv": ",vote,epsilon\n0,yes,0.5\n1,no,1\n2,yes,2\n",
        "trailing_commas.csv": PEOPLE.replace("\n", ",,\n"),
        "header_only.csv": "name,vote,epsilon\n",
        "nothing.csv": "",
        "no_header.csv": "Ada,yes,0.5\nZoë,no,1\n",
        "capitals.csv": PEOPLE.replace("vote,epsilon", "Vote,Epsilon"),
        "twice.csv": "vote,epsilon,vote\nyes,0.5,no\n",
        "misspelt.csv": "vote,epsilon,weigth\nyes,0.5,0.1\n",
        "ragged.csv": "vote,epsilon\nyes,0.5\nyes, of course,1\nno\nno,1\n",
        "open_quote.csv": 'vote,epsilon\nyes,0.5\n"no,1\nyes,2\n',
        "mixed_decimals.csv": "vote;epsilon\nyes;0,5\nno;1.000\nyes;2\n",
        "title.csv": "Office survey, May 2024\n\n" + PEOPLE,
        "title.xlsx": xlsx({"Survey": (("Office survey",), *ROWS)}),
        "remarks.csv": "# exported on 2024-05-31\n# by the office\n" + EUROPE,
        "bom_semicolons.csv": b"\xef\xbb\xbf" + EUROPE.encode(),
        "unicode_text.txt": EUROPE.replace(";", "\t").encode("utf-16"),
        "rows_of_commas.csv": PEOPLE.replace("Zoë", ",,\nZoë") + ',,\n"","",""\n , ,\n,,,\n',
        "newline_in_header.csv": PEOPLE.replace("vote", '"vote\n"').replace("epsilon", '"epsilon"'),
        "short_rows.csv": PEOPLE.replace("epsilon", "epsilon,remark"),
        "blanks_between.txt": "name  vote  epsilon\nAda   yes   0.5\n",
        **surveys(),
        "people.csv.gz": whole,
        "cut_off.csv.gz": whole[:-12],
        "not_compressed.csv.gz": PEOPLE,
        "people.xlsx": xlsx({"Notes": (), "People": ((), (None, *ROWS[0]), *((None, *row) for row in ROWS[1:]))}),
        "people.ods": ods({"People": ROWS}),
        "two_sheets.xlsx": xlsx({"May": ROWS, "June": ROWS[:2]}),
        "workbook.csv": xlsx({"People": ROWS}),
        "text.xlsx": PEOPLE,
        "people.zip": _zip({"people.csv": PEOPLE}),
        "people.parquet": parquet,
        "cut_off.parquet": parquet[: len(parquet) // 2],
        "wrong_text.parquet": parquet.replace(b"yes", b"y\xffs"),
        "people.arrow": _arrow(),
        "cut_off.arrow": _arrow()[:200],
    }


def surveys() -> dict[str, str]:
    """Tables whose columns can be read, but not every cell, as the programs for surveys and people leave them."""
    return {
        "google_forms.csv": '"Timestamp","Shall we\nmove?","How much privacy?"\n'
        '"2024/05/31 9:12:01 AM GMT+2","Yes","A lot (0.3)"\n"2024/05/31 9:13:44 AM GMT+2","No","Little (2)"\n',
        "survey_monkey.csv": "Respondent ID,Start Date,vote,privacy,\n,,Response,Response,Other (please specify)\n"
        "114,05/31/2024 09:12:01 AM,Yes,high,\n115,05/31/2024 09:13:01 AM,No,low,\n",
        "likert.csv": "vote,epsilon\n5,0.5\n1,1\n4,2\n",
        "total_below.csv": PEOPLE + "Total,2,3.5\n",
        "total_of_epsilon.csv": PEOPLE + "Total,,3.5\n",
        "thousands.csv": 'vote,epsilon\nyes,"1,000"\nno,0.5\n',
        "percent.csv": "vote,epsilon\nyes,50%\nno,100 %\n",
        "excel_errors.csv": "vote,epsilon\nyes,0.5\n#N/A,1\nno,2\n",
        "no_break_spaces.csv": "vote,epsilon\nyes\u00a0,0.5\n\u200bno,1\nYes,\u00a02\n",
        "decomposed.csv": "vote,epsilon\nGru\u0308n,0.5\nGRÜN,1\nblau,2\n",
    }


def xlsx(sheets: Mapping[str, Rows]) -> bytes:
    """The least that is a workbook of Excel."""
    numbered = list(enumerate(sheets, start=1))
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_TYPES}"><Default Extension="rels" ContentType="application/vnd.'
        'openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": _relations([("r1", "officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        + "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in numbered)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _relations([(f"r{i}", "worksheet", f"worksheets/{i}.xml") for i, _ in numbered]),
    }
    for i, name in numbered:
        rows = "".join(
            f'<row r="{r}">{"".join(_cell(f"{chr(65 + c)}{r}", value) for c, value in enumerate(row))}</row>'
            for r, row in enumerate(sheets[name], start=1)
        )
        files[f"xl/worksheets/{i}.xml"] = f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    return _zip(files)


def ods(sheets: Mapping[str, Rows]) -> bytes:
    """The least that is a spreadsheet of LibreOffice."""
    names = {name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "table", "text")}
    content = f"<office:document-content {' '.join(f'xmlns:{n}={u!r}' for n, u in names.items())}>".replace("'", '"')
    content += "<office:body><office:spreadsheet>"
    for name, rows in sheets.items():
        content += f'<table:table table:name="{name}">'
        for row in rows:
            content += f"<table:table-row>{''.join(map(_open_cell, row))}</table:table-row>"
        content += "</table:table>"
    content += "</office:spreadsheet></office:body></office:document-content>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    listed = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    entry = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
    manifest = f'<manifest:manifest xmlns:manifest="{listed}">{entry}</manifest:manifest>'
    return _zip({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest})


def _cell(place: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'


def _open_cell(value: object) -> str:
    if isinstance(value, int | float):
        return f'<table:table-cell office:value-type="float" office:value="{value!r}"/>'
    return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'


def _relations(relations: Sequence[tuple[str, str, str]]) -> str:
    inside = "".join(f'<Relationship Id="{i}" Type="{_OFFICE}/{kind}" Target="{to}"/>' for i, kind, to in relations)
    return f'<Relationships xmlns="{_PACKAGE}">{inside}</Relationships>'


def _zip(files: Mapping[str, str]) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), text)
    return found.getvalue()


def _people() -> pa.Table:
    """The people in types that need care: a dictionary, decimal numbers, and a column of large strings."""
    names, votes, epsilons = zip(*ROWS[1:], strict=True)
    return pa.table(
        {
            "name": pa.array(names, pa.large_string()),
            "vote": pa.array(votes).dictionary_encode(),
            "epsilon": pa.array([Decimal(str(e)) for e in epsilons], pa.decimal128(5, 2)),
        }
    )


def _parquet() -> bytes:
    found = io.BytesIO()
    pq.write_table(_people(), found, compression="none", use_dictionary=False)
    return found.getvalue()


def _arrow() -> bytes:
    found = io.BytesIO()
    pyarrow.feather.write_feather(_people(), found, compression="uncompressed")
    return found.getvalue()


if __name__ == "__main__":
    main()
