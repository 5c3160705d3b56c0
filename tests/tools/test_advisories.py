"""The check of installed packages: it fails where a problem is known, and says so where it could not look."""

import sys

import pytest

from tools import advisories


@pytest.mark.parametrize(
    ("program", "code", "words"),
    [
        ("import sys; print('No known vulnerabilities found', file=sys.stderr)", 0, "none known"),
        ("print('Name Version ID\\nx 1 CVE-1'); raise SystemExit(1)", 1, "CVE-1"),
        ("raise ConnectionError('no network')", 0, "NOT CHECKED, the index of packages cannot be asked"),
        ("import time; time.sleep(60)", 0, "no answer within 2 seconds"),
    ],
)
def test_what_the_check_says(program: str, code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert advisories.main((sys.executable, "-c", program), patience=2) == code
    assert words in capsys.readouterr().out
