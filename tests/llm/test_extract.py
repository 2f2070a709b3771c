import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.llm.reply import find_object

ANSWER = {"verdict": "first", "scores": {"clarity": {"first": 0.5, "second": 0.25}}}


@pytest.mark.parametrize(
    "text",
    [
        '{"verdict": "first"}',
        'Sure!\n```json\n{"verdict": "first"}\n```\nHope that helps {really}.',
        '<think>maybe {"verdict": "second"}?</think>\n{"verdict": "first"}',
        'A set {1, 2} is no object. {"verdict": "first"}',
    ],
)
def test_one_object_is_found_wherever_it_stands(text):
    assert find_object(text) == {"verdict": "first"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "first",
        '["verdict", "first"]',
        '{"verdict": "first"',
        '{"verdict": "first"} or rather {"verdict": "second"}',
        '{"verdict": "first", "verdict": "second"}',
        "[" * 100_000,
        '{"a":' * 5_000,
    ],
)
def test_none_more_than_one_or_a_broken_one_is_no_answer(text):
    assert find_object(text) is None


def test_a_nested_object_is_part_of_its_parent():
    assert find_object("x" + json.dumps(ANSWER) + "y") == ANSWER


@given(
    st.dictionaries(st.text(), st.one_of(st.text(), st.integers(), st.booleans(), st.none())),
    st.text(st.characters(exclude_characters="{}<")),
)
def test_any_object_comes_back_from_any_prose(value, prose):
    assert find_object(prose + json.dumps(value) + prose) == value
