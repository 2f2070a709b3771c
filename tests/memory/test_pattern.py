"""Patterns: what is one, and how long one may take."""

import re
import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.errors import UsageError
from paragone.memory.search.grep import MAX_PATTERN_LENGTH, line_pattern


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "the pattern is empty"),
        ("(a", r"missing \) at position 1"),
        ("a)", r"unexpected \) at position 2"),
        ("[ab", "missing \\] at position 1"),
        ("ab\\", "trailing .* at position 3"),
        ("a**", r"bad repetition operator '\*\*' at position 2"),
        ("*a", r"no argument for repetition operator '\*' at position 1"),
        ("x{99999}", r"invalid repetition size '\{99999\}' at position 2"),
        ("[z-a]", "invalid character class range 'z-a' at position 2"),
        ("(?=x)", r"invalid perl operator '\(\?=' at position 1; look-around and back-references are not supported"),
        (r"(a)\1", "position 4; look-around and back-references are not supported"),
        (r"\pL{900}\pN{900}", "too large"),
        ("a" * (MAX_PATTERN_LENGTH + 1), "1,001 characters; 1,000 is the most"),
        ("a\ud800", "half a character at position 2"),
        ("\x1b[31m(", "missing"),
    ],
)
def test_a_bad_pattern_is_refused_with_the_reason_and_the_place(pattern: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        line_pattern(pattern)
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|aa)+$", "(a*)*b", "(x+x+)+y", "(.*)(.*)(.*)(.*)z", "(a?){30}a{30}b", r"^(([a-z])+.)+[A-Z]$"],
)
def test_a_catastrophic_pattern_ends(pattern: str) -> None:
    began = time.process_time()
    line_pattern(pattern).search(b"a" * 30_000 + b"!")
    assert time.process_time() - began < 2.0


def lines(pattern: str, text: str) -> list[str]:
    compiled = line_pattern(pattern)
    return [row for row in text.split("\n") if compiled.search(row.encode()) is not None]


def test_nothing_matches_the_end_of_a_line() -> None:
    compiled = line_pattern(r"a[^b]c|a\sc")
    assert compiled.search(b"a\nc") is None
    assert compiled.search(b"a c") is not None


def test_the_ends_of_lines_are_anchors() -> None:
    assert line_pattern("^b$").search(b"a\nb\nc").span() == (2, 3)


def test_alternatives_stay_together() -> None:
    assert lines("a|b", "a\nb\nc") == ["a", "b"]


def test_case_can_be_ignored() -> None:
    assert line_pattern("ÉCOLE", ignore_case=True).search("une école".encode()) is not None
    assert line_pattern("ÉCOLE").search("une école".encode()) is None


@given(st.text("ab()[]*+?|.^$\\{}1,", max_size=12))
def test_a_pattern_is_refused_or_finds_what_the_standard_library_finds(pattern: str) -> None:
    try:
        found = lines(pattern, "ab\nba\naab1\n\n(a)")
    except UsageError:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of sets within sets, which Python may have one day
            plain = re.compile(pattern)
    except re.error:  # re2 takes some that it does not, such as a{,}
        return
    if re.search(r"\{,|\\|\$|\[\[", pattern):  # the two read these in ways of their own
        return
    assert found == [row for row in ("ab", "ba", "aab1", "", "(a)") if plain.search(row)]
