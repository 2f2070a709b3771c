"""The contract of judges: what verdicts, failures, prices and identities must be."""

import asyncio
import os
from collections.abc import Callable, Sequence
from itertools import pairwise

from paragone.domain import Choice, Item, Question, Verdict
from paragone.errors import JudgeFailed
from paragone.judges import Judge, JudgeCard, open_judge
from paragone.testing.samples import HOSTILE, require, sample_items

_OF_PAIRS = (Choice.FIRST, Choice.SECOND, Choice.TIE, Choice.ABSTAIN)
_SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_SHORTEST_SECRET = 8


def check_judge(judge: str | Callable[[], Judge], *, items: Sequence[Item] | None = None) -> None:
    """Check that a judge keeps the contract; it is asked about twenty questions.

    Args:
        judge: Its spec, or what makes it. It is made twice.
        items: Three items or more that it can judge; samples, and texts that it need not be able to judge, by default.

    Raises:
        AssertionError: With the rule that does not hold.
    """
    asyncio.run(_checked((lambda: open_judge(judge)) if isinstance(judge, str) else judge, items))


async def _checked(make: Callable[[], Judge], items: Sequence[Item] | None) -> None:
    judge, again = make(), make()
    card = judge.card
    require(isinstance(card, JudgeCard), f"card is a JudgeCard, not {type(card).__name__}")
    require(card.identity.strip(), "card.identity names the judge, and is not empty")
    require(judge.card == card and again.card == card, "a judge that is made again has the same card")
    _check_secrets(card)
    sample = list(sample_items() if items is None else items)
    require(len(sample) >= 3, "the contract needs three items")
    for first, second in pairwise(sample):
        for pair in ((first, second), (second, first)):
            verdict = await _asked(judge, _question(*pair))
            require(isinstance(verdict, Verdict), "a judge answers what it can judge; JudgeFailed is for outages")
    if items is None:
        for number, text in enumerate(HOSTILE):
            await _asked(judge, _question(Item(id=f"hostile-{number}", text=text), sample[0]))
    await _check_concurrency(judge, sample)
    if card.lists is not None:
        await _check_list(judge, sample)
    await again.close()
    await judge.close()
    await judge.close()  # a run that fails closes twice


def _check_secrets(card: JudgeCard) -> None:
    secrets = [value for name, value in os.environ.items() if any(part in name.upper() for part in _SECRET)]
    leaked = [value for value in secrets if len(value) >= _SHORTEST_SECRET and value in " ".join(card.identities)]
    require(not leaked, "identities are recorded, and hold no key of the environment")


async def _asked(judge: Judge, question: Question) -> Verdict | None:
    """The verdict, which keeps to the rules; None where the judge failed."""
    price = judge.price(question)
    require(price is None or price >= 0.0, f"price is None or dollars, not {price!r}")
    try:
        verdict = await judge.compare(question)
    except JudgeFailed:
        return None
    except Exception as error:  # whatever it is, it breaks the contract
        raise AssertionError(
            f"compare raises JudgeFailed and nothing else, not {type(error).__name__}: {error}"
        ) from error
    require(isinstance(verdict, Verdict), f"compare answers a Verdict, not {type(verdict).__name__}")
    require(verdict.judge in judge.card.identities, f"a verdict bears an identity of the card, not {verdict.judge!r}")
    usage = verdict.usage
    counts = (usage.calls, usage.input_tokens, usage.output_tokens, usage.seconds, usage.cost or 0.0)
    require(min(counts) >= 0, f"usage is not negative: {usage}")
    if question.others:
        _check_order(question, verdict)
    else:
        require(verdict.choice in _OF_PAIRS, f"a pair is answered first, second, tie or abstain, not {verdict.choice}")
    return verdict


def _check_order(question: Question, verdict: Verdict) -> None:
    require(verdict.choice in (Choice.RANKED, Choice.ABSTAIN), f"a list is ranked or abstained, not {verdict.choice}")
    length = len(question.items) if verdict.choice is Choice.RANKED else 0
    require(len(verdict.order) == length, f"an order has all {length} places, not {len(verdict.order)}")


async def _check_concurrency(judge: Judge, items: Sequence[Item]) -> None:
    """Several questions at once, as many as the card allows."""
    at_once = min(judge.card.concurrency or 4, 4)
    answers = await asyncio.gather(
        *(_asked(judge, _question(items[0], items[1], call=f"at-once-{number}")) for number in range(at_once))
    )
    require(all(answers), "a judge answers as many questions at once as its card allows")


async def _check_list(judge: Judge, items: Sequence[Item]) -> None:
    first, second, *rest = items[:3]
    question = Question(call="list", first=first, second=second, others=tuple(rest), criteria="which is better")
    require(await _asked(judge, question), "a judge whose card has lists orders a list of three")


def _question(first: Item, second: Item, call: str = "") -> Question:
    name = call or f"{first.id}-{second.id}"
    return Question(call=name, first=first, second=second, criteria="which is better")
