"""Things that all commands share: their help, and every message about wrong words, names and stores."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import neodp
from neodp import __main__, cli
from neodp.cli import COMMANDS, common, main
from neodp.cli.commands import Later
from tests.running import Run, both_stores, document


@both_stores
def test_unknown_graphs_are_named_with_their_neighbors(survey: Run, tmp_path: Path) -> None:
    for words in (
        ("show", "surveys"),
        ("check", "surveys"),
        ("boundary", "surveys"),
        ("extend", "surveys"),
        ("audit", "surveys"),
        ("drop", "surveys", "--yes"),
        ("export", "surveys", str(tmp_path)),
        ("query", "summary", "surveys"),
        ("plot", "surveys", "-o", "x.svg"),
    ):
        code, out, err = survey(*words)
        assert (code, out) == (2, "")
        assert "there is no graph 'surveys' in" in err
        assert "did you mean 'survey'?" in err


@both_stores
def test_names_of_any_kind(run: Run) -> None:
    for name in ("it's", 'say "hi"', "back`tick", "\\u0060", "🗳 vote", "--json"):
        assert run("generate", "path", "--balanced", "--", name, "4")[0] == 0 or name == "--json"
        if name != "--json":
            assert run("extend", name)[0] == 0
            assert document(run("audit", name, "--json"))["violations"] == 0
            assert document(run("drop", name, "--yes", "--json"))["dropped"] == 4


def test_names_that_are_too_long(survey: Run, tmp_path: Path) -> None:
    """Longer than the name of a file may be, too: one sentence, and nothing is kept."""
    table, likes = tmp_path / "people.csv", tmp_path / "likes.csv"
    table.write_text("vote,epsilon\nyes,1\nno,1\n")
    likes.write_text("user,item\nu,a\nv,a\n")
    assert survey("stretch", "load", str(likes), "--name", "likes")[0] == 0
    before = survey("list")[1], survey("stretch", "list")[1], survey("releases")[1]
    long, poll = "x" * 300, ("poll", str(table), "--vote", "vote", "--epsilon", "epsilon")
    similarity = ("stretch", "similarity", "likes", "u", "v", "--epsilon", "1")
    for what, words in (
        ("graph", ("generate", "path", long, "4")),
        ("graph", ("show", long)),
        ("graph", ("extend", long)),
        ("graph", ("query", "summary", long)),
        ("graph", ("releases", long)),
        ("graph", ("answer", long, "0-0", "--release", "spring")),
        ("release", ("answer", "survey", "0-0", "--release", long)),
        ("release", (*poll, "--release", long)),
        ("release", (*similarity, "--release", long)),
        ("population", ("generate", "path", "g", "4", "--population", long)),
        ("population", (*poll, "--release", "spring", "--population", long)),
        ("population", ("budget", long)),
        ("population", ("budget", long, "--releases", "3")),
        ("population", ("stretch", "load", str(likes), "--name", "p", "--population", long)),
        ("poll", (*poll, "--release", "spring", "--name", long)),
        ("profile", ("stretch", "load", str(likes), "--name", long)),
        ("profile", ("stretch", "similarity", long, "u", "v", "--epsilon", "1")),
    ):
        found = survey(*words)
        assert found == (2, "", f"neodp: the name of the {what} has 300 characters; at most 200 are allowed\n"), words
    assert (survey("list")[1], survey("stretch", "list")[1], survey("releases")[1]) == before


def test_files_whose_names_are_too_long(survey: Run, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("vote,epsilon,part\nyes,1,p0\nno,1,p0\n")
    long, poll = "x" * 300, ("poll", str(table), "--vote", "vote", "--epsilon", "epsilon")
    for words, message in (
        (("load", "g", long, str(table)), "cannot be read: File name too long"),
        (("load", "g", long), "the table of edges is missing"),
        (("plot", "survey", "-o", f"{long}.svg"), f"no file can be called {'x' * 60}…; give a shorter path"),
        (("export", "survey", long), "no file can be called"),
        (("extend", long, "--engine", "blocks"), "no file can be called"),
        ((*poll, "--options-file", long), "there is no file"),
        ((*poll, "--by", "part", "--by-values", ",".join(f"q{i}" for i in range(100))), "p0"),
    ):
        code, out, err = survey(*words)
        assert (code, out) == (2, ""), words
        assert message in err
        assert err.count("\n") == 1


def test_wrong_words(run: Run) -> None:
    for words, message in (
        (("frobnicate",), "No such command 'frobnicate'; see 'neodp --help'"),
        (("extend",), "Missing argument 'GRAPH'; see 'neodp extend --help'"),
        (("extend", "g", "--mode", "fast"), "'fast' is not one of"),
        (("list", "--jsn"), "No such option"),
    ):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert message in err
    code, _, err = run("frobnicate", "--json")
    assert (code, json.loads(err)["error"]["kind"]) == (2, "usage")


NAMES = [name for commands in COMMANDS.values() for name in commands]


@pytest.mark.parametrize("path", ["\0", "\ud800", "a\0b/c"])
@pytest.mark.parametrize(
    "words",
    [
        ("load", "g"),
        ("poll",),
        ("plot", "g", "--force", "-o"),
        ("compare", "g", "--json", "-o"),
        ("export", "g"),
        ("audit", "g", "--edges"),
    ],
)
def test_a_path_that_no_system_has(run: Run, words: tuple[str, ...], path: str) -> None:
    code, out, err = run(*words, path)
    assert (code, out) == (2, "")
    assert "inside neodp" not in err
    assert err.count("\n") == 1


def test_every_command_has_help_with_an_example(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = run("--help")
    assert code == 0
    for command in NAMES:
        assert command.split()[0] in out
        code, text, _ = run(*command.split(), "--help")
        assert code == 0
        words = " ".join(text.split())
        assert f"neodp {command}" in words
        assert f"Example: neodp {command}" in words
        assert "--json" in text
        assert ("--store" in text) == (command not in ("demo", "plugin install", "verify"))
        assert not re.search(r"<\w+>|bool|list\[", text)  # a flag takes no value, and no other has a type of Python


def test_no_words_at_all_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["stretch"], ["plugin"]):
        assert main(words) == 0
        shown = capsys.readouterr()
        assert main([*words, "--help"]) == 0
        assert shown == capsys.readouterr()
        assert (shown.err, "Usage: neodp" in shown.out) == ("", True)


def test_help_imports_no_command(tmp_path: Path) -> None:
    """Neither numpy nor anything else that takes long to load."""
    program = "import sys; from neodp.cli import main; main(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert loaded.isdisjoint({"numpy", "pyarrow", "numba", "neo4j", "ladybug", "neodp.data.graph", "neodp.cli.graphs"})


def test_of_a_path_no_command_asks_more_than_that_it_can_be_read() -> None:
    """So a path that can be read needs no more checks by Typer (``neodp/cli/commands.py``, internal)."""
    no_more = {"file_okay": True, "dir_okay": True}
    no_more |= dict.fromkeys(("exists", "writable", "resolve_path", "path_type", "parser"), False)
    for home, _ in (entry for commands in COMMANDS.values() for entry in commands.values()):
        for param in Later("name", home, "").load().params:
            if hasattr(param, "type_descriptor") and param.type_descriptor.annotation is Path:
                asked = vars(param.type_descriptor.parameter_info)
                assert {name: bool(asked[name]) for name in no_more} == no_more, (home, param.name)


def test_options_stand_before_the_command_or_after_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here, there = str(tmp_path / "here.db"), str(tmp_path / "there.db")
    assert main(["generate", "path", "g", "4", "--store", here, "--timeout", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["store"] == here
    for words in (
        ["--store", here, "--json", "list"],
        ["list", "--store", here, "--json"],
        ["--store", there, "--json", "list", "--store", here],
    ):
        assert main(words) == 0
        assert [graph["name"] for graph in json.loads(capsys.readouterr().out)["graphs"]] == ["g"]
    assert main(["--json", "stretch", "list", "--store", here]) == 0
    assert json.loads(capsys.readouterr().out) == {"profiles": []}
    assert main(["--json", "list", "--store", there]) == 3
    assert json.loads(capsys.readouterr().err)["error"]["kind"] == "unreachable"
    assert main(["list", "--timeout", "inf"]) == 2
    assert main(["list", "--timeout", "0"]) == 2
    assert "'--timeout'" in capsys.readouterr().err


def test_piped_tables_are_as_wide_as_columns_says(survey: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = survey("query", "--list")[1].splitlines()
    assert max(map(len, lines)) == 40
    monkeypatch.delenv("COLUMNS")
    wide = survey("query", "--list")[1].splitlines()
    assert max(map(len, wide)) > 100  # a program that reads it finds every row on one line
    assert len(wide) < len(lines)


def test_completion_scripts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "bash"))  # tests may run without any shell
    code, out, _ = run("--show-completion")
    assert code == 0
    assert "neodp" in out


def test_a_store_of_no_known_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--store", "http://localhost", "list"]) == 2
    assert "the store http://… is of an unknown kind; use neo4j, neo4j+s" in capsys.readouterr().err
    assert main(["--store", "bolt://me:secret@localhost", "list"]) == 2
    error = capsys.readouterr().err
    assert "give them as NEO4J_USERNAME and NEO4J_PASSWORD instead" in error
    assert "secret" not in error


def test_an_internal_error_is_one_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(neodp.store.port.Port, "info", broken)
    code, out, err = run("show", "g")
    assert (code, out) == (1, "")
    assert err == (
        "neodp: something went wrong inside neodp (ZeroDivisionError: oops); set NEODP_DEBUG=1 to see where\n"
    )
    monkeypatch.setenv("NEODP_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run("show", "g")


def test_ctrl_c_says_what_it_means(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def pressed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(common.Session, "open", pressed)
    assert main(["list"]) == 130
    assert "neodp: interrupted; unfinished changes were rolled back" in capsys.readouterr().err


def test_ctrl_c_may_leave_a_connection_in_the_middle(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Then the driver stumbles over its own buffer, which is not what users are to be told."""

    def pressed(*_: object) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise BufferError("Existing exports of data: object cannot be re-sized")

    monkeypatch.setattr(common.Session, "open", pressed)
    assert main(["list"]) == 130
    assert "neodp: interrupted; unfinished changes were rolled back" in capsys.readouterr().err


def test_ctrl_c_while_the_program_is_loaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pressed() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", pressed)
    assert __main__.main() == 130
    assert capsys.readouterr().err == "neodp: interrupted before any change was made\n"
