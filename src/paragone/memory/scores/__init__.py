"""The scores: a projection of the logs to the ratings of content."""

from paragone.memory.scores.content_rating import ContentRating, initial_rating, is_pinned
from paragone.memory.scores.projection import ScoreUpdate, basis_of
from paragone.memory.scores.scores import PoolSummary, Scores

__all__ = ["ContentRating", "PoolSummary", "ScoreUpdate", "Scores", "basis_of", "initial_rating", "is_pinned"]
