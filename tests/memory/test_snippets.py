"""Which lines of a chunk are shown."""

from hypothesis import given
from hypothesis import strategies as st

from paragone.memory.search.searcher import snippet

TEXT = "\n".join(["def one():", "    return 1", "", "def rating(file):", "    return elo", "", "end"])


def test_the_lines_with_most_of_the_words_are_shown() -> None:
    assert snippet(TEXT, ["rating", "elo"], lines=2) == "def rating(file):\n    return elo"


def test_without_a_word_it_is_the_beginning() -> None:
    assert snippet(TEXT, ["nowhere"], lines=2) == "def one():\n    return 1"
    assert snippet(TEXT, [], lines=100) == TEXT


def test_it_begins_with_a_line_that_has_a_word() -> None:
    assert snippet(TEXT, ["elo"], lines=3).startswith("    return elo")


def test_a_long_line_is_cut() -> None:
    assert snippet("x" * 1000, [], width=10) == "x" * 9 + "…"


def test_nothing_in_it_steers_a_terminal() -> None:
    assert snippet("a\x1b[31mred\x07\u202eb\r\nnext", []) == "a [31mred  b\nnext"


@given(st.text(max_size=200), st.lists(st.text(max_size=5), max_size=3), st.integers(1, 5), st.integers(2, 20))
def test_it_is_never_longer_than_asked(text: str, query: list[str], lines: int, width: int) -> None:
    shown = snippet(text, query, lines=lines, width=width).split("\n")
    assert len(shown) <= lines
    assert all(len(row) <= width for row in shown)
