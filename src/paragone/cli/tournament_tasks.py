"""``paragone tournament submit``, ``tasks``, ``cancel``, ``pause``, ``retire``, ...: the Ranking Agent's queue."""

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.errors import InvalidConfig
from paragone.presenting.table import Table, table, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paragone.domain.records import RankingTask

Record = dict[str, Any]


class TaskKind(StrEnum):
    """Kinds of tasks; the documents call them NewHypothesis, TournamentRound and GlobalRanking."""

    NEW = "new"
    ROUND = "round"
    RANKING = "ranking"


@dataclass(frozen=True, kw_only=True, slots=True)
class NewTask:
    """A task to submit."""

    kind: Annotated[TaskKind, argument("New hypotheses, a round, or a global ranking.")]
    hypotheses: Annotated[list[str] | None, argument("The hypotheses.  [default: all]", metavar="ID")] = None
    items: Annotated[Path | None, option("The new hypotheses: a file of items, as `rank` reads them.")] = None
    text: Annotated[str | None, option("The text of a single new hypothesis.", metavar="TEXT")] = None
    matches: Annotated[int | None, option("Matches in a round.  [default: tournament_batch_size]", min=1)] = None
    priority: Annotated[int, option("Higher priorities go first.")] = 0
    after: Annotated[list[str] | None, option("Begin only when this task is done; repeatable.", metavar="TASK")] = None
    id: Annotated[str | None, option("Id of the task; submitting it again changes nothing.", metavar="ID")] = None

    def check(self) -> None:
        """Refuse options that the task would ignore.

        Raises:
            InvalidConfig: Saying what goes together.
        """
        ids, is_new = self.hypotheses or [], self.kind is TaskKind.NEW
        if self.kind is not TaskKind.ROUND and self.matches is not None:
            raise InvalidConfig(f"--matches is for a round: paragone tournament submit round --matches {self.matches}")
        if not is_new and (self.text is not None or self.items is not None):
            raise InvalidConfig("--text and --items add hypotheses: paragone tournament submit new ID --text TEXT")
        if self.text is not None and (len(ids) != 1 or self.items is not None):
            raise InvalidConfig("--text is the text of one hypothesis: name that one; for several give --items FILE")
        if is_new and self.items is not None and ids:
            raise InvalidConfig("--items FILE names the new hypotheses itself: leave out the ids")
        if is_new and self.items is None and not ids:
            raise InvalidConfig("which hypotheses are new? Name one and give its --text TEXT, or give --items FILE")

    def record(self, id: str) -> "RankingTask":
        """The task as the queue takes it."""
        from paragone.domain.records import RankingTask, TaskType

        types = {
            TaskKind.NEW: TaskType.NEW_HYPOTHESIS,
            TaskKind.ROUND: TaskType.TOURNAMENT_ROUND,
            TaskKind.RANKING: TaskType.GLOBAL_RANKING,
        }
        context = self._context()
        return RankingTask(
            id=id,
            task_type=types[self.kind],
            hypothesis_ids=tuple(self.hypotheses or context.get("hypotheses", ())),
            priority=self.priority,
            context=context or None,
            after=tuple(self.after or ()),
        )

    def _context(self) -> dict[str, Any]:
        from paragone.intake.items import read_items

        context: dict[str, Any] = {} if self.matches is None else {"matches": self.matches}
        if self.text is not None and self.hypotheses:
            return {"hypotheses": {self.hypotheses[0]: self.text}, **context}
        if self.items is not None:
            return {
                "hypotheses": {item.id: item.text for item in read_items(self.items, without_texts=True)},
                **context,
            }
        return context


def submit(task: NewTask, stored: options.StoredByOption, output: options.Output) -> None:
    """Submit a task to a tournament's queue. `paragone tournament run` does it, even if it is running already."""
    from paragone.tournaments.agent import tasks as queue
    from paragone.tournaments.agent.dependencies import refusal
    from paragone.tournaments.status import tasks_of

    with stored.opened() as tournament:
        records = queue.task_records(tournament.state.events)
        task.check()
        record = task.record(task.id or f"task-{len(records) + 1}")
        problem = "" if record.id in records else refusal(record, tournament.state, records)
        if problem:
            raise InvalidConfig(f"the task cannot be done: {problem}")
        queue.submit(tournament.ledger, tournament.state.id, record)
        tournament.state.refresh(tournament.ledger)
        submitted = _values_of(record.id, tasks_of(tournament.state))
        waiting = f"; it waits, {submitted['waiting']}" if submitted["waiting"] else ""
        sentence = f"{record.id} is {submitted['state']} in {tournament.state.id}{waiting}"
    output.show(submitted, lambda _: [sentence])


def tasks(stored: options.Stored, output: options.Output) -> None:
    """List the tasks of a tournament, what each waits for, and their results with the age of the evidence."""
    from paragone.tournaments.agent.tasks import queue_pause
    from paragone.tournaments.status import queue_values, tasks_of

    with stored.opened() as tournament:
        listed, pause = tasks_of(tournament.state), queue_values(queue_pause(tournament.state.events))
    output.show(listed, lambda each: _tasks(each, pause))


TaskId = Annotated[str, argument("Id of the task.", metavar="TASK")]
SomeTask = Annotated[str | None, argument("Id of a task.  [default: the whole queue]", metavar="TASK")]
Items = Annotated[list[str], argument("Ids of the hypotheses.", metavar="ID")]


def cancel(task: TaskId, stored: options.StoredByOption, output: options.Output, reason: options.Reason = "") -> None:
    """Cancel a task that has not begun, or a round while it is played. Tasks that are to be done after it are refused.

    Of a round that is played, what has begun is finished and recorded, and nothing else is asked.
    """
    _change(task, stored, output, "cancel", reason=reason)


def prioritize(
    task: TaskId,
    priority: Annotated[int, argument("Its new priority; the highest goes first.")],
    stored: options.StoredByOption,
    output: options.Output,
) -> None:
    """Give a task that has not begun another priority."""
    _change(task, stored, output, "prioritize", priority=priority)


def pause(
    stored: options.StoredByOption, output: options.Output, task: SomeTask = None, reason: options.Reason = ""
) -> None:
    """Pause a task that has not begun, or the whole queue.

    While the queue is paused, no task begins, not even in later runs; what has begun is finished.
    """
    _set_paused(task, stored, output, "pause", reason)


def resume(
    stored: options.StoredByOption, output: options.Output, task: SomeTask = None, reason: options.Reason = ""
) -> None:
    """Let a paused task, or the paused queue, go on."""
    _set_paused(task, stored, output, "resume", reason)


def retire(
    hypotheses: Items, stored: options.StoredByOption, output: options.Output, reason: options.Reason = ""
) -> None:
    """Retire hypotheses: no new match is planned with them, and their open matches wait."""
    with stored.opened() as tournament:
        tournament.retire(hypotheses, reason)
        _show_retired(output, tournament.state.id, tournament.state.event_state.retired)


def readmit(
    hypotheses: Items, stored: options.StoredByOption, output: options.Output, reason: options.Reason = ""
) -> None:
    """Make retired hypotheses available again."""
    with stored.opened() as tournament:
        tournament.readmit(hypotheses, reason)
        _show_retired(output, tournament.state.id, tournament.state.event_state.retired)


def amend(
    stored: options.StoredByOption,
    output: options.Output,
    hypothesis: Annotated[str | None, argument("Its id.  [default: list the incomplete ones]", metavar="ID")] = None,
    text: Annotated[str | None, option("Its complete text.  [default: standard input]", metavar="TEXT")] = None,
    file: Annotated[Path | None, option("A file with its complete text.", metavar="FILE")] = None,
) -> None:
    """Complete a hypothesis whose text was empty or cut off: it joins, and its first match is requested.

    Without an id, list the hypotheses that wait for their texts.
    """
    if hypothesis is None and (text is not None or file is not None):
        raise InvalidConfig("whose text is it? paragone tournament amend ID --text TEXT")
    if text is not None and file is not None:
        raise InvalidConfig("give --text or --file, not both")
    with stored.opened() as tournament:
        if hypothesis is not None:
            tournament.amend(hypothesis, _text_of(text, file))
        waiting = [asdict(incomplete) for incomplete in tournament.incomplete()]
        joined = [] if hypothesis is None else [f"{hypothesis} joins {tournament.state.id}"]
    output.show(waiting, lambda each: [*joined, *_incomplete(each)])


def _text_of(text: str | None, file: Path | None) -> str:
    from paragone.intake.text_file import read_text

    return (read_text(file) if file is not None else sys.stdin.read() if text is None else text).strip()


def _incomplete(waiting: list[Record]) -> Iterator[str | Table[Any]]:
    if not waiting:
        yield "no hypothesis is incomplete"
        return
    yield table(
        waiting,
        text("incomplete", lambda row: row["id"]),
        text("lacks", lambda row: ", ".join(row["missing"])),
        text("provisional Elo", lambda row: f"{row['provisional_rating']:.0f}"),
        text("text so far", lambda row: row["text"][:60]),
    )


def _show_retired(output: options.Output, tournament: str, retired: "Mapping[str, str]") -> None:
    names = ", ".join(sorted(retired)) or "none"
    output.show({"retired": dict(retired)}, lambda _: [f"retired in {tournament}: {names}"])


def _set_paused(task: str | None, stored: options.Stored, output: options.Output, act: str, reason: str) -> None:
    if task is not None:
        _change(task, stored, output, act, reason=reason)
        return
    from paragone.tournaments.agent.tasks import TaskAct, change_queue
    from paragone.tournaments.status import queue_values

    with stored.opened() as tournament:
        queue = queue_values(change_queue(tournament.ledger, tournament.state.id, TaskAct(act), reason=reason))
        sentence = f"the queue of {tournament.state.id} is {'paused' if queue['paused'] else 'open'}"
    output.show(queue, lambda _: [sentence])


def _change(
    task: str,
    stored: options.Stored,
    output: options.Output,
    act: str,
    *,
    reason: str = "",
    priority: int | None = None,
) -> None:
    from paragone.tournaments.agent.tasks import TaskAct, change
    from paragone.tournaments.status import tasks_of

    with stored.opened() as tournament:
        change(tournament.ledger, tournament.state.id, task, TaskAct(act), reason=reason, priority=priority)
        tournament.state.refresh(tournament.ledger)
        changed = _values_of(task, tasks_of(tournament.state))
    sentence = f"{task} is {changed['state']}, with priority {changed['priority']}"
    output.show(changed, lambda _: [sentence])


def _values_of(id: str, listed: list[Record]) -> Record:
    return next(task for task in listed if task["id"] == id)


def _tasks(listed: list[Record], pause: Record) -> Iterator[str | Table[Any]]:
    if pause["paused"]:
        yield f"the queue is paused{': ' if pause['reason'] else ''}{pause['reason']}"
    if not listed:
        yield "no task was submitted"
        return
    yield table(
        listed,
        text("task", lambda task: task["id"]),
        text("type", lambda task: task["task_type"]),
        text("priority", lambda task: str(task["priority"])),
        text("state", lambda task: task["state"]),
        text("result", _outcome),
        text("evidence", lambda task: _age(task["evidence"])),
    )


def _age(evidence: Record | None) -> str:
    """How old the evidence of a result is."""
    if evidence is None:
        return ""
    since = evidence["matches_since"]
    return f"{evidence['matches']} matches" + (f", {since} since" if since else ", up to date")


def _outcome(task: Record) -> str:
    """What became of a task; of a round that was cancelled also how far it came."""
    came = _result(task["result"]) if task["state"] in ("done", "cancelled") else ""
    return "; ".join(filter(None, [task["error"] or task["waiting"], came]))


def _result(result: Any) -> str:  # noqa: ANN401 - plain JSON values
    if "joined" in result:
        lacking = "".join(f"; {id} lacks {', '.join(missing)}" for id, missing in result["incomplete"].items())
        return f"{len(result['joined'])} joined{lacking}"
    if "matches_completed" in result:
        completed, planned = result["matches_completed"], result.get("matches_planned", 0)
        of = f" of {planned}" if completed < planned else ""
        return result.get("reason") or f"round {result['round_id']}, {completed}{of} matches"
    ranked = result.get("ranked_hypotheses")
    return f"{ranked[0]['hypothesis_id']} leads {len(ranked)}" if ranked else ""
