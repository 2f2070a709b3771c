"""A panel in a tournament: with some of its members out, the others decide."""

import pytest

import without_board
from paragone.judges.call_options import CallOptions
from paragone.judges.panel_judge import PanelJudge
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.tournaments.tournament import Tournament

STRENGTHS = {f"h{place}": 0.8 * place for place in range(8)}
ITEMS = {id: f"hypothesis {id}" for id in STRENGTHS}


def members(*failures):
    return [SimulatedJudge(STRENGTHS, noise=0.1, seed=seed, failures=share) for seed, share in enumerate(failures)]


def played(panel, **options):
    with Tournament.create(ITEMS, judge=panel, criteria="larger", pairing="round-robin", seed=1, **options) as run:
        without_board.run(run, pace=CallOptions(concurrency=2, attempts=1, wait=0.0))
        return run.stop, run.state


@pytest.mark.parametrize("orders", [2, 4])
def test_with_half_of_the_judges_down_the_others_decide_every_match(orders):
    panel = PanelJudge(members(0.0, 0.0, 1.0, 1.0))
    stop, state = played(panel, comparison_rounds=orders)
    assert (stop.failed, stop.reason) == (False, "everyone has met everyone")
    good = {member.card.identity for member in panel.members[:2]}
    assert {comparison.verdict.judge for comparison in state.comparisons} <= good
    assert len(state.played) == 28
    strength = dict(zip(state.ids, state.posterior.strength.tolist(), strict=True))
    assert sorted(strength, key=strength.get)[-2:] == ["h6", "h7"]


def test_a_match_that_a_member_could_not_judge_falls_to_another_in_a_later_round():
    _, state = played(PanelJudge(members(0.0, 0.0, 1.0, 1.0)))
    assert len(state.played) > 25


def test_with_all_of_them_down_it_is_an_outage():
    stop, state = played(PanelJudge(members(1.0, 1.0)))
    assert stop.failed
    assert state.played == []
