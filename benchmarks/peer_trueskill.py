"""TrueSkill by the ``trueskill`` package, with the pairs of the best match quality.

Draw probability 0.1; skills do not move, so no dynamics are added. Its defaults suit the judge: skills have twice the
spread of a performance's error. In each round everybody meets once: the least known first, each with the free opponent
of the best quality among those it has met least often. (The best quality of all pairs goes to items that are known
already, so that the others would wait for ever.) It ranks by the mean.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import trueskill
from contender import Answers, Report, in_random_order
from peer_filter import matched, quality

ENVIRONMENT = trueskill.TrueSkill(draw_probability=0.1, tau=0.0)


def trueskill_quality(judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
    """Rounds in which everybody meets once, but for the odd one."""
    items, calls = judge.strength.size, 0
    ratings = [ENVIRONMENT.create_rating() for _ in range(items)]
    met = np.zeros((items, items), dtype=int)
    for budget in budgets:
        while calls < budget:
            wanted = min(budget - calls, items // 2)
            mean, deviation = np.array([(rating.mu, rating.sigma) for rating in ratings]).T
            pairs = in_random_order(
                matched(quality(mean, deviation, 2 * ENVIRONMENT.beta**2) - met, deviation, wanted, rng), rng
            )
            for (first, second), score in zip(pairs.tolist(), judge.answer(*pairs.T).tolist(), strict=True):
                _rate(ratings, first, second, score)
            np.add.at(met, (pairs, pairs[:, ::-1]), 1)
            calls += len(pairs)
        yield Report(strength=np.array([rating.mu for rating in ratings]), calls=calls)


def _rate(ratings: list[trueskill.Rating], first: int, second: int, score: float) -> None:
    better, worse = (first, second) if score > 0 else (second, first)
    ratings[better], ratings[worse] = trueskill.rate_1vs1(
        ratings[better], ratings[worse], drawn=score == 0.5, env=ENVIRONMENT
    )
