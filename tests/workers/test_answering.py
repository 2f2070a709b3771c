"""What a worker looks up before it asks: for all questions at once, and beside the event loop."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from paragone.domain import Choice, Comparison, Item, Question, RatingConfig, Usage, Verdict
from paragone.errors import Unwritable
from paragone.ledger import Ledger
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for
from paragone.workers.answering import Recorder, WorkerVerdicts
from paragone.workers.outcomes import NOTES, AnswerNotes

ITEMS = [Item(id=f"i{number}", text=f"text {number}") for number in range(6)]


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    with Ledger.open(tmp_path / "l.db") as ledger:
        yield ledger


def tournament(ledger: Ledger) -> str:
    brief = settings_for(len(ITEMS), criteria="c", judge="workers:any", seed=1)
    return TournamentState.begin(ledger, "t", brief, tuple(ITEMS), RatingConfig()).id


def question(number: int) -> Question:
    return Question(call=f"{number}.1", first=ITEMS[number % 6], second=ITEMS[(number + 1) % 6], criteria="c")


def record(ledger: Ledger, id: str, number: int, key: str, choice: Choice = Choice.FIRST) -> Verdict:
    asked = question(number)
    verdict = Verdict(choice=choice, judge="j", usage=Usage(calls=1, output_tokens=number))
    comparison = Comparison(call=asked.call, first=asked.first.id, second=asked.second.id, verdict=verdict)
    ledger.tournaments.record_verdict(id, comparison, key=None if choice is Choice.FAILED else key)
    return verdict


def looked_up(ledger: Ledger, id: str, numbers: list[int]) -> list[Verdict | None]:
    async def all_of() -> list[Verdict | None]:
        notes = AnswerNotes()
        NOTES.set(notes)
        verdicts = WorkerVerdicts(ledger, id, Recorder(ledger, id))
        results = await asyncio.gather(*(verdicts.find(question(number), f"key {number}") for number in numbers))
        await asyncio.gather(*notes.pending)
        return results

    return asyncio.run(all_of())


def test_what_is_looked_up_at_once_is_what_is_found_one_by_one(ledger: Ledger) -> None:
    """Beside the plain look-ups: by call, by key from another tournament, none, and none since it failed."""
    id, other = tournament(ledger), tournament(ledger)
    record(ledger, id, 1, "key 1")
    record(ledger, other, 9, "key 2")
    record(ledger, id, 3, "key 3", Choice.FAILED)
    record(ledger, other, 10, "key 1", Choice.SECOND)  # this call's own answer comes first
    plain = [
        (ledger.tournaments.verdict(id, question(number).call), ledger.tournaments.cached_verdict(f"key {number}"))
        for number in range(5)
    ]
    assert [(own is not None, cached is not None) for own, cached in plain] == [
        *((False, False), (True, True), (False, True), (False, False), (False, False))
    ]
    calls, keys = [question(number).call for number in range(5)], [f"key {number}" for number in range(5)]
    by_call, by_key = ledger.remote_judging.on_record(id, calls, keys)
    assert [(by_call.get(call), by_key.get(key)) for call, key in zip(calls, keys, strict=True)] == plain
    none, own, cached, failed, new = looked_up(ledger, id, list(range(5)))
    assert none is failed is new is None
    assert own == plain[1][0]
    assert cached is not None
    assert (cached.cached, cached.choice, cached.usage.output_tokens) == (True, Choice.FIRST, 0)
    assert ledger.tournaments.verdict(id, question(2).call) == cached, "it is this tournament's from now on"


def test_questions_put_at_once_are_one_look_beside_the_event_loop(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, looks = tournament(ledger), []
    plain = type(ledger.remote_judging).on_record

    def noted(self: Any, tournament: str, calls: Any, keys: Any) -> Any:
        looks.append((len(calls), threading.current_thread() is threading.main_thread()))
        return plain(self, tournament, calls, keys)

    monkeypatch.setattr(type(ledger.remote_judging), "on_record", noted)
    assert looked_up(ledger, id, list(range(16))) == [None] * 16
    assert looks == [(16, False)]


def test_while_the_ledger_is_away_each_question_is_told(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks waits and looks again, or ends with its worker; to wait here would keep it from ending."""
    id = tournament(ledger)

    def away(*_: object) -> None:
        raise Unwritable("the server is away", temporary=True)

    monkeypatch.setattr(type(ledger.remote_judging), "on_record", away)
    with pytest.raises(Unwritable, match="away"):
        looked_up(ledger, id, [1, 2])
