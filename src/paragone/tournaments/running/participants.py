"""Open the judge and the advocate of a tournament, and refuse those that do not fit it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from paragone.domain import Item, Question, TournamentSystemConfig
from paragone.errors import InvalidConfig, UnknownJudge
from paragone.judges.base import ItemAware, Judge, JudgeCard
from paragone.judges.debates.advocate_spec import advocate_like, open_advocate
from paragone.judges.debates.debate import Advocate
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.panel_judge import PanelCard
from paragone.judges.spec import open_judge
from paragone.judges.stack import check_debates
from paragone.llm.prices import Price
from paragone.pairing.pilot import ITEMS, SIZES
from paragone.tournaments.running.delegation import LISTED_PREFIX, WORKERS_PREFIX, Delegating
from paragone.tournaments.tournament_settings import AUTO, OBJECT_PREFIX, TournamentSettings

AnyJudge = str | Judge | Callable[..., Any]
"""A judge spec, a judge, or a function ``(first, second, criteria)``."""

AnyAdvocate = str | Advocate
"""An advocate spec, an advocate, or ``none``."""

NONE, LIKE_THE_JUDGE = "none", "judge"
"""No debates; debates led by the judge's own model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Participants:
    """The judge and the advocate of a tournament.

    Attributes:
        judge: Decides.
        advocate: Argues in debates; None without debates.
    """

    judge: Judge
    advocate: Advocate | None = None

    async def close(self) -> None:
        """Close both."""
        await self.judge.close()
        if self.advocate is not None:
            await self.advocate.close()


def as_judge(judge: AnyJudge, settings: TournamentSettings) -> Judge:
    """Open a judge.

    Args:
        judge: A spec, a judge, or a function.
        settings: Its seed seeds judges that are random; its price overrides the price list.

    Raises:
        UsageError: If it cannot be opened.
    """
    if isinstance(judge, str) and judge.startswith(OBJECT_PREFIX):
        raise UnknownJudge(
            f"this tournament was judged by {judge.removeprefix(OBJECT_PREFIX)}, which a program gave: "
            "give it again (judge=...; on the command line --judge SPEC)"
        )
    if isinstance(judge, str) and judge.startswith(WORKERS_PREFIX):
        raise UnknownJudge(
            f"this tournament is judged by workers, as {judge.removeprefix(WORKERS_PREFIX)!r}: add --workers, "
            "or name a judge that is asked here (--judge SPEC)"
        )
    if isinstance(judge, str) and judge.startswith(LISTED_PREFIX):
        raise UnknownJudge(
            f"this tournament is judged by {judge.removeprefix(LISTED_PREFIX)!r} of a server's list: run it there, "
            "or name a judge that is asked here (--judge SPEC)"
        )
    if isinstance(judge, str):
        weights = {} if settings.system is None else {"weights": settings.system.policy.criteria_weights}
        return open_judge(judge, seed=settings.seed, price=_price(settings), **weights)
    if isinstance(judge, Delegating):
        return judge.under(settings)
    if hasattr(judge, "compare"):
        return cast("Judge", judge)
    if not callable(judge):
        raise UnknownJudge(f"a judge is a spec, a judge or a function, not {judge!r}")
    return FunctionJudge(cast("Callable[..., object]", judge))


def recorded_spec(judge: AnyJudge, opened: Judge) -> str:
    """What the settings name as the judge."""
    if isinstance(judge, str):
        return judge
    return opened.spec if isinstance(opened, Delegating) else OBJECT_PREFIX + opened.card.identity


def _price(settings: TournamentSettings) -> Price | None:
    if settings.price is None:
        return None
    return Price(input_per_million=settings.price[0], output_per_million=settings.price[1])


def advocate_name(advocate: AnyAdvocate | None, judge: Judge, settings: TournamentSettings) -> str | None:
    """The advocate as the settings record it; None without debates.

    By default the judge's own model, or none if the judge cannot judge debates.

    Raises:
        InvalidConfig: If the pairing has no debates, or the judge cannot judge them.
    """
    if advocate == NONE or (advocate is None and (settings.system is None or judge.card.debates is None)):
        return None
    if settings.system is None:
        raise InvalidConfig(
            f"debates belong to the weighted pairing, not to {settings.pairing!r}: leave the advocate out"
        )
    if advocate is None:
        return LIKE_THE_JUDGE
    check_debates(judge)
    return advocate if isinstance(advocate, str) else OBJECT_PREFIX + advocate.identity


def with_protocol(system: TournamentSystemConfig | None, judge: Judge) -> TournamentSystemConfig | None:
    """The parameters with a protocol that the judge can answer in, so that plans do not depend on it later.

    Raises:
        InvalidConfig: If panel debates are asked for, and the judge cannot hold them.
    """
    if system is None or judge.card.panel_debates is not None or system.policy.protocol not in ("auto", "panel"):
        return system
    if system.policy.protocol == "panel":
        raise InvalidConfig(
            f"{judge.card.identity} cannot hold a debate within one answer: take a language model, or another protocol",
            key="policy.protocol",
        )
    return replace(system, policy=replace(system.policy, protocol="debate"))


COST_OF_BETTER = 10.0
"""How many times an answer of a cascade's next judge is taken to cost what the one before costs, if that is unknown."""


def cascade_costs(judge: Judge, settings: TournamentSettings, items: Sequence[Item]) -> tuple[float, ...] | None:
    """What an answer of each judge of a cascade costs relative to the first one's; None for other judges.

    Raises:
        InvalidConfig: If the pairing does not plan who answers.
    """
    card = judge.card
    if not isinstance(card, PanelCard) or not card.cascade:
        return None
    if settings.system is None:
        raise InvalidConfig(
            f"who of a cascade answers is planned by the weighted pairing, not by {settings.pairing!r}: "
            "choose that (--pairing weighted), or one judge, or a panel"
        )
    question = Question(call="price", first=items[0], second=items[1], criteria=settings.criteria)
    levels = range(len(card.members))
    prices = [None if isinstance(judge, Delegating) else judge.price(replace(question, level=at)) for at in levels]
    prices_known = [price for price in prices if price]
    if len(prices_known) == len(prices):
        return tuple(price / prices_known[0] for price in prices_known)
    return tuple(COST_OF_BETTER**level for level in levels)


def as_advocate(advocate: AnyAdvocate | None, judge: Judge, settings: TournamentSettings) -> Advocate | None:
    """Open an advocate; by default the one that the settings name.

    Raises:
        UsageError: If it cannot be opened.
    """
    chosen = settings.advocate if advocate is None else advocate
    if chosen is None or chosen == NONE or settings.advocate is None:
        return None
    if not isinstance(chosen, str):
        return chosen
    if chosen.startswith(OBJECT_PREFIX):
        raise UnknownJudge(
            f"the advocate in the debates of this tournament was {chosen.removeprefix(OBJECT_PREFIX)}, which a program "
            "gave: give it again (advocate=...; on the command line --advocate SPEC)"
        )
    if isinstance(judge, Delegating):
        if chosen != LIKE_THE_JUDGE:
            raise InvalidConfig(
                f"the advocate {chosen!r} cannot speak in debates that workers hold: there the judge's own model does; "
                "make the tournament without an advocate, or without workers"
            )
        return judge.own_advocate()
    if chosen == LIKE_THE_JUDGE:
        return advocate_like(judge)
    return open_advocate(chosen, seed=settings.seed, price=_price(settings))


def check_price(settings: TournamentSettings, participants: Participants, items: tuple[Item, ...]) -> None:
    """Refuse a cost limit that cannot be enforced, before anything is written.

    Raises:
        InvalidConfig: If there is a cost limit and a price is unknown.
    """
    if settings.max_cost is None:
        return
    sample = Question(
        call="price", first=items[0], second=items[1], criteria=settings.criteria, dossier=settings.dossier
    )
    prices = {participants.judge.card.identity: participants.judge.price(sample)}
    if participants.advocate is not None:
        prices.setdefault(participants.advocate.identity, participants.advocate.price(sample))
    for identity, price in prices.items():
        if price is None:
            raise InvalidConfig(
                f"a limit of ${settings.max_cost:g} needs a price, and that of {identity} is not known: "
                "state it (--price IN OUT), or limit calls or tokens"
            )


def check_dossier(settings: TournamentSettings, judge: Judge) -> None:
    """Refuse a dossier for a model that would not see it, before anything is written.

    Raises:
        InvalidConfig: If the judge sends requests and reads no dossier: the small local model, or an own template
            without places for it.
    """
    if settings.dossier is not None and judge.card.sends and not _reads_dossier(judge.card):
        raise InvalidConfig(
            f"{judge.card.identity} sees the criteria and the texts alone: leave out goal, rubric and preferences, "
            "take another judge, or give its template the slots {{ dossier_rules }}, {{ dossier }}, {{ first_notes }} "
            "and {{ second_notes }}"
        )


def _reads_dossier(card: JudgeCard) -> bool:
    members = card.members if isinstance(card, PanelCard) else (card,)
    return all(member.reads_dossier or not member.sends for member in members)


def check_judge_knows(judge: Judge, items: Sequence[Item]) -> None:
    """Refuse a judge that lacks data on some of the items, before anything is written.

    Raises:
        InvalidConfig: If it does.
    """
    missing = judge.unknown(item.id for item in items) if isinstance(judge, ItemAware) else ()
    if missing:
        listed_ids = ", ".join(map(repr, missing[:_NAMED])) + (", ..." if len(missing) > _NAMED else "")
        raise InvalidConfig(
            f"{judge.card.identity} knows no strength of {len(missing)} of {len(items)} items: {listed_ids}; "
            "its file must name them all, by id"
        )


_NAMED = 5


def with_lists(settings: TournamentSettings, judge: Judge, items: int) -> TournamentSettings:
    """The settings with a pilot that chooses how many items are in a call, where that was left open and may pay.

    It may where a language model orders lists, pairs are asked once, and there are as many items as a pilot is about. A
    rubric's criteria are scored in pairs alone, so they remain.
    """
    lists, dossier = judge.card.lists, settings.dossier
    orders = lists is not None and lists.prompt_hash is not None and lists.most >= max(SIZES)
    scored = judge.card.scores_rubric and dossier is not None and dossier.rubric is not None
    plain = settings.pairing == "informative" and settings.comparison_rounds == 1
    if not (orders and plain and not scored and items >= ITEMS):
        return settings
    return replace(settings, group_size=AUTO, budget=None)


def check_lists(settings: TournamentSettings, judge: Judge) -> None:
    """Refuse groups that the judge cannot put in order, before anything is asked.

    Raises:
        InvalidConfig: If it takes only pairs, or shorter lists.
    """
    if settings.group_size == 2:
        return
    lists = judge.card.lists
    if lists is None:
        raise InvalidConfig(f"{judge.card.identity} compares two items at a time: leave the group size at 2")
    longest = max(SIZES) if settings.group_size == AUTO else int(settings.group_size)
    if longest > lists.most:
        raise InvalidConfig(f"{judge.card.identity} orders {lists.most} items at the most, and {longest} are asked for")
