"""The main job from Python in a few lines."""

import asyncio
import importlib

import pytest

import paragone
import without_board
from paragone.errors import BudgetSpent, InvalidConfig, InvalidItems, UnknownJudge

TEXTS = ["a", "bb", "ccc", "dddd"]


def longer(first, second, criteria):
    return "first" if len(first.text) > len(second.text) else "second"


@pytest.mark.parametrize(
    "items",
    [
        TEXTS,
        [{"id": text, "text": text} for text in TEXTS],
        {text: text for text in TEXTS},
        "pandas",
        "polars",
        [paragone.Item(id=text, text=text) for text in TEXTS],
    ],
    ids=["list", "mappings", "mapping", "pandas", "polars", "items"],
)
def test_ranks_whatever_holds_items(items):
    if isinstance(items, str):  # a library that is loaded here, not by every process that collects tests
        items = importlib.import_module(items).DataFrame({"id": TEXTS, "text": TEXTS})
    board = paragone.rank(items, "longer", judge=longer, seed=1)
    assert [row.text for row in board.items] == ["dddd", "ccc", "bb", "a"]


def test_async_and_sync_give_the_same():
    expected = paragone.rank(TEXTS, "longer", judge=longer, seed=1)
    assert asyncio.run(paragone.arank(TEXTS, "longer", judge=longer, seed=1)).items == expected.items


def test_an_async_function_is_a_judge_too():
    async def judge(first, second, criteria):
        return {"winner": "tie" if criteria == "same" else "first", "rationale": "said so"}

    board = paragone.rank(TEXTS, "same", judge=judge, seed=1)
    assert {row.rank for row in board.items} == {1}


def test_a_tournament_is_watched_looked_at_and_corrected():
    seen = []
    with paragone.Tournament.create(TEXTS, criteria="longer", judge=longer, seed=1, name="my items") as tournament:
        board = tournament.run(seen.append)
        assert tournament.state.id == board.tournament == "my-items-1"
        assert seen[-1].done == board.spending.decisions
        assert seen[-1].board.items == board.items
        before = tournament.board()["dddd"].wins
        first = next(m.id for m in tournament.state.matches if "dddd" in (m.a, m.b))
        tournament.rollback(first, "a mistake")
        assert tournament.board()["dddd"].wins == before - 1
        assert tournament.whatif(paragone.WhatIf(k=1.0))["dddd"].elo < board["dddd"].elo
        assert tournament.audit().ok


def test_a_function_has_to_be_given_again_to_go_on(tmp_path):
    with paragone.Tournament.create(TEXTS, criteria="longer", judge=longer, db=tmp_path / "x.db", budget=3) as begun:
        without_board.run(begun)
    with paragone.Tournament.open(tmp_path / "x.db") as found, pytest.raises(UnknownJudge, match="give it again"):
        found.run()
    with paragone.Tournament.open(tmp_path / "x.db", judge=longer) as found:
        found.extend(budget=6)
        assert without_board.run(found).decisions == 6


def test_a_board_is_written(tmp_path):
    board = paragone.rank(TEXTS, "longer", judge=longer, seed=1)
    paragone.write(board, tmp_path / "board.html")
    assert "dddd" in (tmp_path / "board.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        (([], "c"), {"judge": longer}, InvalidItems),
        ((["only one"], "c"), {"judge": longer}, InvalidItems),
        ((TEXTS, " "), {"judge": longer}, InvalidConfig),
        ((TEXTS, "c"), {"judge": "magic"}, UnknownJudge),
        ((TEXTS, "c"), {"judge": longer, "max_cost": 1.0}, InvalidConfig),
        ((TEXTS, "c"), {"judge": longer, "bugdet": 3}, InvalidConfig),
        ((TEXTS, "c"), {"judge": None}, UnknownJudge),
    ],
)
def test_what_cannot_be_is_refused(arguments, options, error):
    with pytest.raises(error):
        paragone.rank(*arguments, **options)
    assert issubclass(BudgetSpent, paragone.ParagoneError)


def test_what_is_public_is_there():
    for name in paragone.__all__:
        assert getattr(paragone, name) is not None
    assert dir(paragone) == paragone.__all__
    with pytest.raises(AttributeError, match="nothing"):
        _ = paragone.nothing
