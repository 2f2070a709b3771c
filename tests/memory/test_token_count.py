"""Tokens are those of the package that counts them, without what it unpacks when it is imported."""

import random
import subprocess
import sys
import warnings

import pytest

from paragone.memory.index import count_tokens, token_count

PIECES = ["def ", "x", "\n", "\n\n", "  ", "日本", "🎉", "é", "1234567", "self.", "'ll", "\t", "\r\n", "<|endoftext|>"]


def test_counts_are_those_of_the_package() -> None:
    with warnings.catch_warnings(action="ignore"):
        whole = token_count._counter_of_package()
    draw = random.Random(5)
    for _ in range(300):
        text = "".join(draw.choices(PIECES, k=draw.randint(0, 80)))
        assert count_tokens(text) == whole(text)
    assert count_tokens("hello world") == 2


def test_half_a_character_counts_as_the_package_counts_it() -> None:
    with warnings.catch_warnings(action="ignore"):
        whole = token_count._counter_of_package()
    assert count_tokens("a\ud83d b") == whole("a\ud83d b")


def test_counting_unpacks_no_vocabulary() -> None:
    code = """
import sys
from paragone.memory.index.token_count import count_tokens
print(count_tokens("hello world"), "bpe_openai" in sys.modules, "bpe_openai._bindings" in sys.modules)
import bpe_openai
print(len(bpe_openai.get_encoding("cl100k_base").encode_ordinary("hello world")), count_tokens("hello world"))
"""
    said = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["2", "False", "True", "2", "2"]


def test_another_layout_of_the_package_is_asked_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_count, "_bindings", lambda: None)
    token_count._counter.cache_clear()
    try:
        assert count_tokens("hello world") == 2
    finally:
        token_count._counter.cache_clear()
