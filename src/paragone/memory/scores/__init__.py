"""The scores: a projection of the logs that says where content stands."""

from paragone.memory.scores.content_rating import ContentRating, initial_rating, is_pinned
from paragone.memory.scores.projection import CaughtUp, basis_of
from paragone.memory.scores.scores import PoolStanding, Scores

__all__ = ["CaughtUp", "ContentRating", "PoolStanding", "Scores", "basis_of", "initial_rating", "is_pinned"]
