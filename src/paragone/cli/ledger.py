"""``paragone audit``, ``whatif`` and ``rollback``: question and correct the ledger."""

import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.ledger import AuditReport
    from paragone.wire.audit import Difference

CURRENT = "rating"
"""The table of current ratings: the only one that is no evidence, so that it can be made again."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (audit, whatif, rollback):
        app.command()(command)


def audit(
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make current ratings that differ again, from the evidence.")
    ] = False,
    head: Annotated[
        bool, typer.Option("--head", help="Print the last hash of each chain, to be kept elsewhere, and nothing else.")
    ] = False,
    expect: Annotated[
        list[str] | None,
        typer.Option("--expect", metavar="HASH", help="A hash, or a file of them, from --head; may be repeated."),
    ] = None,
    db: options.Database = None,
    as_json: options.Json = False,
) -> None:
    """Recompute the hash chain and every rating of a ledger, and compare with what is stored.

    Exit code 1 where anything differs.
    """
    from paragone.domain.text import harmless
    from paragone.ledger import Ledger
    from paragone.settings import settings

    kept = [hash for text in expect or () for hash in _hashes(text)]
    with Ledger.open(db or settings().db, create=False) as ledger:
        report = ledger.audit(expect=kept)
        if not report.pools and report.ok:
            ledger.tournaments.get()  # refuses: of nothing, nothing can be said
        broken = sorted({found.pool for found in report.differences if found.table == CURRENT})
        if rebuild and broken:
            for pool in broken:
                ledger.rebuild(pool)
            report = ledger.audit(expect=kept)
    if as_json:
        print_json(asdict(report))
    elif head and report.ok:
        typer.echo(harmless("\n".join(f"{hash} {pool}" for pool, hash in report.heads.items())))
    else:
        typer.echo(harmless(_audited(report)))
    if not report.ok:
        raise typer.Exit(1)


def _hashes(text: str) -> list[str]:
    """A hash as it is; of a file that ``--head`` wrote, those that its lines begin with."""
    from paragone.intake.text_file import read_text

    if re.fullmatch("[0-9a-f]{64}", text):
        return [text]
    return [line.split()[0] for line in read_text(Path(text)).splitlines() if line.strip()]


def _audited(report: "AuditReport") -> str:
    pools = f"{report.pools} pool{'' if report.pools == 1 else 's'}"
    checked = f"{pools}, {report.commits} commits, {report.rows} rows, {report.ratings} ratings"
    notes = "".join(f"\nnote: {note}" for note in report.notes)
    if report.ok:
        return f"ok: {checked}; the hash chain holds and every rating follows from the evidence{notes}"
    found = "\n".join(f"  {_place(difference)}: {difference.message}" for difference in report.differences)
    lost = any(d.table == CURRENT for d in report.differences)
    hint = "\ncurrent ratings are made again from the evidence by: paragone audit --rebuild" if lost else ""
    return f"NOT ok: {checked}; what differs, of each pool the first row:\n{found}{hint}{notes}"


def _place(difference: "Difference") -> str:
    where = " ".join(str(part) for part in (difference.table, difference.row) if part != "")
    return ": ".join(part for part in (difference.pool, where) if part) or "storage"


def whatif(
    tournament: options.Chosen = None,
    k: Annotated[float | None, typer.Option("--k", help="Another K factor for the running Elo.")] = None,
    initial: Annotated[float | None, typer.Option(help="Another initial rating.")] = None,
    without_match: Annotated[list[str] | None, typer.Option(help="A match that never was; may be repeated.")] = None,
    without_judge: Annotated[list[str] | None, typer.Option(help="A judge who never was; may be repeated.")] = None,
    position: Annotated[
        bool, typer.Option("--position/--no-position", help="Fit each judge's position bias, or take it at its word.")
    ] = True,
    db: options.Database = None,
    by_elo: options.ByElo = False,
    elo: options.Elo = False,
    as_json: options.Json = False,
    rows: options.Rows = None,
) -> None:
    """Print the board as it would stand under other settings or without some evidence; nothing is changed."""
    from paragone.cli.show import print_board
    from paragone.presenting.board_files import as_json as board_as_json
    from paragone.settings import settings
    from paragone.tournaments.results.tournament_board import WhatIf, stored_board

    suppose = WhatIf(
        k=k,
        initial=initial,
        without_matches=tuple(without_match or ()),
        without_judges=tuple(without_judge or ()),
        position=position,
    )
    result = stored_board(db or settings().db, tournament, suppose=suppose, by_elo=by_elo)
    if as_json:
        sys.stdout.write(board_as_json(result))
    else:
        print_board(result, rows=rows, elo=elo or by_elo)


def rollback(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="Id of the match, as `paragone matches` lists it.")],
    reason: Annotated[str, typer.Option(help="Why; kept in the ledger.")] = "disputed",
    tournament: options.Of = None,
    db: options.Database = None,
    as_json: options.Json = False,
) -> None:
    """Void a match: the ratings become what they would be without it, and the ledger keeps both."""
    from paragone.settings import settings
    from paragone.tournaments.tournament import Tournament

    with Tournament.open(db or settings().db, tournament) as found:
        already = match in found.state.rolled_back
        changes = found.rollback(match, reason)
    if as_json:
        print_json([asdict(change) for change in changes])
        return
    seen = [change for change in changes if f"{change.old:.1f}" != f"{change.new:.1f}"]
    less = "" if len(seen) == len(changes) else f", {len(changes) - len(seen)} of them by less than can be seen"
    typer.echo(f"match {match} {'was void already' if already else 'is void'}; {len(changes)} ratings moved{less}")
    for change in sorted(seen, key=lambda change: -abs(change.new - change.old)):
        typer.echo(f"  {change.item}: {change.old:.1f} -> {change.new:.1f}")
