"""Texts for people: numbers as they are read."""

import pytest

from paragone.domain.text import factor


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.01234, "0.012"), (1.0, "1"), (2.345, "2.3"), (9.96, "10"), (177.7, "180"), (1_390.0, "1,400")],
)
def test_a_factor_has_two_digits_and_no_exponent(value: float, written: str) -> None:
    assert factor(value) == written
