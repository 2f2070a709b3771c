"""Other providers, by Anthropic's own wire format against a scripted endpoint."""

import asyncio
import sys

import pytest

from paragone.errors import InvalidConfig, JudgeFailed, MissingExtra, MissingKey, UsageError
from paragone.llm import Message, ModelRequest, connect

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


def ask(model="anthropic:claude-haiku-4-5", timeout=30.0):
    async def run():
        client = connect(model, timeout=timeout)
        try:
            return await client.ask(REQUEST)
        finally:
            await client.close()

    return asyncio.run(run())


def failure(**options):
    with pytest.raises(JudgeFailed) as caught:
        ask(**options)
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
