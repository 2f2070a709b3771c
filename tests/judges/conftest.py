"""Questions to put to judges."""

import asyncio

import pytest

from paragone.domain import Item, Question


@pytest.fixture
def question():
    def make(first="x", second="y", call="m1.1", *, criteria="clarity", texts=None):
        text = (texts or {}).get
        return Question(
            call=call,
            first=Item(id=first, text=text(first, f"text of {first}")),
            second=Item(id=second, text=text(second, f"text of {second}")),
            criteria=criteria,
        )

    return make


@pytest.fixture
def ask(question):
    """Ask a judge one question, in a loop of its own."""

    def answered(judge, *args, **kwargs):
        return asyncio.run(judge.compare(question(*args, **kwargs)))

    return answered


@pytest.fixture
def ask_often(question):
    """Ask a judge about a pair in so many calls, in one loop: its verdicts, and what it failed with."""

    def answered(judge, count, *pair):
        async def answers():
            calls = (judge.compare(question(*pair, call=f"m{number}")) for number in range(count))
            return await asyncio.gather(*calls, return_exceptions=True)

        return asyncio.run(answers())

    return answered
