import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.judges.answer import answer_of_reply
from paragone.llm.reply import answer_in, find_object

THOUGHTS = [
    ("<think>", "</think>"),
    ("\n<Thinking>", "</Thinking>"),
    ('<think time="3">', "</think>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|start|>assistant<|channel|>analysis<|message|>", "<|channel|>final <|constrain|>JSON<|message|>"),
    ("<|channel|>commentary<|message|>", "<|start|>assistant<|channel|>final json<|message|>"),
    ("analysisWe compare. ", "assistantfinal"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|><|begin_of_solution|>"),
    ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    ("Here is my thought process: ", "Here is my response: "),
    ("", "</think>"),
    ("", "[BEGIN FINAL RESPONSE]"),
]
"""How models mark their thoughts, where the server does not take these apart."""
OPENINGS = [opening for opening, _ in THOUGHTS if opening]
DRAFT, FIRST = '{"verdict": "second"}', '{"verdict": "first"}'
ANSWER = {"verdict": "first", "scores": {"clarity": {"first": 0.5, "second": 0.25}}}


@pytest.mark.parametrize(
    "text",
    [
        FIRST,
        f"Sure!\n```json\n{FIRST}\n```\nHope that helps {{really}}.",
        *(f"{opening}maybe {DRAFT}?{closing}\n{FIRST}" for opening, closing in THOUGHTS),
        f"<think>one</think>\n<think>{DRAFT}</think>{FIRST}",
        f"Let me see. <think>{DRAFT}</think> So: {FIRST}",
        f"<think>one <think>two</think> {DRAFT}</think>{FIRST}",
        f"<think>{DRAFT}</think>{FIRST}</think>",
        f"{FIRST}<think>or rather {DRAFT}</think>",
        f"The first. {DRAFT}? No.</think>{FIRST}",
        f"{DRAFT}? No.</think>{FIRST}",
        f"<think>one</think><answer>{FIRST}</answer>",
        f"A set {{1, 2}} is no object. {FIRST}",
        f"[Reasoning] The first is clearer. {FIRST}",
        *(f"{opening}maybe {DRAFT}? No: {FIRST}" for opening in OPENINGS),
        f"<reasoning>The first.\n```json\n{FIRST}\n```\n",
        f"<think>The first. <answer>{FIRST}</answer>",
        f"<think>The first. {FIRST}</think>\n",
        f"<|channel|>analysis<|message|>The first. {FIRST}<|end|>",
    ],
)
def test_the_answer_of_a_model_that_ended_by_itself_is_found_wherever_it_stands(text):
    assert find_object(answer_in(text)) == {"verdict": "first"}


def test_an_answer_that_a_server_takes_for_part_of_the_thought_is_read_if_nothing_else_was_said():
    assert answer_in("\n", f"{DRAFT}? No.\n{FIRST}\n") == FIRST
    assert answer_in("", f"{FIRST}, but then") == ""
    assert answer_in("The first.", FIRST) == "The first."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "first",
        '["verdict", "first"]',
        '{"verdict": "first"',
        *(f"{opening}maybe {FIRST}, but then" for opening in OPENINGS),
        f"<think>one</think><think>two {FIRST}, but then",
        f"{FIRST} or rather {DRAFT}",
        '{"verdict": "first", "verdict": "second"}',
        "[" * 100_000,
        '{"a":' * 5_000,
        "<think>" + '{"a":' * 5_000,
    ],
)
def test_none_more_than_one_or_a_broken_one_is_no_answer(text):
    assert find_object(answer_in(text)) is None


@pytest.mark.parametrize("around", ["%s", "```json\n%s\n```", "<think>The first.</think>%s"])
def test_a_rationale_may_hold_line_breaks_and_marks_of_thoughts(around):
    rationale = {"rationale": "one\ntwo </think> <think>", "verdict": "first"}
    assert find_object(answer_in(around % json.dumps(rationale).replace("\\n", "\n"))) == rationale


@pytest.mark.parametrize("opening", OPENINGS)
def test_of_a_thought_that_was_cut_nothing_is_left(opening):
    thought = f"{opening}The first is better: {FIRST}"
    assert answer_in(thought, finished=False) == answer_in("", thought, finished=False) == ""
    assert answer_in(f"{opening}The first is better.") == ""
    assert answer_in("The first is better.", finished=False) == "The first is better."


@pytest.mark.parametrize("heading", ["[Reasoning]", "[Thought]", "[Thinking aloud]"])
def test_a_heading_in_brackets_is_no_thought(heading):
    assert answer_in(f"{heading} The first is better.") == f"{heading} The first is better."


@pytest.mark.parametrize("label", ["first", " First.", "**first**", "`first`", '"FIRST"'])
def test_what_models_put_around_a_label_is_left_out(label):
    assert answer_of_reply({"verdict": label}, ()).choice == "first"
    with pytest.raises(ValueError, match="must be one of first, second, tie"):
        answer_of_reply({"verdict": f"the {label}"}, ())


@pytest.mark.parametrize(("answer", "held"), [({"urteil": "a", "grund": ""}, "'urteil', 'grund'"), ({}, "an empty")])
def test_an_answer_without_a_verdict_is_told_by_what_it_has(answer, held):
    with pytest.raises(ValueError, match=f"it has no 'verdict', only {held}"):
        answer_of_reply(answer, ())


def test_a_nested_object_is_part_of_its_parent():
    assert find_object("x" + json.dumps(ANSWER) + "y") == ANSWER


@given(
    st.dictionaries(st.text(), st.one_of(st.text(), st.integers(), st.booleans(), st.none())),
    st.text(st.characters(exclude_characters="{}<")),
)
def test_any_object_comes_back_from_any_prose(value, prose):
    assert find_object(prose + json.dumps(value) + prose) == value
