"""``paragone tournament submit`` and ``tasks``: the queue of the Ranking Agent."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.errors import InvalidConfig
from paragone.presenting.table import Table, table, text

if TYPE_CHECKING:
    from paragone.domain.records import RankingTask
    from paragone.tournaments.agent.tasks import TaskRecord


class TaskKind(StrEnum):
    """Kinds of tasks; the documents call them NewHypothesis, TournamentRound and GlobalRanking."""

    NEW = "new"
    ROUND = "round"
    RANKING = "ranking"


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """A task to submit."""

    kind: Annotated[TaskKind, argument("New hypotheses, a round, or a global ranking.")]
    hypotheses: Annotated[list[str] | None, argument("The hypotheses.  [default: all]", metavar="ID")] = None
    items: Annotated[Path | None, option("The new hypotheses: a file of items, as `rank` reads them.")] = None
    text: Annotated[str | None, option("The text of a single new hypothesis.", metavar="TEXT")] = None
    matches: Annotated[int | None, option("Matches in a round.  [default: tournament_batch_size]", min=1)] = None
    priority: Annotated[int, option("Higher priorities go first.")] = 0
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
        )

    def _context(self) -> dict[str, Any]:
        from paragone.intake.items import read_items

        context: dict[str, Any] = {} if self.matches is None else {"matches": self.matches}
        if self.text is not None and self.hypotheses:
            return {"hypotheses": {self.hypotheses[0]: self.text}, **context}
        if self.items is not None:
            return {"hypotheses": {item.id: item.text for item in read_items(self.items)}, **context}
        return context


def submit(task: Task, stored: options.StoredByOption, output: options.Output) -> None:
    """Submit a task to a tournament's queue. `paragone tournament run` does it, even if it is running already."""
    from paragone.tournaments.agent import tasks as queue
    from paragone.tournaments.status import task_values

    with stored.opened() as tournament:
        ids = queue.task_records(tournament.state.events)
        task.check()
        record = task.record(task.id or f"task-{len(ids) + 1}")
        problem = queue.problem_with(record, tournament.state)
        if problem and record.id not in ids:
            raise InvalidConfig(f"the task cannot be done: {problem}")
        queue.submit(tournament.ledger, tournament.state.id, record)
        tournament.state.refresh(tournament.ledger)
        submitted = queue.task_records(tournament.state.events)[record.id]
        sentence = f"{record.id} is {submitted.state.value} in {tournament.state.id}"
    output.show(submitted, lambda _: [sentence], values=task_values)


def tasks(stored: options.Stored, output: options.Output) -> None:
    """List the tasks of a tournament and their results."""
    from paragone.tournaments.agent.tasks import task_records
    from paragone.tournaments.status import task_values

    with stored.opened() as tournament:
        records = list(task_records(tournament.state.events).values())
    output.show(records, _tasks, values=lambda each: [task_values(record) for record in each])


def _tasks(records: "list[TaskRecord]") -> Iterator[str | Table[Any]]:
    if not records:
        yield "no task was submitted"
        return
    yield table(
        records,
        text("task", lambda record: record.task.id),
        text("type", lambda record: record.task.task_type.value),
        text("priority", lambda record: str(record.task.priority)),
        text("state", lambda record: record.state.value),
        text("result", lambda record: record.error or _result(record.result)),
    )


def _result(result: Any) -> str:  # noqa: ANN401 - plain JSON values
    if "joined" in result:
        lacking = "".join(f"; {id} lacks {', '.join(missing)}" for id, missing in result["incomplete"].items())
        return f"{len(result['joined'])} joined{lacking}"
    if "matches_completed" in result:
        return result.get("reason") or f"round {result['round_id']}, {result['matches_completed']} matches"
    ranked = result.get("ranked_hypotheses")
    return f"{ranked[0]['hypothesis_id']} leads {len(ranked)}" if ranked else ""
