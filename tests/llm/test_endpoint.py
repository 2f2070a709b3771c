import asyncio
import logging
import math
import time
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from paragone.errors import InvalidConfig, JudgeFailed, MissingKey, UsageError
from paragone.llm import Message, ModelRequest, connect
from paragone.llm.failures import CallTarget, of_status
from paragone.llm.negotiation import newly_refused

SECRET = "sk-proj-0123456789abcdefSECRET"
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}
REQUEST = ModelRequest(
    messages=(Message(role="system", content="Judge in JSON."), Message(role="user", content="a or b?")),
    schema=SCHEMA,
    max_tokens=99,
    logprobs=True,
)
ANSWER = '{"verdict": "first"}'


def ask(endpoint, request=REQUEST, *, model="scripted", times=1, timeout=30.0):
    async def run():
        client = connect(model, base_url=endpoint.url, timeout=timeout)
        try:
            return [await client.ask(request) for _ in range(times)]
        finally:
            await client.close()

    return asyncio.run(run())[-1]


def failure(endpoint, **options):
    with pytest.raises(JudgeFailed) as caught:
        ask(endpoint, **options)
    return caught.value


def test_everything_is_sent_and_everything_comes_back(endpoint):
    logprob = {"token": "first", "bytes": None, "logprob": -0.1,
               "top_logprobs": [{"token": "first", "bytes": [102], "logprob": -0.1}]}  # fmt: skip
    endpoint.completes(ANSWER, logprobs=[logprob])
    reply = ask(endpoint)
    (sent,) = endpoint.seen
    assert sent["messages"] == [
        {"role": "system", "content": "Judge in JSON."},
        {"role": "user", "content": "a or b?"},
    ]
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("scripted", 0.0, 99)
    assert (sent["logprobs"], sent["top_logprobs"]) == (True, 20)
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
    assert (reply.text, reply.parsed, reply.model, reply.calls) == (ANSWER, {"verdict": "first"}, "scripted-1", 1)
    assert (reply.input_tokens, reply.output_tokens, reply.cut) == (1000, 20, False)
    assert (reply.tokens[0].text, reply.tokens[0].alternatives) == (b"first", ((b"f", -0.1),))


THOUGHT = f'{{"verdict": "second"}}? No. {ANSWER}'
PARTS = [
    {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
    {"type": "text", "text": '{"verdict":'},
    {"type": "text", "text": '"first"}'},
]


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "reasoning_content": THOUGHT},
        {"content": "", "reasoning": THOUGHT},
        {"content": ANSWER, "reasoning": 'Perhaps {"verdict": "second"}'},
        {"content": f"<think>{THOUGHT}"},
        {"content": PARTS},
    ],
    ids=["vllm", "ollama", "apart", "unclosed", "mistral"],
)
def test_an_answer_is_told_from_the_thought_however_the_server_sends_them(endpoint, message):
    reply = ask(endpoint.completes("", message=message))
    assert (reply.parsed, reply.reasoned) == ({"verdict": "first"}, True)


@pytest.mark.parametrize("ending", ["length", "content_filter"])
def test_what_was_thought_until_the_answer_was_cut_is_no_answer(endpoint, ending):
    endpoint.completes("", message={"content": f"<think>{THOUGHT}", "reasoning": THOUGHT}, finish_reason=ending)
    assert ("declined" if ending == "content_filter" else "did not finish its answer") in str(failure(endpoint))


def test_a_refused_parameter_is_left_out_and_remembered(endpoint, caplog):
    endpoint.refuses("'top_logprobs' must be at most 5").refuses("logprobs are not supported by this model")
    endpoint.refuses("Invalid value: 'json_schema'", param="response_format")
    endpoint.refuses("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.").completes(ANSWER)
    with caplog.at_level(logging.WARNING, "paragone.llm"):
        reply = ask(endpoint, times=2)
    bodies = endpoint.seen
    assert [body.get("top_logprobs") for body in bodies] == [20, 5, None, None, None, None]
    assert [body["response_format"]["type"] for body in bodies[2:]] == ["json_schema"] + ["json_object"] * 3
    assert [body.get("max_completion_tokens") for body in bodies[3:]] == [None, 99, 99]
    assert reply.calls == 1
    assert len(caplog.records) == 4


def test_a_complaint_that_names_nothing_is_met_with_the_barest_request(endpoint):
    endpoint.refuses("bad request", status=422).completes(f"Well: {ANSWER}")
    reply = ask(endpoint)
    assert set(endpoint.seen[1]) == {"model", "messages", "max_completion_tokens"}
    assert (reply.parsed, reply.calls) == ({"verdict": "first"}, 2)


def test_a_complaint_about_something_else_costs_no_later_call_a_feature(endpoint):
    endpoint.refuses("the prompt is too long").refuses("the prompt is too long").completes(ANSWER)

    async def run():
        client = connect("scripted", base_url=endpoint.url)
        with pytest.raises(JudgeFailed, match=r"refused the request \(400\): the prompt is too long") as caught:
            await client.ask(REQUEST)
        await client.ask(REQUEST)
        await client.close()
        return caught.value

    assert not asyncio.run(run()).retryable
    assert endpoint.seen[0] == endpoint.seen[2]


def test_nothing_unused_is_left_out():
    plain = ModelRequest(messages=())
    assert newly_refused("logprobs and json_schema", plain, frozenset()) == {"temperature", "max_tokens"}
    assert newly_refused("anything", plain, frozenset({"temperature", "max_tokens"})) == frozenset()


@pytest.mark.parametrize(("status", "retryable"), [(408, True), (409, True), (429, True), (500, True), (503, True),
                                                   (529, True), (402, False), (413, False)])  # fmt: skip
def test_a_status_says_whether_to_ask_again(endpoint, status, retryable):
    error = failure(endpoint.refuses("so it is", status=status))
    assert error.retryable is retryable
    assert str(status) in str(error)
    assert "127.0.0.1" in str(error)
    assert len(endpoint.seen) == 1, "the vendor's library must not retry by itself"


@pytest.mark.parametrize(
    ("detail", "words"),
    [
        ("Error code: 500", "h failed (500)"),  # what openai says of an empty answer
        ("Error code: 500 - {'oops': 1}", "h failed (500): {'oops': 1}"),
        ("", "h failed (500)"),
        ("Error code: 7", "h failed (500): Error code: 7"),
    ],
)
def test_a_status_is_said_once(detail, words):
    assert str(of_status(500, detail, CallTarget(model="m", host="h", key_name="KEY"))) == words


@pytest.mark.parametrize(("header", "seconds"), [({"retry_after": "7"}, 7.0), ({"retry_after_ms": "1500"}, 1.5),
                                                 ({"retry_after": "soon"}, None), ({}, None)])  # fmt: skip
def test_a_rate_limit_says_when_to_ask_again(endpoint, header, seconds):
    error = failure(endpoint.says({"error": {"message": "slow down"}}, 429, **header))
    assert (error.retryable, error.retry_after) == (True, seconds)
    assert ("asks to wait" in str(error)) is (seconds is not None)


def test_a_rate_limit_may_name_a_date(endpoint):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    error = failure(endpoint.says({"error": {"message": "slow down"}}, 429, retry_after=date))
    assert error.retry_after == pytest.approx(90, abs=30)
    assert math.isfinite(error.retry_after)


def test_a_spent_quota_is_no_rate_limit(endpoint):
    error = failure(endpoint.refuses("You exceeded your current quota", status=429, code="insufficient_quota"))
    assert not error.retryable
    assert "quota is spent" in str(error)


def test_an_unknown_model_is_named(endpoint):
    error = failure(endpoint.refuses("no", status=404), model="gpt-nought")
    assert not error.retryable
    assert "no model 'gpt-nought'" in str(error)


def test_silence_is_a_failure_that_may_pass(endpoint):
    error = failure(endpoint.says(2.0), timeout=0.1)
    assert error.retryable
    assert "did not answer within 0.1 s" in str(error)


def test_a_connection_that_breaks_off_is_a_failure_that_may_pass(endpoint):
    error = failure(endpoint.says(0.0))
    assert (error.retryable, error.tokens) == (True, None)
    assert "no connection" in str(error)


def test_nobody_listening_is_a_failure_that_may_pass(endpoint):
    endpoint.url = "http://127.0.0.1:9/v1"
    error = failure(endpoint)
    assert error.retryable
    assert "no connection to 127.0.0.1:9" in str(error)
    assert error.tokens == (0, 0), "what was never sent costs nothing"


@pytest.mark.parametrize(
    "body",
    ['{"choices": [', "<html>welcome</html>", "{}", '{"choices": []}', '{"choices": null}', "[]", "null",
     '{"choices": [{"message": null}]}', '{"choices": [{"message": {"content": null}, "finish_reason": "stop"}]}',
     '{"choices": [{"message": {"content": "x"}, "logprobs": {"content": [5]}}]}'],
)  # fmt: skip
def test_an_answer_that_is_none_is_a_failure_that_may_pass(endpoint, body):
    error = failure(endpoint.says(body))
    assert error.retryable
    assert "no usable answer" in str(error)


def test_a_page_instead_of_an_answer_is_a_failure_too(endpoint):
    error = failure(endpoint.says("<html>welcome</html>", content_type="text/html"))
    assert "no usable answer" in str(error)
    assert "check the address, which mostly ends in /v1: <html>welcome</html>" in str(error)


def test_the_key_is_sent_and_shown_nowhere(endpoint, monkeypatch, caplog):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    shown = [repr(connect("m", base_url=endpoint.url))]
    bodies = [(401, f"Incorrect API key provided: {SECRET}"), (403, SECRET), (429, f"{SECRET} is over its limit"),
              (400, f"what is {SECRET}"), (500, f"echo Authorization: Bearer {SECRET}"), (404, SECRET)]  # fmt: skip
    with caplog.at_level(logging.DEBUG):
        for status, message in bodies:
            endpoint.script.clear()
            error = failure(endpoint.refuses(message, status=status))
            shown += [str(error), repr(error), "".join(traceback.format_exception(error))]
    assert all(headers["authorization"] == f"Bearer {SECRET}" for headers in endpoint.headers)
    assert SECRET not in "".join(shown)
    assert SECRET not in caplog.text
    assert any("OPENAI_API_KEY" in text for text in shown)


def test_a_remote_endpoint_needs_a_key_before_anything_is_sent(endpoint):
    with pytest.raises(MissingKey, match=r"api\.openai\.com needs a key.*OPENAI_API_KEY"):
        connect("gpt-4o-mini")


def test_a_remote_call_is_refused_in_tests(endpoint, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    client = connect("openai:gpt-4o-mini")
    assert (client.model, client.host, client.base_url) == ("gpt-4o-mini", None, "https://api.openai.com/v1/")
    begun = time.monotonic()
    with pytest.raises(UsageError, match="remote calls are forbidden"):
        asyncio.run(client.ask(REQUEST))
    assert time.monotonic() - begun < 20


def test_an_endpoint_on_this_machine_is_reached_past_a_proxy(endpoint, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(endpoint.completes(ANSWER)).text == ANSWER


@pytest.mark.parametrize(
    "address", ["127.0.0.1:8080/v1", "ftp://example.org", "https://", "http://h:99999999", "http://h:x"]
)
def test_an_address_must_be_one(address):
    with pytest.raises(InvalidConfig, match="http://"):
        connect("m", base_url=address)


def test_a_password_does_not_belong_in_an_address():
    with pytest.raises(InvalidConfig, match="OPENAI_API_KEY") as caught:
        connect("m", base_url="https://me:hush-hush@example.org/v1")
    assert "hush-hush" not in str(caught.value)
