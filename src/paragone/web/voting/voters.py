"""Who said what of which pair: enough to show nobody the same again, and to take the last vote back."""

from collections import defaultdict
from dataclasses import dataclass

from paragone.domain import Choice
from paragone.pairing.presentation import PairHistory

RECENT = 8
"""Votes for which a pair is not shown to the same voter again, in the other order either."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cast:
    """A vote.

    Attributes:
        id: Of its match.
        first: Id of the item that was shown first.
        second: Id of the other.
        choice: What was said; an abstention where the pair was skipped.
    """

    id: str
    first: str
    second: str
    choice: Choice


class Voter:
    """The votes of one judge that stand, in the order in which they were heard of."""

    def __init__(self) -> None:
        self._casts: dict[str, Cast] = {}

    def copy(self) -> "Voter":
        """The same as it is now."""
        one = Voter()
        one._casts = dict(self._casts)
        return one

    def add(self, cast: Cast) -> None:
        """Note a vote; one that is known already changes nothing."""
        self._casts.setdefault(cast.id, cast)

    def void(self, id: str) -> None:
        """Forget a vote that was taken back."""
        self._casts.pop(id, None)

    @property
    def last(self) -> Cast | None:
        """The last one."""
        return next(reversed(self._casts.values()), None)

    @property
    def votes(self) -> int:
        """How many said something."""
        return sum(cast.choice.is_evidence for cast in self._casts.values())

    @property
    def skipped(self) -> int:
        """How many did not."""
        return len(self._casts) - self.votes

    def was_shown(self) -> set[tuple[str, str]]:
        """Pairs in the order in which they were shown."""
        return {(cast.first, cast.second) for cast in self._casts.values()}

    def recent(self, count: int) -> set[frozenset[str]]:
        """The pairs of the last votes, whoever was shown first."""
        return (
            {frozenset((cast.first, cast.second)) for cast in list(self._casts.values())[-count:]} if count else set()
        )

    def asked(self, index: dict[str, int]) -> PairHistory:
        """The same as a history for the pairing, of the items that have an index."""
        known = ((index.get(cast.first), index.get(cast.second)) for cast in self._casts.values())
        return PairHistory.of(len(index), ((a, b) for a, b in known if a is not None and b is not None))


class Voters:
    """All who judged a pool, by identity."""

    def __init__(self) -> None:
        self._by: defaultdict[str, Voter] = defaultdict(Voter)
        self._judges: dict[str, str] = {}

    def of(self, judge: str) -> Voter:
        """What one judge said; of one who said nothing, nothing is kept: anybody may ask under any name."""
        found = self._by.get(judge)
        return Voter() if found is None else found

    def add(self, judge: str, cast: Cast) -> None:
        """Note a vote of somebody."""
        self._by[judge].add(cast)
        self._judges[cast.id] = judge

    def void(self, match: str) -> None:
        """Forget a match that was rolled back."""
        judge = self._judges.pop(match, None)
        if judge is not None:
            self._by[judge].void(match)
