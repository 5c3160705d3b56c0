"""``boundary --optimize`` and ``boundary --compare``, on both stores."""

from pathlib import Path

import pytest

from neodp import generate
from neodp.store import open_store
from neodp.study import optimum as optimize
from tests.running import Run, both_stores, document


@pytest.fixture
def voters(run: Run) -> Run:
    """A store with Fig. 1 of paper 000."""
    assert run("generate", "three-voters", "voters")[0] == 0
    return run


@both_stores
def test_optimize_write_extend_audit(voters: Run) -> None:
    found = document(voters("boundary", "voters", "--optimize", "--write", "--json"))
    best, even, same = found["choices"]
    assert [best["choice"], even["choice"], same["choice"]] == ["optimized", "balanced", "homogeneous"]
    assert best["expected"] > even["expected"] > same["expected"]
    assert (found["prior"], found["fair"], found["written"], found["given"]) == ("uniform", False, 6, 6)
    assert best["expected"] == pytest.approx(found["bound"], abs=1e-9)
    stats = document(voters("extend", "voters", "--json"))
    assert stats["mean_p_true"] == pytest.approx(best["expected"], abs=1e-12)
    assert document(voters("audit", "voters", "--json"))["violations"] == 0
    text = voters("boundary", "voters", "--optimize", "--fair")[1]
    assert ["optimized", "0.71926", "0.622459"] in [line.split() for line in text.splitlines()]


@both_stores
def test_priors_from_a_file_and_from_a_property(voters: Run, tmp_path: Path) -> None:
    table = tmp_path / "weights.csv"
    table.write_text("key,weight\n122,3\n111,1\n")
    g = generate.three_voters()
    found = document(voters("boundary", "voters", "--optimize", "--prior", str(table), "--json"))
    assert found["choices"][0]["expected"] == optimize.optimize(g, optimize.prior(g, {"122": 3, "111": 1})).expected
    voters("boundary", "voters", "--balanced", "--write")
    voters("extend", "voters")
    by_property = document(voters("boundary", "voters", "--optimize", "--prior", "distance", "--json"))
    assert by_property["prior"] == "distance"
    weighted = document(voters("boundary", "voters", "--optimize", "--prior", "p", "--json"))
    assert weighted["choices"][0]["expected"] >= weighted["choices"][1]["expected"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--optimize", "--balanced"), "--balanced and --optimize cannot be combined; give one of them"),
        (("--fair",), "--fair only works with --optimize; give --optimize as well"),
        (("--prior", "distance"), "--prior only works with --optimize; give --optimize as well"),
        (("--write",), "there is no alpha to write; choose one with --balanced, --alpha or --optimize"),
        (("--optimize", "--prior", "weight"), "no dataset of graph 'voters' has a property 'weight'; give uniform,"),
        (("--optimize", "--prior", "color"), "graph 'voters': the weight is '"),
        (("--optimize", "--prior", "none.csv"), "there is no file none.csv; correct the path"),
    ],
)
def test_refused(voters: Run, words: tuple[str, ...], message: str) -> None:
    code, out, err = voters("boundary", "voters", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert document(voters("show", "voters", "--json"))["mechanism"] is None


@both_stores
def test_what_if(voters: Run) -> None:
    now, half, one = document(voters("boundary", "voters", "--what-if", "0.5", "--json"))["what_if"]
    assert (now["epsilon"], half["epsilon"], half["raised"], one["raised"]) == (None, 0.5, 1.0, 1.5)
    assert half["worst"] > now["worst"] == one["worst"]
    shown = [line.split() for line in voters("boundary", "voters", "--what-if", "0.5")[1].splitlines()]
    assert ["0.5", "1", "2", "6", "0.773559", "0.731059"] in shown
    assert "an epsilon is raised by -1.0; give a number above 0" in voters("boundary", "voters", "--what-if", "-1")[2]


def test_which_graph(run: Run) -> None:
    assert run("boundary")[2] == "neodp: which graph? as in 'neodp boundary GRAPH'; 'neodp list' lists them\n"


def test_compare_two_stored_mechanisms_with_a_picture(voters: Run, address: str, tmp_path: Path) -> None:
    with open_store(address) as store:
        store.load("even", generate.three_voters())
    for name, choice in (("voters", "--optimize"), ("even", "--balanced")):
        voters("boundary", name, choice, "--write")
        voters("extend", name)
    picture = tmp_path / "both.svg"
    found = document(voters("boundary", "--compare", "voters", "even", "-o", str(picture), "--json"))
    assert (found["verdict"], found["first_better"], found["second_better"]) == ("first", 2, 0)
    assert {gain["key"] for gain in found["first_gains"]} == {"122", "211"}
    assert "'voters' is at least as accurate as 'even' everywhere" in picture.read_text()
    text = voters("boundary", "--compare", "even", "voters")[1]
    assert text.startswith(
        "'voters' is at least as accurate as 'even' everywhere: 'even' is better on 0, 'voters' on 2, "
    )
    voters("generate", "path", "none", "3")
    code, _, err = voters("boundary", "--compare", "none", "voters")
    assert (code, "graph 'none' has no complete mechanism" in err) == (1, True)


def test_compare_two_tables(run: Run, tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("key,p_true\n1,0.58\n2,0.76\n")
    two.write_text("key,p_true\n2,0.73\n1,0.64\n")
    found = document(run("boundary", "--compare", str(one), str(two), "--json"))
    assert (found["verdict"], found["first_gains"][0]["key"]) == ("neither", "2")
    two.write_text("key,p_true\n2,1.73\n1,0.64\n")
    code, _, err = run("boundary", "--compare", str(one), str(two))
    assert code == 2
    assert "two.csv, line 2: p_true is 1.73, out of range; give a probability from 0 to 1" in err
    two.write_text("key,p_true\n2,much\n1,0.64\n")
    assert "p_true is 'much', not a number; give a number" in run("boundary", "--compare", str(one), str(two))[2]
    code, _, err = run("boundary", "--compare", str(one), str(one), "-o", str(tmp_path / "a.gif"))
    assert (code, "use .svg, .png or .pdf" in err) == (2, True)
