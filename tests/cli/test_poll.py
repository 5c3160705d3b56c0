"""``neodp poll``: what it shows before an answer, what only the steward may see, and every message, from any table."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neodp
from neodp import generate
from neodp.cli import main
from neodp.polls import Threshold
from neodp.polls.mechanism import UNIT
from tests.running import Run, document

VOTES = ["yes"] * 7 + ["no"] * 5
LEVELS = ["low", "medium", "high"] * 4
EPSILON = {"low": 2.0, "medium": 1.0, "high": 0.3}
WORDS = ("--vote", "answer", "--epsilon", "privacy", "--levels", "low=2,medium=1,high=0.3")


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
        assert list(tmp_path.glob("*.lbdb*")) == []
        return code, out, err

    return go


def questions(result: tuple[int, str, str]) -> Any:
    """What the JSON document says of each question."""
    return document(result)["questions"]


def test_before_an_answer_nothing_depends_on_the_votes(poll: Run, tmp_path: Path) -> None:
    shown = [poll(people(tmp_path, votes), *WORDS, "--what-if", "0.5") for votes in (VOTES, VOTES[::-1], ["no"] * 12)]
    assert shown[0] == shown[1] == shown[2]
    text = shown[0][1]
    assert "question     answer: do at least 7 of 12 people choose 'yes'? A tie is a no." in text
    assert "people       12 in 3 groups of equal epsilon" in text
    assert "high 0.3 4 a factor of 1.35 57.4%" in " ".join(text.split())
    assert "Nothing here tells anything about the votes. Who took part, with which epsilon, is taken as public." in text
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
    assert "NOT PRIVATE, not to be passed on:\ntruth        yes, by a margin of 1: 7 yes, 5 no" in text
    assert "Only what is marked may tell anything about the votes." in text


def test_people_with_epsilon_0_are_not_asked(poll: Run, tmp_path: Path) -> None:
    silent = [*LEVELS[:-2], "0", "0"]
    one = poll(people(tmp_path, VOTES, silent), *WORDS, "--reveal", "--json")
    other = poll(people(tmp_path, [*VOTES[:-2], "yes", "whatever"], silent), *WORDS, "--reveal", "--json")
    assert one == other
    (found,) = questions(one)
    assert (found["people"], found["silent"]) == (10, 2)
    text = poll(people(tmp_path, VOTES, silent), *WORDS)[1]
    assert "silent       2 with epsilon 0, who are not asked: no answer may depend on them" in text


def test_several_questions_parquet_and_skipped_votes(poll: Run, tmp_path: Path) -> None:
    table = {"tax": [True, False, None, True], "park": [1, 1, 0, 0], "epsilon": [0.5, 0.5, 1.0, 1.0]}
    pq.write_table(pa.table(table), tmp_path / "people.parquet")
    words = (str(tmp_path / "people.parquet"), "--vote", "tax", "--vote", "park", "--epsilon", "epsilon")
    code, out, err = poll(*words)
    assert (code, out) == (2, "")
    assert "people.parquet, row 3: there is no vote; give one, or leave such people out with --skip-empty" in err
    tax, park = questions(poll(*words, "--skip-empty", "--json"))
    assert (tax["people"], tax["skipped"], park["people"], park["skipped"]) == (3, 1, 4, 0)
    text = poll(*words, "--skip-empty", "--reveal")[1]
    assert "This is per question: over all 2 of them, each epsilon counts 2 times." in text
    assert "NOT PRIVATE, not to be passed on: the columns from truth on." in text


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
    assert "all of high" in poll(people(tmp_path), *WORDS, "--what-if", "0.7")[1]


def test_levels_from_a_table(poll: Run, tmp_path: Path) -> None:
    (tmp_path / "levels.csv").write_text("level,epsilon\nlow,2\nmedium,1\nhigh,0.3\n")
    words = (*WORDS[:-1], str(tmp_path / "levels.csv"))
    assert poll(people(tmp_path), *words) == poll(people(tmp_path), *WORDS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*WORDS[:1], "anser", *WORDS[2:]), "people.csv has no column 'anser'; did you mean 'answer'?"),
        ((*WORDS[:3], "privcy", *WORDS[4:]), "people.csv has no column 'privcy'; did you mean 'privacy'?"),
        (WORDS[:4], "people.csv, line 2: epsilon is 'low'; give a number, or name levels with --levels"),
        ((*WORDS[:4], "--levels", "low=2,medum=1"), "line 3: epsilon is 'medium'; did you mean 'medum'?"),
        ((*WORDS[:4], "--levels", "low=-2"), "epsilon is -2.0; give a number from 0 to 690"),
        ((*WORDS[:4], "--levels", "low=two"), "the level 'low' is 'two'; give it an epsilon, as in low=2,high=0.3"),
        ((*WORDS[:4], "--levels", "none.csv"), "there is no file none.csv; correct the path"),
        ((*WORDS, "--query", "most"), "the query is 'most'; give majority, plurality, or a share as in threshold:2/3"),
        ((*WORDS, "--options", "tea,coffee"), "line 2: the vote is 'yes'; the options are tea, coffee; name others"),
        ((*WORDS, "--what-if", "-1"), "--what-if is -1.0; give by how much an epsilon is raised, as in 0.5"),
        ((*WORDS, "--what-if", "1", "--margin", "9"), "--margin is 9; no dataset has a margin above 7"),
        (("--vote", "answer"), "which column is it, --epsilon?; name it, as in --epsilon COL"),
        (("--epsilon", "privacy"), "which column is it, --vote?; name it, as in --vote COL"),
        ((*WORDS, "--cypher", "RETURN 1"), "where are the people?; give one of a file and --cypher"),
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


def test_the_house_of_1984_in_one_command(tmp_path: Path) -> None:
    """The script of the docs on a file of the same form: sixteen questions, levels by position, ? for no vote."""
    lines = [f"republican,{','.join('yn?'[(i + bill) % 3] for bill in range(16))}\n" for i in range(30)]
    (tmp_path / "votes.data").write_text("".join(lines))
    script = Path(__file__).parents[2] / "docs" / "house_votes.py"
    words = [sys.executable, str(script), str(tmp_path / "votes.data"), "--json", "--reveal"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    questions = json.loads(done.stdout)["questions"]
    assert len(questions) == 16
    assert {(q["people"], q["skipped"]) for q in questions} == {(20, 10)}
    assert all(
        [g["level"] for g in q["groups"]] in (["high", "medium"], ["medium", "low"], ["high", "low"]) for q in questions
    )


# --- from a store -----------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(run: Run, store: Any, raw: Callable[..., list[list[Any]]]) -> Run:
    """A store with people in it."""
    if "://" not in store.address:
        raw("CREATE NODE TABLE Person(id STRING PRIMARY KEY, vote STRING, epsilon DOUBLE)")
    for i, vote in enumerate(VOTES):
        raw("CREATE (:Person {id: $id, vote: $vote, epsilon: $e})", id=str(i), vote=vote, e=EPSILON[LEVELS[i]])
    store.close()
    return run


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
    three = "MATCH (p:Person) WHERE p.id IN ['0', '1', '2'] RETURN p.id, p.epsilon ORDER BY p.id"
    for words, message in (
        (("--cypher", named), "the query returns 3 columns: id, e, v; return a vote and an epsilon, or name"),
        (
            ("--cypher", named, "--vote", "w", "--epsilon", "e"),
            "the query returns no column 'w'; its columns are id, e",
        ),
        (("--cypher", named, "--vote", "v"), "which column is it, --epsilon?; name it, as in --epsilon COL"),
        (("--cypher", named, "--epsilon", "e"), "which column is it, --vote?; name it, as in --vote COL"),
        (("--cypher", "MATCH (p:Person) SET p.vote = 'no' RETURN p.vote, p.epsilon"), "the Cypher query would write"),
        (("--cypher", three), "row 3 of the query's result: the vote is '2'"),
        (("--cypher", "MATCH p:Person"), "refused: "),
    ):
        code, out, err = asked("poll", *words)
        assert (code, out) == (2, "")
        assert message in err
    again = questions(asked("poll", "--cypher", query, "--reveal", "--json"))
    assert again[0]["revealed"] == from_file["revealed"]


# --- answers ----------------------------------------------------------------------------------------------------------


def test_an_answer_is_drawn_once_and_kept(run: Run, tmp_path: Path) -> None:
    """Whoever asks again gets the same answer, also when the votes have changed; another name costs another release."""
    sure = ["low"] * 40
    words = (*WORDS, "--release", "spring", "--json")
    (first,) = questions(run("poll", people(tmp_path, ["yes"] * 40, sure), *words))
    assert (first["graph"], first["release"], first["answer"]) == ("people answer", "spring", "yes")
    (again,) = questions(run("poll", people(tmp_path, ["no"] * 40, sure), *words))
    assert again["answer"] == "yes"
    code, out, err = run("poll", people(tmp_path), *WORDS, "--release", "autumn")
    assert (code, out) == (1, "")
    assert "release 'autumn' about population 'default' is refused: requested 1, used 1, allowed 1" in err
    assert run("budget", "--releases", "2")[0] == 0
    (other,) = questions(run("poll", people(tmp_path, ["no"] * 40, sure), *words, "--name", "another"))
    assert (other["graph"], other["answer"]) == ("another answer", "no")
    text = run("poll", people(tmp_path, ["no"] * 40, sure), *WORDS, "--release", "spring")[1]
    assert "answer       yes    (release 'spring' of 'people answer', kept)" in text
    assert "Only the answers may tell anything about the votes." in text


def test_nothing_is_answered_that_is_not_private(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Threshold, "cost", lambda poll, counts: 100 * UNIT if poll.truth(counts) else 0)
        code, out, err = run("poll", people(tmp_path), *WORDS, "--release", "spring")
    assert (code, out) == (2, "")
    assert "the mechanism is not private: Pr[yes] is" in err
    assert "report this; nothing was answered" in err
    assert run("poll", people(tmp_path), *WORDS, "--release", "another")[0] == 0
