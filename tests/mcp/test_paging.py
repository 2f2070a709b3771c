"""Pages are no longer than they may be, and no line is lost between them."""

from hypothesis import given
from hypothesis import strategies as st

from paragone.mcp.retrieval_tools import trimmed
from paragone.memory.search import FilePage


def page(lines: list[str], start: int, next_start: int | None, total: int) -> FilePage:
    end = start + len(lines) - 1
    return FilePage(path="a", start=start, end=end, total_lines=total, text="\n".join(lines), next_start=next_start)


def test_what_fits_is_left_as_it_is() -> None:
    assert trimmed(page(["one", "two"], 5, None, 6), 8) == ("one\ntwo", 6, None)
    assert trimmed(page(["one", "two"], 5, 7, 9), 100) == ("one\ntwo", 6, 7)


def test_lines_that_do_not_fit_begin_the_next_page() -> None:
    assert trimmed(page(["one", "two", "six"], 5, None, 7), 8) == ("one\ntwo", 6, 7)


def test_a_line_that_never_fits_is_cut_and_says_so() -> None:
    assert trimmed(page(["x" * 12, "two"], 1, None, 2), 10) == (f"{'x' * 10}… (2 characters more)", 1, 2)


def test_an_empty_file_has_an_empty_page() -> None:
    assert trimmed(page([], 1, None, 0)) == ("", 0, None)


@given(st.lists(st.text("ab", max_size=30), min_size=1, max_size=20), st.integers(30, 80))
def test_page_after_page_is_the_whole_file(lines: list[str], most: int) -> None:
    read: list[str] = []
    start: int | None = 1
    while start is not None:
        text, end, following = trimmed(page(lines[start - 1 :], start, None, len(lines)), most)
        assert len(text) <= most
        assert following in (None, end + 1)
        read.extend(text.split("\n"))
        start = following
    assert read == lines
