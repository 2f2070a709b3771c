"""Whatever a judge of somebody else's raises or answers is a failed call, named by its type and message."""

import asyncio

import pytest

import paragone
from paragone.domain import Item, Question
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges import JudgeCard
from paragone.judges.error_translation import Translated

QUESTION = Question(call="1.1.1", first=Item(id="a", text="x"), second=Item(id="b", text="y"), criteria="c")


class Odd:
    """Raises, or answers, whatever it was made with."""

    card = JudgeCard(identity="odd", sends=False)

    def __init__(self, outcome):
        self._outcome = outcome

    async def compare(self, question):
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome

    def price(self, question):
        return 0.0

    async def close(self):
        pass


def failure(outcome):
    with pytest.raises(JudgeFailed) as raised:
        asyncio.run(Translated(Odd(outcome)).compare(QUESTION))
    return str(raised.value), raised.value.retryable


@pytest.mark.parametrize(
    ("outcome", "words", "retryable"),
    [
        (RuntimeError("down"), "odd raised RuntimeError: down", True),
        (TimeoutError("late"), "odd raised TimeoutError: late", True),
        (SystemExit(3), "odd raised SystemExit: 3", True),
        (KeyError("k"), "odd raised KeyError: 'k'", True),
        (TypeError("no"), "odd raised TypeError: no", False),
        ("first", "odd answered str, not a Verdict", False),
        (None, "odd answered NoneType, not a Verdict", False),
    ],
)
def test_what_is_raised_or_answered_is_named(outcome, words, retryable):
    assert failure(outcome) == (words, retryable)


def test_what_the_contract_allows_passes_as_it_is():
    refused = JudgeFailed("no answer", retryable=False)
    assert failure(refused) == ("no answer", False)
    with pytest.raises(InvalidConfig, match="no such file"):
        asyncio.run(Translated(Odd(InvalidConfig("no such file"))).compare(QUESTION))


def test_a_run_whose_calls_all_fail_stops_and_says_why():
    items = {name: name for name in "abcd"}
    with paragone.Tournament.create(items, judge=Odd(RuntimeError("down")), criteria="c", seed=1) as tournament:
        tournament.run(pace=paragone.CallOptions(attempts=1, wait=0.0))
    assert tournament.stop.failed
    assert "odd raised RuntimeError: down" in tournament.stop.reason
