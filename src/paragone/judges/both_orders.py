"""One match: a comparison for each order of presentation, or one call on several items."""

import asyncio
from collections.abc import Mapping

from paragone.domain import Comparison, Item, Lineup, Order, Pairing, Question, Ranking
from paragone.judges.base import Judge


async def hold(
    judge: Judge, pairing: Pairing, items: Mapping[str, Item], criteria: str, call_prefix: str
) -> tuple[Comparison, ...]:
    """Ask one comparison for each of the pairing's orders, all at once.

    Every comparison that was begun is waited for, also where another one fails: its answer may have been paid for.

    Args:
        judge: Whom to ask.
        pairing: The two items, the orders in which to show them, and how long they are debated before each verdict.
        items: The items by id.
        criteria: What "better" means.
        call_prefix: Names the match; its calls are ``prefix.1``, ``prefix.2``, ...

    Returns:
        The comparisons, in the order of the pairing's orders; `Match.of` makes a match of them.

    Raises:
        JudgeFailed: If a call failed and the judge does not settle failures into verdicts.
        BudgetSpent: If the budget did not reach for all orders.

    Source: document S, "位置バイアスの軽減".
    """

    async def ask(number: int, order: Order) -> Comparison:
        first, second = pairing.shown(order)
        call = f"{call_prefix}.{number}"
        question = Question(call=call, first=items[first], second=items[second], criteria=criteria, turns=pairing.turns)
        return Comparison(call=call, first=first, second=second, verdict=await judge.compare(question))

    asked = (ask(number, order) for number, order in enumerate(pairing.orders, 1))
    results = await asyncio.gather(*asked, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return tuple(result for result in results if isinstance(result, Comparison))


async def order(judge: Judge, lineup: Lineup, items: Mapping[str, Item], criteria: str, call_prefix: str) -> Ranking:
    """Ask for the order of a lineup.

    Args:
        judge: Whom to ask; its card must say that it takes lists of this length.
        lineup: The ids in the order in which to show them.
        items: The items by id.
        criteria: What "better" means.
        call_prefix: Names the match; its only call is ``prefix.1``.

    Raises:
        JudgeFailed: If the call failed and the judge does not settle failures into verdicts.
        BudgetSpent: If the budget did not reach for it.
    """
    call, (first, second, *others) = f"{call_prefix}.1", (items[id] for id in lineup.items)
    question = Question(call=call, first=first, second=second, others=tuple(others), criteria=criteria)
    return Ranking(call=call, shown=lineup.items, verdict=await judge.compare(question))
