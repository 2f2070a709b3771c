"""What differs between two versions of a text."""

import itertools
import time

from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.text_differences import MOST_WORDS, TextDifference, differences

WORDS = st.lists(st.sampled_from(["tea", "milk", "a", " ", "\n", "☕", ".", "é"]), max_size=40).map("".join)


def test_a_changed_word_is_removed_and_added():
    assert differences("Slow cells die.", "Slow cells divide.") == (
        TextDifference(kind="same", text="Slow cells "),
        TextDifference(kind="removed", text="die"),
        TextDifference(kind="added", text="divide"),
        TextDifference(kind="same", text="."),
    )


def test_equal_texts_are_one_part_and_empty_ones_none():
    assert differences("a b", "a b") == (TextDifference(kind="same", text="a b"),)
    assert differences("", "") == ()
    assert differences("", "new") == (TextDifference(kind="added", text="new"),)


@given(older=WORDS, newer=WORDS)
def test_the_parts_make_up_both_versions(older, newer):
    parts = differences(older, newer)
    assert "".join(part.text for part in parts if part.kind != "added") == older
    assert "".join(part.text for part in parts if part.kind != "removed") == newer
    assert all(first.kind != second.kind for first, second in itertools.pairwise(parts))


def test_long_texts_are_compared_by_lines_and_quickly():
    lines = [f"line {number}\n" for number in range(MOST_WORDS)]
    changed = [*lines[:7], "another\n", *lines[8:]]
    assert [part.text for part in differences("".join(lines), "".join(changed)) if part.kind != "same"] == [
        "line 7\n",
        "another\n",
    ]
    begun = time.process_time()
    differences("a " * 1499, "b " * 700 + "a " * 799)
    differences("x" * 20_000, "y" * 20_000)
    assert time.process_time() - begun < 2
