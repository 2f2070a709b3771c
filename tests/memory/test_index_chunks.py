"""Chunks: where a text is cut, and that nothing of it is lost. Real tokens."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.memory.index import count_tokens
from paragone.memory.index.file_parser import cut
from paragone.memory.index.symbols import symbols_of
from paragone.memory.index.token_count import block_tokens

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa\n"
SIZE = count_tokens(WORDS)


def places(text, limit, path="a.txt"):
    return [(one.start, one.end) for one in cut(path, text, symbols_of(path, text), limit=limit).chunks]


def test_a_short_text_is_one_chunk_without_the_blank_lines_around_it():
    chunks = cut("a.txt", "\n\none\n\ntwo\n\n\n", [], limit=256).chunks
    assert [(one.start, one.end, one.text) for one in chunks] == [(3, 5, "one\n\ntwo")]
    assert chunks[0].hash == hashlib.sha256(b"one\n\ntwo").hexdigest()
    assert cut("a.txt", "", [], limit=256).chunks == ()
    assert cut("a.txt", " \n\t\n", [], limit=256).chunks == ()


def test_a_chunk_is_full_at_its_limit_and_not_before():
    assert places(WORDS * 4, 4 * SIZE) == [(1, 4)]
    assert places(WORDS * 4, 4 * SIZE - 1) == [(1, 3), (4, 4)]


def test_a_full_chunk_ends_at_a_paragraph_rather_than_within_one():
    text = WORDS * 3 + "\n" + WORDS * 3
    assert places(text, 5 * SIZE) == [(1, 3), (5, 7)]


def test_a_paragraph_that_ends_too_early_does_not_end_a_chunk():
    text = WORDS + "\n" + WORDS * 9
    assert places(text, 8 * SIZE)[0] == (1, 9)


def test_a_definition_begins_a_chunk_with_the_remarks_above_it():
    body = "".join(f"    total = total + compute(value, {number})\n" for number in range(12))
    text = f"def first(value):\n{body}\n# Of the second.\n@once\ndef second(value):\n{body}"
    tokens = count_tokens(text)
    assert places(text, tokens // 2 + 20, "a.py") == [(1, 13), (15, 29)]
    assert places(text, tokens - 20, "a.py") == [(1, 13), (15, 29)], "half full is full enough"
    assert places(text, 3 * tokens, "a.py") == [(1, 29)], "small ones share a chunk"


def test_a_line_that_is_too_long_is_cut_into_chunks_of_that_line():
    line = "word " * 1000
    chunks = cut("a.txt", f"before\n{line}\nafter\n", [], limit=100).chunks
    parts = [one for one in chunks if (one.start, one.end) == (2, 2)]
    assert "".join(one.text for one in parts) == line
    assert 10 <= len(parts) <= 12
    assert all(count_tokens(one.text) <= 110 for one in parts)
    assert [chunks[0].text, chunks[-1].text] == ["before", "after"]


def test_an_edit_at_the_top_leaves_the_chunks_of_what_follows():
    functions = [
        f"def name_{number}(value):\n" + f"    value = value * {number} + offset\n" * 20 + "\n" for number in range(30)
    ]
    text = "".join(functions)
    before = {one.hash for one in cut("a.py", text, symbols_of("a.py", text), limit=256).chunks}
    text = "import os\nimport sys\n\n" + text
    after = {one.hash for one in cut("a.py", text, symbols_of("a.py", text), limit=256).chunks}
    assert len(before - after) <= 2
    assert len(before) >= 15


texts = st.text(st.sampled_from("ab ()\n\t\r#é中😀_1"), max_size=400) | st.lists(
    st.sampled_from([WORDS, "\n", "def f(x):\n", "    return x\n", "# remark\n", "  \n", "x" * 300 + "\n"]), max_size=40
).map("".join)


@given(text=texts, limit=st.integers(1, 60))
def test_chunks_hold_every_line_that_is_not_blank_once_and_in_order(text, limit):
    done = cut("a.py", text, symbols_of("a.py", text), limit=limit)
    assert done == cut("a.py", text, symbols_of("a.py", text), limit=limit)
    assert done.tokens == count_tokens(text)
    lines, seen = text.split("\n"), []
    for one in done.chunks:
        assert one.text.strip() or one.start == one.end
        if not seen or (one.start, one.end) != seen[-1]:
            assert not seen or one.start > seen[-1][1]
            seen.append((one.start, one.end))
    held = {row for start, end in seen for row in range(start, end + 1)}
    assert {row for row, line in enumerate(lines, 1) if line.strip()} <= held
    for start, end in seen:
        parts = "".join(one.text for one in done.chunks if (one.start, one.end) == (start, end))
        assert parts == "\n".join(lines[start - 1 : end])


@given(text=texts)
def test_tokens_of_blocks_add_up_to_those_of_the_text(text):
    blocks = list(block_tokens(text))
    assert sum(tokens for _, tokens in blocks) == count_tokens(text)
    assert sum(lines for lines, _ in blocks) == text.count("\n") + (not text.endswith("\n") if text else 0)


def test_long_texts_are_counted_in_parts_and_right():
    text = WORDS * 4000
    assert len(text) > 200_000
    assert count_tokens(text) == 4000 * SIZE
    assert count_tokens("a" * 1_000_000) > 0
    assert [count_tokens(one) for one in ("", "hello world", "<|endoftext|>", "\udcff")] == [0, 2, 7, 1]


@pytest.mark.parametrize("blank", ["\n", "   \n\t\n", "\r\n"])
def test_no_token_reaches_over_the_end_of_a_block(blank):
    text = f"    if x:\n        y = 1\n{blank}    done()\n"
    assert sum(tokens for _, tokens in block_tokens(text)) == count_tokens(text)
