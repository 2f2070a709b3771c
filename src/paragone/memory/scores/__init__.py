"""The scores: ratings of content, computed from the logs."""

from paragone.memory.scores.content_rating import ContentRating, initial_rating, is_pinned
from paragone.memory.scores.scores import PoolSummary, Scores, ScoreUpdate, basis_of

__all__ = ["ContentRating", "PoolSummary", "ScoreUpdate", "Scores", "basis_of", "initial_rating", "is_pinned"]
