"""From recorded matches to running Elo: the one definition, one match at a time, all at once, or over arrays."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paragone.domain import Match, Outcome, Rating, RatingChange, RatingConfig
from paragone.ratings.elo import LEAST_WEIGHT, NATS_PER_POINT, Move, update
from paragone.ratings.k_factor import KSchedule

Ratings = tuple[Rating, Rating]
Changes = tuple[RatingChange, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Replay:
    """Where the ratings stand after a sequence of matches, and every move that led there.

    Attributes:
        ratings: The rating of each item, by id.
        changes: Two for each match that counted, in the order of play, the match's ``a`` first.
    """

    ratings: dict[str, Rating]
    changes: Changes


def step(
    ratings: Ratings, match: Match, config: RatingConfig, *, schedule: KSchedule | None = None
) -> tuple[Ratings, Changes]:
    """Play one match.

    Args:
        ratings: The ratings of the match's ``a`` and ``b`` before it.
        match: The match; a void one changes nothing.
        config: K, floor and ceiling.
        schedule: K of a side by the matches that it has played; ``config.k`` where None.

    Returns:
        Both ratings after the match, and the two changes; no change for a void match.

    Raises:
        ValueError: If the ratings are not those of the match's two items.
    """
    a, b = ratings
    if (a.item, b.item) != (match.a, match.b) or a.item == b.item:
        raise ValueError(f"match {match.id!r} is between {match.a!r} and {match.b!r}, not {a.item!r} and {b.item!r}")
    if match.outcome is Outcome.VOID:
        return ratings, ()
    k = None if schedule is None else (schedule(a.matches), schedule(b.matches))
    moves = update((a.elo, b.elo), match.outcome.score, config, weight=match.confidence, k=k)
    after = (_after(a, moves[0]), _after(b, moves[1]))
    return after, (_record(match.a, match.id, moves[0]), _record(match.b, match.id, moves[1]))


def replay(
    matches: Iterable[Match],
    config: RatingConfig,
    items: Iterable[str] = (),
    *,
    start: Mapping[str, Rating] | None = None,
    schedule: KSchedule | None = None,
) -> Replay:
    """Play matches in their order.

    Args:
        matches: The matches, in the order of play.
        config: Initial rating, K, floor and ceiling.
        items: Ids that are to have a rating even where no match that counts names them.
        start: Ratings to go on from; items that it does not name begin at ``config.initial``.
        schedule: K of a side by the matches that it has played; ``config.k`` where None.
    """
    ratings = {} if start is None else dict(start)
    for item in items:
        ratings.setdefault(item, Rating(item=item, elo=config.initial))
    changes: list[RatingChange] = []
    for match in matches:
        if match.outcome is Outcome.VOID:
            continue
        before = (_rating(ratings, match.a, config), _rating(ratings, match.b, config))
        (ratings[match.a], ratings[match.b]), made = step(before, match, config, schedule=schedule)
        changes.extend(made)
    return Replay(ratings=ratings, changes=tuple(changes))


def replay_arrays(
    a: ArrayLike,
    b: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None,
    items: int,
    config: RatingConfig,
    *,
    start: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Play matches given as columns: the ratings that ``replay`` would reach, to the last bit, without the record.

    Args:
        a: Index of one item of each match, shape (M,), in the order of play.
        b: Index of the other, shape (M,).
        score: Score of ``a`` in [0, 1], shape (M,). Leave void matches out.
        weight: Confidence in each match, shape (M,), clamped to [0.1, 1]; 1 for all where None.
        items: How many items there are; the indices lie in [0, items).
        config: Initial rating, K, floor and ceiling.
        start: Ratings to go on from, shape (items,); ``config.initial`` for all where None.

    Returns:
        The ratings in Elo points, shape (items,).

    Raises:
        ValueError: If shapes differ, an index is out of range, an item meets itself, a score lies outside of [0, 1],
            or a weight or rating is not a number.
    """
    first, second = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    scores = np.asarray(score, dtype=np.float64)
    weights = np.ones(len(scores)) if weight is None else np.asarray(weight, dtype=np.float64)
    ratings = np.full(items, config.initial) if start is None else np.array(start, dtype=np.float64)
    _refuse_bad_columns(first, second, scores, weights, items)
    if ratings.shape != (items,) or not np.isfinite(ratings).all():
        raise ValueError(f"start needs {items} finite ratings")
    ks = config.k * np.clip(weights, LEAST_WEIGHT, 1.0)
    columns = (first.tolist(), second.tolist(), scores.tolist(), ks.tolist())
    return np.array(_run(*columns, ratings.tolist(), config.floor, config.ceiling), dtype=np.float64)


def _run(
    a: list[int], b: list[int], score: list[float], k: list[float], ratings: list[float], floor: float, ceiling: float
) -> list[float]:
    """The loop itself, on plain lists and local names only; ``ratings`` is changed in place and returned."""
    exp, nats_per_point = math.exp, NATS_PER_POINT
    for i, j, s, k_match in zip(a, b, score, k, strict=True):
        rating_i, rating_j = ratings[i], ratings[j]
        nats = (rating_i - rating_j) * nats_per_point
        if nats >= 0.0:
            expected = 1.0 / (1.0 + exp(-nats))
        else:
            odds = exp(nats)
            expected = odds / (1.0 + odds)
        change = k_match * (s - expected)
        rating_i += change
        rating_j -= change
        if not floor <= rating_i <= ceiling:
            rating_i = min(max(rating_i, floor), ceiling)
        if not floor <= rating_j <= ceiling:
            rating_j = min(max(rating_j, floor), ceiling)
        ratings[i], ratings[j] = rating_i, rating_j
    return ratings


def _refuse_bad_columns(
    a: NDArray[np.int64], b: NDArray[np.int64], score: NDArray[np.float64], weight: NDArray[np.float64], items: int
) -> None:
    if not (a.ndim == 1 and a.shape == b.shape == score.shape == weight.shape):
        raise ValueError(f"the columns differ in shape: {a.shape}, {b.shape}, {score.shape}, {weight.shape}")
    for column in (a, b):
        if ((column < 0) | (column >= items)).any():
            raise ValueError(f"an index lies outside of [0, {items})")
    if (a == b).any():
        raise ValueError(f"match {int(np.argmax(a == b))} pairs an item with itself")
    if not ((score >= 0.0) & (score <= 1.0)).all():
        raise ValueError("a score lies outside of [0, 1]")
    if np.isnan(weight).any():
        raise ValueError("a weight is not a number")


def _rating(ratings: Mapping[str, Rating], item: str, config: RatingConfig) -> Rating:
    known = ratings.get(item)
    return Rating(item=item, elo=config.initial) if known is None else known


def _after(rating: Rating, move: Move) -> Rating:
    return replace(
        rating,
        elo=move.new,
        matches=rating.matches + 1,
        wins=rating.wins + (move.score == 1.0),
        losses=rating.losses + (move.score == 0.0),
        ties=rating.ties + (move.score == 0.5),
    )


def _record(item: str, match: str, move: Move) -> RatingChange:
    return RatingChange(
        item=item,
        match=match,
        old=move.old,
        new=move.new,
        k=move.k,
        expected=move.expected,
        score=move.score,
        clamped=move.clamped,
    )
