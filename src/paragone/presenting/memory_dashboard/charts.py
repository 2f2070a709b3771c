"""The figures of the dashboard, each with a note on how to read it."""

from collections.abc import Iterator

from paragone.domain.content import ContentKind, TruthSource, UsageConfig
from paragone.domain.text import counted
from paragone.memory.dashboard import ContentPool, Dashboard
from paragone.presenting import figures
from paragone.presenting.figures import Series
from paragone.presenting.memory_dashboard.summary import PLURALS
from paragone.presenting.page import Chart
from paragone.wire.memory import MemoryMeasure, QuadrantDot

_OWN_FIGURES = (ContentKind.ADR, ContentKind.SYMBOL)
"""Kinds besides files that have a figure of their own, where so many of them were used."""
_LEAST_USED = 5


def charts(board: Dashboard) -> tuple[Chart, ...]:
    """All figures that have data, in the order of the page."""
    parts = (_quadrants(board), _tiers(board), _histories(board), _need(board), _metrics(board))
    return tuple(chart for part in parts for chart in part)


def _quadrants(board: Dashboard) -> Iterator[Chart]:
    for kind in (ContentKind.FILE, *_OWN_FIGURES):
        pool = board.pools.get(kind)
        if pool is None or not pool.ratings or (kind in _OWN_FIGURES and pool.used < _LEAST_USED):
            continue
        dots = figures.sampled(_dots(pool, board.config.ratings))
        what = PLURALS[kind]
        yield Chart(
            id=f"quadrants-{kind}", section="quadrants", title=f"R against Elo: {what}", half=kind in _OWN_FIGURES,
            note=f"Elo measures use, R truth. Ratings above {board.often:.0f} count as high. "
            + _drawn(len(dots), len(pool.ratings), what),
            figure=figures.truth_against_use(dots, often=board.often, of=len(pool.ratings), what=what),
        )  # fmt: skip


def _dots(pool: ContentPool, config: UsageConfig) -> list[QuadrantDot]:
    return [
        QuadrantDot(
            id=rating.content.id,
            quadrant=where,
            elo=rating.elo,
            need=rating.need,
            r=rating.r,
            threshold=config.thresholds[rating.r_source or TruthSource.SUPPLIED],
            note=f"used {counted(rating.uses, 'time')}" if rating.uses else "never used",
        )
        for rating, where in zip(pool.ratings, pool.quadrants, strict=True)
    ]


def _drawn(count: int, of: int, what: str) -> str:
    return f"Drawn: {count:,} of {of:,} {what}, evenly over the ratings of each quadrant." if count < of else ""


def _tiers(board: Dashboard) -> Iterator[Chart]:
    if board.files.ratings:
        yield Chart(
            id="tiers", section="tiers", title="Files by tier",
            note="High from 1600, medium from 1200, low from 800; by current Elo, decay included.",
            figure=figures.tier_sizes(board.files.tiers()),
        )  # fmt: skip


def _histories(board: Dashboard) -> Iterator[Chart]:
    series = [
        Series(
            name=rating.content.id,
            times=tuple(move.time for move in moves),
            values=tuple(move.new for move in moves),
            notes=tuple(move.reason.replace("_", " ") for move in moves),
        )
        for rating, moves in board.histories
        if moves
    ]
    if series:
        yield Chart(
            id="history", section="top", title="Ratings over time",
            note="The running Elo after each change, before decay, of the used files with the highest ratings.",
            figure=figures.over_time(series, title="Elo points", alt="Running Elo over time", steps=True),
        )  # fmt: skip


def _need(board: Dashboard) -> Iterator[Chart]:
    pool = board.files
    if pool.used:
        dots = figures.sampled([dot for dot in _dots(pool, board.config.ratings) if dot.note != "never used"])
        yield Chart(
            id="need", section="top", title="Need against Elo",
            note="Need is how likely a file is to be used next, by how often and how recently it was used. "
            + _drawn(len(dots), pool.used, "used files"),
            figure=figures.need_against_elo(dots, of=pool.used, what="used files"),
        )  # fmt: skip


def _metrics(board: Dashboard) -> Iterator[Chart]:
    lines = [measure_series(measure) for measure in board.measures.measures if len(measure.series) > 1]
    if lines:
        yield Chart(
            id="metrics", section="metrics", title="Measures of success over time",
            note="Dotted: the targets.",
            figure=figures.over_time(lines, title="", alt="Measures of success over time", shares=True),
        )  # fmt: skip


def measure_series(measure: MemoryMeasure) -> Series:
    """A measure of success over time."""
    return Series(
        name=measure.name,
        times=tuple(point.at.timestamp() for point in measure.series),
        values=tuple(point.value for point in measure.series),
        notes=tuple(f"{point.evidence:,} {measure.counted}" for point in measure.series),
        target=measure.target,
    )
