"""Ratings of a model that people correct: from a list, a board, or a fit of the model's own votes."""

from collections.abc import Mapping, Sequence

import numpy as np

from paragone.domain import GoldPair
from paragone.intake.prior_ratings import read_prior
from paragone.intake.vote import UNNAMED, Votes
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence, Floats
from paragone.ratings.model_prior import centres
from paragone.tournaments.anchoring import indexed
from paragone.tournaments.posterior import fit_options


def prior_ratings(source: object) -> dict[str, float]:
    """The model's rating of each item, by id; see ``read_prior`` for sources and errors."""
    ratings = read_prior(source)
    return _fitted(ratings) if isinstance(ratings, Votes) else ratings


def _fitted(votes: Votes) -> dict[str, float]:
    index: dict[str, int] = {}
    judges: dict[str, int] = {}
    first = [index.setdefault(vote.a, len(index)) for vote in votes]
    second = [index.setdefault(vote.b, len(index)) for vote in votes]
    judge = [judges.setdefault(vote.judge or UNNAMED, len(judges)) for vote in votes]
    evidence = Evidence.from_arrays(
        max(len(index), 1),
        first,
        second,
        [vote.score for vote in votes],
        tie=[vote.tie for vote in votes],
        soft=[vote.probability is not None for vote in votes],
        weight=[vote.weight for vote in votes],
        judge=judge,
        judges=tuple(judges),
    )
    # Differences in strength are all that counts, and on their scale nothing depends.
    strength = fit(evidence, fit_options(evidence.judges, position=False)).strength
    return dict(zip(index, strength.tolist(), strict=True))


def check_known(gold: Sequence[GoldPair], prior: Mapping[str, float] | None, ids: Sequence[str]) -> None:
    """Refuse gold pairs or ratings that have nothing to do with the items.

    Raises:
        InvalidVotes: If there are gold pairs, and all are about other items.
        InvalidConfig: If there are ratings, and too few are of these items.
    """
    indexed(gold, ids)
    if prior is not None:
        centres(aligned(prior, ids))


def aligned(ratings: Mapping[str, float], ids: Sequence[str]) -> Floats:
    """The ratings in the order of the ids; NaN where there is none."""
    return np.array([ratings.get(id, np.nan) for id in ids])
