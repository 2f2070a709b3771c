"""Plays a tournament of hypotheses in forked processes, each killed with SIGKILL after a few writes, until it is over.

    recovery_child.py FOLDER WAY POINTS    prints two lines of JSON: what an undisturbed run came to, and a killed one

A point is the moment before the end of a transaction that writes, or just after it. ``WAY`` is ``session`` (rounds of
debates) or ``tasks`` (a Ranking Agent).
"""

import asyncio
import json
import os
import signal
import sqlite3
import sys
from collections import Counter
from pathlib import Path

from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool

from paragone.domain import PolicyConfig, Review, SchedulingConfig, TournamentConfig, TournamentSystemConfig
from paragone.domain.records import RankingTask, TaskType
from paragone.judges.call_options import CallOptions
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.tournaments.agent import RankingAgent
from paragone.tournaments.tournament import Tournament

sys.path.append(str(Path(__file__).parents[1] / "ledger"))
from statements import watch_statements

IDS = [f"h{number}" for number in range(5)]
PACE = CallOptions(concurrency=1, attempts=1, wait=0.001)
SYSTEM = TournamentSystemConfig(
    tournament_parameters=TournamentConfig(multi_turn_threshold=1000.0, match_batch_size=2),
    scheduling=SchedulingConfig(matches_per_round=2, rounds_per_session=2),
    policy=PolicyConfig(tournament_batch_size=2),
)
TASKS = (
    RankingTask(
        id="new",
        task_type=TaskType.NEW_HYPOTHESIS,
        priority=3,
        context={"hypotheses": {"late": "a late one", "half": {"text": "half of one", "missing": ["protocol"]}}},
    ),
    RankingTask(id="first", task_type=TaskType.TOURNAMENT_ROUND, priority=2),
    RankingTask(id="second", task_type=TaskType.TOURNAMENT_ROUND, priority=1),
    RankingTask(id="ranking", task_type=TaskType.GLOBAL_RANKING, priority=-1, after=("new",)),
    RankingTask(id="never", task_type=TaskType.TOURNAMENT_ROUND, after=("nowhere",)),
    RankingTask(id="nowhere", task_type=TaskType.GLOBAL_RANKING, hypothesis_ids=("nobody",)),
)


class Noting:
    """Notes each call in a file before it answers: what is noted twice was paid for twice."""

    def __init__(self, path):
        self.path = path

    def note(self, what):
        with self.path.open("a", encoding="utf-8") as file:
            file.write(what + "\n")


class NotingJudge(SimulatedJudge):
    def __init__(self, path):
        super().__init__({id: 0.5 * place for place, id in enumerate([*IDS, "late"])}, seed=2)
        self.noting = Noting(path)

    async def compare(self, question):
        self.noting.note(f"verdict {question.call}")
        return await super().compare(question)


class NotingAdvocate(ScriptedAdvocate):
    def __init__(self, path):
        super().__init__()
        self.noting = Noting(path)

    async def argue(self, question, speaker, stage, so_far):
        self.noting.note(f"turn {question.call} {len(so_far) + 1}")
        return await super().argue(question, speaker, stage, so_far)


class Reviewer:
    async def reviews(self, hypotheses):
        return [Review(item=item.id, reviewer="r", score=0.8) for item in hypotheses]


def begin(db, way):
    items = {id: f"Hypothesis {id} says this. It says that too." for id in IDS}
    participants = {"judge": NotingJudge(db.with_suffix(".txt")), "advocate": NotingAdvocate(db.with_suffix(".txt"))}
    with Tournament.create(
        items, criteria="testable", db=db, pairing="weighted", system=SYSTEM, seed=3, **participants
    ) as made:
        for task in TASKS if way == "tasks" else ():
            RankingAgent(made).submit(task)


def go_on(db, way):
    """Whether nothing is left to do."""
    notes = db.with_suffix(".txt")
    with Tournament.open(db, judge=NotingJudge(notes), advocate=NotingAdvocate(notes)) as found:
        if way == "tasks":
            return asyncio.run(RankingAgent(found, reviews=Reviewer(), pace=PACE).run()).paused
        if len(found.state.rounds) < 2 or found.state.open_matches:
            found.run(pace=PACE)
        return True


def killed(db, way, points):
    """Go on in a process that is killed at one of its points; whether it came to its end before."""
    child = os.fork()
    if not child:
        passed = [0]

        def at_point(*_):
            if passed[0] == points:
                os.kill(os.getpid(), signal.SIGKILL)
            passed[0] += 1

        writing = [False]

        def before(statement):
            writing[0] = writing[0] or statement.lstrip().startswith(("INSERT", "UPDATE", "DELETE"))

        def ending(*_):
            if writing[0]:
                at_point()

        def ended(*_):
            if writing[0]:
                writing[0] = False
                at_point()

        watch_statements(before)
        event.listen(Engine, "commit", ending)
        event.listen(Pool, "checkin", ended)
        go_on(db, way)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def asked(db):
    notes = db.with_suffix(".txt")
    return notes.read_text("utf-8").splitlines() if notes.exists() else []


def recorded(db):
    """What is on record by now, as it is noted."""
    with sqlite3.connect(db) as connection:
        turns = connection.execute("SELECT call, number FROM debate_turn").fetchall()
        verdicts = connection.execute("SELECT call FROM comparison WHERE key IS NOT NULL").fetchall()
    return {f"turn {call} {number}" for call, number in turns} | {f"verdict {call}" for (call,) in verdicts}


def found(db, kills, again):
    with Tournament.open(db, judge=NotingJudge(db.with_suffix(".txt"))) as seen:
        ledger, id = seen.ledger, seen.state.id
        events = [
            (e.kind, e.detail) for e in ledger.tournaments.events(id) if e.kind not in ("resumed", "stopped", "started")
        ]
        for _, detail in events:
            detail.pop("creation_timestamp", None) if isinstance(detail, dict) else None
        times = Counter(asked(db))
        return {
            "kills": kills,
            "rounds": [[str(pairing) for pairing in planned.pairings] for planned in ledger.tournaments.rounds(id)],
            "ratings": {item: rating.elo for item, rating in ledger.ratings.all(id).items()},
            "matches": [
                [entry.match.id, entry.match.outcome.value, entry.match.confidence] for entry in ledger.matches.all(id)
            ],
            "changes": [[change.item, change.match, change.new] for change in ledger.ratings.changes(id)],
            "turns": [
                [turn.call, turn.number, turn.content]
                for turn in sorted(ledger.tournaments.turns(id), key=lambda t: (t.call, t.number))
            ],
            "reviews": len(ledger.items.reviews(id)),
            "events": [[kind, detail] for kind, detail in events],
            "asked": sorted(times),
            "twice": times.total() - len(times),
            "again": again,
            "audit": ledger.audit(id).ok,
        }


def main():
    folder, way, points = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    whole, broken = folder / "whole.db", folder / "broken.db"
    begin(whole, way)
    go_on(whole, way)
    begin(broken, way)
    kills, again, safe, before = 0, [], set(), 0
    while not killed(broken, way, points):
        again += [what for what in asked(broken)[before:] if what in safe]
        safe, before = recorded(broken), len(asked(broken))
        kills += 1
        if kills > 1000:
            sys.exit("it does not get on")
    again += [what for what in asked(broken)[before:] if what in safe]
    for db, times, repeated in ((whole, 0, []), (broken, kills, again)):
        print(json.dumps(found(db, times, repeated)))


if __name__ == "__main__":
    main()
