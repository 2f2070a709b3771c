"""The parameters of a tournament of hypotheses: the documents' defaults, and what is refused."""

import copy
import dataclasses
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import (
    PolicyConfig,
    RankingConfig,
    RatingConfig,
    SchedulingConfig,
    Tier,
    TournamentConfig,
    TournamentSystemConfig,
)
from paragone.domain.config_values import SECTIONS, merged, sectioned, system_of, values_of
from paragone.domain.parameter import meanings, parameters
from paragone.domain.record import FrozenDict
from paragone.errors import InvalidConfig

DOCUMENT_T = {
    "tournament_parameters": {
        "initial_elo_rating": 1200,
        "k_factor": 32.0,
        "multi_turn_threshold": 1400,
        "match_batch_size": 10,
        "similarity_weight": 0.3,
        "recency_weight": 0.2,
        "rating_proximity_weight": 0.5,
    },
    "scheduling": {"rounds_per_session": 10, "matches_per_round": 50, "timeout_per_match": 300},
    "optimization": {"min_matches_for_confidence": 5, "rating_stability_threshold": 0.95},
    "pattern_analysis": {"min_matches_for_analysis": 100, "pattern_confidence_threshold": 0.7},
}
DOCUMENT_R = {
    "initial_elo": 1200,
    "k_factor": 32,
    "min_matches_for_stability": 10,
    "similarity_weight": 0.3,
    "recency_weight": 0.2,
    "elite_threshold": 1600,
    "tournament_batch_size": 20,
    "enable_fast_track": True,
}


@pytest.mark.parametrize("section", DOCUMENT_T)
def test_every_parameter_of_document_t_is_there_with_its_default(section):
    config = getattr(TournamentSystemConfig(), section)
    assert {name: getattr(config, name) for name in DOCUMENT_T[section]} == DOCUMENT_T[section]


def test_every_parameter_of_document_r_is_there_with_its_default():
    assert {name: getattr(RankingConfig(), name) for name in DOCUMENT_R} == DOCUMENT_R
    assert set(DOCUMENT_R) | {"debate_rounds"} == {field.name for field in dataclasses.fields(RankingConfig)}


def test_the_settled_numbers_hold():
    policy = PolicyConfig()
    assert (policy.elite_threshold, policy.strong_threshold, policy.average_threshold) == (1600, 1400, 1100)
    assert list(policy.budget_shares.values()) == [0.4, 0.3, 0.2, 0.1]
    assert (policy.rating_floor, policy.rating_ceiling, policy.clear_winner_gap) == (100, 4000, 400)
    assert (policy.rest_after_losses, policy.stagnant_after, policy.on_timeout) == (5, 10, "later")
    assert set(policy.criteria_weights) == {"novelty", "correctness", "testability", "impact", "clarity"}
    assert policy.decay_days is None


def test_a_ranking_agents_parameters_become_a_tournaments():
    agent = RankingConfig(initial_elo=1300, k_factor=16, elite_threshold=1700, debate_rounds={Tier.ELITE: 4})
    system = agent.system()
    assert system.rating == RatingConfig(initial=1300, k=16, floor=100, ceiling=4000)
    assert system.policy.elite_threshold == 1700
    assert system.policy.debate_rounds == {"elite": 4, "strong": 4, "average": 3, "developing": 3}


WRONG = [
    ({"k_factor": 0}, "k_factor"),
    ({"k_factor": -1}, "k_factor"),
    ({"k_factor": "32"}, "k_factor"),
    ({"k_factor": True}, "k_factor"),
    ({"k_factor": None}, "k_factor"),
    ({"k_factor": float("nan")}, "k_factor"),
    ({"k_factor": float("inf")}, "k_factor"),
    ({"k_factor": 10**400}, "k_factor"),
    ({"scheduling": {"matches_per_round": 2.5}}, "scheduling.matches_per_round"),
    ({"scheduling": {"matches_per_round": 0}}, "scheduling.matches_per_round"),
    ({"scheduling": {"timeout_per_match": 0}}, "scheduling.timeout_per_match"),
    ({"scheduling": [1]}, "scheduling"),
    ({"optimization": {"resource_budget_per_round": 0}}, "optimization.resource_budget_per_round"),
    ({"optimization": {"rating_stability_threshold": 1.01}}, "optimization.rating_stability_threshold"),
    ({"tournament_parameters": {"similarity_weight": -0.1}}, "tournament_parameters.similarity_weight"),
    (
        {"similarity_weight": 0, "recency_weight": 0, "rating_proximity_weight": 0},
        "tournament_parameters.rating_proximity_weight",
    ),
    ({"policy": {"enable_fast_track": 1}}, "policy.enable_fast_track"),
    ({"policy": {"on_timeout": "wait"}}, "policy.on_timeout"),
    ({"policy": {"debate_rounds": 5}}, "policy.debate_rounds"),
    ({"policy": {"debate_rounds": {"elite": 2}}}, "policy.debate_rounds.elite"),
    ({"policy": {"debate_rounds": {"elite": 6}}}, "policy.debate_rounds.elite"),
    ({"policy": {"debate_rounds": {"new": 3}}}, "policy.debate_rounds.new"),
    ({"policy": {"budget_shares": {"elite": 0.5}}}, "policy.budget_shares"),
    ({"policy": {"criteria_weights": {"beauty": 1}}}, "policy.criteria_weights.beauty"),
    ({"policy": {"criteria_weights": {"impact": 1, "merit": 2}}}, "policy.criteria_weights.merit"),
    ({"policy": {"criteria_weights": dict.fromkeys(DOCUMENT_R, 0)}}, "policy.criteria_weights.initial_elo"),
    (
        {"policy": {"criteria_weights": dict.fromkeys(PolicyConfig().criteria_weights, 0)}},
        "policy.criteria_weights",
    ),
    ({"policy": {"elite_threshold": 1400}}, "policy.elite_threshold"),
    ({"policy": {"rating_floor": 1300}}, "tournament_parameters.initial_elo_rating"),
    ({"min_matches_for_stability": 4}, "policy.min_matches_for_stability"),
    ({"ranking": {"k_factor": 16}, "tournament_parameters": {"k_factor": 32}}, "tournament_parameters.k_factor"),
    ({"k_factor": 16, "ranking": {"k_factor": 32}}, "ranking.k_factor"),
    ({"ranking": {"initial_elo_rating": 1200}}, "ranking.initial_elo_rating"),
    ({"policies": {}}, "policies"),
    ({"scheduling": {"round_per_session": 1}}, "scheduling.round_per_session"),
]


@pytest.mark.parametrize(("values", "key"), WRONG)
def test_what_cannot_be_is_refused_with_the_name_of_the_key(values, key):
    with pytest.raises(InvalidConfig) as refused:
        system_of(values)
    assert refused.value.key == key
    assert key.rpartition(".")[2] in str(refused.value)


@pytest.mark.parametrize(
    ("values", "meant"),
    [
        ({"scheduling": {"round_per_session": 1}}, "rounds_per_session"),
        ({"shceduling": {}}, "scheduling"),
        ({"k_facto": 1}, "k_factor"),
        ({"policy": {"debate_rounds": {"develop": 3}}}, "developing"),
        ({"policy": {"criteria_weights": {"novlty": 1}}}, "novelty"),
        ({"optimization": {"budget": 1}}, "resource_budget_per_round"),
    ],
)
def test_a_near_miss_is_told_what_may_have_been_meant(values, meant):
    with pytest.raises(InvalidConfig, match=f"did you mean .*{meant}"):
        system_of(values)


def test_classes_check_themselves_too_and_name_the_section():
    with pytest.raises(InvalidConfig, match=r"^scheduling\.matches_per_round must be a whole number from 1 up, not 0$"):
        SchedulingConfig(matches_per_round=0)
    with pytest.raises(InvalidConfig, match=r"^ranking\.elite_threshold"):
        RankingConfig(elite_threshold=-1)


def test_one_file_format_sections_ranking_and_bare_names_say_the_same():
    by_section = {"tournament_parameters": {"initial_elo_rating": 1300}, "policy": {"debate_rounds": {"elite": 4}}}
    by_agent = {"ranking": {"initial_elo": 1300, "debate_rounds": {"Elite": 4}}}
    bare = {"initial_elo": 1300, "debate_rounds": {"elite": 4}}
    assert system_of(by_section) == system_of(by_agent) == system_of(bare) == system_of({**by_section, **by_agent})


def test_merit_is_impact():
    assert system_of({"policy": {"criteria_weights": {"merit": 3}}}).policy.criteria_weights["impact"] == 3.0
    assert PolicyConfig(criteria_weights={"merit": 3}).criteria_weights["impact"] == 3.0


def test_no_two_sections_share_a_name_so_bare_names_are_clear():
    names = [name for kind in SECTIONS.values() for name in parameters(kind)]
    assert len(names) == len(set(names))


def test_every_parameter_says_what_it_is():
    kinds = (*SECTIONS.values(), RankingConfig)
    assert [(kind, name) for kind in kinds for name in parameters(kind) if name not in meanings(kind)] == []


def test_numbers_and_tables_have_one_form_whatever_they_were_given_as():
    system = system_of(
        {"k_factor": 16, "policy": {"budget_shares": {"elite": 1, "strong": 0, "average": 0, "developing": 0}}}
    )
    assert isinstance(system.tournament_parameters.k_factor, float)
    assert json.dumps(values_of(system)) == json.dumps(values_of(system_of(values_of(system))))
    assert [type(share) for share in system.policy.budget_shares.values()] == [float] * 4


def test_tables_cannot_be_changed():
    turns = PolicyConfig().debate_rounds
    for change in (
        lambda: turns.update({Tier.ELITE: 3}),
        lambda: turns.__setitem__(Tier.ELITE, 3),
        turns.clear,
        lambda: turns.pop(Tier.ELITE),
        lambda: turns.__ior__({Tier.ELITE: 3}),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    assert turns[Tier.ELITE] == 5


def test_a_configuration_is_a_value():
    system = system_of({"k_factor": 16})
    for twin in (copy.deepcopy(system), pickle.loads(pickle.dumps(system)), copy.copy(system)):
        assert (twin, hash(twin)) == (system, hash(system))
    assert system_of(json.loads(json.dumps(dataclasses.asdict(system)))) == system
    assert isinstance(dataclasses.asdict(system)["policy"]["debate_rounds"], FrozenDict)


numbers = st.floats(min_value=0.01, max_value=1.0)


@st.composite
def systems(draw):
    low, middle, high = sorted(draw(st.sets(st.integers(100, 3000), min_size=3, max_size=3)))
    shares = draw(st.lists(st.integers(1, 9), min_size=4, max_size=4))
    return TournamentSystemConfig(
        tournament_parameters=TournamentConfig(
            k_factor=draw(st.floats(0.1, 1e6)), similarity_weight=draw(numbers), recency_weight=draw(numbers)
        ),
        scheduling=SchedulingConfig(matches_per_round=draw(st.integers(1, 10**9))),
        policy=PolicyConfig(
            average_threshold=low,
            strong_threshold=middle,
            elite_threshold=high,
            budget_shares={
                tier: share / sum(shares) for tier, share in zip(PolicyConfig().budget_shares, shares, strict=True)
            },
            decay_days=draw(st.none() | st.floats(0.5, 1e5)),
            on_timeout=draw(st.sampled_from(["later", "draw"])),
            enable_fast_track=draw(st.booleans()),
        ),
    )


@given(systems())
def test_plain_values_make_the_same_configuration(system):
    assert system_of(json.loads(json.dumps(values_of(system)))) == system


class TestLayers:
    def test_the_last_one_holds_and_tables_are_merged_entry_by_entry(self):
        file = sectioned({"k_factor": 24, "policy": {"debate_rounds": {"elite": 4, "strong": 3}}})
        option = sectioned({"policy": {"debate_rounds": {"elite": 3}}})
        system = system_of(merged(file, option))
        assert system.tournament_parameters.k_factor == 24
        assert system.policy.debate_rounds == {"elite": 3, "strong": 3, "average": 3, "developing": 3}

    def test_merging_leaves_the_layers_as_they_were(self):
        file = sectioned({"policy": {"debate_rounds": {"elite": 4}}})
        merged(file, sectioned({"policy": {"debate_rounds": {"elite": 3}}}))
        assert file == {"policy": {"debate_rounds": {Tier.ELITE: 4}}}

    @pytest.mark.parametrize(
        ("name", "text", "value"),
        [
            ("matches_per_round", "20", 20),
            ("k_factor", "24", 24.0),
            ("enable_fast_track", "off", False),
            ("enable_fast_track", "TRUE", True),
            ("on_timeout", "draw", "draw"),
            ("decay_days", "none", None),
            ("decay_days", "", None),
            ("resource_budget_per_round", "150", 150.0),
            ("debate_rounds", "elite=3, strong = 4", {"elite": 3, "strong": 4}),
        ],
    )
    def test_words_are_read_as_what_they_stand_for(self, name, text, value):
        (section,) = sectioned({name: text}, text=True).values()
        assert section == {name: value}
        assert type(section[name]) is type(value)

    @pytest.mark.parametrize(
        ("name", "text"),
        [("matches_per_round", "2.5"), ("k_factor", "much"), ("enable_fast_track", "2"), ("debate_rounds", "elite"),
         ("k_factor", "nan"), ("k_factor", "none")],
    )  # fmt: skip
    def test_and_refused_where_they_stand_for_nothing(self, name, text):
        with pytest.raises(InvalidConfig, match=name):
            sectioned({name: text}, text=True)


def test_a_letter_that_is_in_many_names_suggests_none_of_them():
    with pytest.raises(InvalidConfig, match=r"no section or parameter is called 'a'; the sections are .* prints what"):
        system_of({"a": {"b": 3}})
