"""Where content stands at some time, as people and searches see it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from paragone.domain.content import Content, ContentKind, ContentTier, Standing, TruthSource, content_tier
from paragone.memory.scores.tiers import is_pinned, path_of
from paragone.memory.store.config import MemoryConfig
from paragone.ratings.activation import decayed, need
from paragone.ratings.usage import gate, holding, is_high


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentRating:
    """Where content stands at some time. Ratings are Elo points.

    Attributes:
        content: Of what.
        rating: The one that counts, by the configuration's ``rank_by``.
        elo: The running rating, decayed to that time.
        stored: The running rating as the last move left it.
        need: How likely it is to be used next.
        tier: Of ``rating``.
        initial: What it began at.
        updates: How often its rating moved.
        uses: How often it was used.
        last_use: Seconds since 1970; None before the first use.
        r: R, by the source that holds; of content without its own, that of its file. None where it is unknown.
        r_source: Where R comes from.
        is_high: Whether R lies above its source's threshold; None where R is unknown.
        gate: What R lets through of a change.
        pinned: Whether its path is initially high.
    """

    content: Content
    rating: float
    elo: float
    stored: float
    need: float
    tier: ContentTier
    initial: float
    updates: int
    uses: int
    last_use: float | None
    r: float | None
    r_source: TruthSource | None
    is_high: bool | None
    gate: float
    pinned: bool


def rate(
    standings: Iterable[Standing],
    files: Mapping[str, Standing],
    config: MemoryConfig,
    *,
    as_of: float,
    since: Mapping[str, float],
) -> dict[Content, ContentRating]:
    """Ratings of some standings.

    Args:
        standings: Of what.
        files: The standings of the files that they lie in, by path, for R.
        config: Constants, tiers, and which rating counts.
        as_of: The time, in seconds since 1970.
        since: By path, from when on content decays that was never used.
    """
    return {one.content: _rating(one, files, config, as_of, since) for one in standings}


def file_of(content: Content) -> Content | None:
    """The file that content lies in; None for a file, and where nothing says."""
    path = "" if content.kind is ContentKind.FILE else path_of(content)
    return Content(kind=ContentKind.FILE, id=path, path=path) if path else None


def _rating(
    one: Standing, files: Mapping[str, Standing], config: MemoryConfig, as_of: float, since: Mapping[str, float]
) -> ContentRating:
    path = path_of(one.content)
    truth = one.truth or (files[path].truth if path in files else ())
    source, r = holding(truth) or (None, None)
    elo = decayed(one.elo, one.last_use if one.last_use is not None else since.get(path), as_of, config.ratings)
    wanted = need(one, as_of, config.ratings)
    rating = elo if config.ranking.rank_by == "elo" else wanted
    return ContentRating(
        content=one.content,
        rating=rating,
        elo=elo,
        stored=one.elo,
        need=wanted,
        tier=content_tier(rating),
        initial=one.initial,
        updates=one.updates,
        uses=one.uses,
        last_use=one.last_use,
        r=r,
        r_source=source,
        is_high=is_high(truth, config.ratings),
        gate=gate(truth, config.ratings),
        pinned=bool(path) and is_pinned(path, config.tiers),
    )
