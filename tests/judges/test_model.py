"""Models in specs: name, options, address."""

import asyncio
from dataclasses import asdict

import pytest

from paragone.errors import UnknownJudge
from paragone.judges import open_advocate, open_judge
from paragone.judges.llm_judge import LLMJudge
from paragone.judges.model import CRITERIA, OPTIONS, ModelOptions, ModelSpec, read_model_spec

URL = "http://127.0.0.1:9/v1"


def test_name_options_and_address_are_told_apart():
    spec = (
        "maker/model:8b?max_tokens=4000&temperature=0.5&effort=low&scores=yes&logprobs=no&max_chars=900&timeout=9@"
        + URL
    )
    options = ModelOptions(
        max_tokens=4000, temperature=0.5, effort="low", scores=CRITERIA, logprobs=False, max_chars=900, timeout=9.0
    )
    assert read_model_spec(spec) == ModelSpec(model="maker/model:8b", url=URL, options=options)
    assert set(asdict(options)) == {option.name for option in OPTIONS}, "every option is listed"
    assert all(option.read(option.form) is not None for option in OPTIONS), "the listed values can be written"


def test_a_name_or_an_address_alone_is_what_it_was():
    assert read_model_spec("ft:gpt-4o:me::id") == ModelSpec(model="ft:gpt-4o:me::id")
    address = "https://host/v1?api-version=2"
    assert read_model_spec(f"m@{address}") == ModelSpec(model="m", url=address)


def test_some_criteria_or_none():
    assert read_model_spec("m?scores=novelty,impact").options.scores == ("novelty", "impact")
    assert read_model_spec("m?scores=no").options.scores == ()


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        (
            "m?max_token=4000",
            "llm:m?max_token=4000 has no option 'max_token'; did you mean max_tokens? Its options are",
        ),
        ("m?wings=2", "has no option 'wings'. Its options are max_tokens, temperature"),
        ("m?max_tokens", "the option max_tokens needs a value, as in max_tokens=4000"),
        ("m?max_tokens=many", "the option max_tokens cannot be 'many': write a whole number from 64 up"),
        ("m?max_tokens=63", "whole number from 64 up"),
        ("m?temperature=3", "cannot be '3': write a number from 0 to 2"),
        ("m?temperature=nan", "a number from 0 to 2"),
        ("m?effort=lo", "write one of none, minimal, low, medium, high, xhigh; did you mean low?"),
        ("m?scores=yse", "did you mean yes?"),
        ("m?scores=novelty,clarty", "did you mean clarity?"),
        ("m?effort=low&effort=high", "the option effort stands there twice"),
        ("m?", "has no option ''"),
        ("?effort=low", "names no model: write llm:MODEL?name=value"),
        ("m,max_tokens=4000", "names no model"),
        ("m&effort=low", "names no model"),
        (f"m@{URL}?effort=low", "options stand before it, as in llm:MODEL?effort=...@URL"),
        ("m?effort=low@localhost:8000/v1", "must begin with http:// or https://"),
    ],
)
def test_what_is_mistyped_is_no_part_of_the_name(argument, words):
    for spec in (f"llm:{argument}", f"panel:human + llm:{argument}"):
        with pytest.raises(UnknownJudge) as raised:
            open_judge(spec)
        assert words in str(raised.value)
    with pytest.raises(UnknownJudge):
        open_advocate(f"llm:{argument}")


def test_an_advocate_has_no_scores():
    with pytest.raises(UnknownJudge, match="has no option 'scores'"):
        open_advocate(f"llm:m?scores=yes@{URL}")


def opened(options=""):
    judge = open_judge(f"llm:m{options}@{URL}")
    asyncio.run(judge.close())
    return judge.card


def test_options_that_change_answers_are_part_of_the_identity_and_those_that_do_not_are_not():
    changing = ["?max_tokens=600", "?temperature=1", "?effort=low", "?effort=high", "?scores=yes", "?logprobs=no",
                "?max_chars=99"]  # fmt: skip
    plain = opened()
    # Those of the versions before there were dossiers: verdicts on record have them in their keys.
    assert (plain.identity.partition("#")[2][:8], plain.prompt_hash[:8]) == ("84100a85", "84100a85")
    identities = [plain.identity, *(opened(options).identity for options in changing)]
    assert len(set(identities)) == len(identities)
    assert opened("?timeout=9") == plain
    assert opened("?max_tokens=512&temperature=0") == plain, "what is said is what holds where nothing is said"
    unscored = opened("?scores=no")
    assert unscored.identity == plain.identity, "without a rubric, nothing is scored either way"
    assert (plain.scores_rubric, unscored.scores_rubric) == (True, False)


def test_a_spec_and_its_typed_options_are_the_same_judge():
    typed = LLMJudge("m", base_url=URL, max_tokens=4000, effort="low", scores=CRITERIA)
    assert opened("?max_tokens=4000&effort=low&scores=yes") == typed.card
    asyncio.run(typed.close())
