"""Topics and how they fare over the rounds (T15)."""

import numpy as np
import pytest

from paragone.analysis.patterns import DecidedMatch, analyse
from paragone.analysis.patterns.features import topics_of
from paragone.analysis.patterns.topic_trends import trends

SUBJECTS = {
    "brain": "neuron synapse cortex memory tau amyloid plaque dendrite",
    "sea": "plankton tide reef salinity current kelp mollusc estuary",
    "steel": "alloy weld corrosion tensile furnace ingot fatigue lattice",
}


def texts(each=12, seed=0):
    rng = np.random.default_rng(seed)
    made = {}
    for name, subject in SUBJECTS.items():
        for at in range(each):
            made[f"{name}{at}"] = " ".join([*rng.choice(subject.split(), 12), "study", "result"])
    return made


def subject(id):
    return id.rstrip("0123456789")


TOPICS = {id: subject(id) for id in texts()}


def tournament(seed, *, rising=0.0, spread=0.6, rounds=10, near=False):
    """Rounds of 40 matches; sea gains ``rising`` nats from the first round to the last."""
    rng = np.random.default_rng([seed, 21])
    ids, names = list(TOPICS), np.array(list(TOPICS))
    strength = dict(zip(ids, rng.normal(0, spread, len(ids)).tolist(), strict=True))
    elo, decided = dict.fromkeys(ids, 1200.0), []
    for round in range(1, rounds + 1):
        gain = {"sea": rising * ((round - 1) / (rounds - 1) - 0.5)}
        for _ in range(40):
            one, *others = rng.choice(names, 6, replace=False).tolist()
            other = min(others, key=lambda other: abs(elo[other] - elo[one])) if near else others[0]
            lead = strength[one] - strength[other] + gain.get(subject(one), 0) - gain.get(subject(other), 0)
            winner, loser = (one, other) if rng.random() < 1 / (1 + np.exp(-lead)) else (other, one)
            move = 32 * (1 - 1 / (1 + 10 ** ((elo[loser] - elo[winner]) / 400)))
            elo[winner], elo[loser] = elo[winner] + move, elo[loser] - move
            decided.append(DecidedMatch(winner=winner, loser=loser, round=round))
    return decided, strength


def test_topics_are_made_from_words_and_named_by_them():
    found = topics_of(texts())
    assert len(set(found.values())) == 3
    for name, words in SUBJECTS.items():
        (topic,) = {found[f"{name}{at}"] for at in range(12)}
        assert all(word in words for word in topic.split(", "))


def test_clusters_are_taken_where_they_are_known_and_small_ones_left_out():
    made = texts()
    clusters = {id: 7 if subject(id) == "sea" else 3 for id in made} | {"brain0": 9, "brain1": 9}
    del clusters["steel0"]
    found = topics_of(made, clusters)
    assert not {"brain0", "brain1", "steel0"} & set(found)
    assert len(set(found.values())) == 2
    assert found["brain2"] == found["steel1"] != found["sea0"]


def test_topics_of_one_name_are_told_apart():
    said = {str(at): ("tide" if at % 4 < 2 else "reef") for at in range(16)}
    found = topics_of(said, {str(at): at % 2 for at in range(16)})
    assert set(found.values()) == {"other", "other (2)"}
    assert topics_of({"a": "x"}) == {}


def test_shares_and_wins_by_hand():
    decided = [
        DecidedMatch(winner="sea0", loser="brain0", round=1),
        DecidedMatch(winner="sea1", loser="sea2", round=1),
        DecidedMatch(winner="brain1", loser="sea0", round=2),
        DecidedMatch(winner="sea0", loser="steel0", round=2),
    ]
    sea, *rest = trends(decided, TOPICS, {})
    assert (sea.topic, sea.items, sea.share, sea.matches, sea.won) == ("sea", 3, 5 / 8, 3, pytest.approx(2 / 3))
    assert (sea.share_early, sea.share_late) == (3 / 4, 1 / 2)
    assert sea.rounds == ((1, 1, 1), (2, 2, 1))
    assert (sea.trend, sea.chance) == ("", None)
    assert sea.sentence == "sea: won 67% of 3"
    assert {one.topic for one in rest} == {"brain", "steel"}
    assert trends([], TOPICS, {}) == ()


@pytest.mark.parametrize(("rising", "word"), [(3.0, "rising"), (-3.0, "falling")])
def test_a_planted_trend_is_found_and_its_direction_told(rising, word):
    decided, strength = tournament(1, rising=rising)
    sea = next(one for one in trends(decided, TOPICS, strength) if one.topic == "sea")
    assert sea.trend == word
    assert sea.chance < 0.01
    assert (sea.won_late > sea.won_early) == (rising > 0)
    assert f", {word} (" in sea.sentence


def test_a_tournament_that_pairs_equals_has_no_trend_of_itself():
    """The strong play the strong in the later rounds; in forty such tournaments hardly any topic has a trend."""
    alarms = 0
    for seed in range(40):
        decided, strength = tournament(100 + seed, spread=1.0, near=True)
        alarms += any(one.trend for one in trends(decided, TOPICS, strength))
    assert alarms <= 5  # a binomial of 40 and .05 exceeds this in 1 % of all cases


def test_an_analysis_carries_its_topics():
    decided, _ = tournament(2, rising=3.0)
    found = analyse(decided, texts())
    assert len(found.topics) == 3
    assert sum(one.share for one in found.topics) == pytest.approx(1.0)
    assert any("rising" in sentence for sentence in found.debate_topic_trends)
