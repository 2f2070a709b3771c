"""The tables of a tournament report."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from paragone.analysis.progress.rating_trends import RatingTrend, TrendDirection
from paragone.analysis.reviews import Discrepancy
from paragone.domain import BoardRow
from paragone.domain.spending import Expense, money
from paragone.domain.text import without_fingerprint
from paragone.presenting.board_tables import BETWEEN, ELO, interval, ranks, record
from paragone.presenting.consistency import circles, findings, judges, surprises, swings
from paragone.presenting.table import Cell, Column, Table, facts, item, number, numbers, text
from paragone.presenting.tournament_report.summary import settings_of
from paragone.tournaments.report.gathering import TournamentReport

MOST = 20
"""Rows of each table of consistency; JSON has all."""
MOST_LINES = 50
"""Rows of each table of findings; JSON has all."""


def tables(report: TournamentReport, *, top: int) -> tuple[Table[Any], ...]:
    """All tables that have rows.

    Args:
        report: The report.
        top: Items in a table at most, best first.
    """
    quality = report.quality
    checked: tuple[Table[Any], ...] = (circles(quality), surprises(quality), swings(quality))
    all_tables: tuple[Table[Any], ...] = (
        _board(report, top),
        _movers(report),
        judges((quality.judges or report.board.judges)[:MOST_LINES], quality.consensus, without_fingerprint),
        facts("consistency", "", findings(quality)),
        *(table.first(MOST) for table in checked),
        *_findings(report),
        _rounds(report),
        facts("method", "", settings_of(report)),
    )
    return tuple(table.filled() for table in all_tables if table.rows)


def _board(report: TournamentReport, top: int) -> Table[BoardRow]:
    rows, confidence = report.board.items, report.standings.confidence
    remaining = len(rows) - top
    more = f" The other {remaining:,} are in the JSON and CSV reports." if remaining > 0 else ""
    columns: tuple[Column[BoardRow], ...] = (
        ranks(rows),
        item(report.state.settings.noun, lambda row: (row.id, row.text)),
        BETWEEN,
        number("strength", lambda row: row.rating, ".0f"),
        interval(report.board.level),
        *([ELO] if report.board.is_elo_telling else ()),
        text("tier", lambda row: report.tiers[row.id].value, "k"),
        record(),
        Column("form", lambda row: _form(report.trends[row.id])),
        number("confidence", lambda row: confidence[row.id].confidence_score, ".2f"),
    )
    return Table(
        section="ranking", title="Leaderboard", note=f"Ranked by strength.{more}", columns=columns, rows=rows[:top]
    )


_ARROWS = {TrendDirection.RISING: " ▲", TrendDirection.FALLING: " ▼", TrendDirection.STEADY: ""}


def _form(trend: RatingTrend) -> Cell:
    """Recent results, newest last, and an arrow if they are more than chance."""
    letters = "".join("W" if score > 0.5 else "L" if score < 0.5 else "D" for score in trend.form)
    return Cell(text=letters + _ARROWS[trend.direction], style="form", key=trend.change)


def _movers(report: TournamentReport) -> Table[tuple[str, BoardRow]]:
    """The items that are emerging, rising or falling."""
    by_id = {row.id: row for row in report.board.items}
    trends, emerging = report.ranking.performance_trends, report.ranking.emerging_candidates
    movers = [("emerging", by_id[id]) for id in emerging]
    movers += [
        (direction.value, by_id[move["hypothesis_id"]])
        for direction in (TrendDirection.RISING, TrendDirection.FALLING)
        for move in trends[direction.value][:10]
        if move["hypothesis_id"] not in emerging
    ]
    columns: tuple[Column[tuple[str, BoardRow]], ...] = (
        text("which", lambda mover: mover[0], "k"),
        item(report.state.settings.noun, lambda mover: (mover[1].id, mover[1].text)),
        number("Elo points lately", lambda mover: report.trends[mover[1].id].change, "+.0f"),
        Column("form", lambda mover: _form(report.trends[mover[1].id])),
        *(
            Column(column.name, lambda mover, cell=column.cell: cell(mover[1]), number=True)  # type: ignore[misc]
            for column in (ranks(report.board.items), BETWEEN)
        ),
        number("matches", lambda mover: mover[1].matches),
    )
    return Table(
        section="progress",
        title="Emerging, rising, falling",
        note="Emerging: few matches, winning, and possibly among the top. Rising and falling: the last five matches "
        "brought more, or less, than chance would.",
        columns=columns,
        rows=movers,
    )


def _findings(report: TournamentReport) -> Iterator[Table[Any]]:
    yield facts("findings", "Patterns", report.effects.words, note=report.effects.note)
    texts = {row.id: row.text for row in report.board.items}
    columns: tuple[Column[Discrepancy], ...] = (
        numbers("rank by matches", lambda each: str(each.by_matches), lambda each: each.by_matches.rank),
        numbers("by reviews", lambda each: str(each.by_reviews), lambda each: each.by_reviews.rank),
        number("score", lambda each: each.score, ".2f"),
        number("apart", lambda each: each.size),
        item(report.state.settings.noun, lambda each: (each.item, texts[each.item])),
    )
    yield Table(
        section="findings",
        title="Where reviews and matches disagree",
        note="" if report.review_fit is None else f"All in all, {report.review_fit.sentence()}.",
        columns=columns,
        rows=report.discrepancies[:MOST_LINES],
    )


def _rounds(report: TournamentReport) -> Table[Expense]:
    steps = {step.round: step for step in report.settling}
    played = Counter(match.round for match in report.state.matches)
    columns: tuple[Column[Expense], ...] = (
        number("round", lambda spent: spent.round),
        number("matches", lambda spent: played[spent.round]),
        number("units", lambda spent: spent.total),
        number("forecast", lambda spent: spent.forecast),
        number("budget", lambda spent: spent.budget),
        numbers("cost", lambda spent: None if spent.money is None else money(spent.money), lambda spent: spent.money),
        number("mean change", lambda spent: steps[spent.round].mean_change if spent.round in steps else None, ".1f"),
        number(
            "rank stability", lambda spent: steps[spent.round].rank_stability if spent.round in steps else None, ".3f"
        ),
        number(
            "top-10 stability", lambda spent: steps[spent.round].top_stability if spent.round in steps else None, ".0%"
        ),
    )
    return Table(section="costs", title="Round by round", columns=columns, rows=report.expenses)
