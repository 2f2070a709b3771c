"""What counts as a word."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.memory.words import MAX_WORD_LENGTH, counts, query_terms, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTTPServer2", ["httpserver2", "http", "server", "2"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("__init__", ["init"]),
        ("src/paragone/memory.py", ["src", "paragone", "memory", "py"]),
        ("Ünïcode ÜNÏCODE", ["ünïcode", "ünïcode"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("ﬁle", ["file"]),
        ("entries entry classes class bus analysis is", ["entry", "entry", "classe", "class", "bus", "analysis", "is"]),
        ("検索エンジン", ["検索エンジン", "検索", "索エ", "エン", "ンジ", "ジン"]),
        ("\x00 \x1b[31m %_* '; DROP--", ["31m", "31", "m", "drop"]),
        ("___ !? \t", []),
    ],
)
def test_identifiers_are_words_whole_and_in_parts(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_a_question_drops_words_that_say_nothing_unless_all_do() -> None:
    assert query_terms("how is the rating of a file made") == ["rating", "file", "made"]
    assert query_terms("to be or not to be") == ["to", "be", "or", "not", "to", "be"]


def test_a_word_without_end_is_cut() -> None:
    assert words("a" * 10_000) == ["a" * MAX_WORD_LENGTH]


@given(st.lists(st.text(), max_size=4))
def test_counts_are_those_of_the_words_one_by_one(texts: list[str]) -> None:
    assert counts(texts) == Counter(word for text in texts for word in words(text))
