"""What is stored comes back, and has one canonical form."""

import json
import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.engine.default import DefaultDialect

from paragone.domain import Choice
from paragone.errors import Corrupted, LedgerError
from paragone.ledger.column_types import Flag, Json, Moment, OneOf, Real, TextType, canonical

DIALECT = DefaultDialect()


def _round_trip(kind, value):
    return kind.process_result_value(kind.process_bind_param(value, DIALECT), DIALECT)


any_text = st.text(st.characters(codec=None))


@given(any_text)
def test_every_text_comes_back_and_is_storable(text):
    stored = TextType().process_bind_param(text, DIALECT)
    assert "\x00" not in stored
    assert stored.encode("utf-8").decode("utf-8") == stored
    assert _round_trip(TextType(), text) == text


@given(any_text, any_text)
def test_different_texts_stay_different(one, other):
    bind = TextType().process_bind_param
    assert (bind(one, DIALECT) == bind(other, DIALECT)) == (one == other)


@pytest.mark.parametrize(
    ("text", "stored"),
    [("plain 仮説", "plain 仮説"), ("a\x00b", "a\x1b0000b"), ("\x1b", "\x1b001b"), ("\ud800", "\x1bd800")],
)
def test_only_what_must_be_is_escaped(text, stored):
    assert TextType().process_bind_param(text, DIALECT) == stored


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_keep_every_bit(number):
    assert math.copysign(1, _round_trip(Real(), number)) == math.copysign(1, number)
    assert _round_trip(Real(), number) == number


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_refused(number):
    with pytest.raises(LedgerError, match="finite"):
        Real().process_bind_param(number, DIALECT)
    with pytest.raises(LedgerError, match="cannot be kept"):
        canonical({"x": number})


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_json_comes_back_and_canonical_text_is_a_fixed_point(value):
    text = canonical(value)
    assert json.loads(text) == value == _round_trip(Json(), value)
    assert canonical(json.loads(text)) == text


def test_the_canonical_form_in_full():
    value = {"b": [1, 1.0, 0.1, 1e22, -0.0, True, None], "a": {"ü": "\ud800\x00"}}
    assert canonical(value) == '{"a":{"ü":"\\ud800\\u0000"},"b":[1,1.0,0.1,1e+22,-0.0,true,null]}'


def test_what_json_lacks_is_refused():
    with pytest.raises(LedgerError, match="cannot be kept"):
        canonical({"x": {1, 2}})


def test_moments_are_utc_to_the_microsecond():
    here = datetime(2026, 5, 1, 12, 0, 0, 1, tzinfo=timezone(timedelta(hours=2)))
    assert Moment().process_bind_param(here, DIALECT) == "2026-05-01T10:00:00.000001+00:00"
    assert _round_trip(Moment(), here) == here == here.astimezone(UTC)


def test_members_and_flags():
    assert _round_trip(OneOf(Choice), Choice.TIE) is Choice.TIE
    assert [_round_trip(Flag(), flag) for flag in (True, False)] == [True, False]


@pytest.mark.parametrize(
    ("kind", "stored"),
    [(OneOf(Choice), "perhaps"), (Json(), "{"), (Moment(), "noon"), (TextType(), b"x"), (Real(), "x")],
)
def test_what_nobody_of_ours_wrote_is_corruption(kind, stored):
    with pytest.raises(Corrupted, match="cannot be read"):
        kind.process_result_value(stored, DIALECT)
