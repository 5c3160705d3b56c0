"""neodp explore: the file that needs no server, the address, and what is refused."""

import re
import signal
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from neodp.store import open_store
from tests.running import Run, both_stores, document


@both_stores
def test_a_file_is_written_for_its_owner(survey: Run, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    assert document(survey("explore", "survey", "-o", str(file), "--json")) == {"graph": "survey", "file": str(file)}
    page = file.read_text(encoding="utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert re.search(r"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-", page)
    assert "unsafe" not in page[: page.index("<style")]
    assert 'src="' not in page[: page.index("<style")]
    code, _, err = survey("explore", "survey", "-o", str(file))
    assert (code, "already exists" in err) == (2, True)
    assert survey("explore", "survey", "-o", str(file), "--force")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing",), "there is no graph 'nothing'"),
        (("-o", "page.html"), "a file is about one graph"),
        (("survey", "-o", "page.svg"), "does not end in .html"),
    ],
)
def test_what_is_refused(survey: Run, words: tuple[str, ...], said: str) -> None:
    code, out, err = survey("explore", *words, "--no-browser")
    assert (code, out) == (2, "")
    assert said in err


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    with open_store(store) as opened:
        opened.init()
    command = [sys.executable, "-m", "neodp", "--store", str(store), "explore", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address)
            assert "this machine only" in process.stdout.readline()
            with urllib.request.urlopen(address, timeout=60) as page:
                assert b"neodp explorer" in page.read()
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(address.rsplit("/", 2)[0] + "/", timeout=60)
            refused.value.close()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
            assert "Traceback" not in err
        finally:
            process.kill()
