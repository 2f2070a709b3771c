"""Rivals and allies in numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.relationships import (
    Relationship,
    RelationshipMetrics,
    alliance,
    allies,
    classify,
    metrics,
    rivalry,
    rivals,
)
from paragone.domain.agent_evidence import Dealings, Relation

counts = st.integers(0, 30)
any_dealings = st.builds(
    Dealings, debates=counts, agreements=counts, critiques_a_to_b=counts, critiques_b_to_a=counts,
    accepted_a_to_b=counts, accepted_b_to_a=counts, changes_a_after_b=counts, changes_b_after_a=counts,
    a_wins=counts, b_wins=counts,
)  # fmt: skip


def seen(dealings, a="a", b="b"):
    return metrics(a, b, Relation(a=a, b=b, dealings=dealings))


@pytest.mark.parametrize(
    ("dealings", "rivals", "allies", "relationship"),
    [
        # .3 + .4 x .8 + .3 x 9/10 = .89; more than two decided: .5 x .2 + .3 x .5 + .2 x .1 = .27
        (Dealings(debates=20, agreements=4, a_wins=10, b_wins=9), 0.89, 0.27, "rival"),
        # .3 x .5 + .4 x .1 + .3 x 0 = .19; .5 x .9 + .3 x .8 + .2 x 1 = .89
        (Dealings(debates=10, agreements=9, critiques_a_to_b=3, critiques_b_to_a=2, accepted_a_to_b=3,
                  accepted_b_to_a=1, a_wins=3), 0.19, 0.89, "ally"),
        # two decided matches tell nothing of an alliance: .5 x .5 + .5 x .5; rivalry .3 x .2 + .4 x .5 + .3 x 0
        (Dealings(debates=4, agreements=2, a_wins=2), 0.26, 0.5, "neutral"),
        # nobody has won: balance .5; .3 x .1 + .4 x .5 + .3 x .5 = .38; .5 x .5 + .5 x .5 = .5
        (Dealings(debates=2, agreements=1), 0.38, 0.5, "acquaintance"),
        # one debate is enough for an ally: .3 x .05 + 0 + .15 = .165; .5 + .5 = 1
        (Dealings(debates=1, agreements=1, critiques_a_to_b=1, accepted_a_to_b=1), 0.165, 1.0, "ally"),
        # thirty debates count as twenty
        (Dealings(debates=30, agreements=0, a_wins=1, b_wins=2), 0.85, 0.25, "rival"),
        # agreements that nobody debated are one at the most
        (Dealings(debates=1, agreements=5), 0.165, 0.75, "ally"),
    ],
)  # fmt: skip
def test_worked_relations(dealings, rivals, allies, relationship):
    found = seen(dealings)
    assert found.rivalry_score == pytest.approx(rivals)
    assert found.alliance_score == pytest.approx(allies)
    assert found.relationship == relationship


def test_where_there_is_no_row_nothing_is_known():
    found = metrics("a", "b", None)
    assert found == RelationshipMetrics(
        agent_a="a", agent_b="b", rivalry_score=0.0, alliance_score=0.0, relationship=Relationship.UNKNOWN,
        debate_count=0, agreement_rate=0.0, head_to_head="0-0",
    )  # fmt: skip


def test_where_there_was_no_debate_there_is_no_history():
    found = seen(Dealings(agreements=3, critiques_a_to_b=2, a_wins=1))
    assert found.relationship == "no_history"
    assert (found.rivalry_score, found.alliance_score, found.agreement_rate) == (0.0, 0.0, 0.0)


def test_wins_are_seen_from_the_first():
    relation = Relation(a="claude", b="gpt4", dealings=Dealings(debates=4, agreements=1, a_wins=3, b_wins=1))
    assert metrics("claude", "gpt4", relation).head_to_head == "3-1"
    assert metrics("gpt4", "claude", relation).head_to_head == "1-3"
    assert metrics("gpt4", "claude", relation).agreement_rate == 0.25


def test_a_relation_of_others_is_refused():
    with pytest.raises(ValueError, match="not of 'a' and 'c'"):
        metrics("a", "c", Relation(a="a", b="b", dealings=Dealings()))


@pytest.mark.parametrize(
    ("rivalry", "alliance", "debates", "expected"),
    [
        (0.6, 0.1, 9, "neutral"),  # above, not at
        (0.61, 0.1, 9, "rival"),
        (0.7, 0.7, 9, "neutral"),  # neither is above the other
        (0.7, 0.71, 9, "ally"),
        (0.61, 0.1, 1, "rival"),
        (0.6, 0.6, 2, "acquaintance"),
        (0.6, 0.6, 3, "neutral"),
        (0.9, 0.1, 0, "no_history"),
    ],
)
def test_what_two_are_to_each_other(rivalry, alliance, debates, expected):
    assert classify(rivalry, alliance, debates) == expected


@given(any_dealings)
def test_scores_are_shares_and_the_same_from_both_sides(dealings):
    for score in (rivalry, alliance):
        assert 0.0 <= score(dealings) <= 1.0 + 1e-12
        assert score(dealings) == score(dealings.reversed)
    one, other = seen(dealings), seen(dealings.reversed, "b", "a")
    assert one.relationship == other.relationship
    assert one.head_to_head == "-".join(other.head_to_head.split("-")[::-1])
    assert metrics("b", "a", Relation(a="a", b="b", dealings=dealings)) == other


def between(a, b, debates, agreements):
    return Relation(a=a, b=b, dealings=Dealings(debates=debates, agreements=agreements))


def test_rivals_and_allies_are_listed_by_score_and_name():
    """By rivalry, me against: x and y .3 + .4 + .15 = .85, z .35, w .15 + .015, and v not above .3 either."""
    relations = [
        between("me", "y", 20, 0),
        between("x", "me", 20, 0),
        between("me", "z", 10, 9),  # .15 + .04 + .15
        between("me", "w", 1, 1),  # .015 + 0 + .15
        between("p", "q", 20, 0),
    ]
    found = rivals("me", relations)
    assert [(one.agent_a, one.agent_b) for one in found] == [("me", "x"), ("me", "y"), ("me", "z")]
    assert [one.rivalry_score for one in found] == pytest.approx([0.85, 0.85, 0.34])
    assert [one.agent_b for one in rivals("me", relations, count=1)] == ["x"]
    assert rivals("me", relations, count=0) == rivals("me", relations, count=-1) == ()
    assert [one.agent_b for one in allies("me", relations)] == ["w", "z"]  # .75 and .7; x and y .25
    assert rivals("nobody", relations) == ()


@pytest.mark.parametrize(
    ("listed", "at", "above"),
    [
        (rivals, {"debates": 20, "agreements": 20, "a_wins": 60}, {"b_wins": 1}),  # .3 + 0 + 0, .3 / 60 more
        (allies, {"debates": 100, "agreements": 60, "critiques_a_to_b": 1}, {"agreements": 61}),  # .5 x .6, .5 x .61
    ],
)
def test_a_score_of_three_tenths_is_not_listed_and_a_little_more_is(listed, at, above):
    assert listed("me", [Relation(a="me", b="z", dealings=Dealings(**at))]) == ()
    assert len(listed("me", [Relation(a="me", b="z", dealings=Dealings(**{**at, **above}))])) == 1
