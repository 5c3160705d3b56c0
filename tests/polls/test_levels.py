"""The gain from a higher epsilon in a poll."""

from neodp.polls import Group, poll, what_if


def test_what_if_is_the_poll_with_other_epsilons() -> None:
    groups = [Group(0.2, 3), Group(0.5, 4), Group(1.0, 6)]
    p, margin = poll(groups), 5
    for i, row in enumerate(what_if(p, margin, 0.4)):
        raised = groups[i].epsilon + 0.4
        others = groups[:i] + groups[i + 1 :]
        assert row.epsilon == raised
        assert row.all == poll([*others, Group(raised, groups[i].size)]).at(margin)
        assert row.one == poll([*others, Group(groups[i].epsilon, groups[i].size - 1), Group(raised, 1)]).at(margin)
        assert row.all.worst >= row.one.worst >= p.at(margin).worst
