"""What wins and what loses: planted patterns are found, noise is not (T15)."""

import json
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from paragone.analysis.patterns import DecidedMatch, FeatureKind, analyse, decided_matches
from paragone.analysis.patterns.analysis import summarise
from paragone.analysis.patterns.decided_matches import Duels
from paragone.analysis.patterns.feature_selection import HeldOut, held_out, select
from paragone.analysis.patterns.features import BY_NAME, WRITING_TRAITS, features_of
from paragone.analysis.patterns.features import words as words_in
from paragone.analysis.patterns.mixed_model import fit_mixed, regress
from paragone.analysis.patterns.topic_trends import weigh
from paragone.domain import (
    Choice,
    Comparison,
    CriterionScore,
    Match,
    Outcome,
    PatternConfig,
    Ranking,
    Verdict,
)

PLANTED = {"plankton": 1, "crystal lattice": 1, "vaguely": -1, "sprawling": -1}


@cache
def words(seed):
    rng = np.random.default_rng([seed, 7])
    return ["q" + "".join(rng.choice(list("abcdefghij"), 5)) for _ in range(300)]


def world(seed, *, items=150, matches=600, effect=1.6, own=0.4, near=False):
    """Texts and decided; planted words move strength, and so does something that no text shows."""
    rng = np.random.default_rng(seed)
    share = np.arange(3.0, 303.0) ** -0.8
    texts, strength, vocabulary = {}, rng.normal(0, own, items), words(seed)
    for at in range(items):
        said = rng.choice(vocabulary, int(rng.integers(25, 60)), p=share / share.sum()).tolist()
        for word, sign in PLANTED.items():
            if rng.random() < 0.35:
                said.insert(int(rng.integers(len(said))), word)
                strength[at] += sign * effect
        texts[f"h{at}"] = " ".join(said) + "."
    return texts, play(strength, matches, rng, near=near)


def play(strength, matches, rng, *, near=False, position=0.4):
    strength, elo, decided = strength.tolist(), [1200.0] * len(strength), []  # numbers of numpy's take far longer
    for number in range(matches):
        one, *others = dict.fromkeys([*rng.integers(len(strength), size=8).tolist(), number % len(strength)])
        others = others or [(one + 1) % len(strength)]
        other = min(others, key=lambda at: abs(elo[at] - elo[one])) if near else others[0]
        first = 1.0 if rng.random() < 0.5 else -1.0
        won = rng.random() < 1 / (1 + math.exp(strength[other] - strength[one] - position * first))
        move = 32 * (won - 1 / (1 + 10 ** ((elo[other] - elo[one]) / 400)))
        elo[one], elo[other] = elo[one] + move, elo[other] - move
        winner, loser = (one, other) if won else (other, one)
        shown = first if won else -first
        decided.append(DecidedMatch(winner=f"h{winner}", loser=f"h{loser}", round=number // 50 + 1, position=shown))
    return decided


def test_planted_patterns_are_found_in_both_directions():
    """In another world they are leads: see ``test_below_the_threshold_there_are_leads_and_no_findings``."""
    texts, decided = world(2)
    found = analyse(decided, texts, seed=2)
    assert {one.name: one.wins for one in found.characteristics} == {word: sign > 0 for word, sign in PLANTED.items()}
    assert found.confident
    assert len(found.winning_characteristics) == len(found.losing_characteristics) == 2
    assert 0.7 <= found.confidence < 0.85
    for one in found.characteristics:
        assert one.support == sum(one.name in text for text in texts.values())
        assert all(one.name in texts[id] for id in one.examples)
        assert len(one.examples) == 3
        assert one.chance <= 0.05
        assert one.low < one.odds < one.high
        assert (one.low > 1) if one.wins else (one.high < 1)


def test_a_readable_trait_is_found_by_its_name():
    rng, texts, vocabulary = np.random.default_rng(5), {}, words(5)
    hedges = rng.integers(0, 6, 150)
    for at, count in enumerate(hedges.tolist()):
        filler = rng.choice(vocabulary, 36 - count).tolist()
        hedged = rng.choice(["may", "might", "could", "possibly", "perhaps", "seems"], count).tolist()
        texts[f"h{at}"] = " ".join(rng.permutation(filler + hedged).tolist()) + "."
    found = analyse(play(-0.9 * hedges, 600, rng), texts)
    assert found.confident
    assert [(one.name, one.kind, one.wins) for one in found.characteristics] == [
        ("hedging words", FeatureKind.TRAIT, False)
    ]
    assert "hedge less" in found.recommendation_for_generation
    assert "does not show that it makes a text win" in found.recommendation_for_generation


def test_noise_brings_nothing_whether_items_differ_or_not(deep):
    """Three tournaments, nine with --deep: coin flips, and items that differ for reasons their texts do not show."""
    alarms = []
    # In the fourth a word stands out, until items that were held out are asked.
    for seed in range(9) if deep else range(1, 4):
        texts, decided = world(
            100 + seed, items=80, matches=250, effect=0.0, own=1.0 * (seed % 3 > 0), near=seed % 3 == 2
        )
        found = analyse(decided, texts, seed=seed)
        alarms.append(found.found)
        assert not found.confident
        if not found.found:
            assert found.winning_characteristics == found.losing_characteristics == found.leads == ()
            assert "No recommendation" in found.recommendation_for_generation
    assert sum(alarms) == 0


def test_chance_alone_selects_a_feature_in_no_more_than_one_run_of_twenty(deep):
    """Twenty runs, of which a binomial of .05 exceeds three in 2 % of all cases; without --deep one in ten."""
    selected, runs, most = 0, *((20, 3) if deep else (10, 1))
    for seed in range(runs):
        texts, decided = world(200 + seed, items=50, matches=150, effect=0.0, own=1.0, near=bool(seed % 2))
        duels = Duels.of(decided)
        chosen = select(duels, features_of([texts[id] for id in duels.ids]), np.random.default_rng(seed))
        selected += bool(chosen.columns)
    assert selected <= most


def test_what_chance_brings_in_six_of_a_hundred_deals_is_not_selected():
    """A feature just above the level, .05; whether ten runs or twenty select too many would not show a level of .2."""
    from paragone.analysis.patterns.feature_selection import _best, _Within

    texts, decided = world(226, items=50, matches=150, effect=0.0, own=1.0)
    duels = Duels.of(decided)
    features = features_of([texts[id] for id in duels.ids])
    own = fit_mixed(duels, features.plain[:, []]).own
    _, chance = _best(own, features, [], _Within.of(duels), np.random.default_rng(26))
    assert 0.05 < chance < 0.1
    assert select(duels, features, np.random.default_rng(26)).columns == ()


def test_an_items_own_strength_does_not_leak_into_held_out_accuracy():
    """Each item says a word that nobody else says, so its strength can be learned by heart.

    Held-out matches would give it away; held-out items do not.
    """
    rng = np.random.default_rng(8)
    decided = play(rng.normal(0, 2.0, 60), 900, rng, position=0.0)
    duels, features = Duels.of(decided), np.eye(60)
    found = held_out(duels, features, np.random.default_rng(1))
    assert found.accuracy == 0.5
    from sklearn.linear_model import LogisticRegression

    rows = (features[duels.winner] - features[duels.loser]) * np.where(np.arange(900) % 2, -1, 1)[:, None]
    model = LogisticRegression(fit_intercept=False).fit(rows[:600], np.arange(600) % 2 == 0)
    assert model.score(rows[600:], np.arange(600, 900) % 2 == 0) > 0.7


def test_the_error_of_the_accuracy_knows_that_matches_of_an_item_are_alike():
    """Over repeated tournaments the accuracy of a fixed rule varies as much as its standard error says."""
    from paragone.analysis.patterns.feature_selection import _error

    told_all, errors = [], []
    for seed in range(120):
        rng = np.random.default_rng([9, seed])
        strength, rule = rng.normal(0, 1.5, 40), rng.normal(0, 1, 40)
        duels = Duels.of(play(strength, 300, rng, position=0.0))
        lead = np.array([rule[int(id[1:])] for id in duels.ids])
        told = (lead[duels.winner] > lead[duels.loser]).astype(float)
        told_all.append(told.mean())
        errors.append(_error(told, duels))
    binomial = np.sqrt(0.25 / 300)
    assert np.std(told_all) > 1.5 * binomial
    assert np.mean(errors) == pytest.approx(np.std(told_all), rel=0.25)


@pytest.mark.parametrize("near", [False, True])
def test_what_a_feature_is_worth_is_told_with_its_interval(near):
    """True worth 1.2 nats; items differ by 0.8 besides, and equals may have been paired with equals."""
    worths, held, plain = [], 0, []
    for seed in range(10):
        rng = np.random.default_rng([10, seed])
        has = (rng.random(100) < 0.4).astype(float)
        duels = Duels.of(play(1.2 * has + rng.normal(0, 0.8, 100), 500, rng, near=near))
        column = np.array([has[int(id[1:])] for id in duels.ids])[:, np.newaxis]
        model = fit_mixed(duels, column - column.mean())
        worths.append(model.worth[0])
        held += bool(abs(model.worth[0] - 1.2) < 1.96 * model.error[0])
        plain.append(regress(column[duels.winner] - column[duels.loser], penalty=0.01, sparse=False)[0])
    assert np.mean(worths) == pytest.approx(1.2, abs=0.2)
    assert held >= 7
    if near:  # who forgets that items differ otherwise too takes the pairing of equals for a lack of worth
        assert np.mean(plain) < 0.8


def test_sides_are_symmetric_and_the_order_of_record_does_not_matter():
    texts, decided = world(3, items=60, matches=200)
    mirrored = [replace(match, winner=match.loser, loser=match.winner, position=-match.position) for match in decided]
    duels, other = Duels.of(decided), Duels.of(mirrored)
    own = dict(zip(duels.ids, fit_mixed(duels, np.zeros((len(duels.ids), 0))).own, strict=True))
    opposite = dict(zip(other.ids, fit_mixed(other, np.zeros((len(other.ids), 0))).own, strict=True))
    assert [own[id] for id in texts if id in own] == pytest.approx(
        [-opposite[id] for id in texts if id in own], abs=1e-3
    )


def test_items_that_never_meet_are_not_compared():
    """Two groups that never meet: all of one say 'harbour', and what wins within each is something else."""
    rng, texts, decided = np.random.default_rng(11), {}, []
    for group, word in enumerate(("harbour", "meadow")):
        has = rng.random(60) < 0.5
        for at in range(60):
            filler = " ".join(rng.choice(words(11), 25))
            texts[f"{group}-{at}"] = f"{word} {filler} {'plankton' if has[at] else 'nothing'}"
        for match in play(2.0 * has, 300, rng):
            decided.append(replace(match, winner=f"{group}-{match.winner[1:]}", loser=f"{group}-{match.loser[1:]}"))
    found = analyse(decided, texts)
    assert [one.name for one in found.characteristics] == ["plankton"]


def test_the_same_seed_gives_the_same_analysis_and_it_is_plain_json():
    texts, decided = world(4, items=40, matches=120)
    first, second = analyse(decided, texts, seed=3), analyse(decided, texts, seed=3)
    assert first == second
    values = json.loads(json.dumps(first.as_dict()))
    assert list(values)[:6] == [
        "winning_characteristics",
        "losing_characteristics",
        "debate_topic_trends",
        "recommendation_for_generation",
        "confidence",
        "matches_analyzed",
    ]
    assert values["matches_analyzed"] == 120


@pytest.mark.parametrize(
    ("matches", "items", "texts", "said"),
    [
        (99, 40, True, "99 decided matches of items with texts, and 100 are needed"),
        (200, 12, True, "12 items have played, and patterns need 20"),
        (200, 40, False, "no texts to look at"),
    ],
)
def test_too_little_to_go_by_is_said(matches, items, texts, said):
    made, decided = world(6, items=items, matches=matches)
    found = analyse(decided, made if texts else {})
    assert said in found.summary
    assert (found.confidence, found.found, found.topics) == (0.0, False, ())
    assert analyse([], {}).summary.startswith("Not enough yet: 0 decided")


def test_below_the_threshold_there_are_leads_and_no_findings():
    texts, decided = world(1)
    found = analyse(decided, texts, config=PatternConfig(pattern_confidence_threshold=0.95), seed=1)
    assert (found.found, found.confident) == (True, False)
    assert found.winning_characteristics == found.losing_characteristics == ()
    assert len(found.leads) == 4
    assert {one.name: one.wins for one in found.characteristics} == {word: sign > 0 for word, sign in PLANTED.items()}
    assert "below the threshold of 95%" in found.summary
    assert found.recommendation_for_generation.startswith("Only a lead")


def test_words_that_hold_beside_texts_that_tell_nothing_are_not_reported():
    assert "no better than chance" in summarise((), HeldOut(accuracy=0.52, error=0.02), 0.7, 300)
    assert "No single characteristic" in summarise((), HeldOut(accuracy=0.6, error=0.02), 0.7, 300)


def test_texts_of_nothing_but_common_words_are_survived():
    texts, decided = world(6, items=40, matches=200)
    found = analyse(decided, dict.fromkeys(texts, "The same for everybody."))
    assert (found.found, found.confidence) == (False, 0.5)


@pytest.mark.parametrize(
    ("name", "less", "more"),
    [
        ("numbers", "a dose of drug", "a dose of 5 or 7.5 drugs"),
        ("numbers with units", "a dose of 5 drugs", "a dose of 5 mg for 3 weeks"),
        ("citations", "as was found (see above)", "as was found (Smith et al., 2020) [3]"),
        ("hedging words", "it inhibits growth", "it may possibly inhibit growth"),
        ("boasting words", "a new treatment", "a groundbreaking, revolutionary treatment"),
        ("words about methods and protocols", "we look at cells", "a randomized trial with controls"),
        ("words about causes and mechanisms", "cells are small", "it is due to a mechanism"),
        ("comparisons", "it is good", "it is better than others, unlike them"),
        ("limits and ways to be refuted", "it is right", "a null result would refute it; a limitation is size"),
        ("question marks", "what is it.", "what is it?"),
        ("lists and headings", "one, two", "- one\n- two"),
        ("long texts", "short", "a text of more words"),
        ("long sentences", "Short. Very.", "This one goes on and on."),
    ],
)
def test_traits_measure_what_they_are_called(name, less, more):
    assert BY_NAME[name].measure(more, words_in(more)) > BY_NAME[name].measure(less, words_in(less))
    assert BY_NAME[name].measure("", 0) == 0.0


def test_every_trait_is_tried_above():
    assert len(BY_NAME) == len(WRITING_TRAITS) == 13


def verdict(choice, *scores):
    return Verdict(
        choice=choice, judge="j", scores=tuple(CriterionScore(criterion=c, first=f, second=s) for c, f, s in scores)
    )


def test_bouts_of_matches():
    one = Comparison(call="1", first="a", second="b", verdict=verdict(Choice.FIRST, ("novelty", 0.9, 0.1)))
    two = Comparison(call="2", first="b", second="a", verdict=verdict(Choice.TIE, ("novelty", 0.5, 0.7)))
    failed = Comparison(call="3", first="a", second="b", verdict=verdict(Choice.FAILED))
    match = Match(id="1.1", round=2, a="a", b="b", outcome=Outcome.A, comparisons=(one, two, failed))
    lost = Match(id="1.2", round=2, a="a", b="b", outcome=Outcome.B, comparisons=(failed,))
    draw, void = replace(match, outcome=Outcome.DRAW), replace(match, outcome=Outcome.VOID)
    first, second = decided_matches([match, draw, void, lost])
    assert (first.winner, first.loser, first.round, first.position) == ("a", "b", 2, 0.0)
    assert first.scores == (("novelty", pytest.approx(0.8), pytest.approx(0.3)),)
    assert second == DecidedMatch(winner="b", loser="a", round=2)


def test_a_match_among_several_tells_of_neighbours():
    answer = Verdict(choice=Choice.RANKED, judge="j", order=(2, 0, 1))
    ranking = Ranking(call="1", shown=("a", "b", "c"), verdict=answer)
    decided = decided_matches([Match.ranked("1.1", ranking, round=1)])
    assert [(match.winner, match.loser) for match in decided] == [("c", "a"), ("a", "b")]


def test_which_criteria_decide():
    """The winner leads on testability by .2 to .4 in all matches but five, and on novelty as often as not."""
    rng = np.random.default_rng(12)
    decided = [
        DecidedMatch(
            winner=f"w{at}",
            loser=f"l{at}",
            scores=(
                ("testability", 0.7, 0.7 + (0.1 if at < 5 else -0.3)),
                ("novelty", float(rng.random()), float(rng.random())),
            ),
        )
        for at in range(100)
    ]
    first, second = weigh([*decided, DecidedMatch(winner="x", loser="y")])
    assert (first.criterion, first.matches, first.agreement) == ("testability", 100, 0.95)
    assert (first.low, first.high) == (pytest.approx(0.888, abs=0.001), pytest.approx(0.978, abs=0.001))
    assert first.weight > 0.8
    assert second.low < 0.5 < second.high
    assert first.weight + second.weight == pytest.approx(1.0)
    assert weigh([DecidedMatch(winner="x", loser="y")]) == ()


def test_criteria_are_reported_where_texts_show_nothing():
    texts, decided = world(7, items=40, matches=150, effect=0.0)
    scored = [replace(match, scores=(("impact", 0.8, 0.2),)) for match in decided]
    found = analyse(scored, texts)
    assert found.characteristics == ()
    assert found.criteria[0].sentence == (
        "impact: the winner scored higher in 100% of 150 (98% to 100%), 100% of what decides"
    )
    assert "impact decides most (100%)" in found.recommendation_for_generation
