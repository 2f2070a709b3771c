"""Models that reason: limits of tokens, empty answers, and the parameters that newer interfaces take."""

import asyncio

import pytest

from paragone.errors import JudgeFailed
from paragone.llm import Message, ModelLimits, ModelRequest, connect
from paragone.llm.negotiation import Refusal, after_refusal, allowed_limit
from scripted_endpoint import Model, empty, fenced_pair, filtered, refusal

PROMPT = Message(role="user", content=fenced_pair(1, 2))
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}}
REQUEST = ModelRequest(messages=(PROMPT,), schema=SCHEMA)


def ask(endpoint, *requests):
    """All replies, from one client."""

    async def run():
        client = connect("m", base_url=endpoint.url)
        try:
            return [await client.ask(request) for request in requests]
        finally:
            await client.close()

    return asyncio.run(run())


def failure(endpoint, request=REQUEST):
    with pytest.raises(JudgeFailed) as caught:
        ask(endpoint, request)
    return caught.value


def limits(endpoint):
    return [body.get("max_tokens", body.get("max_completion_tokens")) for body in endpoint.seen]


@pytest.mark.parametrize("thoughts", ["hidden", "content", "tags"])
def test_a_cut_answer_is_asked_for_at_twice_the_limit_and_so_are_later_ones(serve_model, thoughts):
    endpoint = serve_model(Model(thinks=900, thoughts=thoughts))
    first, second = ask(endpoint, REQUEST, REQUEST)
    assert limits(endpoint) == [512, 1024, 1024]
    assert first.parsed == second.parsed == {"verdict": "second"}
    assert (first.calls, second.calls, first.reasoned, first.reasoning_tokens) == (2, 1, True, 900)
    count = endpoint.count
    assert first.input_tokens + second.input_tokens == count.input_tokens
    assert first.output_tokens + second.output_tokens == count.output_tokens == 512 + 2 * 906


def test_where_twice_is_not_enough_the_models_own_limit_is_taken(serve_model):
    endpoint = serve_model(Model(thinks=5000))
    first, second = ask(endpoint, REQUEST, REQUEST)
    assert limits(endpoint) == [512, 1024, None, None]
    assert (first.calls, second.calls) == (3, 1)


def test_an_answer_that_never_ends_says_what_helps(serve_model):
    endpoint = serve_model(Model(thinks=90_000, most=2000))
    error = failure(endpoint)
    assert "it reasoned for 2,000 tokens and reached its own limit. Have it think less (the option effort=low" in str(
        error
    )
    assert not error.retryable
    assert (error.attempts, error.tokens) == (3, (endpoint.count.input_tokens, 512 + 1024 + 2000))


def test_a_limit_that_is_too_large_is_lowered_to_what_the_model_allows(serve_model):
    endpoint = serve_model(Model(thinks=900, most=1000))
    (reply,) = ask(endpoint, REQUEST)
    assert limits(endpoint) == [512, 1024, 1000]
    assert reply.calls == 3
    endpoint = serve_model(Model(most=1000))
    ask(endpoint, ModelRequest(messages=(PROMPT,), schema=SCHEMA, max_tokens=8000))
    assert limits(endpoint) == [8000, 1000]


@pytest.mark.parametrize(
    ("asked", "complaint", "limit"),
    [
        (8000, "max_tokens is too large: 8000. This model supports at most 4096 completion tokens", 4096),
        (64_001, "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for x-4-5", 64_000),
        (
            4000,
            "'max_completion_tokens' is too large: 4000. The context is 4096 tokens, 300 are taken (4000 > 4096 - 300)",
            3796,
        ),
        (9000, "Invalid max_tokens value, the valid range of max_tokens is [1, 8,192]", 8192),
        (8000, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", None),
        (8000, "the prompt of 4100 tokens is too long", None),
    ],
)
def test_the_models_limit_is_read_in_the_words_of_its_endpoint(asked, complaint, limit):
    assert allowed_limit(complaint, asked) == limit


def test_a_limit_below_what_is_to_be_thought_is_raised():
    complaint = Refusal(400, "`max_tokens` must be greater than `thinking.budget_tokens`")
    assert after_refusal(complaint, REQUEST, ModelLimits()) == ModelLimits(raises=1)


def test_newer_parameters_are_found_out_once(serve_model):
    endpoint = serve_model(Model(refuses=frozenset({"max_tokens", "temperature", "logprobs", "reasoning_effort"})))
    request = ModelRequest(messages=(PROMPT,), schema=SCHEMA, logprobs=True, effort="low")
    first, second = ask(endpoint, request, request)
    assert (first.calls, second.calls) == (5, 1)
    assert set(endpoint.seen[-1]) == {"model", "messages", "response_format", "max_completion_tokens"}
    assert (first.input_tokens, first.terms.refused) == (
        endpoint.count.input_tokens // 2, {"max_tokens", "temperature", "logprobs", "effort"},
    )  # fmt: skip


def test_effort_is_sent_and_shortens_the_thought(serve_model):
    endpoint = serve_model(Model(thinks=800))
    (reply,) = ask(endpoint, ModelRequest(messages=(PROMPT,), schema=SCHEMA, effort="low"))
    assert endpoint.seen[0]["reasoning_effort"] == "low"
    assert reply.reasoning_tokens == 200


@pytest.mark.parametrize(
    ("model", "fault", "words", "retryable"),
    [
        (Model(), refusal(), "declined to answer: I cannot help with that.", False),
        (Model(), filtered(), "declined to answer: its provider's content filter stopped it", False),
        (Model(), empty(), "gave no usable answer: it is empty (finish reason: stop)", True),
        (Model(thinks=70), empty(), "the model reasoned for 70 tokens and then said nothing", True),
        (Model(thinks=70, thoughts="content", tells_usage=False), empty(), "the model reasoned for", True),
    ],
)
def test_silence_after_a_thought_is_no_refusal(serve_model, model, fault, words, retryable):
    error = failure(serve_model(model, faults=[fault]))
    assert words.split(" for")[0] in str(error)
    assert error.retryable is retryable
