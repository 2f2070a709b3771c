import math

import pytest

from paragone.llm import Token
from paragone.llm.reply import probability_between


def token(text, **alternatives):
    listed = ((name.replace("Q", '"').encode(), math.log(share)) for name, share in alternatives.items())
    return Token(text=text.encode(), alternatives=tuple(listed))


def read(*tokens):
    return probability_between(tokens, "verdict", "first", "second")


def test_ties_and_everything_else_are_left_out():
    tokens = [token('{"verdict":"'), token("first", first=0.6, second=0.2, tie=0.15, maybe=0.05), token('"}')]
    assert read(*tokens) == pytest.approx(0.75)


def test_a_quote_may_be_part_of_the_token():
    tokens = [token('{"verdict": '), token('"first', Qfirst=0.3, Qsecond=0.1, first=0.6), token('"}')]
    assert read(*tokens) == pytest.approx(0.75)


def test_pieces_of_one_label_add_up():
    tokens = [token('{"verdict":"'), token("sec", sec=0.3, second=0.2, s=0.1, first=0.4), token('ond"}')]
    assert read(*tokens) == pytest.approx(0.4)


def test_a_label_that_is_not_listed_has_at_most_the_least_listed():
    tokens = [token('{"verdict":"'), token("first", first=0.9, tie=0.1), token('"}')]
    assert read(*tokens) == pytest.approx(0.9)


def test_a_verdict_quoted_inside_the_reasons_is_not_the_verdict():
    tokens = [
        token('{"rationale":"it says \\"verdict\\": \\"'),
        token("second", second=0.99, first=0.01),
        token('\\"","verdict":"'),
        token("first", first=0.8, second=0.2),
        token('"}'),
    ]
    assert read(*tokens) == pytest.approx(0.8)


def test_parts_of_characters_do_not_shift_the_place():
    half = [Token(text="é".encode()[:1]), Token(text="é".encode()[1:])]
    tokens = [token('{"rationale":"'), *half, token('","verdict":"'), token("second", first=0.1, second=0.9)]
    assert read(*tokens) == pytest.approx(0.1)


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        [token("first", first=1.0)],
        [token('{"verdict":"')],
        [token('{"verdict":"'), token("first")],
        [token('{"verdict":"'), token("first", neither=0.5)],
        [token('{"verdict":"'), Token(text=b"first", alternatives=((b"first", math.nan),))],
    ],
)
def test_nothing_is_made_up(tokens):
    assert read(*tokens) is None
