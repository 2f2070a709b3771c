"""The score of a result of a search, and the figures behind it; the parts are of ``blend``, which has the formula."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from paragone.analysis.content.document_score import document_score, elo_norm, r_gate
from paragone.domain.content import Content
from paragone.domain.rounding import SHARE_DECIMALS
from paragone.memory.scores import ContentRating
from paragone.memory.search.blend import ADVANTAGE_SPREADS
from paragone.memory.search.candidates import (
    Candidate,
)
from paragone.ratings.usefulness import Feedback, advantage, probability, trust
from paragone.wire.search import Breakdown, SearchMode

R_UNKNOWN = "R unknown"
R_LOW = "R low"
USEFULNESS_UNKNOWN = "usefulness unknown"
CONTRADICTED = "reported wrong"


def score(parts: Breakdown) -> float:
    """The score by which results are ordered."""
    if parts.mode == "document":
        return parts.demotion * document_score(parts.similarity, parts.elo_norm, parts.r_gate)
    return parts.text + parts.past + parts.use + parts.feedback


def breakdown(
    candidate: Candidate, rating: ContentRating, mode: SearchMode, *, evidence: Feedback, spread: float, trials: float
) -> Breakdown:
    """The figures behind the score of one result.

    Args:
        candidate: What was found.
        rating: Of it, or of its file.
        mode: The formula.
        evidence: About it, as far as it comes from queries like this one.
        spread: Of the texts' scores of the query.
        trials: How often the most shown candidate was looked at for queries like this one.
    """
    trusted = trust(evidence)
    gain = ADVANTAGE_SPREADS * spread * advantage(evidence, trials=trials)
    return Breakdown(
        mode=mode,
        similarity=candidate.similarity,
        semantic=candidate.semantic,
        keyword=candidate.keyword,
        text=candidate.text,
        past=trusted * candidate.past,
        use=trusted * candidate.use,
        feedback=gain if candidate.is_first else min(gain, 0.0),
        usefulness=rating.usefulness,
        is_known=rating.is_known,
        demotion=trust(rating.feedback) if rating.is_known else 1.0,
        rated=rating.content.kind,
        rating=rating.elo if mode == "document" else rating.rating,
        elo_norm=elo_norm(rating.elo),
        r=rating.r,
        r_source=rating.r_source or "",
        r_gate=r_gate(rating.is_high),
        flags=tuple(_flags(rating)),
    )


def _flags(rating: ContentRating) -> Iterator[str]:
    if rating.is_known and probability(rating.feedback) < 0.5:
        yield CONTRADICTED
    if not rating.is_known:
        yield USEFULNESS_UNKNOWN
    if rating.is_high is None:
        yield R_UNKNOWN
    elif not rating.is_high:
        yield R_LOW


def own_or_file(content: Content, ratings: dict[Content, ContentRating]) -> ContentRating:
    """The rating that applies to content: its own once it has changed, until then that of its file.

    A chunk has a new id after every edit, and few are ever shown; its file keeps its rating.
    """
    own = ratings[content]
    return own if own.updates else replace(ratings[Content.file(content.path)], feedback=own.feedback)


def by_score(parts: Sequence[Breakdown]) -> list[int]:
    """The order of results, best first. Equal scores are ordered by similarity, then keep their order."""
    return sorted(
        range(len(parts)), key=lambda at: (-round(score(parts[at]), SHARE_DECIMALS), -parts[at].similarity, at)
    )
