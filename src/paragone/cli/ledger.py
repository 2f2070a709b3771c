"""``paragone audit``, ``whatif`` and ``rollback``: check and correct the ledger."""

import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.options import argument, option

if TYPE_CHECKING:
    from paragone.domain import RatingChange
    from paragone.wire.audit import Audit, Difference

CURRENT_RATINGS = "rating"
"""The only table that is no evidence, so that it can be rebuilt."""


def audit(
    output: options.Output,
    rebuild: Annotated[bool, option("Rebuild current ratings that differ from the evidence.")] = False,
    head: Annotated[bool, option("Print only the last hash of each chain, to keep elsewhere.")] = False,
    expect: Annotated[
        list[str] | None, option("A hash that --head printed, or a file of them; repeatable.", metavar="HASH")
    ] = None,
    db: options.Database = None,
) -> None:
    """Check the hash chain and every rating of a ledger.

    Both are recomputed from the evidence and compared with what is stored. The exit code is 1 if anything differs.
    """
    from paragone.domain.text import harmless
    from paragone.ledger import Ledger

    expected = [hash for text in expect or () for hash in _hashes(text)]
    with Ledger.open(options.db_url(db), create=False) as ledger:
        report = ledger.audit(expect=expected)
        if not report.pools and report.ok:
            ledger.tournaments.get()  # refuses: an empty ledger is neither sound nor broken
        pools = _pools_to_rebuild(report)
        if rebuild and pools:
            for pool in pools:
                ledger.rebuild(pool)
            report = ledger.audit(expect=expected)
    heads = "\n".join(f"{hash} {pool}" for pool, hash in report.heads.items())
    output.draw(report, lambda each: typer.echo(harmless(heads if head and each.ok else _summary(each))))
    if not report.ok:
        raise typer.Exit(1)


def _hashes(text: str) -> list[str]:
    """A hash, or the first word of each line of a file that ``--head`` wrote."""
    from paragone.intake.text_file import read_text

    if re.fullmatch("[0-9a-f]{64}", text):
        return [text]
    return [line.split()[0] for line in read_text(Path(text)).splitlines() if line.strip()]


def _pools_to_rebuild(report: "Audit") -> list[str]:
    """The pools whose current ratings differ; what is wrong with the table itself is of no pool."""
    return sorted({each.pool for each in report.differences if each.table == CURRENT_RATINGS and each.pool})


def _summary(report: "Audit") -> str:
    pools = f"{report.pools} pool{'' if report.pools == 1 else 's'}"
    checked = f"{pools}, {report.commits} commits, {report.rows} rows, {report.ratings} ratings"
    notes = "".join(f"\nnote: {note}" for note in report.notes)
    if report.ok:
        return f"ok: {checked}; the hash chain holds and every rating follows from the evidence{notes}"
    differences = "\n".join(f"  {_row(each)}: {each.message}" for each in report.differences)
    hint = ""
    if any(not each.pool and each.row == "" for each in report.differences):
        hint += "\nthe tables themselves are not as they were made: go back to a copy, and restore all of it"
    if _pools_to_rebuild(report):
        hint += "\nrebuild current ratings from the evidence with: paragone audit --rebuild"
    return f"NOT ok: {checked}; the first row that differs in each pool:\n{differences}{hint}{notes}"


def _row(difference: "Difference") -> str:
    row = " ".join(str(part) for part in (difference.table, difference.row) if part != "")
    return ": ".join(part for part in (difference.pool, row) if part) or "storage"


def whatif(
    stored: options.Stored,
    output: options.Output,
    k: Annotated[float | None, option("Another K factor for the running Elo.", metavar="K")] = None,
    initial: Annotated[float | None, option("Another initial rating.", metavar="POINTS")] = None,
    without_match: Annotated[list[str] | None, option("Leave out a match; repeatable.", metavar="ID")] = None,
    without_judge: Annotated[list[str] | None, option("Leave out a judge; repeatable.", metavar="ID")] = None,
    position: Annotated[
        bool, option("Whether to fit the position bias of each judge.", "--position/--no-position")
    ] = True,
    by_elo: options.ByElo = False,
    elo: options.Elo = False,
    rows: options.Rows = None,
) -> None:
    """Print the board under other settings or evidence. Nothing is changed."""
    from paragone.cli.board import show_board
    from paragone.tournaments.results.tournament_board import WhatIf, stored_board

    suppose = WhatIf(
        k=k,
        initial=initial,
        without_matches=tuple(without_match or ()),
        without_judges=tuple(without_judge or ()),
        position=position,
    )
    board = stored_board(stored.url, stored.tournament, suppose=suppose, by_elo=by_elo)
    show_board(board, as_json=output.as_json, rows=rows, elo=elo or by_elo)


def rollback(
    match: Annotated[str, argument("The id of a match; `paragone matches` lists them.")],
    stored: options.StoredByOption,
    output: options.Output,
    reason: options.Reason = "disputed",
) -> None:
    """Void a match. Ratings become what they would be without it, and the ledger keeps both."""
    with stored.opened() as tournament:
        was_void = match in tournament.state.rolled_back
        changes = list(tournament.rollback(match, reason))
    output.show(
        changes,
        lambda each: (f"match {match} was void already, and nothing changed",) if was_void else _changes(match, each),
        values=lambda each: [asdict(row) for row in each],
    )


def _changes(match: str, changes: "list[RatingChange]") -> Iterator[str]:
    printed = [change for change in changes if f"{change.old:.1f}" != f"{change.new:.1f}"]
    tiny = len(changes) - len(printed)
    few = f", {tiny} of them by less than 0.1" if tiny else ""
    yield f"match {match} is void; {len(changes)} ratings of the running Elo moved{few}"
    for change in sorted(printed, key=lambda each: -abs(each.new - each.old)):
        yield f"  {change.item}: {change.old:.1f} -> {change.new:.1f}"
