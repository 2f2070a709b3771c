"""The figures of the memory's pages, from their views; they are those of the dashboard that is one file."""

from collections.abc import Iterator

from paragone.analysis.figures import (
    Piece,
    Series,
    need_against_elo,
    over_time,
    sampled,
    tier_sizes,
    truth_against_use,
    where_tokens_go,
)
from paragone.domain.text import counted
from paragone.page import Chart
from paragone.wire.content import Content
from paragone.wire.memory import Memory, MemoryMeasure, QuadrantDot, Quadrants, RatingHistories
from paragone.wire.pack import Pack, PackedFile

DRAWN = 600
"""Dots of a figure at the most, so that a page stays light; the API has 1,500."""


def charts_of(found: Memory, seen: Quadrants, histories: RatingHistories) -> Iterator[Chart]:
    """All figures of the first page that there is something to show in."""
    yield _quadrants(found, seen.dots)
    yield _tiers(found)
    if histories.histories:
        yield _ratings(histories)
    used = sampled([dot for dot in seen.dots if dot.note != "never used"], DRAWN // 2)
    if used:
        yield Chart(
            id="need", section="over-time", title="Need against Elo",
            note="Need is how likely a file is to be used next, by how often and how recently it was.",
            figure=need_against_elo(used, of=found.used, what="used files"),
        )  # fmt: skip
    measured = [one for one in found.measures or [] if len(one.series) > 1]
    if measured:
        yield _measures(measured)


def ratings_over_time(found: Content) -> Chart:
    """The rating of one piece of content, move by move."""
    line = Series(
        name=found.id,
        times=tuple(move.at.timestamp() for move in found.moves),
        values=tuple(move.new for move in found.moves),
        notes=tuple(f"{move.reason.replace('_', ' ')}, {move.delta:+.1f}" for move in found.moves),
    )
    figure = over_time([line], title="Elo points", alt="Running Elo over time", steps=True)
    note = "The running Elo after each move; it fades between them, which is not drawn."
    return Chart(id="history", section="history", title="Rating over time", note=note, figure=figure)


def pack_picture(found: Pack) -> Chart:
    """Where the tokens of a pack go."""
    pieces = [_piece(one) for one in found.files if one.tokens]
    note = "Blue: whole; green: as signatures; grey: pointers, and what is not listed one by one."
    return Chart(
        id="tokens", section="pack", title="Where the tokens go", note=note,
        figure=where_tokens_go(pieces, total=found.tokens),
    )  # fmt: skip


def _piece(one: PackedFile) -> Piece:
    return Piece(path=one.path, form=one.form, tokens=one.tokens, note=one.reason)


def _quadrants(found: Memory, dots: list[QuadrantDot]) -> Chart:
    drawn = sampled(dots, DRAWN)
    some = f" Drawn: {len(drawn):,} of {counted(found.files, 'file')}, evenly." if len(drawn) < found.files else ""
    note = f"Elo tells what is used, R what is true. Ratings above {found.often:.0f} count as high.{some}"
    return Chart(
        id="quadrants", section="quadrants", title="R against Elo", note=note,
        figure=truth_against_use(drawn, often=found.often, of=found.files),
    )  # fmt: skip


def _tiers(found: Memory) -> Chart:
    return Chart(
        id="tiers", section="tiers", title="Files by tier",
        note=f"High from 1600, medium from 1200, low from 800; by {found.rank_by}, as it stands now.",
        figure=tier_sizes({one.tier: one.quadrants for one in found.tiers}),
    )  # fmt: skip


def _ratings(histories: RatingHistories) -> Chart:
    lines = [
        Series(
            name=one.id,
            times=tuple(step.at.timestamp() for step in one.steps),
            values=tuple(step.elo for step in one.steps),
            notes=tuple(step.reason.replace("_", " ") for step in one.steps),
        )
        for one in histories.histories
    ]
    return Chart(
        id="over-time", section="over-time", title="Ratings over time",
        note="The running Elo after each move, before decay, of the used files with the highest ratings.",
        figure=over_time(lines, title="Elo points", alt="Running Elo over time", steps=True),
    )  # fmt: skip


def _measures(measured: list[MemoryMeasure]) -> Chart:
    lines = [
        Series(
            name=one.name,
            times=tuple(point.at.timestamp() for point in one.series),
            values=tuple(point.value for point in one.series),
            notes=tuple(f"{point.evidence:,} {one.counted}" for point in one.series),
            target=one.target,
        )
        for one in measured
    ]
    figure = over_time(lines, title="", alt="Measures of success over time", shares=True)
    return Chart(
        id="measures", section="measures", title="Measures over time", note="Dotted: the targets.", figure=figure
    )
