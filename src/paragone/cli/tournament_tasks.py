"""``paragone tournament submit`` and ``tasks``: the queue of the Ranking Agent."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.domain.records import RankingTask
    from paragone.tournaments.agent.tasks import TaskRecord


class Kind(StrEnum):
    """What a task asks for; the documents' names are NewHypothesis, TournamentRound and GlobalRanking."""

    NEW = "new"
    ROUND = "round"
    RANKING = "ranking"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(submit)
    app.command()(tasks)


def submit(
    kind: Annotated[Kind, typer.Argument(help="New hypotheses, a round, or a global ranking.")],
    hypotheses: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Among these; else all.")] = None,
    items: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The new hypotheses: a file of items, as `rank` reads them.")
    ] = None,
    text: Annotated[str | None, typer.Option(metavar="TEXT", help="The text of the one new hypothesis named.")] = None,
    matches: Annotated[int | None, typer.Option(min=1, help="Matches of a round; else tournament_batch_size.")] = None,
    priority: Annotated[int, typer.Option(help="A higher one goes first.")] = 0,
    id: Annotated[str | None, typer.Option("--id", help="Names the task; the same again changes nothing.")] = None,
    tournament: options.Of = None,
    db: options.Database = None,
    as_json: options.Json = False,
) -> None:
    """Put a task into the queue of a tournament; `paragone tournament run` does it, also one that runs already."""
    from paragone.errors import InvalidConfig
    from paragone.settings import settings
    from paragone.tournaments.agent import tasks as queue
    from paragone.tournaments.tournament import Tournament

    with Tournament.open(db or settings().db, tournament) as found:
        known = queue.task_records(found.state.events)
        name, named = found.state.id, hypotheses or []
        _check(kind, named, text=text, items=items, matches=matches)
        context = {**_new(named, text, items), **({} if matches is None else {"matches": matches})}
        task = _task(id or f"task-{len(known) + 1}", kind, named, context, priority)
        problem = queue.problem_with(task, found.state)
        if problem and task.id not in known:
            raise InvalidConfig(f"the task cannot be done: {problem}")
        queue.submit(found.ledger, found.state.id, task)
        found.state.refresh(found.ledger)
        record = queue.task_records(found.state.events)[task.id]
    if as_json:
        print_json(_values(record))
    else:
        typer.echo(f"{task.id} is {record.state.value} in {name}")


def _check(kind: Kind, named: list[str], *, text: str | None, items: Path | None, matches: int | None) -> None:
    """Refuse options that the task would not heed.

    Raises:
        InvalidConfig: Saying what goes together.
    """
    from paragone.errors import InvalidConfig

    if kind is not Kind.ROUND and matches is not None:
        raise InvalidConfig(f"--matches is for a round: paragone tournament submit round --matches {matches}")
    if kind is not Kind.NEW and (text is not None or items is not None):
        raise InvalidConfig("--text and --items bring new hypotheses: paragone tournament submit new ID --text TEXT")
    if text is not None and (len(named) != 1 or items is not None):
        raise InvalidConfig("--text is the text of one hypothesis: name that one; for several give --items FILE")
    if kind is Kind.NEW and items is not None and named:
        raise InvalidConfig("--items FILE names the new hypotheses itself: leave out the ids")
    if kind is Kind.NEW and items is None and not named:
        raise InvalidConfig("which hypotheses are new? Name one and give its --text TEXT, or give --items FILE")


def _new(named: list[str], text: str | None, items: Path | None) -> dict[str, Any]:
    """The texts of new hypotheses, as the context of a task has them."""
    from paragone.intake.items import read_items

    if text is not None:
        return {"hypotheses": {named[0]: text}}
    return {} if items is None else {"hypotheses": {item.id: item.text for item in read_items(items)}}


def _task(id: str, kind: Kind, named: list[str], context: dict[str, Any], priority: int) -> "RankingTask":
    from paragone.domain.records import RankingTask, TaskType

    types = {
        Kind.NEW: TaskType.NEW_HYPOTHESIS,
        Kind.ROUND: TaskType.TOURNAMENT_ROUND,
        Kind.RANKING: TaskType.GLOBAL_RANKING,
    }
    ids = tuple(named) or tuple(context.get("hypotheses", ()))
    return RankingTask(id=id, task_type=types[kind], hypothesis_ids=ids, priority=priority, context=context or None)


def tasks(tournament: options.Chosen = None, db: options.Database = None, as_json: options.Json = False) -> None:
    """List the tasks of a tournament and what became of each."""
    from paragone.cli.show import print_table
    from paragone.settings import settings
    from paragone.tournaments.agent.tasks import task_records
    from paragone.tournaments.tournament import Tournament

    with Tournament.open(db or settings().db, tournament) as found:
        records = list(task_records(found.state.events).values())
    if as_json:
        print_json([_values(record) for record in records])
    elif not records:
        typer.echo("no task was submitted")
    else:
        print_table(("task", "asks for", "priority", "state", "what came of it"), [_line(record) for record in records])


def _line(record: "TaskRecord") -> tuple[str, ...]:
    task = record.task
    return (
        task.id,
        task.task_type.value,
        str(task.priority),
        record.state.value,
        record.error or _came_of(record.result),
    )


def _came_of(result: Any) -> str:  # noqa: ANN401 - plain JSON values
    if "joined" in result:
        lacking = "".join(f"; {id} lacks {', '.join(missing)}" for id, missing in result["incomplete"].items())
        return f"{len(result['joined'])} joined{lacking}"
    if "matches_completed" in result:
        return result.get("reason") or f"round {result['round_id']}, {result['matches_completed']} matches"
    ranked = result.get("ranked_hypotheses")
    return f"{ranked[0]['hypothesis_id']} leads {len(ranked)}" if ranked else ""


def _values(record: "TaskRecord") -> dict[str, Any]:
    from paragone.tournaments.status import task_values

    return task_values(record)
