"""paragone in place of another co-scientist's ranking step: a better order for the same number of the same verdicts."""

import pytest


@pytest.fixture(scope="module")
def replace_ranking():
    """Loaded when a test needs it: what it imports takes a third of a second, and all workers collect."""
    import replace_ranking

    return replace_ranking


def test_the_same_verdicts_make_a_better_order_than_random_pairs(replace_ranking):
    for verdicts, theirs, ours in replace_ranking.compare(iterations=(1,), seeds=2):
        assert ours > theirs + 0.05, verdicts


def test_the_node_takes_and_returns_the_state_of_theirs(replace_ranking):
    state = {"research_goal": "sound", "hypotheses": [{"text": text} for text in replace_ranking.HYPOTHESES.values()]}
    ranked = replace_ranking.ranking_node(state, verdicts=24)["hypotheses"]
    assert sorted(hypothesis["text"] for hypothesis in ranked) == sorted(replace_ranking.HYPOTHESES.values())
    ratings = [hypothesis["elo_rating"] for hypothesis in ranked]
    assert ratings == sorted(ratings, reverse=True)
    assert sum(hypothesis["win_count"] for hypothesis in ranked) == sum(h["loss_count"] for h in ranked) > 0


def test_every_pair_in_order_is_a_round_robin(replace_ranking):
    assert replace_ranking.tau(replace_ranking.round_robin()) > 0.8
