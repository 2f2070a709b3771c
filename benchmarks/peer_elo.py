"""The running Elo of the documents, over random pairs and over pairs chosen by document T's weights.

T scores a match by similarity (0.3), recency (0.2) and rating proximity (0.5); ten matches are in flight before ratings
are written. What it leaves open is set here in its favour: the similarity of two items is the cosine of random vectors,
which has nothing to do with skill; newer items are those with fewer matches, since all are there from the start;
proximity falls to nothing over the 400 points of a tier; a pair that has met comes after all that have not.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from contender import Answers, Floats, Pairs, Report, in_random_order, random_pairs

INITIAL, K, TIER = 1200.0, 32.0, 400.0
SIMILARITY, RECENCY, PROXIMITY = 0.3, 0.2, 0.5
IN_FLIGHT = 10


def update(ratings: Floats, pairs: Pairs, scores: Floats) -> None:
    """Move the ratings in place, a match after the other."""
    for (first, second), score in zip(pairs.tolist(), scores.tolist(), strict=True):
        expected = 1.0 / (1.0 + 10.0 ** ((ratings[second] - ratings[first]) / TIER))
        change = K * (score - expected)
        ratings[first] += change
        ratings[second] -= change


def random_elo(judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
    """Running Elo over independent random pairs."""
    ratings, calls = np.full(judge.strength.size, INITIAL), 0
    for budget in budgets:
        pairs = random_pairs(ratings.size, budget - calls, rng)
        update(ratings, pairs, judge.answer(pairs[:, 0], pairs[:, 1]))
        calls = budget
        yield Report(strength=ratings.copy(), calls=calls)


def weights_elo(judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
    """Running Elo over the pairs of the highest weighted score."""
    items, calls = judge.strength.size, 0
    ratings, matches, met = np.full(items, INITIAL), np.zeros(items), np.zeros((items, items), dtype=bool)
    similarity = _similarity(items, rng)
    in_flight = max(IN_FLIGHT, items // 15)  # for large pools, as many at a time as 150 items have
    for budget in budgets:
        while calls < budget:
            wanted = min(in_flight, budget - calls)
            pairs = in_random_order(_best_disjoint(_weighted(ratings, matches, similarity, met), wanted), rng)
            update(ratings, pairs, judge.answer(pairs[:, 0], pairs[:, 1]))
            np.add.at(matches, pairs, 1)
            met[pairs[:, 0], pairs[:, 1]] = met[pairs[:, 1], pairs[:, 0]] = True
            calls += len(pairs)
        yield Report(strength=ratings.copy(), calls=calls)


def _similarity(items: int, rng: np.random.Generator) -> Floats:
    """Cosines of random vectors, brought to [0, 1]."""
    vectors = rng.standard_normal((items, 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return (1 + vectors @ vectors.T) / 2


def _weighted(ratings: Floats, matches: Floats, similarity: Floats, met: np.ndarray) -> Floats:
    fresh = 1 / (1 + matches)
    recency = (fresh[:, np.newaxis] + fresh) / 2
    proximity = np.maximum(0.0, 1 - np.abs(ratings[:, np.newaxis] - ratings) / TIER)
    score: Floats = SIMILARITY * similarity + RECENCY * recency + PROXIMITY * proximity - met
    return score


def _best_disjoint(score: Floats, wanted: int) -> Pairs:
    """The pairs of the highest scores in which no item occurs twice, shape (up to wanted, 2)."""
    score[np.tril_indices(len(score))] = -np.inf
    chosen: list[tuple[int, int]] = []
    flat, count = score.ravel(), min(score.size, 40 * wanted)
    best = np.argpartition(-flat, count - 1)[:count]
    used: set[int] = set()
    for place in best[np.argsort(-flat[best])].tolist():
        a, b = divmod(place, len(score))
        if a < b and not used & {a, b}:
            chosen.append((a, b))
            used |= {a, b}
            if len(chosen) == wanted:
                break
    return np.array(chosen)
