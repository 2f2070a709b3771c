"""What a board says where better items are known: the verdict on each pair, on each judge, and what to ask a person."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from paragone.domain import Aim, Board, Goal, GoldSuggestion, JudgeReport, PairVerdict
from paragone.domain.rounding import SHARE_DECIMALS, rounded
from paragone.ratings.evidence import Floats, Ints
from paragone.tournaments.anchoring import Anchored, loose_panel
from paragone.tournaments.posterior import Posterior


def with_known_pairs(board: Board, posterior: Posterior, anchors: Anchored, suggest: int = 0) -> Board:
    """The board with what gold pairs, or judges that contradict each other, have to do with it.

    Args:
        board: The board of the posterior.
        posterior: The fit.
        anchors: Its answers with gold, and the directions of judges.
        suggest: How many pairs to suggest for a person to decide.
    """
    if posterior.rated:
        from paragone.ratings.model_prior import agreement

        board = replace(board, prior=agreement(posterior.fit, posterior.rated))
    suggestions = suggested(posterior, suggest) if suggest else ()
    if anchors.direction is None:
        return replace(board, suggestions=suggestions)
    return replace(
        board,
        judges=_reports(board.judges, anchors),
        direction=anchors.direction,
        pairs=pair_verdicts(posterior) if anchors.gold else (),
        suggestions=suggestions,
    )


def _reports(reports: Sequence[JudgeReport], anchors: Anchored) -> tuple[JudgeReport, ...]:
    clarity = dict(zip(anchors.as_answered.judges, anchors.directions.clarity.tolist(), strict=True))
    records = anchors.records()

    def report(judge: JudgeReport) -> JudgeReport:
        at = clarity.get(judge.judge, 0.0)
        decided, right = records.get(judge.judge, (0, 0))
        return replace(
            judge,
            direction="right" if at >= 1.0 else "inverted" if at <= -1.0 else "unclear",
            gold_pairs=decided if anchors.gold else None,
            gold_right=right if anchors.gold else None,
        )

    return tuple(report(judge) for judge in reports)


def pair_verdicts(posterior: Posterior) -> tuple[PairVerdict, ...]:
    """The verdict on every pair that judges answered or that is known, in the order of the items' indices."""
    anchors = posterior.anchored
    if anchors is None:
        return ()
    gold = {(min(pair), max(pair)): pair[0] for pair in anchors.gold}
    a, b, probability = _chances(posterior, anchors)
    verdicts = []
    for low, high, chance in zip(a.tolist(), b.tolist(), probability.tolist(), strict=True):
        better = gold.get((low, high), low if chance >= 0.5 else high)
        verdicts.append(
            PairVerdict(
                a=posterior.ids[low],
                b=posterior.ids[high],
                winner=posterior.ids[better],
                probability=1.0 if (low, high) in gold else max(chance, 1.0 - chance),
                known=(low, high) in gold,
            )
        )
    return tuple(verdicts)


def _chances(posterior: Posterior, anchors: Anchored) -> tuple[Ints, Ints, Floats]:
    """Each pair, and the probability that its item of the lower index is the better: by the panel, else by the fit."""
    low, high = _pairs(anchors)
    probability = chances(posterior, low, high)
    if anchors.consensus is None:
        return low, high, probability
    panel = anchors.consensus.panel
    items = len(posterior.ids)
    rows = np.searchsorted(low * items + high, panel.a * items + panel.b)
    probability[rows] = anchors.consensus.probability
    return low, high, probability


def _pairs(anchors: Anchored) -> tuple[Ints, Ints]:
    """All pairs with an answer and all gold pairs, the item of the lower index first, in order."""
    evidence, gold = anchors.as_answered, np.array(anchors.gold, np.int64).reshape(-1, 2)
    used = evidence.weight > 0
    first = np.concatenate([evidence.first[used], gold[:, 0]])
    second = np.concatenate([evidence.second[used], gold[:, 1]])
    keys = np.unique(np.minimum(first, second) * evidence.item_count + np.maximum(first, second))
    low, high = np.divmod(keys, evidence.item_count)
    return low, high


def chances(posterior: Posterior, first: Ints, second: Ints) -> Floats:
    """Probability that the first item of each pair is the better, by the draws; even where they are alike."""
    above = np.zeros(first.size)
    for draw in posterior.draws:
        above += (np.sign(draw[first] - draw[second]) + 1) / 2
    return rounded(above / len(posterior.draws), SHARE_DECIMALS)


def suggested(posterior: Posterior, count: int) -> tuple[GoldSuggestion, ...]:
    """The pairs whose true answer would teach most: of a panel's questions, or of all pairs of items.

    Where the direction of the board is open, those that it is surest of tell whether it is upside down. Else those that
    take most from the risk of a wrong order.
    """
    anchors = posterior.anchored
    if anchors is None:
        return ()
    evidence = anchors.as_answered
    panel = loose_panel(evidence)
    if panel is not None:
        from paragone.ratings.question_panel import consensus, worth_asking

        verdicts = consensus(panel, anchors.gold)
        pairs = [(int(panel.a[at]), int(panel.b[at])) for at in worth_asking(verdicts, count)]
        chance = dict(zip(zip(panel.a.tolist(), panel.b.tolist(), strict=True), verdicts.probability, strict=True))
        return tuple(_suggestion(posterior, pair, float(chance[pair])) for pair in pairs)
    pairs = _telling(posterior, count) if not anchors.directions.identified else _gaining(posterior, count)
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    probability = chances(posterior, first, second).tolist()
    return tuple(_suggestion(posterior, pair, chance) for pair, chance in zip(pairs, probability, strict=True))


def _suggestion(posterior: Posterior, pair: tuple[int, int], chance: float) -> GoldSuggestion:
    return GoldSuggestion(a=posterior.ids[pair[0]], b=posterior.ids[pair[1]], probability=round(chance, SHARE_DECIMALS))


def _telling(posterior: Posterior, count: int) -> list[tuple[int, int]]:
    """The pairs that are surest but for the direction: the outermost items of the order, each in one pair if it can be.

    The first meets the last, the second the last but one, and so on: far pairs from everywhere, not the same few items.
    """
    order = np.lexsort((np.arange(len(posterior.ids)), -rounded(posterior.fit.strength, SHARE_DECIMALS))).tolist()
    gold = {frozenset(pair) for pair in (posterior.anchored.gold if posterior.anchored else ())}
    pairs: list[tuple[int, int]] = []
    half = len(order) // 2
    for shift in range(half):
        ranks = [(at, len(order) - 1 - (at + shift) % half) for at in range(half)]
        fresh = [(order[top], order[bottom]) for top, bottom in ranks if top < bottom]
        pairs += [pair for pair in fresh if frozenset(pair) not in gold]
        if len(pairs) >= count:
            break
    return pairs[:count]


def _gaining(posterior: Posterior, count: int) -> list[tuple[int, int]]:
    """The pairs of largest gain; for large pools those of the closest neighbours in the order."""
    from paragone.pairing.gain import MOST_ITEMS, next_batch
    from paragone.pairing.presentation import PairHistory

    ids, gold = posterior.ids, posterior.anchored.gold if posterior.anchored else ()
    history = PairHistory(len(ids))
    for pair in {frozenset(pair) for pair in gold}:
        first, second = pair
        history.add(first, second)
        history.add(second, first)
    if len(ids) > MOST_ITEMS or len(ids) < 2:
        order = np.argsort(-posterior.strength, kind="stable").tolist()
        gold_pairs = {frozenset(pair) for pair in gold}
        near = [(a, b) for a, b in pairwise(order) if frozenset((a, b)) not in gold_pairs]
        return near[:count]
    covariance = np.cov(posterior.draws.T) + 1e-9 * np.eye(len(ids))
    goal = Goal(aim=Aim.ORDER)
    rng = np.random.default_rng(posterior.seed)
    pairs: list[tuple[int, int]] = []
    # A batch lets each item meet few others; more batches make up for it.
    while len(pairs) < count:
        batch = next_batch(
            posterior.strength,
            covariance,
            history,
            goal,
            rng=rng,
            size=count - len(pairs),
            audit_share=0.0,
            far=0,
            focus=0,
        )
        if not batch:
            break
        pairs += batch
        for first, second in batch:
            history.add(first, second)
            history.add(second, first)
    return pairs
