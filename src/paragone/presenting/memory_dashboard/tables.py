"""The tables of the dashboard."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from paragone.analysis.content import MEANINGS, EchoChamber, sizes
from paragone.domain.content import ContentKind, ContentTier, Quadrant, content_tier
from paragone.domain.text import cut
from paragone.memory.archive import ArchiveLine
from paragone.memory.dashboard import ContentPool, Dashboard
from paragone.memory.scores import ContentRating
from paragone.memory.truth.unknown import UNTRIED
from paragone.presenting.memory_dashboard.summary import PLURALS, SINGULARS, name
from paragone.presenting.table import Cell, Column, Table, facts, number, text
from paragone.wire.memory import MemoryMeasure


def tables(board: Dashboard, *, top: int) -> tuple[Table[Any], ...]:
    """All tables that have rows.

    Args:
        board: The dashboard.
        top: Pieces of content in a table at most.
    """
    all_tables: tuple[Table[Any], ...] = (
        _quadrants(board), _echoes(board, top), _tiers(board), *_tops(board, top), _unknown(board, top),
        _latent(board, top), _metrics(board), _candidates(board, top), _archived(board, top), _constants(board),
    )  # fmt: skip
    return tuple(table.filled() for table in all_tables if table.rows)


def _quadrants(board: Dashboard) -> Table[Quadrant]:
    counts = sizes(board.files.quadrants)
    columns: tuple[Column[Quadrant], ...] = (
        text("signals", lambda quadrant: MEANINGS[quadrant].signals, "k"),
        text("interpretation", lambda quadrant: MEANINGS[quadrant].interpretation),
        text("which is", lambda quadrant: quadrant.value, "k"),
        text("action", lambda quadrant: MEANINGS[quadrant].action),
        number("files", lambda quadrant: counts[quadrant]),
    )
    rows = tuple(MEANINGS) if board.files.ratings else ()
    return Table(section="quadrants", title="Files by quadrant", columns=columns, rows=rows, sortable=False)


def _echoes(board: Dashboard, top: int) -> Table[EchoChamber]:
    echoes = sorted((echo for pool in board.pools.values() for echo in pool.echoes), key=lambda echo: -echo.share)
    columns: tuple[Column[EchoChamber], ...] = (
        text("content", lambda echo: name(echo.usage.content), "t"),
        text("kind", lambda echo: SINGULARS[echo.usage.content.kind], "k"),
        number("Elo", lambda echo: echo.usage.rating),
        number("R", lambda echo: echo.usage.r, ".2f"),
        number("uses", lambda echo: echo.usage.uses),
        number("share", lambda echo: echo.share, ".1%"),
        text(
            "mostly by", lambda echo: f"{cut(echo.top_user, 24)} ({echo.top_share:.0%})" if echo.top_user else "", "k"
        ),
        number("searches", lambda echo: echo.usage.shown or None),
        number("repeated", lambda echo: echo.repeated, ".0%"),
        number("by searches", lambda echo: echo.searched, ".0%"),
    )
    words = (
        "Rated high and used, with a low R. Share: of all uses of that kind. By searches: the part of its gain that "
        "came from being shown. Repeated: searches for the same as an earlier one."
    )
    of = sum(pool.loud for pool in board.pools.values())
    return Table(
        section="echoes",
        title="Echo chambers",
        note=words + _cut(len(echoes[:top]), of),
        columns=columns,
        rows=echoes[:top],
    )


def _tiers(board: Dashboard) -> Table[ContentPool]:
    columns: tuple[Column[ContentPool], ...] = (
        text("kind", lambda pool: PLURALS[pool.kind].capitalize(), "k"),
        *(number(tier.value, lambda pool, tier=tier: pool.tiers()[tier].total()) for tier in ContentTier),  # type: ignore[misc]
        number("all", lambda pool: len(pool.ratings)),
        number("used", lambda pool: pool.used),
        number("R unknown", lambda pool: pool.unknown),
    )
    rows = [pool for pool in board.pools.values() if pool.ratings]
    return Table(section="tiers", title="Sizes of tiers", columns=columns, rows=rows, sortable=False)


def _tops(board: Dashboard, top: int) -> list[Table[ContentRating]]:
    kinds = (ContentKind.FILE, ContentKind.ADR, ContentKind.SYMBOL)
    return [
        _ratings(
            "top",
            f"Highest rated {PLURALS[pool.kind]}",
            [rating for rating in pool.ratings if rating.uses][:top],
            pool.used,
            "Of those that were used.",
        )
        for pool in (board.pools[kind] for kind in kinds if kind in board.pools)
    ]


def _unknown(board: Dashboard, top: int) -> Table[ContentRating]:
    ratings = sorted(
        (rating for rating in board.files.of(Quadrant.UNKNOWN) if rating.uses), key=lambda rating: -rating.uses
    )
    words = "Used content of unknown truth, most used first. Finding R here changes most."
    table = _ratings("unknown", "Files without an R", ratings[:top], len(ratings), words)
    why: Column[ContentRating] = text("why unknown", lambda rating: board.unknown.get(rating.content, UNTRIED))
    return replace(table, columns=(*table.columns, why))


def _latent(board: Dashboard, top: int) -> Table[ContentRating]:
    ratings = sorted(board.files.of(Quadrant.LATENT), key=lambda rating: (-(rating.r or 0.0), rating.content.id))
    words = "True and rarely used; highest R first."
    return _ratings("quadrants", "Latent value", ratings[:top], len(ratings), words)


def _candidates(board: Dashboard, top: int) -> Table[ContentRating]:
    ratings = list(board.files.of(Quadrant.PRUNE))[::-1]
    words = "Low R and low rating, lowest first; `paragone memory prune` lists what may be archived."
    return _ratings("pruned", "Prune candidates", ratings[:top], len(ratings), words)


def _ratings(section: str, title: str, ratings: Sequence[ContentRating], of: int, words: str) -> Table[ContentRating]:
    columns: tuple[Column[ContentRating], ...] = (
        text("content", lambda rating: name(rating.content), "t"),
        text("tier", lambda rating: content_tier(rating.elo).value, "k"),
        number("Elo", lambda rating: rating.elo),
        number("need", lambda rating: rating.need),
        number("uses", lambda rating: rating.uses),
        Column("last use", lambda rating: _day(rating.last_use)),
        number("R", lambda rating: rating.r, ".2f"),
        text("R is", lambda rating: {True: "high", False: "low", None: "unknown"}[rating.is_high], "k"),
        text("from", lambda rating: rating.r_source, "k"),
        text("pinned", lambda rating: "pinned" if rating.pinned else "", "k"),
    )
    return Table(section=section, title=title, note=words + _cut(len(ratings), of), columns=columns, rows=ratings)


def _day(time: float | None) -> Cell:
    if time is None:
        return Cell(text="")
    return Cell(text=datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d"), style="k", key=time)


def _metrics(board: Dashboard) -> Table[MemoryMeasure]:
    columns: tuple[Column[MemoryMeasure], ...] = (
        text("measure", lambda measure: measure.name, "k"),
        number("value", lambda measure: measure.value, ".1%", absent="nothing yet"),
        number("target", lambda measure: measure.target, ".0%"),
        text("met", lambda measure: {True: "yes", False: "no", None: ""}[measure.met], "k"),
        number("evidence", lambda measure: measure.evidence),
        text("of", lambda measure: measure.counted),
        text("note", lambda measure: measure.note, "t"),
    )
    rows = board.measures.measures
    return Table(section="metrics", title="Measures of success", columns=columns, rows=rows, sortable=False)


def _archived(board: Dashboard, top: int) -> Table[ArchiveLine]:
    columns: tuple[Column[ArchiveLine], ...] = (
        text("file", lambda line: cut(line.path, 100), "t"),
        Column("when", lambda line: _day(line.timestamp)),
        text("why", lambda line: line.reason, "t"),
    )
    note = "Newest first; `paragone memory restore` brings files back."
    rows = board.archived[:top]
    return Table(
        section="pruned",
        title="Archived",
        note=note + _cut(len(rows), len(board.archived)),
        columns=columns,
        rows=rows,
    )


def _constants(board: Dashboard) -> Table[tuple[str, str]]:
    config = board.config.ratings
    settings = {
        "Update": "zero sum: what was shown and not used pays" if config.zero_sum else "literal boosts by rank",
        "K": f"{config.k_new:g} for new content, {config.k_established:g} after {config.established} updates",
        "Gate": f"{config.gated:g} of a change passes where R is not above its threshold",
        **{f"Threshold, {source}": f"{bound:.4g}" for source, bound in config.thresholds.items()},
        "Decay": f"towards {config.decay_base:g} with a time constant of {config.half_life:g} days",
        "Ranking": f"{board.config.ranking.mode}, by {board.config.ranking.rank_by}",
    }
    return facts("method", "Constants", settings.items())


def _cut(count: int, of: int) -> str:
    return f" Shown: {count:,} of {of:,}." if count < of else ""
