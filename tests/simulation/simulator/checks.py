"""What must hold after a simulation, whatever went wrong in it."""

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paragone.domain import Rating, Usage
from paragone.ledger import Ledger, PendingTurn, PendingVerdict
from paragone.ratings.running_elo import step
from paragone.tournaments.running.flight import PASSES
from paragone.tournaments.running.spool import Spool
from paragone.tournaments.state import TournamentState
from simulator.judge import turn_of
from simulator.record import Broken
from simulator.scenario import COST

if TYPE_CHECKING:
    from simulator.world import World

_TURNS = "SELECT call, number FROM debate_turn"
_ATTEMPTS = "SELECT call, choice FROM comparison UNION ALL SELECT call, choice FROM ranking"

DEVIATIONS = {"aside", "fallback", "restored", "rested"}
"""Events that decide what is played: with them the result need not be that of the undisturbed run."""


def require(holds: object, words: str) -> None:
    """Something that must hold."""
    if not holds:
        raise Broken(words)


def check_kept(world: "World", folder: Path) -> None:
    """After a kill: every answer that was said to be safe is in the ledger or in the spool."""
    kept = {call for call, choice in _attempts(folder / "l.db") if choice != "failed"} | _turns(folder / "l.db").keys()
    missing = world.record.safe.keys() - kept
    if missing:
        missing -= _spooled(folder)
    require(not missing, f"answers that were safe are lost after a kill: {sorted(missing)}")


def _spooled(folder: Path) -> set[str]:
    """The answers in the spool; the ledger is read as the next process would."""
    with closing(_read(folder / "l.db")):
        pass
    copy = folder / "copy"
    copy.mkdir()
    try:
        for name in ("l.db", "l.db-wal"):
            if (folder / name).exists():
                (copy / name).write_bytes((folder / name).read_bytes())
        with Ledger.open(copy / "l.db", create=False, durable=False) as ledger:
            entries = Spool(ledger.tournaments.get(), (folder,)).take()
    finally:
        for file in copy.iterdir():
            file.unlink()
        copy.rmdir()
    turns = {turn_of(entry.turn.call, entry.turn.number) for entry in entries if isinstance(entry, PendingTurn)}
    return turns | {
        entry.answer.call
        for entry in entries
        if isinstance(entry, PendingVerdict) and entry.answer.verdict.choice.is_answer
    }


def _read(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file)


def _attempts(file: Path) -> list[tuple[str, str]]:
    with closing(_read(file)) as connection:
        return connection.execute(_ATTEMPTS).fetchall()


def _turns(file: Path) -> Counter[str]:
    with closing(_read(file)) as connection:
        return Counter(turn_of(call, number) for call, number in connection.execute(_TURNS))


def check(world: "World", file: Path) -> bool:
    """Check all; whether the result had to be that of the undisturbed run."""
    _check_calls(world, file)
    with Ledger.open(file, create=False, durable=False) as ledger:
        state = TournamentState.load(ledger, None)
        _check_once(world, ledger, state)
        _check_budget(world, ledger, state)
        audit = ledger.audit(state.id)
        require(audit.ok, f"the audit finds {audit}")
        _check_ratings(ledger, state)
        result = contents(ledger, state) if _is_comparable(world, state) else None
    require(not list(file.parent.glob("*.spool")), "the spool is left behind")
    if result is None:
        return False
    for name, value in world.expected().items():
        require(result[name] == value, f"{name} are not those of the undisturbed run: {result[name]} != {value}")
    return True


def _check_calls(world: "World", file: Path) -> None:
    """Nothing paid is lost, and nothing is on record twice."""
    record, attempts = world.record, _attempts(file)
    answers = Counter(call for call, choice in attempts if choice != "failed")
    failures = Counter(call for call, choice in attempts if choice == "failed")
    answers += _turns(file)
    missing = record.safe.keys() - answers.keys()
    require(not missing, f"answers that were safe are not in the ledger: {sorted(missing)}")
    twice = [call for call, times in answers.items() if times > 1]
    require(not twice, f"calls have two answers: {twice}")
    for call, times in failures.items():
        lost = record.lost_attempts[call]
        lost += record.repeatable[call]  # the answer of the second to have it is on record as a failed attempt
        require(times <= lost, f"{call} failed {lost} times, and {times} failures are on record")
    for call, times in record.safe_failures.items():
        require(failures[call] >= times, f"{times} failures of {call} were safe, and {failures[call]} are on record")
    again = {
        call
        for call, times in record.paid.items()
        if times > 1 + record.unsafe_at_kills[call] + record.repeatable[call.partition("/")[0]]
    }
    require(not again, f"paid again without a kill: {sorted(again)}")


def _check_once(world: "World", ledger: Ledger, state: TournamentState) -> None:
    """No event is on record twice."""
    kinds = Counter(event.kind for event in state.events)
    for kind in ("stopped", "resumed", "taken in"):
        require(kinds[kind] <= world.lives, f"{kinds[kind]} events {kind!r} of {world.lives} processes")
    asides = Counter(event.detail["match"] for event in state.events if event.kind == "aside")
    require(all(times <= world.lives for times in asides.values()), f"a match is set aside several times: {asides}")
    notes = Counter(event.detail["number"] for event in state.events if event.kind == "round")
    require(all(times == 1 for times in notes.values()), f"notes of a round twice: {notes}")
    visits = Counter(event.detail["name"] for event in state.events if event.kind == "visited")
    require(all(times == 1 for times in visits.values()), f"an event of somebody else is there twice: {visits}")
    missing = [name for name, is_safe in world.record.visits.items() if is_safe and name not in visits]
    require(not missing, f"recorded events of somebody else are lost: {missing}")
    matches = Counter(entry.match.id for entry in ledger.matches.all(state.id))
    require(all(times == 1 for times in matches.values()), "a match is on record twice")


def _check_budget(world: "World", ledger: Ledger, state: TournamentState) -> None:
    spending, settings = ledger.tournaments.spending(state.id), state.settings
    if settings.budget is not None:
        require(spending.decisions <= settings.budget, f"{spending.decisions} decisions of {settings.budget}")
    if settings.max_cost is not None:
        lost = sum(world.record.unsafe_at_kills.values()) * COST
        paid = sum(world.record.paid.values()) * COST
        require(paid <= settings.max_cost + lost + 1e-9, f"${paid} paid of ${settings.max_cost}, ${lost} of it lost")


def _check_ratings(ledger: Ledger, state: TournamentState) -> None:
    """The running ratings are those of a plain replay."""
    plain = {item.id: Rating(item=item.id, elo=state.config.initial) for item in state.items}
    for entry in ledger.matches.all(state.id):
        match = entry.match
        for rating in step(tuple(plain[id] for id in match.items), match, state.config)[0]:
            plain[rating.item] = rating
    require(plain == ledger.ratings.all(state.id), "the running ratings are not those of a plain replay")


def _is_comparable(world: "World", state: TournamentState) -> bool:
    """Whether the result has to be that of the undisturbed run: no event says otherwise, and each match is complete."""
    deviates = any(event.kind in DEVIATIONS for event in state.events)
    if state.settings.max_cost is not None:
        return False
    calls = {match.id: len(match.comparisons) + (match.ranking is not None) for match in state.played}
    planned = {f"{plan.number}.{place}": each for plan in state.rounds for place, each in enumerate(plan.pairings, 1)}
    incomplete = {id for id, each in planned.items() if calls.get(id, 0) < each.calls}
    failed = {call.rpartition(".")[0] for call, times in world.record.lost_attempts.items() if times >= PASSES}
    require(deviates or incomplete <= failed, f"matches lack answers though the judge gave them: {incomplete - failed}")
    return not deviates and not incomplete


def contents(ledger: Ledger, state: TournamentState) -> dict[str, Any]:
    """All that a tournament comes to but for times, what calls took, and the order of their arrival.

    Its board is made of no more: draws follow from the fit and the seed.
    """
    return {
        "rounds": [(plan.number, tuple(map(repr, plan.pairings))) for plan in state.rounds],
        "notes": [dict(event.detail) for event in state.events if event.kind == "round"],
        "matches": [_match(entry.match) for entry in ledger.matches.all(state.id)],
        "changes": [repr(change) for change in ledger.ratings.changes(state.id)],
        "ratings": {id: repr(rating) for id, rating in ledger.ratings.all(state.id).items()},
        "strengths": repr(state.posterior.strength.tolist()),
        "method": repr(state.posterior.method),
    }


def _match(match: Any) -> str:
    """A match without what its calls took, and whether an answer came from another call."""

    def plain(answer: Any) -> Any:
        return replace(answer, verdict=replace(answer.verdict, cached=False, usage=Usage()))

    return repr(replace(match, comparisons=tuple(map(plain, match.comparisons))))
