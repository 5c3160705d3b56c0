"""Starting from the accuracy: what is proposed reaches it, a little less does not, and no vote is read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import neodp
from neodp.cli import main
from neodp.polls import Group, poll
from neodp.polls.proposals import proposal

EPSILONS = [0.3, 1.0, 2.0]
TABLE = {"v": ["yes", "no", "yes"] * 7, "e": EPSILONS * 7}


def test_one_epsilon_follows_from_the_closed_form() -> None:
    """At a margin of 3, a wrong answer has the chance e^(-2 e) / (1 + e^e)."""
    found = neodp.poll(TABLE, vote="v", epsilon="e").propose(0.95, margin=3)["v"]
    assert found.epsilon is not None

    def right(e: float) -> float:
        return 1.0 - math.exp(-2.0 * e) / (1.0 + math.exp(e))

    assert right(found.epsilon) >= 0.95 > right(found.epsilon - 0.001)
    assert found.epsilon_reaches == pytest.approx(right(found.epsilon))


def test_a_factor_reaches_the_accuracy_and_less_does_not() -> None:
    survey = neodp.poll(TABLE, vote="v", epsilon="e")
    found = survey.propose(0.9)["v"]
    assert found.factor is not None
    assert found.now < 0.9
    measure = survey.questions[0].measure()
    for factor, reached in ((found.factor, True), (0.99 * found.factor, False)):
        assert (measure([Group(e * factor, 7) for e in EPSILONS]) >= 0.9) is reached


def test_more_people_help_under_a_prior_and_not_at_a_margin() -> None:
    survey = neodp.poll(TABLE, vote="v", epsilon="e")
    found = survey.propose(0.8)["v"]
    assert found.people is not None
    assert found.people > 21
    assert survey.propose(0.99, margin=2)["v"].people is None


def test_few_programs_are_solved() -> None:
    """A guess decides where to look, and not what is found: the least number of three digits."""
    asked: list[float] = []

    def measure(groups: Sequence[Group]) -> float:
        asked.append(groups[0].epsilon)
        return 1.0 - 0.5 / (1.0 + groups[0].epsilon * math.sqrt(groups[0].size))

    def guess(groups: Sequence[Group]) -> float:
        return 1.0 - 0.52 / (1.0 + groups[0].epsilon * math.sqrt(groups[0].size))

    found = proposal(measure, [Group(0.5, 9)], 0.9, guess=guess)
    assert len(asked) <= 20
    assert (found.epsilon, found.factor, found.people) == (1.34, 2.67, 64)
    assert proposal(measure, [Group(0.5, 9)], 0.9) == found


def test_what_cannot_be_reached_is_said() -> None:
    found = proposal(lambda groups: 0.7, [Group(1.0, 5)], 0.9)
    assert (found.epsilon, found.factor, found.people) == (None, None, None)


def test_an_accuracy_that_is_reached_needs_nobody_else() -> None:
    found = proposal(lambda groups: poll(groups).worst_at(5), [Group(3.0, 11)], 0.9)
    assert found.people == 11
    assert found.factor is not None
    assert found.factor < 1.0


@pytest.mark.parametrize("accuracy", [0.0, 1.0, -1, 2, "much", True])
def test_an_impossible_accuracy_is_refused(accuracy: float) -> None:
    with pytest.raises(neodp.NeodpError, match=r"above 0 and below 1|give a number"):
        neodp.poll(TABLE, vote="v", epsilon="e").propose(accuracy, margin=1)


def test_secret_levels_and_impossible_margins_are_refused() -> None:
    secret = neodp.poll(TABLE, vote="v", epsilon="e", secret_levels=True)
    with pytest.raises(neodp.NeodpError, match="levels are secret"):
        secret.propose(0.9)
    with pytest.raises(neodp.NeodpError, match="the margin is 99; give a number from 1 to 11"):
        neodp.poll(TABLE, vote="v", epsilon="e").propose(0.9, margin=99)


def test_a_count_is_within_so_many_people() -> None:
    """Noise with Pr[|Z| > m] <= 5 %: the proposal keeps it, whatever the votes."""
    survey = neodp.poll({"v": ["yes", "no"] * 100}, vote="v", epsilon=0.1, query="count:yes")
    found = survey.propose(0.95, margin=5)["v"]
    assert found.epsilon is not None
    again = neodp.poll({"v": ["yes", "no"] * 100}, vote="v", epsilon=found.epsilon, query="count:yes")
    assert again.facts()[0]["mechanisms"]["balanced"]["certain_95"] <= 5  # type: ignore[attr-defined]
    with pytest.raises(neodp.NeodpError, match="how far may the count be off"):
        survey.propose(0.95)


def test_the_command_needs_no_epsilon(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "people.csv"
    file.write_text("answer\n" + "yes\nno\nyes\n" * 7)
    store = ["--store", str(tmp_path / "answers.db")]
    assert main([*store, "poll", str(file), "--vote", "answer", "--accuracy", "0.95", "--margin", "3"]) == 0
    shown = capsys.readouterr().out
    assert "to be right 95 % of the time, at a margin of 3 people" in shown
    assert re.search(r"one epsilon for everybody +0\.884 +95 %\s", shown)
    assert not re.search(r"\d\.\d{4}", shown)
    assert (
        main([*store, "poll", str(file), "--vote", "answer", "--query", "count", "--accuracy", "0.9", "--margin", "3"])
        == 0
    )
    assert "to be off by at most 3 people 90 % of the time, whatever the votes are" in capsys.readouterr().out
    words = [*store, "poll", str(file), "--vote", "answer", "--accuracy", "0.95", "--epsilon", "0.5"]
    assert main([*words, "--margin", "3", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["questions"]
    assert found["epsilon"] == 0.884
    assert main([*words, "--release", "spring"]) == 2
    assert "before anything is drawn" in capsys.readouterr().err
