"""Several judges who share the work, each under its own name, so that the fit can tell who is to be trusted."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from paragone.domain import Question, Spending, Verdict
from paragone.errors import InvalidConfig
from paragone.judges.base import DebateCard, ItemAware, Judge, JudgeCard, ListCard, fingerprint, forecast_of, uniform


@dataclass(frozen=True, kw_only=True, slots=True)
class PanelCard(JudgeCard):
    """A card that answers for whichever member is asked.

    Attributes:
        members: Their cards, in the order of their seats.
    """

    members: tuple[JudgeCard, ...]

    @property
    def identities(self) -> frozenset[str]:
        """All names that its verdicts may bear: those of its members."""
        return frozenset().union(*(card.identities for card in self.members))

    def answering(self, question: Question) -> JudgeCard:
        """The card of the member who is asked."""
        return self.members[seat(question.call, len(self.members))]


class PanelJudge:
    """Hands every comparison to one of its members.

    The comparisons of a match go to one member after the other: with as many comparisons a match as there are members,
    every match is judged by all; with one, they take turns. A verdict bears the name of the member who gave it, so the
    fit finds a slope, a position term and a tie habit for each, and a member who decides against the others counts for
    little. A member that fails costs its own comparisons; those of the others stand.
    """

    def __init__(self, members: Sequence[Judge]) -> None:
        """Take the members.

        Args:
            members: Two judges or more, each of another identity.

        Raises:
            InvalidConfig: If there are fewer than two, or two are the same.
        """
        if len(members) < 2:
            raise InvalidConfig(f"a panel has two members or more, not {len(members)}")
        cards = tuple(member.card for member in members)
        names = [card.identity for card in cards]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InvalidConfig(f"{twice} is in the panel twice: whoever says a thing twice does not know it better")
        self.members = tuple(members)
        identity = f"panel:{fingerprint(names)}"
        self._card = PanelCard(
            identity=identity,
            members=cards,
            reads_ids=any(card.reads_ids for card in cards),
            interactive=any(card.interactive for card in cards),
            lists=_lists(identity, cards),
            debates=_debates(identity, cards),
        )

    @property
    def card(self) -> PanelCard:
        """What holds for all; ``answering`` has what holds for a question."""
        return self._card

    def around(self, wrap: Callable[[Judge], Judge]) -> "PanelJudge":
        """The same panel with something around every member."""
        return PanelJudge([wrap(member) for member in self.members])

    async def compare(self, question: Question) -> Verdict:
        """The verdict of the member whose turn it is.

        Raises:
            JudgeFailed: If that member failed.
        """
        return await self._member(question).compare(question)

    def unknown(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Those of some items that a member cannot judge, of the members that know beforehand which these are."""
        id_list = tuple(ids)
        unknown_ids = {id for member in self.members if isinstance(member, ItemAware) for id in member.unknown(id_list)}
        return tuple(id for id in id_list if id in unknown_ids)

    def price(self, question: Question) -> float | None:
        """What that member says it will cost, in US dollars."""
        return self._member(question).price(question)

    def forecast(self, question: Question) -> Spending:
        """What that member's answer will most likely take."""
        return forecast_of(self._member(question), question)

    async def close(self) -> None:
        """Close all members."""
        for member in self.members:
            await member.close()

    def _member(self, question: Question) -> Judge:
        return self.members[seat(question.call, len(self.members))]


def seat(call: str, members: int) -> int:
    """The seat, from 0, of the member who is asked at a call.

    Calls are named by round, place and number of the comparison: their sum goes round the table from comparison to
    comparison, from match to match and from round to round. A call without numbers is dealt by chance, always alike.
    """
    numbers = [int(number) for number in re.findall(r"[0-9]{1,9}", call)]
    return sum(numbers) % members if numbers else int(uniform("seat", call) * members)


def _lists(identity: str, cards: Sequence[JudgeCard]) -> ListCard | None:
    lists = [card.lists for card in cards if card.lists is not None]
    if len(lists) < len(cards):
        return None
    return ListCard(identity=f"{identity}/lists", most=min(card.most for card in lists))


def _debates(identity: str, cards: Sequence[JudgeCard]) -> DebateCard | None:
    return None if any(card.debates is None for card in cards) else DebateCard(identity=f"{identity}/debates")
