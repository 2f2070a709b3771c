"""``paragone tournament status``, ``history``, ``config`` and ``review``: look at a tournament, decide what waits."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.domain.text import counted

if TYPE_CHECKING:
    from paragone.tournaments.tournament import Tournament

Record = dict[str, Any]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (status, history, config, review):
        app.command()(command)


def status(tournament: options.Chosen = None, db: options.Database = None, as_json: options.Json = False) -> None:
    """Say where a tournament is: what waits, how sure it is, how it fares."""
    from paragone.settings import settings
    from paragone.tournaments.status import status_of
    from paragone.tournaments.tournament import Tournament

    with Tournament.open(db or settings().db, tournament) as found:
        seen = status_of(found.ledger, found.state)
    if as_json:
        print_json(seen)
    else:
        _print_status(seen)


def _print_status(seen: Record) -> None:
    from paragone.cli.show import out, plain, print_table

    console = out()
    for line in _status_lines(seen):
        console.print(plain(line))
    if seen["leaders"] and seen["matches"]:
        console.print()
        columns = ("leader", "rating", "interval", "Elo", "matches")
        lines = [
            (
                one["id"],
                f"{one['rating']:.0f}",
                f"{one['low']:.0f} to {one['high']:.0f}",
                f"{one['elo']:.0f}",
                str(one["matches"]),
            )
            for one in seen["leaders"]
        ]
        print_table(columns, lines, right=frozenset(columns[1:]))


def _status_lines(seen: Record) -> list[str]:
    health = seen["health"]
    where = f"round {seen['current_round']}, {seen['hypotheses']} hypotheses, {seen['matches']} matches"
    waits = (
        f"open matches: {len(seen['active_matches'])}; requests that wait: {len(seen['pending_matches'])}; "
        f"tasks that wait: {len(seen['tasks'])}; incomplete hypotheses: {len(seen['incomplete'])}; "
        f"changes to review: {seen['to_review']}"
    )
    lines = [
        f"{seen['tournament']}: {where}",
        waits,
        "confidence: " + (", ".join(f"{count} {label}" for label, count in seen["confidence"].items()) or "none"),
        f"convergence: {seen['convergence']}",
        _spent(seen["spent"]),
    ]
    if health is not None:
        ratings = health["rating_distribution"]
        lines.append(
            f"health: {health['average_matches_per_hypothesis']:.1f} matches a hypothesis; "
            f"ratings {ratings['min']:.0f} to {ratings['max']:.0f}, mean {ratings['mean']:.0f}; quality of judgements "
            + ", ".join(
                f"{name.replace('_', ' ')} {value:.2f}" for name, value in health["debate_quality_scores"].items()
            )
        )
    return [*lines, f"stopped: {seen['stopped']}"] if seen["stopped"] else lines


def _spent(spent: Record) -> str:
    """What was spent, failed attempts included."""
    turns, units = (counted(spent[name], thing) for name, thing in (("turns", "turn"), ("units", "compute unit")))
    return f"spent: {spent['sentence']}; {turns}, {units}"


def history(
    tournament: options.Chosen = None,
    db: options.Database = None,
    as_json: options.Json = False,
    rows: options.Rows = None,
) -> None:
    """List the rounds: what was played, what it moved, what it took."""
    from paragone.cli.show import out, plain, print_table
    from paragone.settings import settings
    from paragone.tournaments.status import history_of
    from paragone.tournaments.tournament import Tournament

    with Tournament.open(db or settings().db, tournament) as found:
        seen = history_of(found.ledger, found.state)
    if as_json:
        print_json(seen)
        return
    if not seen["rounds"]:
        typer.echo("no round was played yet")
        return
    lines = [_round_line(one) for one in seen["rounds"]]
    lines = lines if rows is None else lines[-rows:]
    # what only a budget brings about is not shown without one
    columns = [name for name in lines[0] if name not in _OF_BUDGETS or any(line["budget"] for line in lines)]
    print_table(columns, [[line[name] for name in columns] for line in lines], right=frozenset(columns[:-1]))
    notes = [f"round {one['round']}: {one['who']} was left in peace: {one['reason']}" for one in seen["rested"]]
    if notes or seen["stopped"]:
        out().print()
    for note in notes:
        out().print(plain(note))
    if seen["stopped"]:
        out().print(plain(f"stopped: {seen['stopped']}"))


_OF_BUDGETS = frozenset({"budget", "degraded", "deferred"})


def _round_line(one: Record) -> dict[str, str]:
    top = one["top_performers"]
    return {
        "round": one["round_id"],
        "matches": f"{one['matches_completed']} of {one['matches_planned']}" + (", open" if one["open"] else ""),
        "mean change": f"{one['average_rating_change']:.1f}",
        "units": f"{one['computational_cost']['compute_units']:.0f}",
        "forecast": _number(one["forecast_units"]),
        "budget": _number(one["budget"]),
        "degraded": str(len(one["degraded"])),
        "deferred": str(len(one["deferred"])),
        "top": f"{top[0]['hypothesis_id']} {top[0]['current_elo']}" if top else "",
    }


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def config(
    tournament: options.Chosen = None,
    file: options.Configuration = None,
    assignments: options.Assignments = None,
    db: options.Database = None,
    as_json: options.Json = False,
) -> None:
    """Print the parameters of a tournament, or without one those that a new one would have, as TOML."""
    from dataclasses import asdict

    from paragone.intake.configuration import as_toml
    from paragone.settings import assigned, settings, tournament_system

    if tournament is None:
        system = tournament_system(file, **assigned(assignments or ()))
    else:
        from paragone.tournaments.tournament import Tournament  # it loads what the parameters alone have no need of

        with Tournament.open(db or settings().db, tournament) as found:
            system = found.state.system
    if as_json:
        print_json(asdict(system))
    else:
        sys.stdout.write(as_toml(system))


def review(
    tournament: options.Chosen = None,
    keep: Annotated[str | None, typer.Option(metavar="ID", help="The change is as it should be.")] = None,
    roll_back: Annotated[str | None, typer.Option(metavar="ID", help="Void the match behind the change.")] = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; kept in the ledger.")] = "",
    db: options.Database = None,
    as_json: options.Json = False,
) -> None:
    """List the rating changes that look wrong, or decide about one of them."""
    from paragone.errors import InvalidConfig
    from paragone.settings import settings
    from paragone.tournaments.status import KEPT, ROLLED_BACK, review_anomaly
    from paragone.tournaments.tournament import Tournament

    if keep is not None and roll_back is not None:
        raise InvalidConfig("decide about one change at a time: --keep or --roll-back")
    with Tournament.open(db or settings().db, tournament) as found:
        for id, decision in ((keep, KEPT), (roll_back, ROLLED_BACK)):
            if id is not None:
                review_anomaly(found.ledger, found.state, id, decision, reason)
        found.state.refresh(found.ledger)
        _print_queue(found, as_json=as_json)


def _print_queue(found: "Tournament", *, as_json: bool) -> None:
    from paragone.cli.show import print_table
    from paragone.tournaments.status import anomaly_queue

    queue = anomaly_queue(found.state)
    if as_json:
        print_json(queue)
    elif not queue:
        typer.echo("no rating change looks wrong")
    else:
        columns = ("id", "hypothesis", "match", "kind", "size", "decision", "reason")
        lines = [
            (
                one["id"],
                one["item"],
                one["match"],
                one["kind"],
                f"{one['size']:.0f}",
                one["decision"] or "waits",
                one["reason"],
            )
            for one in queue
        ]
        print_table(columns, lines, right=frozenset({"size"}))
