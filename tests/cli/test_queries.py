"""Canned queries and pictures on the command line, on both stores."""

from pathlib import Path

from tests.running import Run, both_stores, document


@both_stores
def test_queries(survey: Run) -> None:
    listed = document(survey("query", "--list", "--json"))["queries"]
    assert {"summary", "least_accurate", "neighborhood"} <= {q["name"] for q in listed}
    found = document(survey("query", "least_accurate", "survey", "limit=2", "--json"))
    assert found["columns"] == ["key", "color", "p_true", "distance"]
    assert len(found["rows"]) == 2
    assert document(survey("query", "neighborhood", "survey", "key=1-1", "--json"))["rows"]
    assert "least_accurate" in survey("query", "--list")[1]
    assert "MATCH" in survey("query", "summary", "--cypher")[1]
    assert "no rows" in survey("query", "missing_alpha", "survey")[1]
    survey("generate", "path", "new", "4")
    assert survey("query", "least_accurate", "new")[1] == "'new' has no mechanism yet: neodp extend new\n"
    for words, message in (
        (("query",), "which query, on which graph? as in 'neodp query summary GRAPH'"),
        (("query", "sumary", "survey"), "there is no query 'sumary'; did you mean 'summary'?"),
        (("query", "least_accurate", "survey", "5"), "'5' is not a parameter; give name=value, as in limit=5"),
        (("query", "least_accurate", "survey", "limit=x"), "limit is 'x'; give a whole number"),
        (("query", "neighborhood", "survey"), "query 'neighborhood' needs the parameter 'key'; give it as key=…"),
    ):
        code, _, err = survey(*words)
        assert code == 2
        assert message in err


@both_stores
def test_plots(survey: Run, tmp_path: Path) -> None:
    for suffix in ("svg", "png", "pdf", "html"):
        file = tmp_path / f"picture.{suffix}"
        assert document(survey("plot", "survey", "-o", str(file), "--json"))["file"] == str(file)
        assert file.stat().st_size > 1000
    code, _, err = survey("plot", "survey", "-o", str(tmp_path / "picture.gif"))
    assert code == 2
    assert "use .svg, .png, .pdf or .html" in err
