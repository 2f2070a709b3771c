"""The figures of a tournament report, each with a note on how to read it."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from paragone.domain import BoardRow, Tier
from paragone.presenting import figures
from paragone.presenting.figures import ComparedItem, Course
from paragone.presenting.page import Chart
from paragone.presenting.terms import AGREEMENT, BRIEF_AGREEMENT
from paragone.tournaments.report.gathering import TournamentReport

COURSES = 8
"""Items whose rating is drawn round by round, at most."""
PANELS = 6
"""Items whose interval is drawn round by round."""
MET = 16
"""Items in the head-to-head table."""
BARS = 30
"""Items in the figure of the leaderboard."""


def charts(report: TournamentReport, *, top: int = BARS, chosen: Sequence[str] = ()) -> tuple[Chart, ...]:
    """All figures that have data, in the order of the page.

    Args:
        report: The report.
        top: Items in a figure at most.
        chosen: Items to follow round by round besides the best.
    """
    parts = (_ranking(report, top), _progress(report, chosen), _judges(report), _findings(report), _spent(report))
    return tuple(chart for part in parts for chart in part)


def _ranking(report: TournamentReport, top: int) -> Iterator[Chart]:
    rows, level, settings = report.board.items, report.board.level, report.state.settings
    yield Chart(
        id="leaderboard", section="ranking", title="The best",
        note="Filled: strength, fitted to all matches at once, with its interval."
        + " Open: the running Elo, updated match by match." * report.board.is_elo_telling,
        figure=figures.leaderboard(rows, most=min(top, BARS), level=level, with_elo=report.board.is_elo_telling),
    )  # fmt: skip
    if len(rows) > 12:
        yield Chart(
            id="field", section="ranking", title="All of them",
            note="A wide band means few matches; where the line is flat, the order is uncertain.",
            figure=figures.field(rows, level=level),
        )  # fmt: skip
    policy = report.state.system.policy
    bounds = {
        Tier.ELITE: policy.elite_threshold,
        Tier.STRONG: policy.strong_threshold,
        Tier.AVERAGE: policy.average_threshold,
    }
    yield Chart(
        id="distribution", section="ranking", title="Distribution and tiers",
        note=f"Tiers follow the running Elo; {settings.nouns} with few matches count as new, whatever their Elo.",
        figure=figures.distribution([(row.elo, report.tiers[row.id]) for row in rows], bounds),
    )  # fmt: skip
    best = rows[: min(top, MET)]
    yield Chart(
        id="meetings", section="ranking", title="Head to head",
        note=f"Wins–losses of the {settings.noun} on the left; = if all were drawn. Blue: it won more; orange: it lost "
        "more; empty: they did not meet.",
        figure=figures.head_to_head(
            [row.id for row in best],
            [row.text for row in best],
            figures.records(report.state.matches, [row.id for row in best]),
        ),
    )  # fmt: skip


def _progress(report: TournamentReport, chosen: Sequence[str]) -> Iterator[Chart]:
    rounds = report.progression.rounds
    if len(rounds) < 2:
        return
    lines, pool = [_course(report, row) for row in _followed(report, chosen)], _pool(report)
    behind = "" if pool is None else "; behind them the middle 80 % of all"
    yield Chart(
        id="progression", section="progress", title="Running Elo round by round",
        note=f"The best and emerging {report.state.settings.nouns}{behind}.",
        figure=figures.progression(rounds, lines, pool),
    )  # fmt: skip
    yield Chart(
        id="certainty", section="progress", title="Certainty about the best",
        note="The band is the interval of the strength, from the evidence up to that round; dotted: the running Elo.",
        figure=figures.certainty(rounds, lines[:PANELS], level=report.board.level),
    )  # fmt: skip
    yield Chart(
        id="convergence", section="progress", title="Does the ranking settle?",
        note="Rank correlation of the running Elo with that of the previous round; dotted: where it counts as stable. "
        f"{BRIEF_AGREEMENT.capitalize()}: with the true order, as {AGREEMENT.exact}.",
        figure=figures.convergence(
            report.settling, threshold=report.state.system.optimization.rating_stability_threshold
        ),
    )  # fmt: skip


def _followed(report: TournamentReport, chosen: Sequence[str]) -> list[BoardRow]:
    """The best, the emerging and the chosen items."""
    by_id = {row.id: row for row in report.board.items}
    emerging = [by_id[id] for id in report.standings.emerging[:2]]
    requested = [by_id[id] for id in chosen if id in by_id]
    best = report.board.items[: COURSES - len(emerging)]
    return list({row.id: row for row in (*best, *emerging, *requested)}.values())


def _course(report: TournamentReport, row: BoardRow) -> Course:
    """The history of one item; strengths are known only for the rounds that were examined."""
    column = report.progression.ids.index(row.id)
    elo = report.progression.elo[:, column].tolist()
    look_by_round = {look.round: look for look in report.strength_history}
    lines: dict[str, list[float | None]] = {"rating": [], "low": [], "high": []}
    for number in report.progression.rounds:
        look = look_by_round.get(number)
        values = (None,) * 3 if look is None else (look.strength[column], look.low[column], look.high[column])
        for line, value in zip(lines.values(), values, strict=True):
            line.append(None if value is None else float(value))
    finite_elo = tuple(value if np.isfinite(value) else None for value in elo)
    return Course(id=row.id, text=row.text, elo=finite_elo, **{name: tuple(line) for name, line in lines.items()})


def _pool(report: TournamentReport) -> tuple[figures.Line, figures.Line, figures.Line] | None:
    if len(report.board) < 20:
        return None
    low, middle, high = np.nanquantile(report.progression.elo, (0.1, 0.5, 0.9), axis=1).tolist()
    return tuple(low), tuple(middle), tuple(high)


def _judges(report: TournamentReport) -> Iterator[Chart]:
    board, settings = report.board, report.state.settings
    if any(judge.position_bias is not None for judge in board.judges):
        yield Chart(
            id="position", section="judges", title="Position bias",
            note=f"How much a judge favours the {settings.noun} shown first; grey if the interval includes zero. "
            "Strengths are corrected for it.",
            figure=figures.position_bias(board.judges, level=board.level),
        )  # fmt: skip
    if any(judge.slope is not None for judge in board.judges):
        yield Chart(
            id="sharpness", section="judges", title="How sharp are the judges?",
            note=f"How sharply each judge distinguishes {settings.nouns}, relative to others; a sharper one counts for "
            "more.",
            figure=figures.sharpness(board.judges, level=board.level),
        )  # fmt: skip
    if any(bins for _, bins in report.forecast_bins):
        yield Chart(
            id="calibration", section="judges", title="Do forecasts come true?",
            note="Each match was forecast from the evidence before it. On the dotted line, favourites win as often "
            "as forecast.",
            figure=figures.calibration(report.forecast_bins),
        )  # fmt: skip


def _findings(report: TournamentReport) -> Iterator[Chart]:
    if report.effects.estimates:
        yield Chart(
            id="patterns", section="findings", title="What wins, and what loses",
            note="How much a characteristic adds to the odds of winning; grey if the interval includes zero.",
            figure=figures.patterns(report.effects.estimates),
        )  # fmt: skip
    if report.opinions:
        sentences = {discrepancy.item: discrepancy.sentence for discrepancy in report.discrepancies}
        scores = {id: opinion.score for id, opinion in report.opinions.items()}
        yield Chart(
            id="reviews", section="findings", title="Matches against reviews",
            note="Red: the two disagree by more than their uncertainties.",
            figure=figures.against(
                _views(report, scores, sentences),
                title="score by review",
                alt=f"Strength against review score of {len(scores)} items, {len(sentences)} of which stand out",
            ),
        )  # fmt: skip
    if report.truth:
        yield Chart(
            id="truth", section="findings", title="Strength against the truth",
            note="The true quality as given, and the strength that the tournament found.",
            figure=figures.against(
                _views(report, report.truth, {}),
                title="truth",
                alt=f"Strength against the truth of {len(report.truth)} items",
            ),
        )  # fmt: skip


def _views(report: TournamentReport, other: Mapping[str, float], notes: Mapping[str, str]) -> list[ComparedItem]:
    return [
        ComparedItem(
            id=row.id,
            text=row.text,
            other=other[row.id],
            rating=row.rating,
            low=row.low,
            high=row.high,
            stands_out=row.id in notes,
            note=notes.get(row.id, ""),
        )
        for row in report.board.items
        if row.id in other
    ]


def _spent(report: TournamentReport) -> Iterator[Chart]:
    if report.expenses:
        yield Chart(
            id="costs", section="costs", title="What each round took",
            note="Compute units, by the tier of the match: a judge call is one unit, and so is each turn of a debate.",
            figure=figures.costs(report.expenses),
        )  # fmt: skip
