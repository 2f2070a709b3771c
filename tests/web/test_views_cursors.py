"""Cursors: they come back, and belong to one listing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.errors import InvalidConfig
from paragone.web.views.cursors import cursor, place_of, sign_with

PLACES = st.lists(
    st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.none()
)


@given(PLACES)
def test_a_place_comes_back_exactly(place: list[int | float | str | None]) -> None:
    assert place_of(cursor(("board", "p"), place), ("board", "p")) == place


def test_without_a_cursor_a_listing_begins() -> None:
    assert place_of(None, ("board", "p")) is None


def test_a_cursor_of_another_listing_is_refused() -> None:
    other = cursor(("board", "p", "elo"), [1])
    with pytest.raises(InvalidConfig, match="another listing"):
        place_of(other, ("board", "p", "rating"))


def test_an_altered_cursor_is_refused_wherever_it_was_altered() -> None:
    made = cursor(("board", "p"), [1200.5, "item"])
    for at, letter in enumerate(made[:-1]):  # of the last letter, some bits mean nothing
        altered = made[:at] + ("A" if letter != "A" else "B") + made[at + 1 :]
        with pytest.raises(InvalidConfig):
            place_of(altered, ("board", "p"))


def test_nobody_makes_one_up_who_does_not_know_the_secret_of_the_server() -> None:
    sign_with(b"theirs")
    made_up = cursor(("pools",), ["no number"])
    sign_with(b"ours")
    with pytest.raises(InvalidConfig, match="altered"):
        place_of(made_up, ("pools",))
    assert place_of(cursor(("pools",), [3]), ("pools",)) == [3]


@given(st.text())
def test_anything_else_is_refused_in_words(text: str) -> None:
    with pytest.raises(InvalidConfig):
        place_of(text, ("board", "p"))
