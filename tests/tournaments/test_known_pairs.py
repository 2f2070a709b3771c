"""Gold pairs, models that people correct, and remarks, on boards."""

import itertools
import re
from functools import cache

import numpy as np
import pytest
from scipy.special import expit

import paragone
import without_board
from paragone.domain import Goal
from paragone.errors import InvalidConfig, InvalidVotes
from paragone.intake.vote import UNNAMED
from paragone.presenting.board_facts import facts
from paragone.ratings import Evidence
from paragone.ratings.model_prior import agreement
from paragone.tournaments.posterior import fit_options, fit_posterior

ITEMS = 12


@cache
def votes(inverted=0, *, judges=5, seed=1, count=200):
    """Rows of judges some of whom answer the wrong way round; item i has the strength i / 2."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        a, b = rng.choice(ITEMS, 2, replace=False).tolist()
        judge = number % judges
        sign = -1 if judge < inverted else 1
        won = a if rng.random() < expit(sign * (a - b) / 2) else b
        rows.append({"a": f"i{a}", "b": f"i{b}", "winner": f"i{won}", "judge": f"j{judge}"})
    return rows


GOLD = [{"winner": f"i{high}", "loser": f"i{low}"} for low, high in zip(range(6), range(6, 12), strict=True)]
ORDER = [f"i{number}" for number in reversed(range(ITEMS))]


def tau(board):
    rank = {row.id: row.rank for row in board.items}
    pairs = itertools.combinations(ORDER, 2)
    return np.mean([np.sign(rank[low] - rank[high]) for high, low in pairs])


def test_three_inverted_judges_of_five_are_not_believed_without_gold():
    board = paragone.fit(votes(3))
    assert board.direction is not None
    assert not board.direction.identified
    assert "direction not identified: 10 known pairs would do" in dict(facts(board))["direction"]
    assert board.forecast.tau < 0.5
    assert tau(board) < 0


def test_gold_turns_them_round():
    board = paragone.fit(votes(3), gold=GOLD)
    assert tau(board) > 0.7
    assert board.direction.identified
    assert (board.direction.agreed, board.direction.inverted) == (2, 3)
    reports = {report.judge: report for report in board.judges}
    assert [reports[f"j{number}"].direction for number in range(5)] == ["inverted"] * 3 + ["right"] * 2
    assert reports["j0"].slope < 0 < reports["j4"].slope
    assert reports["j0"].slope_low <= reports["j0"].slope <= reports["j0"].slope_high
    assert dict(facts(board))["turned round"] == "j0, j1, j2"


def test_verdicts_on_pairs_agree_with_the_ratings_and_with_gold():
    board = paragone.fit(votes(3), gold=GOLD)
    known = {(pair.a, pair.b): pair.winner for pair in board.pairs if pair.known}
    assert len(known) == len(GOLD)
    assert all(pair.winner in (pair.a, pair.b) for pair in board.pairs)
    assert all(pair.probability >= 0.5 for pair in board.pairs)
    sure = [pair for pair in board.pairs if pair.probability > 0.8]
    for pair in sure:
        loser = pair.a if pair.winner == pair.b else pair.b
        assert board[pair.winner].rating > board[loser].rating
    assert set(board.as_dict()["pairs"][0]) == {"a", "b", "winner", "probability", "known"}


def test_judges_that_agree_change_nothing():
    board = paragone.fit(votes())
    assert board.direction is None
    assert board.pairs == ()
    assert {report.direction for report in board.judges} == {None}


def test_gold_records_of_judges():
    rows = [{"a": "x", "b": "y", "winner": "x", "judge": "j"}] * 3 + [{"a": "y", "b": "z", "winner": "z", "judge": "j"}]
    board = paragone.fit(rows, gold=[("x", "y", "x"), ("z", "y", "y")])
    assert (board.judges[0].gold_pairs, board.judges[0].gold_right) == (4, 3)


def test_gold_that_cannot_be():
    with pytest.raises(InvalidVotes, match=r"none of the 1 gold pairs is about two of the 12 items"):
        paragone.fit(votes(), gold=[("u", "v", "u")])
    with pytest.raises(InvalidVotes, match="no gold pair"):
        paragone.fit(votes(), gold=[("i1", "i2", "tie")])
    with pytest.raises(InvalidConfig, match="plain"):
        paragone.fit(votes(), gold=GOLD, plain=True)
    with pytest.raises(InvalidConfig, match=r"a bootstrap takes no gold pairs \(--gold\), by which judges are turned"):
        paragone.fit(votes(), gold=GOLD, bootstrap=100)
    with pytest.raises(InvalidConfig, match=r"takes no suggestions \(--suggest-gold\)"):
        paragone.fit(votes(), suggest_gold=2, plain=True)


def test_gold_of_several_rows_is_that_of_most():
    gold = [("i1", "i9", "i9"), ("i9", "i1", "i9"), ("i1", "i9", "i1"), ("i2", "i3", "tie")]
    board = paragone.fit(votes(), gold=gold)
    assert [pair.winner for pair in board.pairs if pair.known] == ["i9"]


def test_pairs_to_ask_a_person_about():
    board = paragone.fit(votes(3), suggest_gold=5)
    suggested = [frozenset((pair.a, pair.b)) for pair in board.suggestions]
    assert len(set(suggested)) == 5
    # The direction is open: far pairs tell it, and no item is in two of them.
    assert len(frozenset().union(*suggested)) == 10
    assert all(max(pair.probability, 1 - pair.probability) > 0.6 for pair in board.suggestions)
    later = paragone.fit(votes(3), gold=GOLD, suggest_gold=4)
    assert {frozenset((pair.a, pair.b)) for pair in later.suggestions}.isdisjoint(
        frozenset((row["winner"], row["loser"])) for row in GOLD
    )


def test_of_too_many_items_for_all_pairs_neighbours_are_asked_about(monkeypatch):
    monkeypatch.setattr("paragone.pairing.gain.MOST_ITEMS", 11)
    board = paragone.fit(votes(), gold=GOLD, suggest_gold=4)
    rank = {row.id: number for number, row in enumerate(board.items)}
    assert [abs(rank[pair.a] - rank[pair.b]) for pair in board.suggestions] == [1, 1, 1, 1]


def panel_votes(seed=0, pairs=60, judges=12, inverted=6):
    """Judges on pairs that share no item; the inverted ones share a lure."""
    rng = np.random.default_rng(seed)
    right = rng.choice([-1, 1], pairs)
    lure = rng.normal(0, 1, pairs) - 0.4 * right
    rows = []
    for at, judge in itertools.product(range(pairs), range(judges)):
        pull = 3 * lure[at] if judge < inverted else 1.5 * right[at] + lure[at]
        side = "x" if rng.random() < expit(pull) else "y"
        rows.append({"a": f"q{at}x", "b": f"q{at}y", "winner": f"q{at}{side}", "judge": f"j{judge}"})
    gold = [(f"q{at}x", f"q{at}y", f"q{at}{'x' if right[at] > 0 else 'y'}") for at in range(pairs)]
    return rows, gold


def test_a_panel_on_pairs_that_share_no_item():
    rows, gold = panel_votes()
    truth = {a: winner for a, _, winner in gold}
    board = paragone.fit(rows, gold=gold[:12], suggest_gold=3)
    assert board.direction.panel == 12
    assert board.direction.factors
    rest = [pair for pair in board.pairs if not pair.known]
    assert len(rest) == 48
    assert np.mean([truth[pair.a] == pair.winner for pair in rest]) > 0.75
    for pair in board.pairs:
        loser = pair.a if pair.winner == pair.b else pair.b
        assert board[pair.winner].rating > board[loser].rating
    assert len(board.suggestions) == 3
    assert "12 judges of the same pairs, weighed by two factors" in dict(facts(board))["direction"]


def said(seed, count, truth):
    """Who was shown first and second, as items, and what people said."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        a, b = rng.choice(len(truth), 2, replace=False).tolist()
        yield a, b, rng.random() < expit(truth[a] - truth[b])


def people(seed, count, truth):
    return [(f"i{a}", f"i{b}", f"i{a if first else b}") for a, b, first in said(seed, count, truth)]


TRUTH, NOISE = np.random.default_rng(3).normal(0, 1.5, (2, 24))


def of_people(**options):
    """What sixty answers of people tell of 24 items."""
    first, second, score = zip(*said(0, 60, TRUTH), strict=True)
    evidence = Evidence.from_arrays(24, first, second, score, judges=(UNNAMED,))
    return fit_posterior(
        [f"i{at}" for at in range(24)], evidence, goal=Goal(), options=fit_options([UNNAMED]), **options
    )


@pytest.mark.parametrize(("correlation", "better"), [(0.8, True), (-0.8, True), (0.0, False)])
def test_people_correct_a_model(correlation, better):
    model = correlation * TRUTH + np.sqrt(1 - correlation**2) * NOISE
    posterior = of_people(prior={f"i{at}": 1200 + 100 * float(value) for at, value in enumerate(model)})
    corrected, uncorrected = (np.corrcoef(each.strength, TRUTH)[0, 1] for each in (posterior, of_people()))
    if better:
        assert corrected > uncorrected
        assert np.sign(agreement(posterior.fit, posterior.rated).correlation) == np.sign(correlation)
    else:
        assert corrected > uncorrected - 0.1
    assert posterior.rated == 24


def test_a_models_votes_serve_as_well_as_its_ratings():
    truth = np.linspace(-3, 3, 12)
    votes_of_model = people(1, 300, truth)
    board = paragone.fit(people(2, 12, truth), prior=votes_of_model)
    assert tau(board) > 0.6
    assert board.prior.items == 12
    assert board.prior.inverted < 0.1


def test_a_prior_that_says_nothing():
    rows = [("x", "y", "x"), ("y", "z", "y"), ("x", "z", "x")]
    with pytest.raises(InvalidConfig, match="rates all items alike"):
        paragone.fit(rows, prior={"x": 1, "y": 1, "z": 1})
    with pytest.raises(InvalidConfig, match="it takes 3 or more"):
        paragone.fit(rows, prior={"x": 1, "y": 2})


def kinds(board):
    return [remark.kind for remark in board.remarks]


def test_groups_that_never_met_are_told():
    rows = [("a", "b", "a"), ("b", "a", "b"), ("c", "d", "c"), ("d", "c", "tie")]
    assert kinds(paragone.fit(rows)) == ["groups"]


def test_items_that_won_everything_are_told():
    rows = votes() + [{"a": "best", "b": f"i{at}", "winner": "best", "judge": "j0"} for at in range(8)]
    assert "best won everything" in dict(facts(paragone.fit(rows)))["strengths"]


def test_many_ties_are_told():
    rows = [("a", "b", "tie")] * 6 + [("a", "b", "a")] * 4
    assert dict(facts(paragone.fit(rows)))["ties"].startswith("60% of the answers")


def test_a_judge_that_changes_its_mind_is_told():
    rng = np.random.default_rng(0)
    rows = []
    for at in range(400):
        a, b = rng.choice(ITEMS, 2, replace=False).tolist()
        gap = (a - b) / 2 if at < 200 else (a % 4 - b % 4)
        rows.append((f"i{a}", f"i{b}", f"i{a if rng.random() < expit(gap) else b}"))
    moved = paragone.fit(rows)
    assert "drift" in kinds(moved)
    assert re.match(r"strengths moved by about \d{3} points from", dict(facts(moved))["drift"]), "not in nats"
    assert "of the votes (p < 0.001), perhaps since rows are sorted by question" in dict(facts(moved))["drift"]
    shuffled = paragone.fit([rows[at] for at in rng.permutation(400).tolist()])
    assert "drift" not in kinds(shuffled)
    # The fit takes no notice of the order: what differs is what an average over both halves hides.
    apart = {row.id: row.rating - 1200 for row in moved.items}
    factors = [apart[row.id] / (row.rating - 1200) for row in shuffled.items if abs(row.rating - 1200) > 50]
    assert min(factors) > 1.05
    assert max(factors) == pytest.approx(min(factors), abs=0.01)


def test_a_tournament_keeps_gold_and_prior(tmp_path):
    items = [{"id": f"i{at}", "text": f"text {at}"} for at in range(ITEMS)]

    def contrary(first, second, criteria):
        return "first" if int(first.text[5:]) < int(second.text[5:]) else "second"

    db = tmp_path / "ledger.db"
    board = paragone.rank(items, "better", judge=contrary, gold=GOLD, budget=24, seed=1, db=db)
    assert board.direction.inverted == 1
    assert tau(board) > 0.5
    assert paragone.Tournament.open(db, judge=contrary).board().items == board.items
    ratings = {f"i{at}": float(at) for at in range(ITEMS)}
    with paragone.Tournament.create(
        items, judge=contrary, criteria="better", prior=ratings, budget=12, seed=1
    ) as tournament:
        without_board.run(tournament)
        posterior = tournament.state.posterior
    assert agreement(posterior.fit, posterior.rated).correlation < 0
    with pytest.raises(InvalidVotes, match="none of the 1 gold pairs"):
        paragone.rank(items, "better", judge=contrary, gold=[("u", "v", "u")], budget=4)
