"""``neodp poll``: what it shows before an answer, what only the steward may see, and every message, from any table."""

import json
import os
import re
import select
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neodp
from neodp import generate
from neodp.cli import main
from neodp.cli.common import typed
from neodp.data.formatting import day
from neodp.data.validation import UNIT
from neodp.polls import Threshold
from neodp.polls.weighted import Weighted
from tests.running import Run, both_stores, document

VOTES = ["yes"] * 7 + ["no"] * 5
LEVELS = ["low", "medium", "high"] * 4
EPSILON = {"low": 2.0, "medium": 1.0, "high": 0.3}
WORDS = ("--vote", "answer", "--epsilon", "privacy", "--levels", "low=2,medium=1,high=0.3")

NO_EPSILON = (
    "everybody's epsilon is missing; a column, or one number such as 1: neodp poll … --accuracy 0.9 proposes one"
)


def people(folder: Path, votes: list[str] = VOTES, levels: list[str] = LEVELS) -> str:
    """A table of people in a file."""
    rows = [f"{i},{vote},{level}\n" for i, (vote, level) in enumerate(zip(votes, levels, strict=True))]
    (folder / "people.csv").write_text("id,answer,privacy\n" + "".join(rows))
    return str(folder / "people.csv")


@pytest.fixture
def poll(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a poll that needs no store."""
    monkeypatch.chdir(tmp_path)

    def go(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["poll", *words])
        out, err = capsys.readouterr()
        assert list(tmp_path.glob("*.db*")) == []
        return code, out, err

    return go


def questions(result: tuple[int, str, str]) -> Any:
    """Return what the JSON document says of each question."""
    return document(result)["questions"]


def test_before_an_answer_nothing_depends_on_the_votes(poll: Run, tmp_path: Path) -> None:
    shown = [poll(people(tmp_path, votes), *WORDS, "--what-if", "0.5") for votes in (VOTES, VOTES[::-1], ["no"] * 12)]
    assert shown[0] == shown[1] == shown[2]
    text = shown[0][1]
    assert "question     answer: do at least 7 of 12 people choose 'yes'? A tie is a no." in text
    assert "people       12 in 3 groups of equal epsilon" in text
    assert "high 0.3 4 a factor of 1.35 58 %" in " ".join(text.split())
    assert (
        "Nothing here reveals anything about the votes. Who took part, with which epsilon, is treated as public."
        in text
    )
    documents = [poll(people(tmp_path, votes), *WORDS, "--json") for votes in (VOTES, VOTES[::-1])]
    assert documents[0] == documents[1]


def test_what_is_known_beforehand(poll: Run, tmp_path: Path) -> None:
    (found,) = questions(poll(people(tmp_path), *WORDS, "--json"))
    assert [(g["level"], g["epsilon"], g["size"]) for g in found["groups"]] == [
        ("high", 0.3, 4),
        ("medium", 1.0, 4),
        ("low", 2.0, 4),
    ]
    g = generate.votes(12, epsilon=[EPSILON[level] for level in LEVELS])
    optimum = neodp.extend(g.with_alpha(neodp.balanced(g)))
    assert found["worst"] == pytest.approx(optimum.p_true.min(), abs=1e-12)
    assert [row["margin"] for row in found["by_margin"]] == [1, 2, 5]
    assert found["margin_for"] == {"0.9": 5, "0.95": 6, "0.99": None, "0.999": None}  # 1 - e^-1.2 / (1 + e^1) = 0.919


def test_what_the_steward_may_see_is_the_optimum_of_the_whole_graph(poll: Run, tmp_path: Path) -> None:
    (found,) = questions(poll(people(tmp_path), *WORDS, "--reveal", "--json"))
    g = generate.votes(12, epsilon=[EPSILON[level] for level in LEVELS])
    optimum = neodp.extend(g.with_alpha(neodp.balanced(g)))["".join("1" if v == "yes" else "2" for v in VOTES)]
    assert found["revealed"]["probabilities"] == pytest.approx(optimum, rel=1e-12)
    assert (found["revealed"]["color"], found["revealed"]["margin"]) == ("yes", 1)
    assert found["revealed"]["key"] == "2-2-3"
    text = poll(people(tmp_path), *WORDS, "--reveal")[1]
    assert "at least 90 % of the time if the margin is 5 votes or more and at least 95 % from 6 on." in text
    assert "NOT PRIVATE, do not pass on:\ntruth        yes, by a margin of 1: 7 yes, 5 no" in text
    assert "Only what is marked may reveal anything about the votes." in text


def test_people_with_epsilon_0_are_not_asked(poll: Run, tmp_path: Path) -> None:
    silent = [*LEVELS[:-2], "0", "0"]
    one = poll(people(tmp_path, VOTES, silent), *WORDS, "--reveal", "--json")
    other = poll(people(tmp_path, [*VOTES[:-2], "yes", "whatever"], silent), *WORDS, "--reveal", "--json")
    assert one == other
    (found,) = questions(one)
    assert (found["people"], found["silent"]) == (10, 2)
    text = poll(people(tmp_path, VOTES, silent), *WORDS)[1]
    assert "silent       2 with epsilon 0, who are not counted: no answer may depend on them" in text


def test_several_questions_parquet_and_skipped_votes(poll: Run, tmp_path: Path) -> None:
    table = {"tax": [True, False, None, True], "park": [1, 1, 0, 0], "epsilon": [0.5, 0.5, 1.0, 1.0]}
    pq.write_table(pa.table(table), tmp_path / "people.parquet")
    words = (str(tmp_path / "people.parquet"), "--vote", "tax", "--vote", "park", "--epsilon", "epsilon")
    code, out, err = poll(*words)
    assert (code, out) == (2, "")
    assert (
        "people.parquet, row 3: the vote in 'tax' is missing; give one, or leave such people out with --skip-empty"
        in err
    )
    tax, park = questions(poll(*words, "--skip-empty", "--json"))
    assert (tax["people"], tax["skipped"], park["people"], park["skipped"]) == (3, 1, 4, 0)
    text = poll(*words, "--skip-empty", "--reveal")[1]
    assert "This holds for each question: over all 2 of them, each epsilon counts 2 times." in text
    assert "NOT PRIVATE, do not pass on: the columns from 'truth' on." in text


def test_plurality_threshold_and_options(poll: Run, tmp_path: Path) -> None:
    file = people(tmp_path, ["tea"] * 5 + ["coffee"] * 4 + ["milk"] * 3)
    options = ("--options", "milk,tea,coffee", "--query", "plurality")
    (found,) = questions(poll(file, *WORDS, *options, "--reveal", "--json"))
    assert (found["revealed"]["color"], found["revealed"]["margin"]) == ("tea", 1)
    assert sum(found["revealed"]["probabilities"].values()) == pytest.approx(1.0)
    assert found["revealed"]["key"] == "1.1.2-1.2.1-1.2.1"
    assert "which of 'milk', 'tea', 'coffee' do most of 12 people choose?" in poll(file, *WORDS, *options)[1]
    (found,) = questions(poll(people(tmp_path), *WORDS, "--query", "threshold:2/3", "--reveal", "--json"))
    assert (found["asks"], found["revealed"]["color"]) == ("do at least 8 of 12 people choose 'yes'?", "no")
    text = poll(people(tmp_path), *WORDS, "--query", "threshold:0")[1]
    assert "There is only one possible answer, whatever the votes are; it is given with certainty." in text


def test_what_if(poll: Run, tmp_path: Path) -> None:
    (found,) = questions(poll(people(tmp_path), *WORDS, "--what-if", "0.7", "--margin", "3", "--json"))
    now, high, medium, low = found["what_if"]
    assert (high["group"]["level"], high["epsilon"]) == ("high", 1.0)
    assert high["all"]["worst"] > now["all"]["worst"] == low["all"]["worst"] == medium["one"]["worst"]
    shown = poll(people(tmp_path), *WORDS, "--what-if", "0.7")[1]
    assert "all of high" in shown
    assert "all of low" not in shown  # those of high privacy decide, so it stays as it is
    assert "If anybody else asks for less privacy, it does not change." in shown


def test_levels_from_a_table(poll: Run, tmp_path: Path) -> None:
    (tmp_path / "levels.csv").write_text("level,epsilon\nlow,2\nmedium,1\nhigh,0.3\n")
    words = (*WORDS[:-1], str(tmp_path / "levels.csv"))
    assert poll(people(tmp_path), *words) == poll(people(tmp_path), *WORDS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*WORDS[:1], "anser", *WORDS[2:]), "people.csv has no column 'anser'; did you mean 'answer'?"),
        ((*WORDS[:3], "privcy", *WORDS[4:]), "people.csv has no column 'privcy'; did you mean 'privacy'?"),
        (
            WORDS[:4],
            "people.csv: epsilon is neither a number nor a level, 12 times: line 2 ('low'), line 3 ('medium'), "
            "line 4 ('high') and 9 more; give a number, or name levels with --levels",
        ),
        (
            (*WORDS[:4], "--levels", "low=2,medum=1"),
            "epsilon is neither a number nor a level, 8 times: line 3 ('medium'), line 4 ('high'), line 6 ('medium') "
            "and 5 more; did you mean 'medum'?",
        ),
        ((*WORDS[:4], "--levels", "low=-2"), "epsilon is -2.0; give a number from 0 to 690"),
        ((*WORDS[:4], "--levels", "low=two"), "the level 'low' is 'two'; give it an epsilon, as in low=2,high=0.3"),
        ((*WORDS[:4], "--levels", "none.csv"), "there is no file none.csv; correct the path"),
        ((*WORDS, "--query", "most"), "the query is 'most'; give majority, plurality, or a share as in threshold:2/3"),
        (
            (*WORDS, "--options", "tea,coffee"),
            "the vote is none of the options, 12 times: line 2 ('yes'), line 3 ('yes'), line 4 ('yes') and 9 more; the "
            "options are tea, coffee; name others with --options, or accept them with --map, --other or --missing",
        ),
        ((*WORDS, "--mechanism", "weigted"), "the mechanism is 'weigted'; did you mean 'weighted'?"),
        ((*WORDS, "--prior", "odd"), "the prior is 'odd'; give even, share:0.6, share:low=0.6,high=0.4 or beta:2,3"),
        ((*WORDS, "--prior", "share:hihg=0.6"), "the prior names the level 'hihg'; did you mean 'high'?"),
        ((*WORDS, "--by", "id"), "the parts are not named; name them with --by-values: they are never read from"),
        ((*WORDS, "--by-values", "a,b"), "which column says who belongs to which part? name it, as in --by COL"),
        ((*WORDS, "--by", "answer", "--by-values", "yes,no"), "the column 'answer' is named twice; name another one"),
        ((*WORDS, "--by", "id", "--by-values", "0,1"), "the part is none of the named ones, 10 times: line 4 ('2')"),
        ((*WORDS, "--by", "privacy2", "--by-values", "a,b"), "people.csv has no column 'privacy2'"),
        ((*WORDS, "--vote", "answer"), "the column 'answer' is named twice; name another one, or leave it out"),
        ((*WORDS, "--option", "a", "--options", "b,c"), "the options are given more than once; give one of --options"),
        ((*WORDS, "--options-file", "none.txt"), "there is no file none.txt; correct the path"),
        (
            (*WORDS, "--map", "ja=yes,nein=nope"),
            "'nein' is mapped to 'nope', which is not an option; did you mean 'no'?",
        ),
        ((*WORDS, "--map", "none.csv"), "there is no file none.csv; correct the path"),
        ((*WORDS, "--other", "else"), "majority is asked about 3 options; name two of them, or ask for plurality"),
        ((*WORDS[:3], "-1"), "epsilon is -1.0; give a number from 0 to 690"),
        ((*WORDS, "--plot", "picture.gif"), "files of kind '.gif' cannot be drawn"),
        ((*WORDS, "--what-if", "-1"), "--what-if is -1.0; give by how much an epsilon is raised, as in 0.5"),
        ((*WORDS, "--what-if", "1", "--margin", "9"), "--margin is 9; no dataset has a margin above 7"),
        (("--vote", "answer"), NO_EPSILON),
        (("--epsilon", "privacy"), "which column has the votes? name it, as in --vote COL"),
        ((*WORDS, "--cypher", "RETURN 1"), "which people? give a file, or --cypher"),
    ],
)
def test_refused(poll: Run, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    code, out, err = poll(people(tmp_path), *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_nobody_to_ask(poll: Run, tmp_path: Path) -> None:
    hint = "a poll needs a person with an epsilon above 0"
    assert poll(people(tmp_path, ["yes"], ["0"]), *WORDS)[2] == (
        f"neodp: 'answer' cannot be asked: everybody has epsilon 0; {hint}\n"
    )
    assert poll(people(tmp_path, [""], ["low"]), *WORDS, "--skip-empty")[2] == (
        f"neodp: 'answer' cannot be asked: nobody voted; {hint}\n"
    )
    assert poll(people(tmp_path, [], []), *WORDS)[2] == (
        f"neodp: 'answer' cannot be asked: nobody is in the table; {hint}\n"
    )


def test_the_house_of_1984_in_one_script(tmp_path: Path) -> None:
    """The script of the docs on a file of the same form: sixteen questions, levels by position, ? for no vote."""
    lines = [f"republican,{','.join('yn?'[(i + bill) % 3] for bill in range(16))}\n" for i in range(30)]
    (tmp_path / "votes.data").write_text("".join(lines))
    script = Path(__file__).parents[2] / "docs" / "house_votes.py"
    words = [sys.executable, str(script), str(tmp_path / "votes.data")]
    shown = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    assert shown.count("do at least 11 of 20 people choose 'yes'?") == 16
    store = str(tmp_path / "house.db")
    assert main(["--store", store, "init"]) == main(["--store", store, "budget", "house", "--releases", "16"]) == 0
    answered = subprocess.run(
        [*words, store, "1984", "balanced"], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout
    answers = [line.split() for line in answered.removeprefix(shown).splitlines()]
    assert len(answers) == 16
    assert {answer for _, answer in answers} <= {"yes", "no"}


# --- how cells are understood -----------------------------------------------------------------------------------------


def table(folder: Path, text: str, name: str = "people.csv") -> str:
    """A file with these lines."""
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_cells_as_people_write_them(poll: Run, tmp_path: Path) -> None:
    """Missing answers, other words, case and blanks, one epsilon for all: the same counts as a clean table."""
    ugly = table(tmp_path, "Answer;id\nJA ;1\nnein;2\n?;3\nja;4\nn/a;5\n;6\n")
    words = ("--vote", "Answer", "--epsilon", "1", "--skip-empty", "--id", "id", "--reveal", "--json")
    (found,) = questions(poll(ugly, *words, "--missing", "?,n/a,", "--map", "ja=yes,nein=no"))
    assert (found["people"], found["skipped"], found["revealed"]["key"]) == (3, 3, "2")
    table(tmp_path, "said,means\nja,yes\nnein,no\n?,\nn/a,\n", "words.csv")
    assert questions(poll(ugly, *words, "--map", str(tmp_path / "words.csv"))) == [found]
    code, _, err = poll(ugly, *words, "--map", "ja=yes,nein=no")
    assert code == 2
    assert "the vote is none of the options, 2 times: line 4 ('?'), line 6 ('n/a')" in err
    text = poll(ugly, *words[:5], "--missing", "?,n/a", "--map", "ja=yes,nein=no")[1]
    assert "skipped      3 without a vote or an epsilon; it is public that they did not take part" in text
    code, _, err = poll(ugly, *words, "--missing", "?,n/a", "--map", "ja=yes,nein=no", "--exact")
    assert code == 2
    assert "the vote is 'JA ', none of the options" in err


def test_a_column_whose_name_is_a_number_is_a_column(poll: Run, tmp_path: Path) -> None:
    file = table(tmp_path, "vote,2\nyes,0.5\nno,0.5\nno,0.5\n")
    (column,) = questions(poll(file, "--vote", "vote", "--epsilon", "2", "--json"))
    (constant,) = questions(poll(file, "--vote", "vote", "--epsilon", "3", "--json"))
    assert (column["groups"][0]["epsilon"], constant["groups"][0]["epsilon"]) == (0.5, 3.0)


def test_options_with_commas_and_quotes(poll: Run, tmp_path: Path) -> None:
    """As on the ballots of Minneapolis: names with commas, quotes and write-ins."""
    votes = ['"STROUD, ""JIMMY"", JR."', "WILSON", "wilson", "Mickey Mouse", '"STROUD, ""JIMMY"", JR."', "WILSON"]
    file = table(tmp_path, "first,epsilon\n" + "".join(f"{vote},1\n" for vote in votes))
    words = (file, "--vote", "first", "--epsilon", "epsilon", "--query", "plurality", "--reveal", "--json")
    named = ("--option", 'STROUD, "JIMMY", JR.', "--option", "WILSON", "--other", "write-in")
    (found,) = questions(poll(*words, *named))
    assert found["options"] == ['STROUD, "JIMMY", JR.', "WILSON", "write-in"]
    assert found["revealed"]["key"] == "2.3.1"
    listed = table(tmp_path, '\ufeffSTROUD, "JIMMY", JR.\n\nWILSON\nwrite-in\n', "candidates.txt")
    assert questions(poll(*words, "--options-file", listed, "--other", "write-in")) == [found]
    code, _, err = poll(*words, "--options-file", listed)
    assert code == 2
    assert "people.csv, line 5: the vote is 'Mickey Mouse', none of the options" in err


def test_people_with_two_rows_are_refused(poll: Run, tmp_path: Path) -> None:
    file = table(tmp_path, "id,vote\na,yes\nb,no\na,no\na,yes\n,yes\n")
    code, out, err = poll(file, "--vote", "vote", "--epsilon", "1", "--id", "id")
    assert (code, out) == (2, "")
    assert "3 cells of " in err
    assert "the id is that of an earlier row, 2 times: line 4 ('a'), line 5 ('a'); keep one row for each person" in err
    assert "the id is missing: line 6" in err


def test_all_that_is_wrong_is_said_at_once(poll: Run, tmp_path: Path) -> None:
    file = table(tmp_path, "id,a,b,e,team\n1,yes,maybe,1,x\n1,,no,-1,y\n3,yes,no,,z\n")
    words = ("--vote", "a", "--vote", "b", "--epsilon", "e", "--id", "id", "--by", "team", "--by-values", "x,y")
    code, out, err = poll(file, *words)
    assert (code, out) == (2, "")
    for said in (
        "cannot be used:",
        "epsilon is not allowed: line 3 ('-1')",
        "epsilon is missing: line 4",
        "the id is that of an earlier row: line 3 ('1')",
        "the part is none of the named ones: line 4 ('z')",
        "the vote in 'b' is none of the options: line 2 ('maybe')",
    ):
        assert said in err


# --- two mechanisms ---------------------------------------------------------------------------------------------------


def test_both_mechanisms_stand_side_by_side(poll: Run, tmp_path: Path) -> None:
    text = poll(people(tmp_path), *WORDS)[1]
    for said in (
        "What to expect of the two mechanisms if the votes are as the prior 'even' assumes:",
        "If the 7 people who ask for most privacy (epsilon up to 1) all choose 'yes', and all others do not, 'yes' is "
        "the true answer. Balanced then says so 57 % of the time, weighted 1 %: weighted gives "
        "these people the least weight, and is then wrong more often than right.",
        "They differ by more than 0.05: choose with --mechanism balanced or --mechanism weighted.",
        "Accuracy of balanced, the chance of the true answer",
    ):
        assert said in text
    rows = {words[0]: words for line in text.splitlines() if (words := line.split())}
    assert rows["balanced"][1:5] == ["68", "%", "57", "%"]
    assert rows["weighted"][1:5] == ["78", "%", "1", "%"]
    weighted = poll(people(tmp_path), *WORDS, "--mechanism", "weighted")[1]
    assert "Accuracy of weighted, the chance of the true answer" in weighted
    assert "choose with" not in weighted
    same = poll(people(tmp_path, ["yes", "no", "yes"], ["low"] * 3), *WORDS)[1]
    assert "Weighted is the same as balanced here: no better mechanism was found." in same


def test_the_prior_decides_what_is_expected(poll: Run, tmp_path: Path) -> None:
    found = {}
    for prior in ("even", "share:0.6", "share:low=.6,high=.4", "beta:2,3"):
        (fact,) = questions(poll(people(tmp_path), *WORDS, "--prior", prior, "--json"))
        found[prior] = tuple(each["expected"] for each in fact["mechanisms"].values())
        assert fact["prior"] == prior
    assert len(set(found.values())) == 4
    assert all(weighted >= balanced for balanced, weighted in found.values())


def test_with_either_mechanism_nothing_depends_on_the_votes(poll: Run, tmp_path: Path) -> None:
    for mechanism in ("balanced", "weighted"):
        words = (*WORDS, "--mechanism", mechanism)
        shown = [poll(people(tmp_path, votes), *words) for votes in (VOTES, VOTES[::-1], ["no"] * 12)]
        assert shown[0] == shown[1] == shown[2]
        by = ("--by", "id", "--by-values", "0,1,2", "--by-other", "rest", "--json")
        parts = [poll(people(tmp_path, votes), *words, *by) for votes in (VOTES, VOTES[::-1], ["no"] * 12)]
        assert parts[0] == parts[1] == parts[2]
        assert parts[0][0] == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--prior", "share:low=0.6,high=0.4", "--mechanism", "weighted", "--json"), 0),
        (("--query", "plurality", "--options", "yes,no,maybe", "--mechanism", "weighted"), 0),
        (("--query", "threshold:2/3", "--id", "id", "--prior", "beta:1,1"), 0),
        (("--release", "spring"), 2),  # which mechanism?
        (("--prior", "share:lwo=0.6"), 2),
        (("--query", "majorty"), 2),
        (("--levels", "low=2,high=0.3"), 2),  # somebody's level is unknown
        (("--id", "privacy"), 2),
        (("--by", "privacy", "--by-values", "low,high"), 2),
        (("--vote", "anser"), 2),
        (("--margin", "100", "--what-if", "0.5"), 2),
    ],
)
def test_votes_can_be_permuted_and_changed_and_nothing_else_is_said(
    poll: Run, tmp_path: Path, words: tuple[str, ...], code: int
) -> None:
    """Output and refusals, byte by byte, for the same people with other votes."""
    given = (*WORDS, *words)
    shown = set()
    for votes in (VOTES, VOTES[::-1], ["no", "yes"] * 6, ["yes"] * 12, ["no"] * 12):
        shown.add(poll(people(tmp_path, votes), *given))
    ((found, _, _),) = shown
    assert found == code


def test_a_picture_does_not_depend_on_the_votes(poll: Run, tmp_path: Path) -> None:
    drawn = set()
    for votes in (VOTES, VOTES[::-1]):
        assert poll(people(tmp_path, votes), *WORDS, "--plot", str(tmp_path / "poll.svg"), "--force")[0] == 0
        drawn.add((tmp_path / "poll.svg").read_text())
    (picture,) = drawn
    assert "weighted" in picture


# --- from a store -----------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(run: Run, store: Any, raw: Callable[..., list[list[Any]]]) -> Run:
    """A store with people in it: a server, since an embedded one holds what neodp writes, and nothing else."""
    for i, vote in enumerate(VOTES):
        raw("CREATE (:Person {id: $id, vote: $vote, epsilon: $e})", id=str(i), vote=vote, e=EPSILON[LEVELS[i]])
    store.close()
    return run


@pytest.mark.parametrize("address", ["neo4j"], indirect=True)
def test_people_in_a_store(asked: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = "MATCH (p:Person) RETURN p.vote, p.epsilon"
    (found,) = questions(asked("poll", "--cypher", query, "--reveal", "--json"))
    assert found["question"] == "p.vote"
    main(["poll", people(tmp_path), *WORDS, "--reveal", "--json"])
    from_file = json.loads(capsys.readouterr().out)["questions"][0]
    assert found["revealed"] == from_file["revealed"]
    named = "MATCH (p:Person) RETURN p.id AS id, p.epsilon AS e, p.vote AS v"
    (found,) = questions(asked("poll", "--cypher", named, "--vote", "v", "--epsilon", "e", "--json"))
    assert (found["question"], found["people"]) == ("v", 12)
    for words, message in (
        (("--cypher", named), "the query returns 3 columns: id, e, v; return a vote and an epsilon, or name"),
        (
            ("--cypher", named, "--vote", "w", "--epsilon", "e"),
            "the query's result has no column 'w'; its columns are id, e",
        ),
        (("--cypher", named, "--vote", "v"), NO_EPSILON),
        (("--cypher", named, "--epsilon", "e"), "which column has the votes? name it, as in --vote COL"),
        (("--cypher", "MATCH (p:Person) SET p.vote = 'no' RETURN p.vote, p.epsilon"), "use 'ask' instead"),
        (("--cypher", "MATCH (p:Person) RETURN p.id, p.epsilon"), " of the query's result"),
        (("--cypher", "MATCH (p:Person)-[:KNOWS]-(q) RETURN q.vote, p.epsilon"), "use 'ask' instead"),
    ):
        code, out, err = asked("poll", *words)
        assert (code, out) == (2, "")
        assert message in err
    again = questions(asked("poll", "--cypher", query, "--reveal", "--json"))
    assert again[0]["revealed"] == from_file["revealed"]


@pytest.mark.parametrize("address", ["neo4j"], indirect=True)
def test_people_in_a_store_are_polled_as_they_were_declared(asked: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A poll about the same people does not undo what `ask` hides and what it counts."""
    query = ("poll", "--cypher", "MATCH (p:Person) RETURN p.vote, p.epsilon", "--secret-levels", "--share", "0.5")
    monkeypatch.setenv("NEODP_ROLE", "analyst")
    assert "nobody has declared the people of (:Person)" in asked(*query)[2]
    monkeypatch.delenv("NEODP_ROLE")
    assert asked(*query, "--release", "spring", "--name", "one")[0] == 0  # the label's people, declared or not
    assert asked("protect", "staff", "--people", "Person", "--epsilon", "epsilon", "--properties", "vote")[0] == 0
    assert json.loads(asked("budget", "(:Person)", "--json")[1])["share"] == 0.5
    for columns, more, message in (
        ("p.vote, p.epsilon", ("--population", "others"), "everything about the nodes of a label counts together"),
        ("p.vote, p.epsilon", None, "the levels of population 'staff', (:Person), are secret, and so is who takes"),
        ("p.id, p.epsilon", (), "the property 'id' is not among those that may be asked of population 'staff'"),
        ("p.epsilon AS v, p.epsilon AS e", (), "the property 'epsilon' is not among those"),
        ("p.vote AS v, 2 AS e", (), "the epsilons of population 'staff', (:Person), are in the property 'epsilon'"),
        ("p.vote AS v, coalesce(p.epsilon, 2) AS e", (), "are in the property 'epsilon'"),
    ):
        secret = () if more is None else ("--secret-levels", *more)
        code, out, err = asked("poll", "--cypher", f"MATCH (p:Person) RETURN {columns}", *secret)
        assert (code, out) == (2, "")
        assert message in err
    monkeypatch.setenv("NEODP_ROLE", "analyst")
    assert asked(*query, "--release", "spring", "--name", "two")[0] == 0
    pairs = ("ask", "staff", "MATCH (a:Person)-[:KNOWS]-(b:Person)", "--at-least", "1", "--release", "spring")
    assert "1 of everybody's own epsilon is spent" in asked(*pairs)[2]


# --- answers ----------------------------------------------------------------------------------------------------------


@both_stores
def test_an_answer_is_drawn_once_and_kept(run: Run, tmp_path: Path) -> None:
    """Whoever asks again gets the same answer, also when the votes have changed; another name costs another release."""
    sure = ["low"] * 40
    words = (*WORDS, "--release", "spring", "--json")
    (first,) = questions(run("poll", people(tmp_path, ["yes"] * 40, sure), *words))
    assert (first["graph"], first["release"], first["answer"]) == ("people answer", "spring", "yes")
    (again,) = questions(run("poll", people(tmp_path, ["no"] * 40, sure), *words))
    assert again["answer"] == "yes"
    code, out, err = run("poll", people(tmp_path), *WORDS, "--mechanism", "balanced", "--release", "autumn")
    assert (code, out) == (1, "")
    assert "release 'autumn' about population 'default' is refused: 1 answer given, 1 allowed" in err
    assert run("budget", "--releases", "2")[0] == 0
    (other,) = questions(run("poll", people(tmp_path, ["no"] * 40, sure), *words, "--name", "another"))
    assert (other["graph"], other["answer"]) == ("another answer", "no")
    text = run("poll", people(tmp_path, ["no"] * 40, sure), *WORDS, "--release", "spring")[1]
    today = day(document(run("releases", "--json"))["releases"][0]["time"])
    kept = f"kept since {today}; nothing was drawn"
    assert f"answer       yes    (release 'spring' of 'people answer', {kept})" in text
    assert "Only the answers may reveal anything about the votes." in text


def test_nothing_is_answered_that_is_not_private(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Threshold, "cost", lambda poll, counts: 100 * UNIT if poll.truth(counts) else 0)
        code, out, err = run("poll", people(tmp_path), *WORDS, "--mechanism", "balanced", "--release", "spring")
    assert (code, out) == (2, "")
    assert "the mechanism is not private: Pr[yes] is" in err
    assert "report this; nothing was answered" in err
    assert run("poll", people(tmp_path), *WORDS, "--mechanism", "balanced", "--release", "another")[0] == 0


def test_a_weighted_answer_is_checked_before_it_is_drawn(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Weighted, "score", lambda poll, counts: 10**6 if counts[0, 0] % 2 else 0)
        code, out, err = run("poll", people(tmp_path), *WORDS, "--mechanism", "weighted", "--release", "spring")
    assert (code, out) == (2, "")
    assert "the mechanism is not private: Pr[" in err
    words = (*WORDS, "--mechanism", "weighted", "--release", "spring", "--json")
    (found,) = questions(run("poll", people(tmp_path), *words))
    assert found["answer"] in ("yes", "no")
    assert questions(run("poll", people(tmp_path, VOTES[::-1]), *words)) == [found]


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch, typed: bytes) -> Iterator[Callable[[], str]]:
    """Somebody sits at a terminal and types; what is shown there is to be read before it is closed."""
    theirs, ours = os.openpty()
    os.write(theirs, typed)
    with monkeypatch.context() as seated, os.fdopen(ours, "r") as stdin, os.fdopen(os.dup(ours), "w") as stderr:
        seated.setattr(sys, "stdin", stdin)
        seated.setattr(sys, "stderr", stderr)

        def screen() -> str:
            stderr.flush()
            shown = b""
            while select.select([theirs], [], [], 0.0)[0]:
                shown += os.read(theirs, 1 << 16)
            return shown.decode()

        yield screen
    os.close(theirs)


def test_control_c_where_a_mechanism_is_asked_for(tmp_path: Path) -> None:
    """A process of its own on a terminal of its own, for that is what sends the signal."""
    seated = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
    words = [sys.executable, "-m", "neodp", "--store", str(tmp_path / "s.db"), "poll", people(tmp_path), *WORDS]
    with subprocess.Popen(
        [sys.executable, "-c", seated, *words, "--release", "spring"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        shown = b""
        while b"balanced or weighted? " not in shown and (more := os.read(process.stdout.fileno(), 1 << 16)):
            shown += more
        process.stdin.write(b"\x03")
        process.stdin.flush()
        rest = process.stdout.read()
    assert (process.returncode, b"interrupted" in rest) == (130, True)
    assert list(tmp_path.glob("*.db*")) == []


def test_the_mechanism_is_part_of_the_question(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A great difference between the two must be said; a kept answer is one of its own mechanism and prior."""
    file = people(tmp_path)
    code, out, err = run("poll", file, *WORDS, "--release", "spring")
    assert (code, out) == (2, "")
    assert err == (
        "neodp: 'answer' can be answered in two ways, and an answer cannot be drawn again: balanced is expected to be "
        "right 68 % of the time and weighted 78 %; with the least favourable votes 57 % and 1 %; choose with "
        "--mechanism balanced or --mechanism weighted\n"
    )
    assert run("releases")[1] == "no answers yet\n"
    for keys, code in ((b"\n", 1), (b"\x04", 1), (b"y\n\x04", 1), (b"both\nWeighted\n", 0)):
        shown, out, err = "", "", ""
        with terminal(monkeypatch, keys) as screen:
            found, out, err = run("poll", file, *WORDS, "--release", "spring", "--json")
            shown = screen()
        assert (found, err, shown.count("nothing was done")) == (code, "", code)
        assert "weighted is expected to be right 78 % of the time" in shown
        assert "Which mechanism, balanced or weighted? " in shown
        assert shown.count("Type balanced or weighted, or nothing to end") == (b"y" in keys or b"both" in keys)
    (kept,) = json.loads(out)["questions"]
    assert kept["mechanism"] == "weighted"
    again = run("poll", file, *WORDS, "--mechanism", "weighted", "--release", "spring", "--json")
    assert questions(again)[0]["answer"] == kept["answer"]
    for words, message in (
        (
            ("--mechanism", "balanced"),
            "was asked with mechanism 'weighted', and is now asked with mechanism 'balanced'",
        ),
        (
            ("--mechanism", "weighted", "--prior", "share:0.6"),
            "was asked with prior 'even', and is now asked with prior",
        ),
        (("--mechanism", "weighted", "--map", "ja=yes"), "was asked with cells none, and is now asked with cells"),
    ):
        code, out, err = run("poll", file, *WORDS, *words, "--release", "spring")
        assert (code, out) == (1, "")
        assert message in err


@both_stores
def test_one_answer_for_each_part_is_one_release(run: Run, tmp_path: Path) -> None:
    """Disjoint people: everybody pays once, and the budget of one release is enough for all parts."""
    rows = [f"{i},{'yes' if i < 40 else 'no'},low,{'north' if i < 40 else 'south'}\n" for i in range(80)]
    file = str(tmp_path / "parts.csv")
    Path(file).write_text("id,answer,privacy,region\n" + "".join(rows))
    words = ("poll", file, *WORDS, "--by", "region", "--release", "spring")
    found = questions(run(*words, "--by-values", "north,south", "--json"))
    assert [(q["part"], q["answer"], q["people"]) for q in found] == [("north", "yes", 40), ("south", "no", 40)]
    (kept,) = document(run("releases", "--json"))["releases"]
    assert json.loads(kept["answer"]) == {"north": "yes", "south": "no"}
    assert [(level["level"], level["epsilon"]) for level in kept["levels"]] == [("low", 2.0)]
    spent = document(run("budget", "--json"))
    assert (spent["used"], [(row["level"], row["epsilon"]) for row in spent["levels"]]) == (1, [("low", 2.0)])
    listed = tmp_path / "regions.txt"
    listed.write_text("north\nsouth\n")
    code, text, _ = run(*words, "--by-values", str(listed))
    assert code == 0
    once = "One answer for each 'region': everybody is in one of them only, and pays once"
    assert f"{once}, if nobody has two rows (--id COL checks that)." in text
    assert f"{once}." in run(*words, "--by-values", str(listed), "--id", "id")[1]
    assert "and who belongs to which 'region', is treated as public" in text
    code, _, err = run(*words, "--by-values", "north", "--by-other", "rest")
    assert code == 1
    assert "was asked with by_other none, and is now asked with by_other 'rest'" in err
    code, _, err = run(*words, "--by-values", "north,south,east")
    assert code == 2
    assert "'answer' of 'east' cannot be asked: nobody is in the part 'east'" in err
    code, _, err = run(*words[:-1], "autumn", "--by-values", "north,south")
    assert code == 1
    assert "1 answer given, 1 allowed" in err
    pasted = run("releases")[1].splitlines()
    (line,) = [line.strip() for line in pasted if line.strip().startswith("neodp poll")]
    assert questions(run(*shlex.split(line)[1:], "--json")) == found


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--epsilon", "1_0"), "has no column '1_0'"),
        (("--what-if", "inf"), "--what-if is 'inf'; give a number in plain digits, as in 12 or 0.5"),
        (("--what-if", "\u0661"), "--what-if"),
        (("--prior", "beta:1e300,1"), "the prior is 'beta:1e300,1'; give two numbers from 1e-09 to 1e+09"),
        (("--prior", "beta:1e-300,1"), "the prior is 'beta:1e-300,1'; give two numbers from 1e-09 to 1e+09"),
        (("--prior", "beta:1_0,1"), "the prior is 'beta:1_0,1'; give even"),
        (("--prior", "share:0_1"), "the prior is 'share:0_1'"),
        (("--prior", "share:low=0.6,low=0.4"), "gives 'low' two shares; keep one of them"),
        (("--prior", "share:low=0.6,low=0.6"), "gives 'low' two shares; keep one of them"),
    ],
)
def test_numbers_that_are_none(poll: Run, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    code, out, err = poll(people(tmp_path), *WORDS, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_sharp_prior_is_computed_and_asks_for_the_choice(poll: Run, tmp_path: Path) -> None:
    """It printed warnings of numpy and nan, and answered: a comparison with nan found no difference."""
    table, prior = people(tmp_path), ("--prior", "beta:60000,40000")
    (found,) = questions(poll(table, *WORDS, *prior, "--json"))
    same = questions(poll(table, *WORDS, "--prior", "share:0.6", "--json"))[0]["mechanisms"]
    for name, facts in found["mechanisms"].items():
        assert facts["expected"] == pytest.approx(same[name]["expected"], abs=1e-3)
    code, out, err = poll(table, *WORDS, *prior, "--release", "spring")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "can be answered in two ways" in err


# --- secret levels ----------------------------------------------------------------------------------------------------


SECRET = ("--vote", "answer", "--epsilon", "privacy", "--levels", "low=2,medium=1,high=0.3", "--secret-levels")


def secret(folder: Path, rows: str) -> str:
    path = folder / "secret.csv"
    path.write_text("answer,privacy\n" + rows)
    return str(path)


def test_secret_levels_show_the_same_whoever_takes_part(poll: Run, tmp_path: Path) -> None:
    words = (*SECRET, "--expect", "500 people, levels about 30/50/20")
    shown = {
        poll(secret(tmp_path, rows), *words, *more)
        for more in ((), ("--json",))
        for rows in ("yes,low\nno,high\n", "yes,high\nno,low\n", "yes,?\n?,0.2\n" * 20, "")
    }
    assert len(shown) == 2
    for code, out, _ in shown:
        assert code == 0
        assert "500 people, levels about 30/50/20" in out
    text = next(out for _, out, _ in shown if not out.startswith("{"))
    assert "An example, not this table" in text
    assert "Nothing here depends on the people." in text


@both_stores
def test_a_secret_answer_costs_a_share(run: Run, tmp_path: Path) -> None:
    words = ("poll", secret(tmp_path, "yes,low\n" * 30), *SECRET, "--share", "0.6", "--json")
    (first,) = questions(run(*words, "--release", "spring"))
    assert first["answer"] == "yes"  # wrong with a chance of e^-18
    assert questions(run(*words, "--release", "spring"))[0]["answer"] == "yes"
    code, _, err = run(*words, "--release", "summer")
    assert code == 1
    assert "3/5 of everybody's own epsilon is spent, and it would be 6/5" in err
    (revealed,) = questions(run(*words, "--reveal"))
    assert revealed["revealed"]["votes"] == {"yes": 30, "no": 0}
    code, _, err = run(*words, "--what-if", "1")
    assert (code, "need public levels" in err) == (2, True)
    assert run("report", "spring", "-o", str(tmp_path / "report.html"))[0] == 0


def test_equal_epsilons_and_equal_rows_are_said_in_one_sentence(poll: Run, tmp_path: Path) -> None:
    """Nobody asks for most privacy where all ask for the same, and a table of equal rows says nothing."""
    file = table(tmp_path, "v\n" + "yes\nno\n" * 450)
    text = poll(file, "--vote", "v", "--epsilon", "4", "--what-if", "1", "--margin", "400")[1]
    assert "Everybody has the same epsilon" in text or "Weighted is the same as balanced here" in text
    assert "who ask for most privacy" not in text
    assert re.search("It stays (100|more than 99) %, whoever asks for less privacy", text)


@pytest.mark.parametrize("query", ["majority", "counts"])
def test_a_first_draw_and_a_repeat_are_said_in_different_words(query: str, run: Run, tmp_path: Path) -> None:
    words = ("poll", people(tmp_path), *WORDS, "--mechanism", "balanced", "--query", query, "--release", "spring")
    first, again = run(*words)[1], run(*words)[1]
    assert "(release 'spring' of 'people answer', drawn now, and kept)" in first
    assert first.endswith(f"such an answer is right: {typed('report', 'spring', '-o', 'answer.html')}\n")
    assert re.search(r"\(release 'spring' of 'people answer', kept since \d+ \w+ 20\d\d; nothing was drawn\)", again)


def test_chances_are_shown_in_per_cents(poll: Run, tmp_path: Path) -> None:
    file = table(tmp_path, "v\n" + "yes\n" * 40)
    assert re.search(
        r"chances +yes: more than 99 %, no: [\d.e-]+ %\n", poll(file, "--vote", "v", "--epsilon", "1", "--reveal")[1]
    )


@both_stores
def test_the_same_table_of_other_people_is_pointed_out(run: Run, tmp_path: Path) -> None:
    file = people(tmp_path)
    words = (*WORDS, "--mechanism", "balanced")
    assert run("poll", file, *words, "--release", "spring")[0] == 0
    code, _, err = run("poll", file, *words, "--release", "summer")
    assert (code, "different people? add --population NAME; the same people: " in err) == (1, True)
    code, _, err = run("poll", file, *words, "--release", "summer", "--population", "others")
    assert code == 0
    assert "this table was also asked about as population 'default': if they are the same people" in err
    _, out, _ = run("budget")
    assert "Other populations" in out
    assert "others" in out
    second = Path(shutil.copy(file, tmp_path / "second.csv"))
    assert run("budget", "default", "--releases", "2")[0] == 0
    assert "also asked" not in run("poll", str(second), *words, "--release", "spring", "--population", "third")[2]
    assert "also asked about as population 'third'" in run("poll", str(second), *words, "--release", "autumn")[2]
