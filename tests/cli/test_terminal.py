"""Names that other people gave must not command the terminal of whoever looks at them."""

import json
from pathlib import Path

import pytest

from neodp import DatasetGraph
from neodp.cli.common import OBEYED
from neodp.store import open_store
from tests.running import Run

EVIL = "\x1b]0;owned\x07\x1b[2Jno\x9b31m\u202etxt\r\x7f"


@pytest.fixture
def hostile(run: Run, address: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A graph whose name neodp would not take, as an older one or somebody else's Cypher left it."""
    graph = DatasetGraph.from_columns([EVIL, "b\n"], [EVIL, "yes"], [EVIL], ["b\n"], 1.0, alpha={EVIL: 0.5})
    with monkeypatch.context() as older, open_store(address) as store:
        older.setattr("neodp.store.refusals.valid_name", lambda what, name: name)
        store.load(EVIL, graph)
    assert run("extend", EVIL)[0] == 0
    return run


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["show", EVIL],
        ["boundary", EVIL],
        ["check", EVIL],
        ["extend", EVIL, "--mode", "stream"],
        ["eval", EVIL, EVIL, "--explain"],
        ["eval", EVIL, "none\x1b[2J"],
        ["audit", EVIL],
        ["query", "least_accurate", EVIL],
        ["answer", EVIL, EVIL, "--release", EVIL, "--keep-key"],
        ["releases"],
        ["show", "none\x1b[2J"],
        ["drop", EVIL, "--yes"],
    ],
    ids=lambda words: words[0],
)
def test_no_command_sends_what_a_terminal_obeys(hostile: Run, words: list[str]) -> None:
    for more in ([], ["--json"]):
        code, out, err = hostile(*words, *more)
        assert "something went wrong" not in err
        assert OBEYED.findall((out + err).translate({9: None, 10: None})) == []
        if more and code == 0:
            assert [json.loads(line) for line in out.splitlines()]


def test_json_says_the_same_text(hostile: Run) -> None:
    assert json.loads(hostile("list", "--json")[1])["graphs"][0]["name"] == EVIL


def test_a_message_about_a_file_is_harmless_too(run: Run, tmp_path: Path) -> None:
    code, _, err = run("load", "g", str(tmp_path / "\x1b[2J.csv"), "e.csv")
    assert code == 2
    assert "\x1b" not in err
    assert "\\x1b[2J.csv" in err
