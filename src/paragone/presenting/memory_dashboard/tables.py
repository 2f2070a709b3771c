"""The tables of the dashboard, as plain cells; every text in them is untrusted and escaped by the page."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from paragone.analysis.content import MEANINGS, EchoChamber, sizes
from paragone.domain.content import Content, ContentKind, ContentTier, Quadrant, content_tier
from paragone.memory.report.dashboard import Dashboard, Pool
from paragone.memory.scores import ContentRating
from paragone.memory.upkeep.archive import ArchiveLine
from paragone.presenting.cells import Cell, Table, columns, number, without_empty_columns
from paragone.presenting.figures import cut
from paragone.presenting.memory_dashboard.summary import PLURALS, SINGULARS, name
from paragone.wire.memory import MemoryMeasure


def tables(board: Dashboard, *, top: int) -> tuple[Table, ...]:
    """All tables that there is something to say in.

    Args:
        board: What to say.
        top: Pieces of content in a table at the most.
    """
    all_tables = (
        _quadrants(board), _echoes(board, top), _tiers(board), *_tops(board, top), _unknown(board, top),
        _latent(board, top), _metrics(board), _candidates(board, top), _archived(board, top), _method(board),
    )  # fmt: skip
    return tuple(without_empty_columns(table) for table in all_tables if table.rows)


def _content(content: Content) -> Cell:
    return Cell(text=name(content), style="t")


def _quadrants(board: Dashboard) -> Table:
    counts = sizes(board.files.quadrants)
    return Table(
        section="quadrants",
        title="Files by quadrant",
        columns=columns("Signals", "Interpretation", "Which is", "Action", "#Files"),
        rows=tuple(
            (
                Cell(text=meaning.signals, style="k"),
                Cell(text=meaning.interpretation),
                Cell(text=quadrant.value, style="k"),
                Cell(text=meaning.action),
                number(counts[quadrant]),
            )
            for quadrant, meaning in MEANINGS.items()
        )
        if board.files.ratings
        else (),
        sortable=False,
    )


def _echoes(board: Dashboard, top: int) -> Table:
    echoes = sorted((echo for pool in board.pools.values() for echo in pool.echoes), key=lambda echo: -echo.share)
    return Table(
        section="echoes",
        title="Echo chambers",
        note=_limited(
            min(top, len(echoes)),
            sum(pool.loud for pool in board.pools.values()),
            "Rated high and used, with a low R. Share is of all uses of that kind. By searches is how much of what it "
            "gained came of being shown; repeated is how many of those searches had asked the same before.",
        ),
        columns=columns(
            "Content", "Kind", "#Elo", "#R", "#Uses", "#Share", "Mostly by", "#Searches", "#Repeated", "#By searches",
        ),
        rows=tuple(_echo(echo) for echo in echoes[:top]),
    )  # fmt: skip


def _echo(echo: EchoChamber) -> tuple[Cell, ...]:
    course = echo.course
    return (
        _content(course.content),
        Cell(text=SINGULARS[course.content.kind], style="k"),
        number(course.rating),
        number(course.r, ".2f"),
        number(course.uses),
        number(echo.share, ".1%"),
        Cell(text=f"{cut(echo.top_user, 24)} ({echo.top_share:.0%})" if echo.top_user else "", style="k"),
        number(course.shown or None),
        number(echo.repeated, ".0%"),
        number(echo.searched, ".0%"),
    )


def _tiers(board: Dashboard) -> Table:
    pools = [pool for pool in board.pools.values() if pool.ratings]
    return Table(
        section="tiers",
        title="Sizes of tiers",
        columns=columns(
            "Kind", *(f"#{tier.value.capitalize()}" for tier in ContentTier), "#All", "#Used", "#R unknown"
        ),
        rows=tuple(_tier_row(pool) for pool in pools),
        sortable=False,
    )


def _tier_row(pool: Pool) -> tuple[Cell, ...]:
    counts = pool.tiers()
    return (
        Cell(text=PLURALS[pool.kind].capitalize(), style="k"),
        *(number(counts[tier].total()) for tier in ContentTier),
        number(len(pool.ratings)),
        number(pool.used),
        number(pool.unknown),
    )


def _tops(board: Dashboard, top: int) -> Iterable[Table]:
    for kind in (ContentKind.FILE, ContentKind.ADR, ContentKind.SYMBOL):
        pool = board.pools.get(kind)
        used = [rating for rating in pool.ratings if rating.uses][:top] if pool else []
        yield _board(
            "top", f"Highest rated {PLURALS[kind]}", used, pool.used if pool else 0, "Of those that were used."
        )


def _unknown(board: Dashboard, top: int) -> Table:
    ratings = sorted(
        (rating for rating in board.files.of(Quadrant.UNKNOWN) if rating.uses), key=lambda rating: -rating.uses
    )
    words = "Used, and nothing is known of their truth; the most used first. R found here changes most."
    return _board("unknown", "Files without an R", ratings[:top], len(ratings), words)


def _latent(board: Dashboard, top: int) -> Table:
    ratings = sorted(board.files.of(Quadrant.LATENT), key=lambda rating: (-(rating.r or 0.0), rating.content.id))
    return _board(
        "quadrants", "Latent value", ratings[:top], len(ratings), "True, and rarely used; the highest R first."
    )


def _candidates(board: Dashboard, top: int) -> Table:
    ratings = list(board.files.of(Quadrant.PRUNE))[::-1]
    words = "A low R and a low rating, the lowest first; what may be archived is for memory prune to say."
    return _board("pruned", "Prune candidates", ratings[:top], len(ratings), words)


def _board(section: str, title: str, ratings: Sequence[ContentRating], of: int, words: str) -> Table:
    return Table(
        section=section,
        title=title,
        note=_limited(len(ratings), of, words),
        columns=columns("Content", "Tier", "#Elo", "#Need", "#Uses", "#Last use", "#R", "R is", "From", "Pinned"),
        rows=tuple(_row(rating) for rating in ratings),
    )


def _row(rating: ContentRating) -> tuple[Cell, ...]:
    return (
        _content(rating.content),
        Cell(text=content_tier(rating.elo).value, style="k"),
        number(rating.elo),
        number(rating.need),
        number(rating.uses),
        _day(rating.last_use),
        number(rating.r, ".2f"),
        Cell(text={True: "high", False: "low", None: "unknown"}[rating.is_high], style="k"),
        Cell(text=rating.r_source.value if rating.r_source else "", style="k"),
        Cell(text="pinned" if rating.pinned else "", style="k"),
    )


def _day(time: float | None) -> Cell:
    if time is None:
        return number(None)
    return Cell(text=datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d"), style="n", key=time)


def _metrics(board: Dashboard) -> Table:
    return Table(
        section="metrics",
        title="Measures of success",
        columns=columns("Measure", "#Value", "#Target", "Met", "#Evidence", "Of", "Note"),
        rows=tuple(_measure(measure) for measure in board.measures.measures),
        sortable=False,
    )


def _measure(measure: MemoryMeasure) -> tuple[Cell, ...]:
    met = {True: "yes", False: "no", None: ""}[measure.met]
    return (
        Cell(text=measure.name, style="k"),
        number(measure.value, ".1%") if measure.value is not None else Cell(text="nothing yet", style="n"),
        number(measure.target, ".0%"),
        Cell(text=met, style="k"),
        number(measure.evidence),
        Cell(text=measure.counted),
        Cell(text=measure.note, style="t"),
    )


def _archived(board: Dashboard, top: int) -> Table:
    return Table(
        section="pruned",
        title="Archived",
        note=_limited(
            min(top, len(board.archived)), len(board.archived), "The newest first; paragone memory restore brings back."
        ),
        columns=columns("File", "#When", "Why"),
        rows=tuple(_gone(line) for line in board.archived[:top]),
    )


def _gone(line: ArchiveLine) -> tuple[Cell, ...]:
    return Cell(text=cut(line.path, 100), style="t"), _day(line.timestamp), Cell(text=line.reason, style="t")


def _method(board: Dashboard) -> Table:
    config = board.config.ratings
    settings = {
        "Update": "zero sum: what was shown and not used pays" if config.zero_sum else "literal boosts by rank",
        "K": f"{config.k_new:g} for new content, {config.k_established:g} after {config.established} updates",
        "Gate": f"{config.gated:g} of a change passes where R is not above its threshold",
        **{f"Threshold, {source}": f"{bound:.4g}" for source, bound in config.thresholds.items()},
        "Decay": f"towards {config.decay_base:g} with a time constant of {config.half_life:g} days",
        "Ranking": f"{board.config.ranking.mode}, by {board.config.ranking.rank_by}",
    }
    return Table(
        section="method",
        title="Constants",
        columns=columns("What", "How"),
        rows=tuple((Cell(text=what, style="k"), Cell(text=how, style="t")) for what, how in settings.items()),
        sortable=False,
    )


def _limited(count: int, of: int, words: str) -> str:
    return f"{words} Shown: {count:,} of {of:,}." if count < of else words
