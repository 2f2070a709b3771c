"""The judge and the advocate that are meant, and the refusal of those that do not fit the tournament."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from paragone.domain import Item, Question
from paragone.errors import InvalidConfig, UnknownJudge
from paragone.judges.base import Choosy, Judge
from paragone.judges.debates.advocate import Advocate
from paragone.judges.debates.advocate_spec import advocate_like, open_advocate
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.spec import open_judge
from paragone.judges.stack import check_debates
from paragone.llm.client import Price
from paragone.pairing.pilot import SIZES
from paragone.tournaments.tournament_settings import AUTO, GIVEN, Brief

AnyJudge = str | Judge | Callable[..., Any]
"""A judge spec, a judge, or a function ``(first, second, criteria)``."""

AnyAdvocate = str | Advocate
"""An advocate spec, an advocate, or ``none``."""

NONE, LIKE_THE_JUDGE = "none", "judge"
"""No debates; debates led by the judge's own model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Voices:
    """Who speaks in a tournament.

    Attributes:
        judge: Decides.
        advocate: Speaks in debates; None where none are held.
    """

    judge: Judge
    advocate: Advocate | None = None

    async def close(self) -> None:
        """Give back what they hold."""
        await self.judge.close()
        if self.advocate is not None:
            await self.advocate.close()


def as_judge(judge: AnyJudge, brief: Brief) -> Judge:
    """The judge that is meant.

    Args:
        judge: A spec, a judge, or a function.
        brief: Its seed decides the draws of judges that draw; its price goes before the list's.

    Raises:
        UsageError: If it cannot be opened.
    """
    if isinstance(judge, str) and judge.startswith(GIVEN):
        raise UnknownJudge(
            f"this tournament was judged by {judge.removeprefix(GIVEN)}, which a program gave: "
            "give it again (judge=...; on the command line --judge SPEC)"
        )
    if isinstance(judge, str):
        weights = {} if brief.system is None else {"weights": brief.system.policy.criteria_weights}
        return open_judge(judge, seed=brief.seed, price=_price(brief), **weights)
    if hasattr(judge, "compare"):
        return cast("Judge", judge)
    if not callable(judge):
        raise UnknownJudge(f"a judge is a spec, a judge or a function, not {judge!r}")
    return FunctionJudge(cast("Callable[..., object]", judge))


def _price(brief: Brief) -> Price | None:
    if brief.price is None:
        return None
    return Price(input_per_million=brief.price[0], output_per_million=brief.price[1])


def advocate_name(advocate: AnyAdvocate | None, judge: Judge, brief: Brief) -> str | None:
    """What the brief says of the advocate: None where no debates are held.

    Where nothing is said, the judge's own model speaks, and nobody where the judge cannot hear debates.

    Raises:
        InvalidConfig: If the pairing knows no debates, or the judge cannot hear them.
    """
    if advocate == NONE or (advocate is None and (brief.system is None or judge.card.debates is None)):
        return None
    if brief.system is None:
        raise InvalidConfig(f"debates belong to the weighted pairing, not to {brief.pairing!r}: leave the advocate out")
    if advocate is None:
        return LIKE_THE_JUDGE
    check_debates(judge)
    return advocate if isinstance(advocate, str) else GIVEN + advocate.identity


def as_advocate(advocate: AnyAdvocate | None, judge: Judge, brief: Brief) -> Advocate | None:
    """The advocate that is meant; the one that the brief names where none is given.

    Raises:
        UsageError: If it cannot be opened.
    """
    named = brief.advocate if advocate is None else advocate
    if named is None or named == NONE or brief.advocate is None:
        return None
    if not isinstance(named, str):
        return named
    if named.startswith(GIVEN):
        raise UnknownJudge(
            f"in the debates of this tournament spoke {named.removeprefix(GIVEN)}, which a program gave: "
            "give it again (advocate=...; on the command line --advocate SPEC)"
        )
    if named == LIKE_THE_JUDGE:
        return advocate_like(judge)
    return open_advocate(named, seed=brief.seed, price=_price(brief))


def check_price(brief: Brief, voices: Voices, items: tuple[Item, ...]) -> None:
    """Refuse a limit in money that cannot be kept, before anything is written.

    Raises:
        InvalidConfig: If there is such a limit and a price is not known.
    """
    if brief.max_cost is None:
        return
    sample = Question(call="price", first=items[0], second=items[1], criteria=brief.criteria)
    prices = {voices.judge.card.identity: voices.judge.price(sample)}
    if voices.advocate is not None:
        prices.setdefault(voices.advocate.identity, voices.advocate.price(sample))
    for identity, price in prices.items():
        if price is None:
            raise InvalidConfig(
                f"a limit of ${brief.max_cost:g} needs a price, and that of {identity} is not known: "
                "state it (--price IN OUT), or limit calls or tokens"
            )


def check_known(judge: Judge, items: Sequence[Item]) -> None:
    """Refuse a judge that is known not to know some of the items, before anything is written.

    Raises:
        InvalidConfig: If it is.
    """
    missing = judge.unknown(item.id for item in items) if isinstance(judge, Choosy) else ()
    if missing:
        named = ", ".join(map(repr, missing[:_NAMED])) + (", ..." if len(missing) > _NAMED else "")
        raise InvalidConfig(
            f"{judge.card.identity} knows no strength of {len(missing)} of {len(items)} items: {named}; "
            "its file must name them all, by id"
        )


_NAMED = 5


def check_lists(brief: Brief, judge: Judge) -> None:
    """Refuse groups that the judge cannot put in order, before anything is asked.

    Raises:
        InvalidConfig: If it takes pairs alone, or shorter lists.
    """
    if brief.group_size == 2:
        return
    lists = judge.card.lists
    if lists is None:
        raise InvalidConfig(f"{judge.card.identity} compares two items at a time: leave the group size at 2")
    longest = max(SIZES) if brief.group_size == AUTO else int(brief.group_size)
    if longest > lists.most:
        raise InvalidConfig(f"{judge.card.identity} orders {lists.most} items at the most, and {longest} are asked for")
