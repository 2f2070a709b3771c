"""The course of a tournament so far, digested: who met whom, who keeps losing, how each began.

Everything follows from the matches, so it is the same however the tournament came to be here; it is kept in step,
because reading a hundred thousand matches anew for each round would take longer than the round.
"""

from collections import Counter
from collections.abc import Sequence

from paragone.domain import Match, Outcome, Protocol

OPENING = 6
"""Matches in which a newcomer may earn the fast track."""

PROMISING = 5
"""Wins among these that earn it."""


class Course:
    """What the matches so far come to, kept in step with them.

    A match that was rolled back still counts as a meeting, since it was asked; it is no win and no loss.

    Attributes:
        opponents: For each item, how often it met each other one.
        shown: How often each pair was shown in this order.
        answered: Pairs in the order of presentation, with how they were judged, that have their answer.
        both_ways: Pairs that were shown in both orders, the ids of each in sorted order.
        leads: For each item, how many times more it was shown first than second.
        losses: Losses in a row, for those who lost the last time.
        last: The round of each item's last match.
        promising: Items that won five of their first six matches, in the order in which they did.
    """

    def __init__(self) -> None:
        self._begin(frozenset())

    def _begin(self, rolled_back: frozenset[str]) -> None:
        self.opponents: dict[str, Counter[str]] = {}
        self.shown: Counter[tuple[str, str]] = Counter()
        self.answered: set[tuple[str, str, Protocol]] = set()
        self.both_ways: set[tuple[str, str]] = set()
        self.leads: Counter[str] = Counter()
        self.losses: dict[str, int] = {}
        self.last: dict[str, int] = {}
        self.promising: dict[str, None] = {}  # a set that remembers the order of its making
        self._counted: Counter[str] = Counter()
        self._wins: Counter[str] = Counter()
        self._seen = 0
        self._latest: Match | None = None
        self._rolled_back = rolled_back

    def follow(self, played: Sequence[Match], rolled_back: frozenset[str]) -> None:
        """Take in what was played since the last time; begin anew where the past is another one."""
        known = self._seen == 0 or (self._seen <= len(played) and played[self._seen - 1] is self._latest)
        if not known or rolled_back != self._rolled_back:
            self._begin(rolled_back)
        for match in played[self._seen :]:
            self._take(match)
        self._seen = len(played)
        self._latest = played[-1] if played else None

    def meetings(self, a: str, b: str) -> int:
        """How often two items met."""
        return self.opponents[a][b] if a in self.opponents else 0

    def is_spent(self, a: str, b: str, protocol: Protocol) -> bool:
        """Whether both orders of a pair have their answer: asked again, it would come from the earlier verdicts."""
        return (a, b, protocol) in self.answered and (b, a, protocol) in self.answered

    def _take(self, match: Match) -> None:
        for item, other in ((match.a, match.b), (match.b, match.a)):
            self.last[item] = match.round
            self.opponents.setdefault(item, Counter())[other] += 1
        for comparison in match.comparisons:
            self.shown[comparison.first, comparison.second] += 1
            self.answered.add((comparison.first, comparison.second, match.protocol))
            if (comparison.second, comparison.first) in self.shown:
                self.both_ways.add((min(comparison.shown), max(comparison.shown)))
            self.leads[comparison.first] += 1
            self.leads[comparison.second] -= 1
        if match.outcome is not Outcome.VOID and match.id not in self._rolled_back:
            self._count(match.a, match.outcome.score)
            self._count(match.b, 1.0 - match.outcome.score)

    def _count(self, item: str, score: float) -> None:
        self._counted[item] += 1
        if self._counted[item] <= OPENING and score == 1.0:
            self._wins[item] += 1
            if self._wins[item] == PROMISING:
                self.promising[item] = None
        if score == 0.0:
            self.losses[item] = self.losses.get(item, 0) + 1
        else:
            self.losses.pop(item, None)
