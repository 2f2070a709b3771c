"""What a tournament is asked to do."""

import json

import pytest

from paragone.domain import Aim, TournamentSystemConfig
from paragone.domain.config_values import system_of
from paragone.errors import InvalidConfig
from paragone.tournaments.tournament_settings import TournamentSettings, settings_for


def brief(items=20, **options):
    return settings_for(items, criteria="better", judge="local", **options)


def test_informative_takes_ten_calls_an_item_but_never_more_than_there_are_ordered_pairs():
    assert brief(20).budget == 200
    assert brief(5).budget == 20


def test_swiss_asks_in_both_orders_and_has_no_budget_of_its_own():
    swiss = brief(pairing="swiss")
    assert (swiss.comparison_rounds, swiss.budget) == (2, None)


def test_a_seed_is_drawn_where_none_is_given_and_kept_where_one_is():
    assert brief(seed=0).seed == 0
    assert len({brief().seed for _ in range(5)}) > 1


@pytest.mark.parametrize(
    ("options", "aim"),
    [({}, Aim.BALANCED), ({"top": 3}, Aim.TOP), ({"winner": True}, Aim.WINNER), ({"whole_order": True}, Aim.ORDER)],
)
def test_the_goal_follows_the_ranking_asked_for(options, aim):
    assert brief(**options).goal.aim is aim


def test_survives_the_ledger():
    before = brief(top=3, seed=7, confidence=0.8, max_cost=1.5)
    assert TournamentSettings.from_json(json.loads(json.dumps(before.as_json()))) == before


def test_may_be_extended():
    after = brief(seed=1).extended({"budget": 500, "confidence": 0.99})
    assert (after.budget, after.goal.confidence, after.seed) == (500, 0.99, 1)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"pairing": "random"}, "random"),
        ({"draws": "win"}, "draws"),
        ({"budget": 0}, "budget"),
        ({"comparison_rounds": 0}, "comparison_rounds"),
        ({"elimination_count": 0}, "elimination_count"),
        ({"seed": -1}, "seed"),
        ({"max_cost": 0.0}, "max_cost"),
        ({"level": 1.0}, "level"),
        ({"audit_share": 1.5}, "audit_share"),
        ({"confidence": 1.0}, "confidence"),
        ({"top": 20}, "top 20"),
        ({"top": 0}, "top"),
        ({"top": 3, "winner": True}, "one ranking"),
    ],
)
def test_refuses_what_cannot_be_and_names_it(options, named):
    with pytest.raises(InvalidConfig, match=named):
        brief(**options)


def test_refuses_empty_criteria():
    with pytest.raises(InvalidConfig, match="criteria"):
        settings_for(3, criteria="  ", judge="local")


@pytest.mark.parametrize("wrong", [{"budget": "30"}, {"seed": "x"}, {"max_tokens": 1.5}, {"criteria": None}])
def test_values_of_another_type_are_named(wrong):
    with pytest.raises(InvalidConfig, match=next(iter(wrong))):
        settings_for(4, **{"criteria": "c", "judge": "j", **wrong})


class TestWeighted:
    def test_has_the_documents_parameters_where_nothing_is_said(self):
        weighted = brief(pairing="weighted")
        assert weighted.system == TournamentSystemConfig()
        assert (weighted.budget, weighted.comparison_rounds) == (None, 1)

    def test_its_parameters_survive_the_ledger(self):
        system = system_of({"k_factor": 16, "debate_rounds": {"elite": 4}, "resource_budget_per_round": 100})
        before = brief(pairing="weighted", system=system, seed=1)
        assert TournamentSettings.from_json(json.loads(json.dumps(before.as_json()))) == before

    def test_parameters_that_an_older_paragone_did_not_know_have_their_default(self):
        kept = json.loads(json.dumps(brief(pairing="weighted", seed=1).as_json()))
        del kept["system"]["policy"]["exploration_share"], kept["system"]["pattern_analysis"]
        assert TournamentSettings.from_json(kept).system == TournamentSystemConfig()

    def test_a_brief_from_before_there_were_any_has_none(self):
        kept = json.loads(json.dumps(brief(seed=1).as_json()))
        del kept["system"]
        assert TournamentSettings.from_json(kept).system is None

    def test_the_others_have_none(self):
        with pytest.raises(InvalidConfig, match="weighted"):
            brief(pairing="swiss", system=TournamentSystemConfig())
