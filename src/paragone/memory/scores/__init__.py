"""The scores: ratings of content, computed from the logs."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.memory.scores.database import PoolSums
    from paragone.memory.scores.scores import ContentRating, Scores, ScoreUpdate, basis_of
else:
    __getattr__ = names(
        __name__,
        {
            ".database": "PoolSums",
            ".scores": "ContentRating Scores ScoreUpdate basis_of",
        },
    )

__all__ = ["ContentRating", "PoolSums", "ScoreUpdate", "Scores", "basis_of"]
