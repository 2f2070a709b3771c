"""``paragone tournament status``, ``history``, ``config``, ``anomalies`` and ``report``: the state of a tournament."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import completion, options
from paragone.cli.options import argument, option
from paragone.cli.parameters import OnlyWith
from paragone.domain.text import counted
from paragone.presenting.table import Column, Table, number, numbers, table, text

if TYPE_CHECKING:
    from paragone.tournaments.tournament_settings import TournamentSettings

Record = dict[str, Any]


def status(stored: options.Stored, output: options.Output) -> None:
    """Show the queues, certainty and health of a tournament."""
    from paragone.tournaments.status import status_of

    with stored.opened() as tournament:
        state, settings = status_of(tournament.ledger, tournament.state), tournament.state.settings
    output.show(state, lambda each: _status(each, settings))


def _status(state: Record, settings: "TournamentSettings") -> Iterator[str | Table[Any]]:
    yield from _status_lines(state, settings)
    if state["leaders"] and state["matches"]:
        yield ""
        yield table(
            state["leaders"],
            text("leader", lambda row: row["id"]),
            number("strength", lambda row: row["rating"], ".0f"),
            numbers("interval", lambda row: f"{row['low']:.0f} to {row['high']:.0f}"),
            number("Elo", lambda row: row["elo"], ".0f"),
            number("matches", lambda row: row["matches"], ""),
        )


def _status_lines(state: Record, settings: "TournamentSettings") -> list[str]:
    health, spent = state["health"], state["spent"]
    lines = [
        (
            f"{state['tournament']}: round {state['current_round']}, {state['hypotheses']} {settings.nouns}, "
            f"{state['matches']} matches"
        ),
        (
            f"open matches: {len(state['active_matches'])}; pending requests: {len(state['pending_matches'])}; "
            f"pending tasks: {len(state['tasks'])}; incomplete {settings.nouns}: {len(state['incomplete'])}; "
            f"changes to review: {state['to_review']}"
        ),
        "confidence: " + (", ".join(f"{count} {label}" for label, count in state["confidence"].items()) or "none"),
        f"convergence: {state['convergence']}",
        f"spent: {spent['sentence']}; {counted(spent['turns'], 'turn')}, {counted(spent['units'], 'compute unit')}"
        + (f"; {state['prompt_cache']}" if state["prompt_cache"] else ""),
    ]
    if health is not None:
        ratings, scores = health["rating_distribution"], health["debate_quality_scores"]
        lines.append(
            f"health: {health['average_matches_per_hypothesis']:.1f} matches per {settings.noun}; "
            f"running Elo {ratings['min']:.0f} to {ratings['max']:.0f}, mean {ratings['mean']:.0f}; "
            "quality of judgements "
            + ", ".join(f"{name.replace('_', ' ')} {score:.2f}" for name, score in scores.items())
        )
    return [*lines, f"stopped: {state['stopped']}"] if state["stopped"] else lines


def history(stored: options.Stored, output: options.Output, rows: options.Rows = None) -> None:
    """List the rounds with their matches, rating changes and cost."""
    from paragone.tournaments.status import history_of

    with stored.opened() as tournament:
        rounds = history_of(tournament.ledger, tournament.state)
    output.show(rounds, lambda each: _rounds(each, rows))


_BUDGET_COLUMNS = frozenset({"budget", "degraded", "deferred"})
"""Columns that are empty without a budget."""


def _rounds(history: Record, rows: int | None) -> Iterator[str | Table[Any]]:
    if not history["rounds"]:
        yield "no round was played yet"
        return
    columns: tuple[Column[Record], ...] = (
        numbers("round", lambda row: row["round_id"]),
        numbers(
            "matches",
            lambda row: f"{row['matches_completed']} of {row['matches_planned']}" + (", open" if row["open"] else ""),
        ),
        number("mean change", lambda row: row["average_rating_change"], ".1f"),
        number("units", lambda row: row["computational_cost"]["compute_units"], ".0f"),
        number("forecast", lambda row: row["forecast_units"], ".0f"),
        number("budget", lambda row: row["budget"], ".0f"),
        number("degraded", lambda row: len(row["degraded"]), ""),
        number("deferred", lambda row: len(row["deferred"]), ""),
        text("top", _leader),
    )
    has_budget = any(row["budget"] is not None for row in history["rounds"])
    rounds = history["rounds"] if rows is None else history["rounds"][-rows:]
    yield table(rounds, *(column for column in columns if has_budget or column.name not in _BUDGET_COLUMNS))
    notes = [f"round {row['round']}: {row['who']} was rested: {row['reason']}" for row in history["rested"]]
    notes += [f"stopped: {history['stopped']}"] if history["stopped"] else []
    if notes:
        yield from ("", *notes)


def _leader(row: Record) -> str:
    top = row["top_performers"]
    return f"{top[0]['hypothesis_id']} {top[0]['current_elo']}" if top else ""


def config(
    output: options.Output,
    tournament: Annotated[
        str | None, argument("The id of a tournament.  [default: a new one]", autocompletion=completion.tournaments)
    ] = None,
    file: options.Configuration = None,
    assignments: options.Assignments = None,
    db: options.Database = None,
) -> None:
    """Print the parameters of a tournament as TOML. Without an id, they are those of a new tournament."""
    from dataclasses import asdict

    from paragone.intake.configuration import as_toml
    from paragone.settings import assigned, tournament_system

    if tournament is None:
        system = tournament_system(file, **assigned(assignments or ()))
    else:
        with options.Stored(tournament=tournament, db=db).opened() as opened:
            system = opened.state.system
    output.draw(system, lambda each: typer.echo(as_toml(each), nl=False), values=asdict)


def anomalies(
    stored: options.Stored,
    output: options.Output,
    keep: Annotated[str | None, option("Accept the change.", metavar="ID")] = None,
    roll_back: Annotated[str | None, option("Void the match behind the change.", metavar="ID")] = None,
    reason: Annotated[options.Reason, OnlyWith("--keep or --roll-back")] = "",
) -> None:
    """List suspicious rating changes, or decide about one of them."""
    from paragone.errors import InvalidConfig
    from paragone.tournaments.status import KEPT, ROLLED_BACK, anomaly_queue, review_anomaly

    if keep is not None and roll_back is not None:
        raise InvalidConfig("decide about one change at a time: --keep or --roll-back")
    with stored.opened() as tournament:
        for id, decision in ((keep, KEPT), (roll_back, ROLLED_BACK)):
            if id is not None:
                review_anomaly(tournament.ledger, tournament.state, id, decision, reason)
        tournament.state.refresh(tournament.ledger)
        queue = anomaly_queue(tournament.state)
    output.show(queue, _queue)


def _queue(queue: list[Record]) -> Iterator[str | Table[Any]]:
    if not queue:
        yield "no suspicious rating change"
        return
    yield table(
        queue,
        text("id", lambda row: row["id"]),
        text("hypothesis", lambda row: row["item"]),
        text("match", lambda row: row["match"]),
        text("kind", lambda row: row["kind"]),
        number("size", lambda row: row["size"], ".0f"),
        text("decision", lambda row: row["decision"] or "pending"),
        text("reason", lambda row: row["reason"]),
    )


def report(
    stored: options.Stored,
    output: options.Output,
    out: Annotated[list[Path] | None, option("A .html, .json or .csv file; repeatable.", "-o")] = None,
    truth: Annotated[Path | None, option("True quality, if known: a table with columns id and score.")] = None,
    top: Annotated[int, option("Items in the tables and figures of the page at most.", min=1), OnlyWith("--out")] = 100,
    follow: Annotated[
        list[str] | None, option("Also show this item round by round; repeatable.", metavar="ID"), OnlyWith("--out")
    ] = None,
) -> None:
    """Report on the ranking, certainty, progress and cost.

    Without --out and --json, print the summary.
    """
    from paragone.cli.tables import print_report
    from paragone.errors import NotFound
    from paragone.intake.item_values import read_strengths
    from paragone.presenting.files import require_report_file
    from paragone.presenting.tournament_report import as_json, write
    from paragone.presenting.tournament_report.summary import summary, tiles
    from paragone.tournaments.report import gather, gather_overview

    files, followed = out or [], follow or []
    for path in files:
        require_report_file(path)
    strengths = None if truth is None else read_strengths(truth)
    with stored.opened() as tournament:
        ids = set(tournament.state.ids)
        for id in followed:
            if id not in ids:
                raise NotFound(f"no item of {tournament.state.id} is called {id!r}; `paragone board` lists them")
        if not (files or output.as_json):
            overview = gather_overview(tournament.ledger, tournament.state, truth=strengths)
            print_report(summary(overview), tiles(overview))
            return
        gathered = gather(tournament.ledger, tournament.state, truth=strengths)
    for path in files:
        write(gathered, path, top=top, chosen=followed)
    if output.as_json:
        sys.stdout.write(as_json(gathered))
    else:
        typer.echo(f"wrote {', '.join(map(str, files))}", err=True)
