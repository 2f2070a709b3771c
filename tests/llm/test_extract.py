import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.judges.answer import answer_of_reply
from paragone.llm.reply import find_object, without_thought

THOUGHTS = [
    ("<think>", "</think>"),
    ("\n<Thinking>", "</Thinking>"),
    ('<think time="3">', "</think>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("", "</think>"),
]
"""How models mark their thoughts, where the server does not take these apart."""
ANSWER = {"verdict": "first", "scores": {"clarity": {"first": 0.5, "second": 0.25}}}


@pytest.mark.parametrize(
    "text",
    [
        '{"verdict": "first"}',
        'Sure!\n```json\n{"verdict": "first"}\n```\nHope that helps {really}.',
        *(f'{opening}maybe {{"verdict": "second"}}?{closing}\n{{"verdict": "first"}}' for opening, closing in THOUGHTS),
        '<think>one</think>\n<think>{"verdict": "second"}</think>{"verdict": "first"}',
        'The first. {"verdict": "second"}? No.</think>{"verdict": "first"}',
        'A set {1, 2} is no object. {"verdict": "first"}',
        '[Reasoning] The first is clearer. {"verdict": "first"}',
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
        *(f'{opening}so {{"verdict": "second"}}' for opening, _ in THOUGHTS if opening),
        '<think>one</think><think>two {"verdict": "second"}',
        '{"verdict": "first"} or rather {"verdict": "second"}',
        '{"verdict": "first", "verdict": "second"}',
        "[" * 100_000,
        '{"a":' * 5_000,
    ],
)
def test_none_more_than_one_or_a_broken_one_is_no_answer(text):
    assert find_object(text) is None


def test_a_rationale_may_hold_line_breaks_and_tags():
    assert find_object('{"rationale": "one\ntwo </think>", "verdict": "first"}') == {
        "rationale": "one\ntwo </think>",
        "verdict": "first",
    }


@pytest.mark.parametrize("opening", [opening for opening, _ in THOUGHTS if opening])
def test_of_a_thought_that_was_cut_nothing_is_left(opening):
    assert without_thought(f"{opening}The first is") == ""
    assert without_thought("The first is better.") == "The first is better."


@pytest.mark.parametrize("heading", ["[Reasoning]", "[Thought]", "[Thinking aloud]"])
def test_a_heading_in_brackets_is_no_thought(heading):
    assert without_thought(f"{heading} The first is better.") == f"{heading} The first is better."


@pytest.mark.parametrize("label", ["first", " First.", "**first**", "`first`", '"FIRST"'])
def test_what_models_put_around_a_label_is_left_out(label):
    assert answer_of_reply({"verdict": label}, ()).choice == "first"
    with pytest.raises(ValueError, match="must be one of first, second, tie"):
        answer_of_reply({"verdict": f"the {label}"}, ())


def test_a_nested_object_is_part_of_its_parent():
    assert find_object("x" + json.dumps(ANSWER) + "y") == ANSWER


@given(
    st.dictionaries(st.text(), st.one_of(st.text(), st.integers(), st.booleans(), st.none())),
    st.text(st.characters(exclude_characters="{}<")),
)
def test_any_object_comes_back_from_any_prose(value, prose):
    assert find_object(prose + json.dumps(value) + prose) == value
