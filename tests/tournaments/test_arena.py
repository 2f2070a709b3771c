"""Arena votes: what differs between the sides taken out, boards by slice, and how often each beat each other."""

import numpy as np
import pytest

import paragone
from paragone.errors import InvalidConfig, InvalidVotes

MODELS = [f"m{at}" for at in range(6)]
STRENGTH = np.linspace(-1.0, 1.0, 6)
LONG = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
"""Which models write long answers."""


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


def test_what_the_slices_leave_out_is_said():
    board = paragone.fit(arena(300), by="language", adjust_for="length")
    assert board.notes[-1].startswith("boards by language are by the votes alone")


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
