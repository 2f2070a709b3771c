"""Whom an item met, how often and in which order of presentation, in thirteen bytes an opponent."""

from array import array
from bisect import bisect_left

OWN_FIRST = (1, 2)
"""Marks of an answer that is there with the item itself shown first: to a direct comparison, after a debate."""

OTHER_FIRST = (4, 8)
"""The same with the opponent shown first."""


class Opponents:
    """The opponents of one item, by their numbers.

    Attributes:
        who: Their numbers, ascending.
        times: How often each was met.
        ahead: How often the item itself was shown before each.
        said: Marks of the answers that are there; asked again, these would come from the earlier verdicts.
    """

    __slots__ = ("ahead", "said", "times", "who")

    def __init__(self) -> None:
        self.who, self.times, self.ahead, self.said = array("i"), array("i"), array("i"), array("B")

    def __len__(self) -> int:
        return len(self.who)

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return sum(len(column) * column.itemsize for column in (self.who, self.times, self.ahead, self.said))

    def met(self, number: int) -> int:
        """How often one was met."""
        place = self._place(number)
        return 0 if place is None else self.times[place]

    def shown_before(self, number: int) -> int:
        """How often the item was shown before one."""
        place = self._place(number)
        return 0 if place is None else self.ahead[place]

    def marks(self, number: int) -> int:
        """The marks of one."""
        place = self._place(number)
        return 0 if place is None else self.said[place]

    def meet(self, number: int) -> int:
        """Count a meeting with one; returns its place."""
        place = bisect_left(self.who, number)
        if place == len(self.who) or self.who[place] != number:
            self.who.insert(place, number)
            for column in (self.times, self.ahead, self.said):
                column.insert(place, 0)
        self.times[place] += 1
        return place

    def _place(self, number: int) -> int | None:
        place = bisect_left(self.who, number)
        return place if place < len(self.who) and self.who[place] == number else None
