"""Other providers, by Anthropic's own wire format against a scripted endpoint."""

import asyncio
import sys

import pytest

from paragone.errors import InvalidConfig, JudgeFailed, MissingExtra, MissingKey, UsageError
from paragone.judges.llm_judge import LLMJudge
from paragone.judges.templates import load
from paragone.llm import Message, ModelRequest, connect
from scripted_endpoint import Model, fenced_pair, refusal

SECRET = "sk-ant-0123456789abcdefSECRET"
SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string"}},
    "required": ["verdict"],
    "additionalProperties": False,
}
REQUEST = ModelRequest(
    messages=(Message(role="system", content="Judge in JSON."), Message(role="user", content="a or b?")),
    schema=SCHEMA,
    max_tokens=99,
    logprobs=True,
)
REPLY = {
    "id": "1",
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-4-5-x",
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "content": [{"type": "text", "text": '{"verdict": "second"}'}],
    "usage": {"input_tokens": 30, "output_tokens": 7},
}


@pytest.fixture
def anthropic(endpoint, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", endpoint.url.removesuffix("/v1"))
    return endpoint


def replies(*requests, timeout=30.0):
    """All replies, from one client."""

    async def run():
        client = connect("anthropic:claude-haiku-4-5", timeout=timeout)
        try:
            return [await client.ask(request) for request in requests]
        finally:
            await client.close()

    return asyncio.run(run())


def ask():
    return replies(REQUEST)[0]


def failure(request=REQUEST, timeout=30.0):
    with pytest.raises(JudgeFailed) as caught:
        replies(request, timeout=timeout)
    assert SECRET not in str(caught.value)
    return caught.value


def test_question_and_answer(anthropic):
    anthropic.says(REPLY)
    reply = ask()
    (sent,) = anthropic.seen
    assert (sent["model"], sent["max_tokens"], sent["temperature"]) == ("claude-haiku-4-5", 99, 0.0)
    assert "Judge in JSON." in str(sent["system"])
    assert "a or b?" in str(sent["messages"])
    assert "verdict" in str(sent)
    assert (reply.parsed, reply.tokens, reply.calls) == ({"verdict": "second"}, (), 1)
    assert (reply.input_tokens, reply.output_tokens, reply.model) == (30, 7, "claude-haiku-4-5-x")


@pytest.mark.parametrize(("ending", "parsed"), [("end_turn", {"verdict": "second"}), ("max_tokens", None)])
def test_an_answer_at_the_end_of_a_thought_counts_unless_it_was_cut(anthropic, ending, parsed):
    thought = {"type": "thinking", "thinking": 'So {"verdict": "second"}', "signature": "x"}
    anthropic.says({**REPLY, "content": [thought], "stop_reason": ending})
    if parsed is None:
        assert "did not finish its answer" in str(failure())
    else:
        assert (ask().parsed, ask().reasoned) == (parsed, True)


def test_a_refused_parameter_is_left_out(anthropic):
    complaint = {"type": "error", "error": {"type": "invalid_request_error", "message": "temperature is not supported"}}
    anthropic.says(complaint, 400).says(REPLY)
    reply = ask()
    assert [body.get("temperature") for body in anthropic.seen] == [0.0, None]
    assert reply.calls == 2


@pytest.mark.parametrize(
    ("status", "retryable", "words"),
    [(429, True, "limits the rate"), (529, True, "failed"), (500, True, "failed"),
     (401, False, "ANTHROPIC_API_KEY"), (404, False, "no model 'claude-haiku-4-5'")],
)  # fmt: skip
def test_a_status_says_whether_to_ask_again(anthropic, status, retryable, words):
    anthropic.says({"type": "error", "error": {"type": "x", "message": f"{SECRET}?"}}, status, retry_after="3")
    error = failure()
    assert (error.retryable, error.retry_after) == (retryable, 3.0 if retryable else None)
    assert words in str(error)
    assert len(anthropic.seen) == 1, "the vendor's library must not retry by itself"


def test_silence_and_nonsense_are_failures_that_may_pass(anthropic):
    anthropic.says(2.0)
    assert failure(timeout=0.1).retryable
    anthropic.script.clear()
    anthropic.says({**REPLY, "content": []})
    assert failure().retryable


@pytest.fixture
def scripted(serve_model, monkeypatch):
    """Starts a model that answers paragone's prompts in this format."""

    def serve(*args, **options):
        endpoint = serve_model(*args, **options)
        monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", endpoint.root)
        return endpoint

    return serve


PAIR = ModelRequest(messages=(Message(role="user", content=fenced_pair(1, 2)),), schema=SCHEMA)


def test_an_answer_that_was_cut_off_gets_more_room(scripted):
    endpoint = scripted(Model(thinks=900, thoughts="content"))
    first, second = replies(PAIR, PAIR)
    assert [body["max_tokens"] for body in endpoint.seen] == [512, 1024, 1024]
    assert (first.parsed, first.calls, second.calls, first.reasoned) == ({"verdict": "second"}, 2, 1, True)
    assert first.output_tokens + second.output_tokens == endpoint.count.output_tokens
    endpoint.model = Model(thinks=90_000)
    assert "reached its own limit" in str(failure(PAIR))
    assert [body["max_tokens"] for body in endpoint.seen[3:]] == [512, 1024, 32_000]


def test_a_refusal_to_answer_is_told_apart(scripted):
    scripted(faults=[refusal()])
    error = failure(PAIR)
    assert "declined to answer" in str(error)
    assert not error.retryable


def test_what_is_missing_is_named(endpoint, monkeypatch):
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    with pytest.raises(MissingKey, match="DEEPSEEK_API_KEY"):
        connect("deepseek:deepseek-chat")
    with pytest.raises(InvalidConfig, match="names no provider"):
        connect("nobody:some-model")
    with pytest.raises(MissingExtra, match="cohere"):
        connect("cohere:command-r")


@pytest.mark.parametrize("provider", ["anthropic", "google", "groq", "mistral"])
def test_a_missing_key_is_named_before_anything_is_loaded(endpoint, monkeypatch, provider):
    name = f"{provider.upper()}_API_KEY"
    for variable in (name, "GEMINI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setitem(sys.modules, "pydantic_ai.models", None)
    with pytest.raises(MissingKey, match=name):
        connect(f"{provider}:some-model")
    monkeypatch.setenv("GEMINI_API_KEY" if provider == "google" else name, SECRET)
    with pytest.raises(MissingExtra, match="pydantic-ai"):
        connect(f"{provider}:some-model")


def test_a_remote_call_is_refused_in_tests(endpoint, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    client = connect("anthropic:claude-haiku-4-5")
    assert (client.host, client.gives_logprobs, client.price is None) == (None, False, False)
    assert SECRET not in repr(client)
    with pytest.raises(UsageError, match="remote calls are forbidden"):
        asyncio.run(client.ask(REQUEST))


def test_a_judge_without_probabilities_gives_its_reasons_first(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    card = LLMJudge("anthropic:claude-haiku-4-5").card
    assert card.prompt_hash == load("pair_reasons_first").hash
    assert card.identity.startswith("llm:anthropic:claude-haiku-4-5#")
