"""Bootstrap intervals on a board: the same wherever they are computed, and refused where they would lie."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import paragone
from paragone.errors import InvalidConfig
from paragone.tournaments.results.tournament_board import stored_board

STRENGTH = np.array([1.0, 0.5, 0.0, -0.5, -1.0])


@pytest.fixture
def votes() -> list[tuple[str, str, str]]:
    """1,000 votes on five items, the first the strongest."""
    rng = np.random.default_rng(5)
    a = rng.integers(5, size=1000)
    b = (a + rng.integers(1, 5, size=1000)) % 5
    wins = rng.random(1000) < 1 / (1 + np.exp(STRENGTH[b] - STRENGTH[a]))
    return [(f"m{x}", f"m{y}", f"m{x if won else y}") for x, y, won in zip(a, b, wins, strict=True)]


def test_the_board_has_them_beside_the_posteriors(votes):
    board, plain = paragone.fit(votes, bootstrap=400, seed=3), paragone.fit(votes, seed=3)
    assert replace(board, bootstrap=None) == plain
    assert board.bootstrap is not None
    assert (board.bootstrap.replicates, board.bootstrap.seed) == (400, 3)
    assert [row.id for row in board.bootstrap.items] == [row.id for row in board.items]
    for own, row in zip(board.bootstrap.items, board.items, strict=True):
        assert own.low <= row.rating <= own.high
        assert own.rank_low <= row.rank <= own.rank_high
        # 400 votes an item: the prior counts for little, and an end of 400 replicates is off by some 15 % of half.
        assert own.high - own.low == pytest.approx(row.high - row.low, rel=0.25)
    assert board.as_dict()["bootstrap"]["items"][0].keys() == {"id", "low", "high", "rank_low", "rank_high"}
    assert plain.as_dict()["bootstrap"] is None


def test_another_seed_draws_other_votes(votes):
    first, second = (paragone.fit(votes, bootstrap=60, seed=seed).bootstrap for seed in (1, 2))
    assert first is not None
    assert second is not None
    assert first.items != second.items


def test_processes_that_are_killed_change_nothing(votes):
    here = paragone.fit(votes, bootstrap=200)
    victims: list[int] = []
    told: list[tuple[int, int]] = []

    def kill_one(done: int, total: int) -> None:
        told.append((done, total))
        if not victims:
            victims.append(children(os.getpid())[0])
            os.kill(victims[0], signal.SIGKILL)

    assert paragone.fit(votes, bootstrap=200, on="local", on_replicate=kill_one) == here
    assert victims
    assert told == [(done, 200) for done in range(4, 201, 4)]


def test_a_tournament_draws_whole_matches(tmp_path):
    """Each match is a pair in both orders, and the judge always prefers what is shown first: no replicate differs."""
    db = tmp_path / "ledger.db"

    def first(a, b, criteria):
        return "first"

    board = paragone.rank(
        ["x", "y", "z"], "c", judge=first, db=db, budget=12, pairing="round-robin", comparison_rounds=2
    )
    with paragone.Tournament.open(db) as tournament:
        assert {len(match.comparisons) for match in tournament.state.matches} == {2}
        drawn = tournament.board(bootstrap=60).bootstrap
        assert drawn is not None
        assert {round(row.high - row.low, 2) for row in drawn.items} == {0.0}
        assert tournament.board(bootstrap=60, on="local").bootstrap == drawn
    assert stored_board(db, bootstrap=60).bootstrap == drawn
    assert board.bootstrap is None
    with pytest.raises(InvalidConfig, match="at least 40"):
        stored_board(db, bootstrap=5)


def test_gold_pairs_are_refused_as_in_votes(votes):
    def first(a, b, criteria):
        return "first"

    gold = (("x", "y"),)
    with paragone.Tournament.create(["x", "y", "z"], judge=first, criteria="c", budget=3, gold=gold) as tournament:
        tournament.run()
        with pytest.raises(InvalidConfig, match=r"with gold pairs.*leave bootstrap \(--bootstrap\) out"):
            tournament.board(bootstrap=60)
    with pytest.raises(InvalidConfig, match="gold pairs"):
        paragone.fit(votes, gold=[("m0", "m1")], bootstrap=60)


def children(process: int) -> list[int]:
    """Processes of a pool that another one started."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if int(fields[1]) == process and b"spawn_main" in line:
                found.append(int(folder.name))
    return found


def test_what_cannot_be_is_refused_before_anything_is_read():
    with pytest.raises(InvalidConfig, match="at least 40 replicates, not 20"):
        paragone.fit("nowhere.csv", bootstrap=20)
    with pytest.raises(InvalidConfig, match="leave plain"):
        paragone.fit_shards(["nowhere.csv"], bootstrap=100, plain=True)
