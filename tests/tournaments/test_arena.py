"""Arena votes: what differs between the sides taken out, boards by slice, and how often each beat each other."""

from functools import cache

import numpy as np
import pytest

import paragone
from paragone.errors import InvalidConfig, InvalidVotes
from paragone.intake.vote_extras import Slices
from paragone.ratings.evidence import Evidence
from paragone.tournaments.arena import TakenOut, slice_report

MODELS = [f"m{at}" for at in range(6)]
STRENGTH = np.linspace(-1.0, 1.0, 6)
LONG = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
"""Which models write long answers."""


@cache
def arena(count=1500, seed=0, liking=1.5):
    """Votes of people who like long answers, in two languages, in one of which the last model is weak."""
    rng, made = np.random.default_rng(seed), []
    for at in range(count):
        a, b = rng.choice(6, 2, replace=False).tolist()
        language = "French" if at % 2 else "English"
        tokens = np.exp(5 + 0.5 * LONG[[a, b]] + 0.5 * rng.standard_normal(2))
        own = [STRENGTH[model] - (3.0 if model == 5 and language == "French" else 0.0) for model in (a, b)]
        lead = own[0] - own[1] + liking * float(np.log(tokens[0] / tokens[1])) + rng.logistic()
        winner = "tie (bothbad)" if abs(lead) < 0.2 else "model_a" if lead > 0 else "model_b"
        made.append(
            {
                "model_a": MODELS[a],
                "model_b": MODELS[b],
                "winner": winner,
                "language": language,
                "length_a": round(tokens[0]),
                "length_b": round(tokens[1]),
            }
        )
    return made


def places(rows):
    return [row.id for row in sorted(rows, key=lambda row: row.rank)]


def test_length_is_taken_out_of_the_ratings():
    votes = [{**vote, "language": "English"} for vote in arena() if vote["language"] == "English"]
    plain, adjusted = paragone.fit(votes), paragone.fit(votes, adjust_for="length")
    assert places(plain.items) != MODELS[::-1]
    assert places(adjusted.items) == MODELS[::-1]
    assert adjusted.side is not None
    (length,) = adjusted.side.columns
    assert not length.counts
    assert length.column == "log length"
    assert length.trait
    # A standard deviation of the difference in logarithms is about .5 sqrt(2) of noise and the models' own habits.
    tokens = np.array([[vote["length_a"], vote["length_b"]] for vote in votes], dtype=float)
    scale = float(np.sqrt((np.log(tokens[:, 0] / tokens[:, 1]) ** 2).mean()))
    effect = 1.5 * scale * 400 / np.log(10)
    assert length.low < effect < length.high
    assert {row.id: row.rank for row in adjusted.side.without} == {row.id: row.rank for row in plain.items}


def test_slices_have_boards_of_their_own():
    board = paragone.fit(arena(), by="language", win_rates=True)
    report = board.slices
    assert report is not None
    assert [(each.name, each.votes) for each in report.slices] == [("English", 750), ("French", 750)]
    english, french = ({row.id: row for row in each.rows} for each in report.slices)
    assert english["m5"].rating > french["m5"].rating + 100
    assert french["m5"].differs
    assert french["m5"].apart_high < 0 < english["m5"].apart
    assert not english["m2"].differs
    assert sum(row.votes for row in french.values()) == 2 * 750
    assert report.spread_low < report.spread < report.spread_high


def test_win_rates_are_counted():
    votes = [("x", "y", "a"), ("y", "x", "a"), ("x", "y", "tie"), ("x", "z", "a")]
    board = paragone.fit(votes, win_rates=True)
    table = board.win_rates
    assert table is not None
    at = {id: number for number, id in enumerate(table.ids)}
    assert table.ids == tuple(row.id for row in board.items)
    assert table.rates[at["x"]][at["y"]] == 0.5
    assert table.rates[at["x"]][at["z"]] == 1.0
    assert table.rates[at["y"]][at["z"]] is None
    assert table.votes[at["x"]][at["y"]] == table.votes[at["y"]][at["x"]] == 3


def by_slice(board):
    assert board.slices is not None
    return {each.name: {row.id: row for row in each.rows} for each in board.slices.slices}


def test_what_differs_is_taken_out_of_slices_too():
    """Half of the models write long answers and are liked for it, in both languages alike."""
    plain, adjusted = paragone.fit(arena(), by="language"), paragone.fit(arena(), by="language", adjust_for="length")
    assert places(by_slice(plain)["English"].values()) != MODELS[::-1]
    rows = by_slice(adjusted)
    assert places(rows["English"].values()) == MODELS[::-1]
    assert places(row for row in rows["French"].values() if row.id != "m5") == MODELS[-2::-1]
    assert rows["French"]["m5"].apart_high < 0
    truth = {id: 1200 + 400 / np.log(10) * own for id, own in zip(MODELS, STRENGTH, strict=True)}
    inside = [row.low < truth[row.id] < row.high for row in rows["English"].values()]
    assert sum(inside) == len(inside)
    assert not any("boards by" in note for note in adjusted.notes)


def test_an_effect_that_is_not_known_for_sure_makes_intervals_wider():
    evidence = Evidence.from_arrays(3, [0, 1, 2] * 100, [1, 2, 0] * 100, [1, 1, 0, 0] * 75)
    cut = Slices(by="part", names=("x", "y"), number=np.arange(300) // 150)
    values = np.where(evidence.first == 0, 1.0, 0.5)[:, None]
    reports = [
        slice_report(
            evidence,
            ("a", "b", "c"),
            cut,
            level=0.95,
            initial=1200.0,
            seed=1,
            removal=TakenOut(values=values, effect=np.array([0.3]), error=np.array([error])),
        )
        for error in (0.0, 0.5)
    ]
    sure, unsure = ([row for each in report.slices for row in each.rows] for report in reports)
    assert [(row.id, row.rating) for row in sure] == [(row.id, row.rating) for row in unsure]
    wider = [(after.high - after.low) / (before.high - before.low) for before, after in zip(sure, unsure, strict=True)]
    assert min(wider) >= 1.0
    assert max(wider) > 1.1


def test_slices_given_what_is_taken_out_are_those_of_a_fit_with_the_strengths_moved():
    """A lead that is the difference of two numbers of the items moves strengths by these, but for the prior."""
    votes = arena(900)
    items = [{"id": id, "long": float(long)} for id, long in zip(MODELS, LONG, strict=True)]
    board = paragone.fit(votes, by="language", items=items, adjust_for="long")
    (report,) = board.side.columns
    plain = by_slice(paragone.fit(votes, by="language"))
    for name, rows in by_slice(board).items():
        for id, long in zip(MODELS, LONG, strict=True):
            assert plain[name][id].rating - rows[id].rating == pytest.approx(report.points * long, abs=12)
            assert rows[id].high - rows[id].low > plain[name][id].high - plain[name][id].low


def test_a_column_that_counts_has_no_part_in_slices_and_that_is_said():
    items = [{"id": id, "cost": at} for at, id in enumerate(MODELS)]
    board = paragone.fit(arena(300), by="language", items=items, use="cost")
    assert board.notes[-1] == "boards by language are by the votes: in them no column counts"


@cache
def judged(count=900, liking=2.0, seed=3):
    """Votes of the models themselves, each of which likes its own answers; the first judges at random."""
    rng, made = np.random.default_rng(seed), []
    for _ in range(count):
        a, b = rng.choice(6, 2, replace=False).tolist()
        by = int(rng.choice([a, int(rng.integers(6))]))
        lead = STRENGTH[a] - STRENGTH[b] if by else 0.0
        lead += liking * ((by == a) - (by == b)) + rng.logistic()
        made.append((MODELS[a], MODELS[b], "a" if lead > 0 else "b", MODELS[by]))
    return [dict(zip(("model_a", "model_b", "winner", "judge_model"), vote, strict=True)) for vote in made]


def test_what_models_gain_by_judging_themselves_is_taken_out():
    board = paragone.fit(judged(), adjust_for="judge_model")
    assert board.side is not None
    (own,) = board.side.columns
    assert own.unit == "a vote by the item itself"
    assert own.low < 2.0 * 400 / np.log(10) < own.high
    assert {report.judge for report in board.judges} == set(MODELS)
    slopes = {report.judge: report.slope for report in board.judges}
    assert slopes["m0"] == min(slopes.values())
    assert any(note.startswith("'judge_model' is the same for both sides") for note in board.side.notes)
    assert len(board.side.without) == 6


def test_a_judge_of_the_whole_vote_is_that_of_judge_beside_a_board_that_takes_all_for_one():
    votes = [{**vote, "judge_model": f"j{at % 3}"} for at, vote in enumerate(judged())]
    board, named = paragone.fit(votes, adjust_for="judge_model"), paragone.fit(votes, judge="judge_model")
    alone = paragone.fit(votes, judge=False)
    assert board.side is not None
    assert board.side.columns == ()
    assert board.items == named.items
    assert [(row.id, row.rating) for row in sorted(board.side.without, key=lambda row: row.id)] == [
        (row.id, row.rating) for row in sorted(alone.items, key=lambda row: row.id)
    ]
    with pytest.raises(InvalidConfig, match="votes have one judge"):
        paragone.fit([{**vote, "by": "x"} for vote in votes], adjust_for="judge_model,by")


def test_one_slice_is_none():
    with pytest.raises(InvalidVotes, match="there are no slices"):
        paragone.fit([vote | {"language": "x"} for vote in arena(50)], by="language")


def test_sides_and_items_do_not_mix():
    items = [{"id": model, "cost": at} for at, model in enumerate(MODELS)]
    with pytest.raises(InvalidConfig, match="one fit takes one kind"):
        paragone.fit(arena(50), items=items, use="cost", adjust_for="length")
    board = paragone.fit(arena(50), items=items, adjust_for="cost")
    assert board.side is not None
    assert board.side.columns[0].column == "cost"


def test_abstentions_and_bad_rows_keep_their_differences_apart():
    """A row that is left out takes its difference with it."""
    votes = arena(400)
    holes = [dict(vote) for vote in votes]
    for vote in holes[::40]:
        vote["winner"] = ""
    kept = [vote for at, vote in enumerate(votes) if at % 40]
    with_holes, without = (paragone.fit(each, adjust_for="length").side for each in (holes, kept))
    assert with_holes is not None
    assert without is not None
    assert with_holes.columns[0].points == pytest.approx(without.columns[0].points, rel=0.05)
