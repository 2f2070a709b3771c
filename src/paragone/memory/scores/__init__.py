"""The scores: a projection of the logs that says where content stands."""

from paragone.memory.scores.catching_up import CaughtUp, basis_of
from paragone.memory.scores.content_rating import ContentRating
from paragone.memory.scores.scores import PoolStanding, Scores
from paragone.memory.scores.tiers import initial_rating, is_pinned

__all__ = ["CaughtUp", "ContentRating", "PoolStanding", "Scores", "basis_of", "initial_rating", "is_pinned"]
