"""What is fitted where judges may be wrong: their evidence with gold pairs, turned round where it is the wrong way."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paragone.domain.gold import Direction, GoldPair
from paragone.errors import InvalidVotes
from paragone.ratings.evidence import Evidence
from paragone.ratings.fit_types import FitOptions
from paragone.ratings.judge_directions import Directions, directions, taken_at_their_word

if TYPE_CHECKING:
    from paragone.ratings.question_panel import Consensus, QuestionPanel

GOLD_JUDGE = "known pairs"
PANEL_JUDGE = "the panel"
_CONSENSUS_WEIGHT = 2.0
"""Votes that the panel's verdict on a pair counts for: one that is even then leaves a rating as open as it is."""
_PAIRS_AN_ITEM = 2
"""From so many on, the distances between items can be estimated from how the pairs fit together."""
_APART = 1.5
"""Prior spread, in nats, of items that are in one pair each: nothing tells it."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Anchored:
    """What is fitted, and what was found out on the way.

    Attributes:
        evidence: What the fit reads.
        options: The terms of the fit.
        as_answered: The evidence as the judges gave it.
        gold: Pairs (better, worse) of items, by index.
        directions: In which direction each judge of the given evidence answers.
        consensus: The verdicts of a panel on the same questions; None where there is none.
    """

    evidence: Evidence
    options: FitOptions
    as_answered: Evidence
    gold: tuple[tuple[int, int], ...]
    directions: Directions
    consensus: "Consensus | None" = None

    @property
    def direction(self) -> Direction | None:
        """What a board says about it; None where no judge is turned round and nothing is known from elsewhere."""
        at = self.directions
        if not self.gold and not at.opposed:
            return None
        return Direction(
            identified=at.identified,
            agreed=at.agreed,
            inverted=at.opposed,
            mirrored=at.mirrored,
            gold=len(self.gold),
            panel=0 if self.consensus is None else self.consensus.panel.members.size,
            factors=self.consensus is not None and self.consensus.by_factors,
            accuracy=self._accuracy,
        )

    @property
    def _accuracy(self) -> float | None:
        # Agreement alone cannot tell how often all agree on what is wrong.
        if self.consensus is None or not self.consensus.by_factors:
            return None
        return round(self.consensus.expected_accuracy, 4)

    def records(self) -> dict[str, tuple[int, int]]:
        """By judge, how many gold pairs it decided, and how many of them rightly."""
        evidence, worth = self.as_answered, dict.fromkeys(self.gold, 1.0) | {(b, a): 0.0 for a, b in self.gold}
        decided: Counter[str] = Counter()
        right: Counter[str] = Counter()
        rows = zip(
            evidence.first.tolist(),
            evidence.second.tolist(),
            evidence.score.tolist(),
            evidence.judge.tolist(),
            strict=True,
        )
        for first, second, score, judge in rows if self.gold else ():
            answer = worth.get((first, second))
            if answer is not None and score != 0.5:
                decided[evidence.judges[judge]] += 1
                right[evidence.judges[judge]] += (score > 0.5) == (answer > 0.5)
        return {judge: (decided[judge], right[judge]) for judge in decided}


def indexed(gold: Sequence[GoldPair], ids: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Gold pairs by index; those with an item that is not among the ids are left out.

    Raises:
        InvalidVotes: If there are gold pairs, and none is left.
    """
    index = {id: at for at, id in enumerate(ids)}
    pairs = [(index[pair.better], index[pair.worse]) for pair in gold if {pair.better, pair.worse} <= index.keys()]
    if gold and not pairs:
        example = f"{gold[0].better!r} and {gold[0].worse!r}"
        raise InvalidVotes(
            f"none of the {len(gold)} gold pairs is about two of the {len(ids)} items; the first names {example}"
        )
    return tuple(pairs)


def anchored(
    evidence: Evidence, options: FitOptions, gold: Sequence[tuple[int, int]] = (), *, by_panel: bool = False
) -> Anchored:
    """Make of the judges' answers and the gold pairs what is fitted.

    A panel whose judges answered the same pairs, loosely connected or not at all, gives a verdict on each pair: weighed
    by two latent factors once five of these pairs are gold. All other judges have a direction each.

    Args:
        evidence: What the judges said.
        options: The terms of the fit.
        gold: Pairs (better, worse) of items, by index.
        by_panel: Whether a panel gives verdicts without gold, too.
    """
    positioned, pairs = options.positioned(evidence.judges), tuple(gold)
    panel = loose_panel(evidence, positioned)
    if panel is not None:
        from paragone.ratings.question_panel import consensus

        if by_panel or panel.known(pairs)[0].size:
            return _of_panel(evidence, options, pairs, consensus(panel, pairs))
        if not pairs:
            return _warned(evidence, options, consensus(panel))
    answers = directions(evidence, pairs, positioned=positioned)
    turned = answers.turned(evidence)
    if not pairs:
        return Anchored(evidence=turned, options=options, as_answered=evidence, gold=pairs, directions=answers)
    terms = replace(
        options,
        position=frozenset(positioned),
        repeats=frozenset(options.repeating(evidence.judges)),
        slope=options.slope,
    )
    return Anchored(
        evidence=with_gold(turned, pairs), options=terms, as_answered=evidence, gold=pairs, directions=answers
    )


def loose_panel(evidence: Evidence, positioned: Collection[str] = ()) -> "QuestionPanel | None":
    """The panel, where its questions are too loosely connected for strengths to say how good a judge is."""
    if len(evidence.judges) == 1:
        return None
    from paragone.ratings.question_panel import QuestionPanel

    panel = QuestionPanel.of(evidence, positioned)
    return None if panel is None or len(panel) >= _PAIRS_AN_ITEM * evidence.item_count else panel


def _warned(evidence: Evidence, options: FitOptions, verdicts: "Consensus") -> Anchored:
    """The fit as it is without gold; but where the panel is divided, the board may be upside down."""
    at = _panel_directions(len(evidence.judges), verdicts, 0)
    if at.identified:
        at = replace(at, mirrored=0.0, clarity=np.zeros(len(evidence.judges)))
    return Anchored(evidence=evidence, options=options, as_answered=evidence, gold=(), directions=at)


def with_gold(evidence: Evidence, gold: Sequence[tuple[int, int]]) -> Evidence:
    """The evidence with the gold pairs as the answers of one more judge."""
    better, worse = np.array(gold, np.int64).T
    count = len(gold)
    return replace(
        evidence,
        first=np.append(evidence.first, better),
        second=np.append(evidence.second, worse),
        score=np.append(evidence.score, np.ones(count)),
        tie=np.append(evidence.tie, np.zeros(count, np.bool_)),
        soft=np.append(evidence.soft, np.zeros(count, np.bool_)),
        weight=np.append(evidence.weight, np.ones(count)),
        judge=np.append(evidence.judge, np.full(count, len(evidence.judges))),
        judges=(*evidence.judges, _unused(GOLD_JUDGE, evidence.judges)),
    )


def _unused(name: str, judges: Collection[str]) -> str:
    return name if name not in judges else _unused(f"{name}'", judges)


def _of_panel(
    evidence: Evidence, options: FitOptions, gold: tuple[tuple[int, int], ...], consensus: "Consensus"
) -> Anchored:
    """The panel's verdicts as the one judge of the fit, and the gold pairs that it was not asked."""
    asked_pairs = set(zip(consensus.panel.a.tolist(), consensus.panel.b.tolist(), strict=True))
    beside = [pair for pair in gold if (min(pair), max(pair)) not in asked_pairs]
    verdicts = Evidence.from_arrays(
        evidence.item_count,
        np.append(consensus.panel.a, [better for better, _ in beside]).astype(np.int64),
        np.append(consensus.panel.b, [worse for _, worse in beside]).astype(np.int64),
        np.append(consensus.probability, np.ones(len(beside))),
        soft=np.ones(len(consensus.panel) + len(beside), np.bool_),
        weight=np.full(len(consensus.panel) + len(beside), _CONSENSUS_WEIGHT),
        judges=(PANEL_JUDGE,),
    )
    apart = len(verdicts) < _PAIRS_AN_ITEM * evidence.item_count
    terms = replace(
        options, position=False, repeats=False, dispersion=1.0, no_signal=0.0, spread=_APART if apart else None
    )
    return Anchored(
        evidence=verdicts,
        options=terms,
        as_answered=evidence,
        gold=gold,
        directions=_panel_directions(len(evidence.judges), consensus, len(gold)),
        consensus=consensus,
    )


def _panel_directions(judges: int, consensus: "Consensus", gold: int) -> Directions:
    """How each judge of a panel goes with its verdicts; nobody is turned round, as nobody has a slope."""
    clarity = np.zeros(judges)
    clarity[consensus.panel.members] = consensus.clarity
    return replace(taken_at_their_word(judges, gold), clarity=clarity, mirrored=consensus.mirrored)
