"""Several items put to a judge in one call, and the order in which it puts them."""

from dataclasses import dataclass

from paragone.domain.outcome import Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class Lineup:
    """A match of several to be played: the ids in the order in which they are shown."""

    items: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.items) < 2 or len(set(self.items)) < len(self.items):
            raise ValueError(f"a lineup takes two or more different items, not {self.items}")

    @property
    def calls(self) -> int:
        """Judge calls that it takes: one, whatever its length."""
        return 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """One judge call on a lineup, with its answer.

    Attributes:
        call: Names the call; the same call has the same answer.
        shown: Ids in the order of presentation.
        verdict: The answer; its ``order``, where it has one, is of these places.
    """

    call: str
    shown: tuple[str, ...]
    verdict: Verdict

    def __post_init__(self) -> None:
        if self.verdict.order and len(self.verdict.order) != len(self.shown):
            raise ValueError(f"call {self.call!r} orders {len(self.verdict.order)} of {len(self.shown)} items")

    @property
    def order(self) -> tuple[str, ...]:
        """The ids, best first; empty where there is no evidence."""
        return tuple(self.shown[place] for place in self.verdict.order)
