"""The figures of the memory's pages, from their views; they are those of the dashboard that is one file."""

from collections.abc import Iterator

from paragone.domain.text import counted
from paragone.presenting.figures import (
    Piece,
    Series,
    need_against_elo,
    over_time,
    sampled,
    tier_sizes,
    truth_against_use,
    where_tokens_go,
)
from paragone.presenting.memory_dashboard.charts import measure_series
from paragone.presenting.page import Chart
from paragone.wire.content import Content
from paragone.wire.memory import Memory, MemoryMeasure, QuadrantDot, Quadrants, RatingHistories
from paragone.wire.pack import Pack, PackedFile

DRAWN = 600
"""Dots of a figure at the most, so that a page stays light; the API has 1,500."""


def charts_of(overview: Memory, quadrants: Quadrants, histories: RatingHistories) -> Iterator[Chart]:
    """All figures of the first page that there is something to show in."""
    yield _quadrants(overview, quadrants.dots)
    yield _tiers(overview)
    if histories.histories:
        yield _ratings(histories)
    used = sampled([dot for dot in quadrants.dots if dot.note != "never used"], DRAWN // 2)
    if used:
        yield Chart(
            id="need", section="over-time", title="Need against Elo",
            note="Need is how likely a file is to be used next, by how often and how recently it was.",
            figure=need_against_elo(used, of=overview.used, what="used files"),
        )  # fmt: skip
    measured = [measure for measure in overview.measures or [] if len(measure.series) > 1]
    if measured:
        yield _measures(measured)


def ratings_over_time(content: Content) -> Chart:
    """The rating of one piece of content, move by move."""
    line = Series(
        name=content.id,
        times=tuple(move.at.timestamp() for move in content.moves),
        values=tuple(move.new for move in content.moves),
        notes=tuple(f"{move.reason.replace('_', ' ')}, {move.delta:+.1f}" for move in content.moves),
    )
    figure = over_time([line], title="Elo points", alt="Running Elo over time", steps=True)
    note = "The running Elo after each move; it fades between them, which is not drawn."
    return Chart(id="history", section="history", title="Rating over time", note=note, figure=figure)


def pack_picture(pack: Pack) -> Chart:
    """Where the tokens of a pack go."""
    pieces = [_piece(file) for file in pack.files if file.tokens]
    note = "Blue: whole; green: as signatures; grey: pointers, and what is not listed one by one."
    return Chart(
        id="tokens", section="pack", title="Where the tokens go", note=note,
        figure=where_tokens_go(pieces, total=pack.tokens),
    )  # fmt: skip


def _piece(file: PackedFile) -> Piece:
    return Piece(path=file.path, form=file.form, tokens=file.tokens, note=file.reason)


def _quadrants(overview: Memory, dots: list[QuadrantDot]) -> Chart:
    drawn = sampled(dots, DRAWN)
    some = (
        f" Drawn: {len(drawn):,} of {counted(overview.files, 'file')}, evenly." if len(drawn) < overview.files else ""
    )
    note = f"Elo tells what is used, R what is true. Ratings above {overview.often:.0f} count as high.{some}"
    return Chart(
        id="quadrants", section="quadrants", title="R against Elo", note=note,
        figure=truth_against_use(drawn, often=overview.often, of=overview.files),
    )  # fmt: skip


def _tiers(overview: Memory) -> Chart:
    return Chart(
        id="tiers", section="tiers", title="Files by tier",
        note=f"High from 1600, medium from 1200, low from 800; by {overview.rank_by}, as it stands now.",
        figure=tier_sizes({tier.tier: tier.quadrants for tier in overview.tiers}),
    )  # fmt: skip


def _ratings(histories: RatingHistories) -> Chart:
    lines = [
        Series(
            name=history.id,
            times=tuple(step.at.timestamp() for step in history.steps),
            values=tuple(step.elo for step in history.steps),
            notes=tuple(step.reason.replace("_", " ") for step in history.steps),
        )
        for history in histories.histories
    ]
    return Chart(
        id="over-time", section="over-time", title="Ratings over time",
        note="The running Elo after each move, before decay, of the used files with the highest ratings.",
        figure=over_time(lines, title="Elo points", alt="Running Elo over time", steps=True),
    )  # fmt: skip


def _measures(measured: list[MemoryMeasure]) -> Chart:
    figure = over_time(
        [measure_series(measure) for measure in measured], title="", alt="Measures of success over time", shares=True
    )
    return Chart(
        id="measures", section="measures", title="Measures over time", note="Dotted: the targets.", figure=figure
    )
