"""A standby reads on while it waits: what it takes over with is what is on record."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from paragone.domain import Question, Verdict
from paragone.judges.base import Wrapper
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Ledger
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament import Tournament
from paragone.workers import running

ITEMS = {f"i{number}": f"item {number}" for number in range(8)}
JUDGE = SimulatedJudge({id: 0.4 * number for number, id in enumerate(ITEMS)}, noise=0.7, seed=5)


def contents(state: TournamentState) -> Any:
    return (
        list(state.played),
        state.rolled_back,
        state.rounds,
        state.events,
        state.ratings,
        state.settings,
        state.items,
        state.comparison_table.evidence(),
    )


def test_a_state_that_is_followed_is_that_on_record_though_older_matches_were_rolled_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    playing = Tournament.create(ITEMS, judge=JUDGE, criteria="larger", db=path, seed=3, budget=20)
    with playing as tournament, Ledger.open(path) as ledger:
        standby = TournamentState.load(ledger, None)
        assert len(standby.played) == 0
        tournament.run()
        standby = standby.followed(ledger)
        first = len(standby.played)
        old, new = standby.played[2].id, standby.played[first - 1].id
        tournament.rollback(old, "a mistake")
        tournament.extend(budget=32)
        tournament.run()
        tournament.rollback(new, "another")
        read: list[Any] = []
        each = ledger.matches.each
        ledger.matches.each = lambda *where: (read.append(entry) or entry for entry in each(*where))  # type: ignore[method-assign]
        rounds, planned = ledger.tournaments.rounds, len(standby.rounds)
        beyond: list[int] = []
        ledger.tournaments.rounds = lambda pool, **after: beyond.append(after["beyond"]) or rounds(pool, **after)  # type: ignore[func-returns-value, method-assign]
        standby = standby.followed(ledger)
        del ledger.matches.each, ledger.tournaments.rounds
        assert 0 < len(read) == len(standby.played) - first
        assert beyond == [planned] < [len(standby.rounds)]
        assert standby.rolled_back == {old, new}
        assert repr(contents(standby)) == repr(contents(TournamentState.load(ledger, None)))


class Held(Wrapper):
    """A judge that answers once it is let go."""

    def __init__(self) -> None:
        super().__init__(JUDGE)
        self.go = asyncio.Event()

    async def compare(self, question: Question) -> Verdict:
        await self.go.wait()
        return await super().compare(question)


def test_a_standby_sees_what_came_after_it_last_read_and_does_not_go_on_with_what_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, read = tmp_path / "ledger.db", asyncio.Event()
    said: list[str] = []
    monkeypatch.setattr(running, "STANDBY_PAUSE", 0.005)
    monkeypatch.setattr(running, "FOLLOW_PAUSE", 3600.0)  # it reads once
    follow = running._Ready.follow

    def noted(ready: Any) -> None:
        follow(ready)
        loop.call_soon_threadsafe(read.set)

    async def stand_by() -> None:
        nonlocal loop
        loop, judge = asyncio.get_running_loop(), Held()
        with (
            Tournament.create(ITEMS, judge=judge, criteria="larger", db=path, seed=3, budget=20) as planned,
            Tournament.open(path, judge=JUDGE) as waiting,
        ):
            run = asyncio.create_task(planned.arun())
            while not waiting.ledger.tournaments.is_claimed(planned.state.id):  # noqa: ASYNC110 - nothing says it
                await asyncio.sleep(0.005)
            standby = asyncio.create_task(running.plan_or_stand_by(waiting, say=said.append))
            await asyncio.wait_for(read.wait(), 20)
            judge.go.set()
            board = await asyncio.wait_for(standby, 20)
            assert board.items == (await run).items
            assert waiting.stop is not None
            assert waiting.stop.finished
            assert repr(contents(waiting.state)) == repr(contents(TournamentState.load(waiting.ledger, None)))

    loop: asyncio.AbstractEventLoop
    monkeypatch.setattr(running._Ready, "follow", noted)
    asyncio.run(stand_by())
    assert [line.rpartition("; ")[2] for line in said] == ["standing by"]
