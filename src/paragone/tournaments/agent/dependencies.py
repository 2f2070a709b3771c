"""What each task of a queue waits for, and which begin now. Pure functions of the records of the tasks."""

from collections.abc import Mapping

from paragone.domain.records import RankingTask
from paragone.tournaments.agent.tasks import QueuePause, TaskRecord, TaskState, problem_with
from paragone.tournaments.state import TournamentState

AT_ONCE = 8
"""Maximum number of concurrent tasks without a round, so that priorities count where many wait."""

Records = Mapping[str, TaskRecord]


def startable(records: Records, running: Mapping[str, object], *, pause: QueuePause | None = None) -> list[TaskRecord]:
    """The tasks to begin or continue now, in order: those without a round, and a round if it is first of the ready.

    Args:
        records: All tasks.
        running: Tasks that this process works on.
        pause: The pause of the queue, if it is paused: then only what has begun goes on.
    """
    unfinished = sorted(
        (record for record in records.values() if is_ready(record, records)), key=lambda record: record.turn
    )
    if pause is not None:
        unfinished = [record for record in unfinished if record.state.is_begun]
    quick = sum(not records[id].is_round for id in running)
    playing = any(records[id].is_round for id in running)
    chosen: list[TaskRecord] = []
    for position, record in enumerate(unfinished):
        is_round = record.is_round
        if record.task.id in running or (quick >= AT_ONCE and not is_round):
            continue
        if is_round and (position > 0 or playing):
            continue
        chosen.append(record)
        quick += not is_round
    return chosen


def is_ready(record: TaskRecord, records: Records) -> bool:
    """Whether a task may begin, or has begun and is not over."""
    if record.state in (TaskState.RUNNING, TaskState.CANCELLING):
        return True
    return record.state is TaskState.QUEUED and not waits_for(record, records)


def waits_for(record: TaskRecord, records: Records) -> tuple[str, ...]:
    """Ids of the tasks that must be over before a task begins; of those in ``after`` that are not done, or not there.

    A global ranking also waits for rounds submitted before it: of a higher priority, or of the same if they had not
    begun by then. Not for a round that itself waits for the ranking.
    """
    if record.state.is_begun:
        return ()
    unfinished = [id for id in record.task.after if id not in records or records[id].state is not TaskState.DONE]
    rounds = [
        id
        for id, has_begun in record.rounds_before.items()
        if _holds(record, records[id], has_begun=has_begun, records=records)
    ]
    return tuple(dict.fromkeys((*unfinished, *rounds)))


def _holds(ranking: TaskRecord, round: TaskRecord, *, has_begun: bool, records: Records) -> bool:
    if round.state.is_final or round.urgency < ranking.urgency or (has_begun and round.urgency == ranking.urgency):
        return False
    return ranking.task.id not in predecessors(round.task, records)


def predecessors(task: RankingTask, records: Records) -> dict[str, str]:
    """All tasks that must be done before a task, by id: each with the one that names it."""
    reasons: dict[str, str] = {}
    open_tasks = [task]
    while open_tasks:
        follower = open_tasks.pop()
        for id in follower.after:
            if id not in reasons:
                reasons[id] = follower.id
                if id in records:
                    open_tasks.append(records[id].task)
    return reasons


def circle(task: RankingTask, records: Records) -> tuple[str, ...]:
    """The tasks of a circle that a task is in, from itself back to itself; empty if it is in none."""
    followers = predecessors(task, records)
    if task.id not in followers:
        return ()
    way = [task.id]
    while len(way) == 1 or way[-1] != task.id:
        way.append(followers[way[-1]])
    return tuple(reversed(way))


def refusal(task: RankingTask, state: TournamentState, records: Records) -> str:
    """Why a task cannot be done, in words; empty if it can."""
    return problem_with(task, state) or hindrance(task, records)


def hindrance(task: RankingTask, records: Records) -> str:
    """Why a task can never begin, by what it is after, in words; empty if it can."""
    if task.id in task.after:
        return f"it is to be done after itself: leave {task.id!r} out of after"
    ring = circle(task, records)
    if ring:
        return f"it waits for itself in a circle: {' after '.join(ring)}; leave one of them out of after"
    for id in task.after:
        before = records.get(id)
        if before is not None and before.state.is_final and before.state is not TaskState.DONE:
            reason = f": {before.error}" if before.error else ""
            return f"it is to be done after {id!r}, which was {_WAS[before.state]}{reason}"
    return ""


_WAS = {TaskState.FAILED: "not done since it failed", TaskState.REFUSED: "refused", TaskState.CANCELLED: "cancelled"}


def waiting_in_words(record: TaskRecord, records: Records, pause: QueuePause | None = None) -> str:
    """What a task waits for; empty if it has begun, is over, or may begin."""
    if record.state.is_begun:
        return ""
    if record.state is TaskState.PAUSED:
        return f"it is paused{f': {record.error}' if record.error else ''}"
    predecessors = [
        f"{id} ({records[id].state.value if id in records else 'not submitted yet'})"
        for id in waits_for(record, records)
    ]
    reasons = [f"the queue is paused{f': {pause.reason}' if pause.reason else ''}"] if pause is not None else []
    return "; ".join([*reasons, *([f"after {', '.join(predecessors)}"] if predecessors else [])])
