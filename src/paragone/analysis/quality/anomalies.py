"""Sudden swings of the running Elo that fair results do not explain (T19).

A rating that falls 150 points in eight matches is no anomaly where the item met stronger ones, or is new and finds its
place. So a swing is asked how likely its *results* were (``swings``): those of 4 to 24 matches in a row, given how
strong the item is by all its other matches, how well that is known, and how strong its opponents are. An item whose
matches nearly all lie within the swing has nothing to be held against and is let be. In a tournament that is fair, the
chance of any alarm at all is about one in a hundred.

A change that its own record does not explain (``new - old`` is not K times the surprise) is reported as irregular.

The running Elo is left as it is. Strengths, by which boards rank, smooth such a swing by themselves; a match that turns
out to be wrong is rolled back.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from paragone.analysis.quality.contests import Contests
from paragone.analysis.quality.swings import FALSE_ALARMS, WINDOWS, Fair, Sides, Swing, swings
from paragone.domain import RatingChange

_ROUNDING = 1e-6


class Kind(StrEnum):
    """What is odd: a rise, a fall, or a change that its own record does not explain."""

    SPIKE = "spike"
    DROP = "drop"
    IRREGULAR = "irregular"


@dataclass(frozen=True, kw_only=True, slots=True)
class Anomaly:
    """A swing of one rating that is worth a person's look.

    Attributes:
        item: Id of the item.
        kind: What is odd.
        matches: Ids of the matches of the swing, in order.
        size: Elo points that the rating moved over them, signed.
        expected: Elo points that it was expected to move.
        p_value: Probability of results so one-sided; 0 for a change that its record does not explain.
        reason: In words.
    """

    item: str
    kind: Kind
    matches: tuple[str, ...]
    size: float
    expected: float
    p_value: float
    reason: str

    @property
    def id(self) -> str:
        """Names it within its tournament: the same swing has the same id."""
        return f"{self.kind}:{self.item}:{self.matches[0]}-{self.matches[-1]}"

    @property
    def match(self) -> str:
        """The match that it ended with."""
        return self.matches[-1]


def anomalies(
    contests: Contests,
    fair: Fair,
    changes: Iterable[RatingChange],
    *,
    false_alarms: float = FALSE_ALARMS,
    windows: Sequence[int] = WINDOWS,
) -> tuple[Anomaly, ...]:
    """Swings that fair results do not explain, and changes that their record does not; the least likely first.

    Args:
        contests: The matches that stand.
        fair: How they would end, were they fair.
        changes: The rating changes; those of other matches are looked at for irregularity alone.
        false_alarms: Bound on the chance of any alarm in a fair tournament.
        windows: Matches in a row that are looked at.
    """
    sides = Sides.of(contests, fair)
    odd = swings(sides, fair.error, false_alarms=false_alarms, windows=windows)
    places = [at for swing in odd for at in range(swing.start, swing.stop)]
    within = {(contests.items[sides.item[at]], contests.matches[sides.match[at]]) for at in places}
    moved: dict[tuple[str, str], RatingChange] = {}
    strange: list[Anomaly] = []
    for change in changes:  # of a long tournament these are many, and of each no more than a look is wanted
        strange += irregular([change])
        if (change.item, change.match) in within:
            moved[change.item, change.match] = change
    found = [_described(swing, sides, contests, moved) for swing in odd]
    return (*strange, *sorted(found, key=lambda anomaly: anomaly.p_value))


def irregular(changes: Iterable[RatingChange]) -> Iterator[Anomaly]:
    """Changes that are not what K, expectation and score come to.

    Changes without a K were made by no contest (rollbacks, adjustments) and are passed over.
    """
    for change in changes:
        meant = change.k * (change.score - change.expected) - change.clamped
        if change.k > 0 and not abs(change.change - meant) <= _ROUNDING * max(1.0, abs(change.old)):
            yield Anomaly(
                item=change.item,
                kind=Kind.IRREGULAR,
                matches=(change.match,),
                size=change.change,
                expected=meant,
                p_value=0.0,
                reason=f"match {change.match} moved the rating by {change.change:+.1f} points; its own record, K "
                f"{change.k:g}, expected {change.expected:.2f} and scored {change.score:g}, comes to {meant:+.1f}",
            )


def unseen(found: Iterable[Anomaly], seen: Collection[tuple[str, str]]) -> tuple[Anomaly, ...]:
    """Those that have not been reported yet; a swing that has gone on since is the same one.

    Args:
        found: Anomalies.
        seen: Item and match of each that was reported.
    """
    return tuple(anomaly for anomaly in found if not any((anomaly.item, match) in seen for match in anomaly.matches))


def _described(
    swing: Swing, sides: Sides, contests: Contests, moved: Mapping[tuple[str, str], RatingChange]
) -> Anomaly:
    window = slice(swing.start, swing.stop)
    item = contests.items[sides.item[swing.start]]
    matches = tuple(contests.matches[place] for place in sides.match[window].tolist())
    scored, fair = float(sides.score[window].sum()), float((sides.win + sides.draw / 2)[window].sum())
    made = [moved.get((item, match)) for match in matches]
    size = sum(change.change for change in made if change is not None)
    means = (sides.win + sides.draw / 2)[window].tolist()
    expected = sum(
        change.k * (mean - change.expected) for change, mean in zip(made, means, strict=True) if change is not None
    )
    kind = Kind.SPIKE if swing.up else Kind.DROP
    once = 1 / max(swing.p_value, 1e-12)
    reason = (
        f"{scored:g} of {len(matches)} points in matches {matches[0]} to {matches[-1]}, where its strength made "
        f"{fair:.1f} likely: {size:+.0f} Elo points instead of {expected:+.0f}; by chance once in {once:,.0f}"
    )
    return Anomaly(
        item=item, kind=kind, matches=matches, size=size, expected=expected, p_value=swing.p_value, reason=reason
    )
