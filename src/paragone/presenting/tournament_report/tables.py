"""The tables of a report, as plain cells; every text in them is untrusted and escaped by the page."""

from collections.abc import Iterator

from paragone.analysis.progress.trends import Direction, Trend
from paragone.domain import BoardRow, JudgeReport
from paragone.domain.spending import money
from paragone.domain.text import visible
from paragone.presenting.cells import Cell, Table, columns, item, number, without_empty_columns
from paragone.presenting.tournament_report.summary import settings_of
from paragone.tournaments.report.gathering import Report
from paragone.wire.consistency import Consistency

MOST = 20
"""Lines of each table; JSON has all that was found."""


def consistency_tables(quality: Consistency) -> tuple[Table, ...]:
    """Circles, matches that ended as nobody would have thought, and swings of ratings."""
    return (_overview(quality), _circles(quality), _surprises(quality), _swings(quality))


def _overview(quality: Consistency) -> Table:
    return Table(
        section="consistency",
        title="",
        columns=columns("What", "Found"),
        rows=tuple((Cell(text=what, style="k"), Cell(text=value)) for what, value in _found(quality)),
        sortable=False,
    )


def _circles(quality: Consistency) -> Table:
    return Table(
        section="consistency",
        title="Circles",
        note="Each beat the next, and the last beat the first. The upset is the win that the fit finds least likely.",
        columns=columns("Circle", "Upset", "Match", "#Chance"),
        rows=tuple(
            (
                Cell(text=visible(" > ".join((*cycle.items, cycle.items[0]))), style="t"),
                Cell(text=visible(f"{cycle.upset.winner} beat {cycle.upset.loser}")),
                Cell(text=visible(", ".join(cycle.upset.matches[:3])), style="k"),
                number(cycle.upset.chance, ".1%"),
            )
            for cycle in quality.tangles.cycles[:MOST]
        ),
    )


def _surprises(quality: Consistency) -> Table:
    return Table(
        section="consistency",
        title="Surprising results",
        note="By all the other evidence these results had little chance; luck alone makes "
        f"{quality.outliers.expected:.1f} of them. Look at what was said in those matches.",
        columns=columns("Match", "Result", "#Chance"),
        rows=tuple(
            (
                Cell(text=visible(outlier.match), style="k"),
                Cell(text=visible(outlier.result)),
                number(outlier.chance, ".2%"),
            )
            for outlier in quality.outliers.listed[:MOST]
        ),
    )


def _swings(quality: Consistency) -> Table:
    return Table(
        section="consistency",
        title="Sudden swings of ratings",
        note="More than fair results would bring.",
        columns=columns("Hypothesis", "Which", "#Elo points", "#Matches", "Why"),
        rows=tuple(
            (
                Cell(text=visible(anomaly.item)),
                Cell(text=anomaly.kind, style="k"),
                number(anomaly.size, "+.0f"),
                number(len(anomaly.matches)),
                Cell(text=visible(anomaly.reason), style="t"),
            )
            for anomaly in quality.anomalies[:MOST]
        ),
    )


def _found(quality: Consistency) -> Iterator[tuple[str, str]]:
    transitivity = quality.transitivity
    if transitivity.share is not None:
        expected = ""
        if (
            transitivity.expected is not None
            and transitivity.expected_low is not None
            and transitivity.expected_high is not None
        ):
            expected = f"; noise alone makes {transitivity.expected_low:.0f} to {transitivity.expected_high:.0f}"
        sample = "" if transitivity.exact else ", a sample of all"
        share = f"{transitivity.share:.1%} of {transitivity.triples:,} triples{sample}"
        yield "Transitivity", f"{share}: {transitivity.circular:,} go in a circle{expected}"
    orders = quality.both_orders
    if orders.pairs:
        contradicted = (
            f"{orders.contradicted:,} of {orders.pairs:,} pairs shown in both orders were answered differently"
        )
        yield "Both orders", f"{contradicted}; {orders.expected:.1f} were to be expected"
    yield "Circles listed", f"{len(quality.tangles.cycles):,}{'' if quality.tangles.complete else ', of more'}"
    yield "Surprising results", f"{len(quality.outliers.listed):,}"
    yield "Sudden swings", f"{len(quality.anomalies):,}"


MOST_LINES = 50
"""Lines of tables of findings; JSON has all."""


def tables(report: Report, *, top: int) -> tuple[Table, ...]:
    """All tables that there is something to say in.

    Args:
        report: What to say.
        top: Items in tables at the most, the best.
    """
    checked = consistency_tables(report.quality)
    report_tables = (
        _board(report, top),
        _moves(report),
        _judges(report),
        *checked,
        *_findings(report),
        _rounds(report),
    )
    return tuple(without_empty_columns(table) for table in (*report_tables, _method(report)) if table.rows)


def _board(report: Report, top: int) -> Table:
    rows, level = report.board.items, report.board.level
    remaining = len(rows) - min(top, len(rows))
    note = (
        f"Ranked by strength. The other {remaining:,} are in the JSON and CSV reports."
        if remaining
        else "Ranked by strength."
    )
    return Table(
        section="ranking",
        title="Leaderboard",
        note=note,
        columns=columns(
            *("#Rank", "Hypothesis", "#between", "#Strength", f"#{level:.0%} interval"),
            *(("#Elo",) if report.board.is_elo_telling else ()),
            *("Tier", "#W–L–D", "Form", "#Confidence"),
        ),
        rows=tuple(_row(report, row) for row in rows[:top]),
    )


def _row(report: Report, row: BoardRow) -> tuple[Cell, ...]:
    trust = report.standings.confidence[row.id]
    return (
        number(row.rank),
        item(row.id, row.text),
        Cell(text=f"{row.rank_low}–{row.rank_high}", style="n", key=row.rank_low),
        number(row.rating),
        Cell(text=f"{row.low:.0f} to {row.high:.0f}", style="n", key=row.high - row.low),
        *((number(row.elo),) if report.board.is_elo_telling else ()),
        Cell(text=report.tiers[row.id].value, style="k"),
        Cell(text=f"{row.wins}–{row.losses}–{row.ties}", style="n", key=row.wins / max(1, row.matches)),
        _form(report.trends[row.id]),
        number(trust.confidence_score, ".2f"),
    )


_ARROWS = {Direction.RISING: " ▲", Direction.FALLING: " ▼", Direction.STEADY: ""}


def _form(trend: Trend) -> Cell:
    """Recent results, the newest last, and an arrow where they are more than chance."""
    letters = "".join("W" if score > 0.5 else "L" if score < 0.5 else "D" for score in trend.form)
    return Cell(text=letters + _ARROWS[trend.direction], style="form", key=trend.change)


def _moves(report: Report) -> Table:
    """Who is emerging, rises or falls."""
    by_id = {row.id: row for row in report.board.items}
    trends = report.ranking.performance_trends
    coming = report.ranking.emerging_candidates
    movers = [("emerging", id) for id in coming]
    movers += [
        (direction.value, move["hypothesis_id"])
        for direction in (Direction.RISING, Direction.FALLING)
        for move in trends[direction.value][:10]
        if move["hypothesis_id"] not in coming
    ]
    return Table(
        section="progress",
        title="Emerging, rising, falling",
        note="Emerging: few matches, winning, and possibly among the top. Rising and falling: the last five matches "
        "brought more, or less, than chance would.",
        columns=columns("Which", "Hypothesis", "#Elo points lately", "Form", "#Rank", "#between", "#Matches"),
        rows=tuple(_move(report, which, by_id[id]) for which, id in movers),
    )


def _move(report: Report, which: str, row: BoardRow) -> tuple[Cell, ...]:
    trend = report.trends[row.id]
    return (
        Cell(text=which, style="k"),
        item(row.id, row.text),
        number(trend.change, "+.0f"),
        _form(trend),
        number(row.rank),
        Cell(text=f"{row.rank_low}–{row.rank_high}", style="n", key=row.rank_low),
        number(row.matches),
    )


def _judges(report: Report) -> Table:
    level = report.board.level
    judges = report.quality.judges or report.board.judges
    return Table(
        section="judges",
        title="Judges",
        note="Agreement: how often a judge sides with what the other judges come to." if len(judges) > 1 else "",
        columns=columns(
            "Judge", "#Answers", "#First shown won", "#Ties", "#Position bias", f"#{level:.0%} interval", "#Sharpness",
            "#Agreement", "#Cost a decision",
        ),
        rows=tuple(_judge(judge) for judge in judges[:MOST_LINES]),
    )  # fmt: skip


def _judge(judge: JudgeReport) -> tuple[Cell, ...]:
    low, high, cost = judge.position_low, judge.position_high, judge.cost_per_decided
    span = "" if low is None or high is None else f"{low:+.2f} to {high:+.2f}"
    return (
        Cell(text=visible(judge.judge), style="t"),
        number(judge.comparisons),
        number(judge.first_share, ".0%"),
        number(judge.tie_rate, ".1%"),
        number(judge.position_bias, "+.2f"),
        Cell(text=span, style="n"),
        number(judge.slope, ".2f"),
        number(judge.agreement, ".0%"),
        Cell(text="" if cost is None else money(cost), style="n", key=cost),
    )


def _findings(report: Report) -> Iterator[Table]:
    by_id = {row.id: row for row in report.board.items}
    if report.effects.words:
        yield Table(
            section="findings",
            title="Patterns",
            note=report.effects.note,
            columns=columns("What", "In words"),
            rows=tuple(
                (Cell(text=what, style="k"), Cell(text=visible(sentence))) for what, sentence in report.effects.words
            ),
            sortable=False,
        )
    if report.discrepancies:
        yield Table(
            section="findings",
            title="Where reviews and matches disagree",
            note="" if report.review_fit is None else f"All in all, {report.review_fit.sentence()}.",
            columns=columns("#Rank by matches", "#by reviews", "#Score", "#Apart", "Hypothesis"),
            rows=tuple(
                (
                    Cell(text=str(discrepancy.by_matches), style="n", key=discrepancy.by_matches.rank),
                    Cell(text=str(discrepancy.by_reviews), style="n", key=discrepancy.by_reviews.rank),
                    number(discrepancy.score, ".2f"),
                    number(discrepancy.size),
                    item(discrepancy.item, by_id[discrepancy.item].text),
                )
                for discrepancy in report.discrepancies[:MOST_LINES]
            ),
        )


def _rounds(report: Report) -> Table:
    steps = {step.round: step for step in report.settling}
    played: dict[int, int] = {}
    for match in report.state.matches:
        played[match.round] = played.get(match.round, 0) + 1
    return Table(
        section="costs",
        title="Round by round",
        columns=columns(
            "#Round", "#Matches", "#Units", "#Foreseen", "#Budget", "#Cost", "#Mean change", "#Rank stability",
            "#Top-10 stability",
        ),
        rows=tuple(
            (
                number(spent.round),
                number(played.get(spent.round, 0)),
                number(spent.total),
                number(spent.forecast),
                number(spent.budget),
                Cell(text="" if spent.money is None else money(spent.money), style="n", key=spent.money),
                number(steps[spent.round].mean_change if spent.round in steps else None, ".1f"),
                number(steps[spent.round].rank_stability if spent.round in steps else None, ".3f"),
                number(steps[spent.round].top_stability if spent.round in steps else None, ".0%"),
            )
            for spent in report.expenses
        ),
    )  # fmt: skip


def _method(report: Report) -> Table:
    return Table(
        section="method",
        title="",
        columns=columns("What", "Value"),
        rows=tuple((Cell(text=name, style="k"), Cell(text=visible(value))) for name, value in settings_of(report)),
        sortable=False,
    )
