"""The status of a tournament of hypotheses: where it is, its rounds, and anomalies to review."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from paragone.domain.records.wire import as_values
from paragone.domain.spending import total
from paragone.errors import InvalidConfig, NotFound
from paragone.ledger import Event, Ledger
from paragone.tournaments.agent.dependencies import waiting_in_words, waits_for
from paragone.tournaments.agent.tasks import (
    QueuePause,
    TaskRecord,
    TaskState,
    queue_pause,
    task_records,
)
from paragone.tournaments.incomplete_hypotheses import incomplete_hypotheses
from paragone.tournaments.records import (
    Chronicle,
    completed_rounds,
    pattern_analyses,
    round_results,
    tournament_state,
)
from paragone.tournaments.report.global_ranking import health_of, settled_in_words, standings
from paragone.tournaments.results.tournament_board import stopped
from paragone.tournaments.running.control import RESTED
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.history import prompt_cache_words

Record = dict[str, Any]
LEADERS = 5
KEPT, ROLLED_BACK = "kept", "rolled back"


def status_of(ledger: Ledger, state: TournamentState) -> Record:
    """Where it is, as plain values."""
    chronicle = Chronicle.read(ledger, state)
    spent = total(chronicle.spending.values())
    now = as_values(tournament_state(chronicle))
    del now["hypothesis_ratings"]
    analyses = pattern_analyses(chronicle)
    standings_now = standings(ledger, state)
    patterns = analyses[-1].confidence if analyses else None
    return {
        "tournament": state.id,
        "hypotheses": len(state.items),
        "matches": len(state.matches),
        **now,
        "incomplete": sorted(incomplete_hypotheses(state.events, set(state.ids))),
        "tasks": [task for task in tasks_of(state) if not TaskState(task["state"]).is_final],
        "queue": queue_values(queue_pause(state.events)),
        "to_review": len([anomaly for anomaly in anomaly_queue(state) if anomaly["decision"] is None]),
        "leaders": [
            {name: getattr(row, name) for name in ("id", "rating", "low", "high", "elo", "matches")}
            for row in standings_now.board.items[:LEADERS]
        ],
        "confidence": dict(Counter(confidence.label.value for confidence in standings_now.confidence.values())),
        "convergence": settled_in_words(state, standings_now.progression) if state.played else "nothing was played yet",
        "health": as_values(health_of(standings_now, chronicle.matches, patterns=patterns)) if state.played else None,
        "spent": spent.as_dict(),
        "prompt_cache": prompt_cache_words(state.events),
        "stopped": stopped(ledger, state.id),
    }


def tasks_of(state: TournamentState) -> list[Record]:
    """All tasks in the order of submission with what became of them, as plain values."""
    return task_list(state.events, len(state.played))


def task_list(events: Sequence[Event], matches: int) -> list[Record]:
    """All tasks in the events of a tournament, as plain values.

    Args:
        events: The events.
        matches: Matches on record now, which tells how old the evidence of each answer is.
    """
    records, pause = task_records(events), queue_pause(events)
    return [_task_values(record, records, pause, matches) for record in records.values()]


def _task_values(
    record: TaskRecord, records: Mapping[str, TaskRecord], pause: QueuePause | None, matches: int
) -> Record:
    evidence = _age_of(record.evidence, matches) if record.evidence else None
    return {
        **as_values(record.task),
        "priority": record.urgency,
        "state": record.state.value,
        "waits_for": list(waits_for(record, records)),
        "waiting": waiting_in_words(record, records, pause),
        "result": dict(record.result),
        "error": record.error,
        "evidence": evidence,
    }


def _age_of(evidence: Mapping[str, Any], matches: int) -> Record:
    at = datetime.fromisoformat(evidence["at"])
    return {**evidence, "at": at, "matches_since": matches - evidence["matches"]}


def queue_values(pause: QueuePause | None) -> Record:
    """Whether the queue is paused, as plain values."""
    return {
        "paused": pause is not None,
        "reason": "" if pause is None else pause.reason,
        "since": None if pause is None else pause.at,
    }


def history_of(ledger: Ledger, state: TournamentState) -> Record:
    """All rounds, the one that is still open too, as plain values; who rested in them; why the last run stopped."""
    chronicle = Chronicle.read(ledger, state)
    rounds = [{**as_values(round), "open": False} for round in completed_rounds(chronicle)]
    if len(rounds) < len(state.rounds):
        rounds.append({**as_values(round_results(chronicle, state.rounds[-1].number)), "open": True})
    rested = [dict(event.detail) for event in chronicle.events(RESTED)]
    return {"tournament": state.id, "rounds": rounds, "rested": rested, "stopped": stopped(ledger, state.id)}


def anomaly_queue(state: TournamentState) -> list[Record]:
    """Rating changes that look wrong, with what a person decided about each; None before."""
    reviewed = {event.detail["id"]: event.detail for event in state.events if event.kind == "anomaly_reviewed"}
    anomalies: dict[str, Mapping[str, Any]] = {e.detail["id"]: e.detail for e in state.events if e.kind == "anomaly"}
    return [
        {**detail, "decision": reviewed.get(id, {}).get("decision"), "because": reviewed.get(id, {}).get("reason", "")}
        for id, detail in anomalies.items()
    ]


def review_anomaly(ledger: Ledger, state: TournamentState, id: str, decision: str, reason: str) -> None:
    """Decide about an anomaly: keep the match behind it, or roll that back. The same decision again changes nothing.

    Raises:
        NotFound: If there is no such anomaly.
        InvalidConfig: If it was decided otherwise before.
    """
    queue = {anomaly["id"]: anomaly for anomaly in anomaly_queue(state)}
    if id not in queue:
        raise NotFound(f"no anomaly of {state.id} is called {id!r}; `paragone tournament anomalies` lists them")
    before = queue[id]["decision"]
    if before is not None:
        if before != decision:
            raise InvalidConfig(f"anomaly {id!r} was {before} already: {queue[id]['because']}")
        return
    if decision == ROLLED_BACK:
        ledger.matches.rollback(
            state.id, queue[id]["match"], reason
        )  # again, where a crash came between, it changes nothing
    ledger.tournaments.add_event(state.id, "anomaly_reviewed", {"id": id, "decision": decision, "reason": reason})
