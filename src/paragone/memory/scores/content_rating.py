"""Ratings of content at a point in time, with tier, gate and the initial rating by path."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from paragone.domain.content import Content, ContentKind, ContentTier, Standing, TruthSource, content_tier
from paragone.errors import InvalidConfig, MissingExtra
from paragone.memory.store.config import MemoryConfig, TierConfig
from paragone.ratings.activation import decayed, need
from paragone.ratings.usage import gate, holding, is_high

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


INITIAL = {"high": 1600.0, "medium": 1200.0, "low": 800.0}
"""Initial Elo points by tier."""


def initial_rating(content: Content, tiers: TierConfig) -> float:
    """The initial rating in Elo points: by path, or the default if none is known."""
    path = path_of(content)
    return _compiled(tiers).initial(path) if path else INITIAL[tiers.default]


def is_pinned(path: str, tiers: TierConfig) -> bool:
    """Whether a path is initially high: never pruned, always packed."""
    return _compiled(tiers).initial(path) == INITIAL["high"]


def path_of(content: Content) -> str:
    """The file that contains content; empty if unknown."""
    if content.path:
        return content.path
    if content.kind is ContentKind.FILE:
        return content.id
    if content.kind is ContentKind.SYMBOL and "::" in content.id:
        return content.id.removeprefix("@").split("::")[0]
    return ""


class _Compiled:
    """The compiled patterns of a configuration, with a cache of paths."""

    def __init__(self, tiers: TierConfig) -> None:
        self._specs = [
            (_spec(name, patterns), INITIAL[name])
            for name, patterns in (("high", tiers.high), ("medium", tiers.medium), ("low", tiers.low))
        ]
        self._default = INITIAL[tiers.default]
        self._kept: dict[str, float] = {}

    def initial(self, path: str) -> float:
        rating = self._kept.get(path)
        if rating is None:
            rating = next((points for spec, points in self._specs if spec.match_file(path)), self._default)
            if len(self._kept) >= _MOST_PATHS:
                self._kept.clear()
            self._kept[path] = rating
        return rating


_MOST_PATHS = 200_000


def _spec(name: str, patterns: tuple[str, ...]) -> "GitIgnoreSpec":
    try:
        from pathspec import GitIgnoreSpec
    except ImportError:
        raise MissingExtra(
            "patterns of paths need the package pathspec; install it with: pip install 'paragone[memory]'"
        ) from None
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise InvalidConfig(f"tiers.{name} has a pattern that cannot be: {error}", key=f"tiers.{name}") from None


@lru_cache(maxsize=16)
def _compiled(tiers: TierConfig) -> _Compiled:
    return _Compiled(tiers)


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentRating:
    """The rating of content at some time. Ratings are Elo points.

    Attributes:
        content: The content.
        rating: The one that counts, by the configuration's ``rank_by``.
        elo: The running rating, decayed to that time.
        stored: The running rating after its last change.
        need: How likely it is to be used next.
        tier: Of ``rating``.
        initial: Its initial rating.
        updates: How often its rating changed.
        uses: How often it was used.
        last_use: Seconds since 1970; None before the first use.
        r: R, by the source with priority; content without its own has that of its file. None if unknown.
        r_source: Where R comes from.
        is_high: Whether R lies above its source's threshold; None if R is unknown.
        gate: The share of a change that R lets through.
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
    """The ratings of some standings.

    Args:
        standings: The standings.
        files: The standings of the files that contain them, by path, for R.
        config: Constants, tiers, and which rating counts.
        as_of: The time, in seconds since 1970.
        since: When the decay of content begins that was never used, by path.
    """
    return {standing.content: _rating(standing, files, config, as_of, since) for standing in standings}


def file_of(content: Content) -> Content | None:
    """The file that contains content; None for a file, or if unknown."""
    path = "" if content.kind is ContentKind.FILE else path_of(content)
    return Content.file(path) if path else None


def _rating(
    standing: Standing, files: Mapping[str, Standing], config: MemoryConfig, as_of: float, since: Mapping[str, float]
) -> ContentRating:
    path = path_of(standing.content)
    truth = standing.truth or (files[path].truth if path in files else ())
    source, r = holding(truth) or (None, None)
    elo = decayed(
        standing.elo, standing.last_use if standing.last_use is not None else since.get(path), as_of, config.ratings
    )
    need_points = need(standing, as_of, config.ratings)
    rating = elo if config.ranking.rank_by == "elo" else need_points
    return ContentRating(
        content=standing.content,
        rating=rating,
        elo=elo,
        stored=standing.elo,
        need=need_points,
        tier=content_tier(rating),
        initial=standing.initial,
        updates=standing.updates,
        uses=standing.uses,
        last_use=standing.last_use,
        r=r,
        r_source=source,
        is_high=is_high(truth, config.ratings),
        gate=gate(truth, config.ratings),
        pinned=bool(path) and is_pinned(path, config.tiers),
    )
