"""The order of results, and why it is so: every result has the figures that made its score."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paragone.analysis.content.convergence import bounded_score, document_score, elo_norm, r_gate
from paragone.domain.content import Content, ContentKind
from paragone.domain.rounding import SHARE_DECIMALS
from paragone.memory.scores import ContentRating
from paragone.memory.search.candidates import Candidate
from paragone.memory.store.config import SearchMode

R_UNKNOWN = "R unknown"
R_LOW = "R low"
FILE_GONE = "file gone"


@dataclass(frozen=True, kw_only=True, slots=True)
class Breakdown:
    """What a score is made of.

    Attributes:
        mode: The formula: ``relevance``, ``bounded`` or ``document``.
        similarity: How well it answers the query, in [0, 1].
        semantic: Cosine of meanings, in [0, 1]; None where it was not asked for.
        keyword: By its words, in [0, 1]; None where it was not asked for.
        rated: Whose rating it is: its own once it has moved, its file's until then.
        rating: In Elo points, by ``ranking.rank_by`` of the configuration.
        elo_norm: The same in [0, 1].
        r: R; None where it is unknown.
        r_source: Where R comes from, or empty.
        r_gate: 1, or 0.25 where R is low.
        flags: What to know besides: ``R unknown``, ``R low``, ``file gone``.
    """

    mode: SearchMode
    similarity: float
    semantic: float | None
    keyword: float | None
    rated: ContentKind
    rating: float
    elo_norm: float
    r: float | None
    r_source: str
    r_gate: float
    flags: tuple[str, ...] = ()

    def flagged(self, flag: str) -> "Breakdown":
        """The same with one more flag."""
        return replace(self, flags=(*self.flags, flag))


def score(parts: Breakdown, bound: float) -> float:
    """What orders results, the highest first; ``relevance`` is likeness alone."""
    if parts.mode == "bounded":
        return bounded_score(parts.similarity, parts.elo_norm, parts.r_gate, bound)
    if parts.mode == "document":
        return document_score(parts.similarity, parts.elo_norm, parts.r_gate)
    return parts.similarity


def breakdown(found: Candidate, rating: ContentRating, mode: SearchMode) -> Breakdown:
    """The figures of one result."""
    flags = {None: (R_UNKNOWN,), False: (R_LOW,), True: ()}[rating.is_high]
    return Breakdown(
        mode=mode,
        similarity=found.similarity,
        semantic=found.semantic,
        keyword=found.keyword,
        rated=rating.content.kind,
        rating=rating.rating,
        elo_norm=elo_norm(rating.rating),
        r=rating.r,
        r_source=rating.r_source or "",
        r_gate=r_gate(rating.is_high),
        flags=flags,
    )


def own_or_file(content: Content, ratings: dict[Content, ContentRating]) -> ContentRating:
    """The rating that speaks for content: its own once it has moved, its file's until then.

    A chunk has a new id after every edit, and few are ever shown; its file keeps its rating.
    """
    own = ratings[content]
    return own if own.updates else ratings[file_of(content)]


def file_of(content: Content) -> Content:
    """The file that content lies in."""
    return Content(kind=ContentKind.FILE, id=content.path, path=content.path)


def by_score(parts: Sequence[Breakdown], bound: float) -> list[int]:
    """The order of results, the best first. Equal scores go by likeness, then stay as they were."""
    return sorted(
        range(len(parts)), key=lambda at: (-round(score(parts[at], bound), SHARE_DECIMALS), -parts[at].similarity, at)
    )
