"""Several judges as one, each under its own identity, so that the fit can weigh them: a panel, or a cascade."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from paragone.domain import Question, Spending, Verdict
from paragone.errors import InvalidConfig
from paragone.judges.base import DebateCard, ItemAware, Judge, JudgeCard, ListCard, fingerprint, forecast_of, uniform


@dataclass(frozen=True, kw_only=True, slots=True)
class PanelCard(JudgeCard):
    """The card of a panel or a cascade.

    Attributes:
        members: The cards of the members, in the order of their seats.
        cascade: Whether a plan says who answers, by ``Question.level``, rather than whose turn it is.
    """

    members: tuple[JudgeCard, ...]
    cascade: bool = False

    @property
    def identities(self) -> frozenset[str]:
        """All identities that its verdicts may carry: those of its members."""
        return frozenset().union(*(card.identities for card in self.members))

    def answering(self, question: Question) -> JudgeCard:
        """The card of the member that answers this question."""
        return self.members[self.place(question)]

    def place(self, question: Question) -> int:
        """Index of the member that answers this question."""
        if self.cascade:
            return min(question.level, len(self.members) - 1)
        return seat(question.call, len(self.members))


class PanelJudge:
    """Hands every comparison to one of its members.

    The comparisons of a match go to the members in turn: with as many comparisons a match as members, all of them judge
    every match; with one, they alternate from match to match. A verdict carries the identity of its member, so the fit
    has a slope, a position term and a tie parameter for each, and a member that disagrees with the others counts for
    little. A member that fails loses its own comparisons alone.

    In a cascade the question says who answers: the first member, the cheapest, unless a plan asks a better one.
    """

    def __init__(self, members: Sequence[Judge], *, cascade: bool = False) -> None:
        """Form a panel or a cascade.

        Args:
            members: Two judges or more, of different identities.
            cascade: Whether a plan says who answers; the cheapest is the first.

        Raises:
            InvalidConfig: If there are fewer than two, or two are the same.
        """
        kind = "cascade" if cascade else "panel"
        if len(members) < 2:
            raise InvalidConfig(f"a {kind} has two members or more, not {len(members)}")
        cards = tuple(member.card for member in members)
        names = [card.identity for card in cards]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InvalidConfig(f"{twice} is in the {kind} twice: whoever says a thing twice does not know it better")
        self.members = tuple(members)
        identity = f"{kind}:{fingerprint(names)}"
        self._card = PanelCard(
            identity=identity,
            members=cards,
            cascade=cascade,
            reads_ids=any(card.reads_ids for card in cards),
            interactive=any(card.interactive for card in cards),
            batched=any(card.batched for card in cards),
            lists=_lists(identity, cards),
            debates=_debates(identity, cards),
            panel_debates=_panel_debates(identity, cards),
        )

    @property
    def card(self) -> PanelCard:
        """The properties that all members share; ``answering`` has those for a question."""
        return self._card

    def around(self, wrap: Callable[[Judge], Judge]) -> "PanelJudge":
        """The same with a wrapper around every member."""
        return PanelJudge([wrap(member) for member in self.members], cascade=self._card.cascade)

    async def compare(self, question: Question) -> Verdict:
        """The verdict of the member whose turn it is.

        Raises:
            JudgeFailed: If that member failed.
        """
        return await self._member(question).compare(question)

    def unknown(self, ids: Iterable[str]) -> tuple[str, ...]:
        """The items that some member cannot judge, as far as members know this beforehand."""
        id_list = tuple(ids)
        unknown_ids = {id for member in self.members if isinstance(member, ItemAware) for id in member.unknown(id_list)}
        return tuple(id for id in id_list if id in unknown_ids)

    def price(self, question: Question) -> float | None:
        """Expected cost by that member in US dollars."""
        return self._member(question).price(question)

    def forecast(self, question: Question) -> Spending:
        """Expected spending on that member's answer."""
        return forecast_of(self._member(question), question)

    async def close(self) -> None:
        """Close all members."""
        for member in self.members:
            await member.close()

    def _member(self, question: Question) -> Judge:
        return self.members[self._card.place(question)]


def is_cascade(card: JudgeCard) -> bool:
    """Whether a plan says which judge answers."""
    return isinstance(card, PanelCard) and card.cascade


def seat(call: str, members: int) -> int:
    """The seat, from 0, of the member that answers a call.

    A call is named by round, place and number of the comparison. The sum of these goes round the table from comparison
    to comparison, from match to match and from round to round. A call without numbers gets a seat by hash.
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


def _panel_debates(identity: str, cards: Sequence[JudgeCard]) -> DebateCard | None:
    if any(card.panel_debates is None for card in cards):
        return None
    return DebateCard(identity=f"{identity}/panel debates")
