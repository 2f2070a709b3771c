"""The scores: ratings of content, computed from the logs."""

from paragone.memory.scores.database import PoolSums
from paragone.memory.scores.scores import ContentRating, Scores, ScoreUpdate, basis_of

__all__ = ["ContentRating", "PoolSums", "ScoreUpdate", "Scores", "basis_of"]
