"""A model behind a real HTTP server on loopback, which behaves and fails by script and keeps its own accounts.

It speaks OpenAI's chat completions and Anthropic's messages, answers paragone's prompts about pairs, lists and debates,
and counts what it was sent and what it would bill. Use it as a context manager::

    with ScriptedEndpoint(Model(thinks=900), faults=[status(429, retry_after=0), refusal()]) as endpoint:
        open_judge(f"llm:any@{endpoint.url}")
    endpoint.count.requests, endpoint.count.input_tokens, endpoint.count.output_tokens

Faults are used up one by one, each by one request; then the model answers, or ``always`` holds. Run as a program it
serves until it is interrupted, and prints its URL: ``python scripts/scripted_endpoint.py --thinks 900``.
"""

import argparse
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Literal, Self

from scripted_batches import Answer, Batches

CHARACTERS_A_TOKEN = 4
CACHE_BLOCK = 128
"""Tokens that are cached together."""
EFFORTS = {"none": 0.0, "minimal": 0.1, "low": 0.25, "medium": 1.0, "high": 2.0}
"""How much longer or shorter the model thinks at an effort."""


def quality(text: str) -> float:
    """How good a text is: the first number in it, else its length."""
    number = re.search(r"-?\d+(?:\.\d+)?", text)
    return float(number[0]) if number else float(len(text))


@dataclass(frozen=True, kw_only=True)
class Model:
    """How the model behaves.

    Attributes:
        thinks: Tokens that it reasons before it answers; they are billed, and count towards the limit.
        thoughts: Where the reasoning shows: in the usage alone, as ``reasoning_content``, or in ``<think>``.
        most: The longest answer, reasoning included, that a request may ask for; a larger limit is refused.
        refuses: Parameters that are refused with status 400: ``max_tokens``, ``max_completion_tokens``,
            ``temperature``, ``logprobs``, ``top_logprobs``, ``json_schema``, ``response_format``, ``reasoning_effort``.
        ignores: Parameters that are taken and have no effect: ``logprobs``, ``json_schema``.
        tells_usage: Whether answers say what they took.
        rationale: The reasons that it gives.
        quality: How good a text is; the better one wins.
        seconds: How long an answer takes.
        obeys: Whether it does what stands outside the fences, such as "answer second".
        caches: Whether the beginning of a prompt that it has seen before counts as cached, in blocks of 128 tokens.
        says: What it says to the system's and the user's words; None answers as a judge of paragone's, in JSON.
    """

    thinks: int = 0
    thoughts: Literal["hidden", "content", "tags"] = "hidden"
    most: int | None = None
    refuses: frozenset[str] = frozenset()
    ignores: frozenset[str] = frozenset()
    tells_usage: bool = True
    rationale: str = "The better text has the larger number."
    quality: Callable[[str], float] = quality
    seconds: float = 0.0
    obeys: bool = False
    caches: bool = False
    says: Callable[[str, str], str | None] = lambda _system, _user: None


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What happens to one request in place of a good answer; see the functions that make them.

    Attributes:
        kind: Which fault.
        status: The HTTP status, of a fault that has one.
        message: What is said with it.
        headers: What is sent with it.
        seconds: For how long it is silent.
    """

    kind: Literal["none", "status", "cut_json", "cut_body", "refusal", "filtered", "empty", "hang"]
    status: int = 200
    message: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def none() -> Fault:
    """No fault: a good answer between others."""
    return Fault(kind="none")


def status(code: int, message: str = "", *, retry_after: float | str | None = None) -> Fault:
    """An HTTP error; nothing is billed."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Fault(kind="status", status=code, message=message or f"scripted status {code}", headers=headers)


def cut_json() -> Fault:
    """A completion whose JSON breaks off in the middle; it is billed."""
    return Fault(kind="cut_json")


def cut_body() -> Fault:
    """An HTTP answer that breaks off, so that not even its usage can be read; it is billed."""
    return Fault(kind="cut_body")


def refusal() -> Fault:
    """The model declines: a ``refusal`` and no content; it is billed."""
    return Fault(kind="refusal", message="I cannot help with that.")


def filtered() -> Fault:
    """The provider's content filter stops the answer; it is billed."""
    return Fault(kind="filtered")


def empty() -> Fault:
    """A completion without a word, and no reason for it; it is billed."""
    return Fault(kind="empty")


def hang(seconds: float = 3600.0) -> Fault:
    """Silence, then a connection that closes; nothing is billed. It ends with the server at the latest."""
    return Fault(kind="hang", seconds=seconds)


@dataclass(kw_only=True)
class Count:
    """The endpoint's own accounts.

    Attributes:
        requests: Requests that came.
        completions: Those that were billed.
        input_tokens: Tokens billed for what was sent.
        output_tokens: Tokens billed for what was answered, reasoning included.
        reasoning_tokens: Those of them that were reasoning.
        cached_tokens: Those of the input tokens that were cached.
        statuses: How often each HTTP status was answered; 0 stands for silence.
    """

    requests: int = 0
    completions: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    statuses: Counter[int] = field(default_factory=Counter)

    def dollars(self, input_per_million: float, output_per_million: float) -> float:
        """What was billed, at such a price."""
        return (self.input_tokens * input_per_million + self.output_tokens * output_per_million) / 1e6


@dataclass(frozen=True, kw_only=True)
class _Completion:
    """What the model says to one request, whatever the wire format."""

    text: str
    thought: str
    refusal: str
    reason: str
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cached_tokens: int = 0


class ScriptedEndpoint:
    """The server. ``seen`` and ``headers`` hold what it was sent, ``count`` what it counted.

    Attributes:
        url: Its address for OpenAI-compatible clients; ``root`` is that for Anthropic's.
        model: How the model behaves; may be replaced while it serves.
        always: The fault that every request meets once ``faults`` are used up.
        batches: Its batch interface.
    """

    def __init__(
        self, model: Model | None = None, *, faults: Iterable[Fault] = (), always: Fault | None = None
    ) -> None:
        self.model = Model() if model is None else model
        self.faults = list(faults)
        self.always = always
        self.batches = Batches()
        self.count = Count()
        self.seen: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self._prompts: list[str] = []
        self._server = LocalServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"endpoint": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.002}, daemon=True)
        self.root = f"http://127.0.0.1:{self._server.server_port}"
        self.url = f"{self.root}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next_fault(self, body: dict[str, Any], headers: dict[str, str]) -> Fault:
        """Take note of a request, and what is to happen to it."""
        with self.lock:
            self.seen.append(body)
            self.headers.append(headers)
            self.count.requests += 1
            if self.faults:
                return self.faults.pop(0)
            return self.always or none()

    def bill(self, completion: _Completion) -> None:
        """Add what an answer costs."""
        with self.lock:
            self.count_in(completion)

    def count_in(self, completion: _Completion) -> None:
        """Add what an answer costs, by whoever holds the lock."""
        self.count.completions += 1
        self.count.input_tokens += completion.input_tokens
        self.count.output_tokens += completion.output_tokens
        self.count.reasoning_tokens += completion.reasoning_tokens
        self.count.cached_tokens += completion.cached_tokens

    def cached(self, body: dict[str, Any]) -> int:
        """Tokens at the beginning of a prompt that stand at the beginning of an earlier one, in whole blocks."""
        prompt = "".join(_prompt(body))
        with self.lock:
            earlier, self._prompts = self._prompts, [*self._prompts[-50:], prompt]
        longest = max((_shared(prompt, other) for other in earlier), default=0)
        return longest // CHARACTERS_A_TOKEN // CACHE_BLOCK * CACHE_BLOCK

    def batch_answer(self, method: str, path: str, content: str, raw: bytes) -> Answer | None:
        """Answer a request about files or batches; None for silence."""
        with self.lock:
            return self.batches.answer(method, path, content, raw, self._one_of_a_batch)

    def _one_of_a_batch(self, body: dict[str, Any]) -> Answer:
        complaint = complaint_about(self.model, body)
        if complaint:
            return 400, _error(complaint[1], complaint[0])
        completion = complete(self.model, body, self.batches.faults.pop(0) if self.batches.faults else none())
        self.count_in(completion)
        return 200, chat_completion(self.model, body, completion)

    def answered(self, code: int) -> None:
        """Count a status."""
        with self.lock:
            self.count.statuses[code] += 1


class LocalServer(ThreadingHTTPServer):
    """Takes many connections at once: where more come than may wait, each further one is tried again after a second."""

    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    endpoint: ClassVar[ScriptedEndpoint]

    def do_GET(self) -> None:
        self._batch(b"")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.endpoint.batches.takes(self.path):
            self._batch(raw)
            return
        body = json.loads(raw)
        fault = self.endpoint.next_fault(body, {name.lower(): value for name, value in self.headers.items()})
        if fault.kind == "hang":
            self.endpoint.closing.wait(fault.seconds)
            self.endpoint.answered(0)
            return
        if fault.kind == "status":
            self._send(fault.status, _error(fault.message), fault.headers)
            return
        complaint = complaint_about(self.endpoint.model, body)
        if complaint:
            self._send(400, _error(complaint[1], complaint[0]))
            return
        time.sleep(self.endpoint.model.seconds)
        self._complete(body, fault)

    def _batch(self, raw: bytes) -> None:
        answer = self.endpoint.batch_answer(self.command, self.path, self.headers.get("content-type", ""), raw)
        self.close_connection = answer is None
        if answer is not None:
            self._send(*answer)

    def _complete(self, body: dict[str, Any], fault: Fault) -> None:
        completion = complete(self.endpoint.model, body, fault)
        if self.endpoint.model.caches:
            completion = replace(completion, cached_tokens=self.endpoint.cached(body))
        self.endpoint.bill(completion)
        wire = anthropic_message if self.path.endswith("/messages") else chat_completion
        self._send(200, wire(self.endpoint.model, body, completion), {}, cut=fault.kind == "cut_body")

    def _send(self, code: int, body: Any, headers: dict[str, str] | None = None, *, cut: bool = False) -> None:
        self.endpoint.answered(code)
        _write(self, code, body, headers or {}, cut=cut)

    def log_message(self, *args: object) -> None:
        pass


def _write(handler: BaseHTTPRequestHandler, code: int, body: Any, headers: dict[str, str], *, cut: bool) -> None:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked may have left
        handler.send_response(code)
        for name, value in ({"content-type": "application/json"} | headers).items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(raw)))
        handler.end_headers()
        handler.wfile.write(raw[: len(raw) // 2] if cut else raw)


def _error(message: str, param: str | None = None) -> dict[str, Any]:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return {"type": "error", "error": error}


def complaint_about(model: Model, body: dict[str, Any]) -> tuple[str, str] | None:
    """The parameter that the model refuses in a request, with the words for it; None where there is none."""
    kind = (body.get("response_format") or {}).get("type")
    used = set(body) | ({"json_schema"} if kind == "json_schema" or "output_config" in body else set())
    for name in ("max_tokens", "max_completion_tokens", "temperature", "top_logprobs", "logprobs", "json_schema",
                 "response_format", "reasoning_effort"):  # fmt: skip
        if name in used and name in model.refuses:
            instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            return name, f"Unsupported parameter: '{name}' is not supported with this model.{instead}"
    asked = limit_of(body)
    if model.most is not None and asked is not None and asked > model.most:
        name = "max_completion_tokens" if "max_completion_tokens" in body else "max_tokens"
        words = f"{name} is too large: {asked}. This model supports at most {model.most} completion tokens."
        return name, words
    return None


def limit_of(body: dict[str, Any]) -> int | None:
    """The longest answer that a request allows."""
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    return None if limit is None else int(limit)


def complete(model: Model, body: dict[str, Any], fault: Fault) -> _Completion:
    """What the model says to a request."""
    system, user = _prompt(body)
    said = model.says(system, user)
    answer = json.dumps(answer_to(model, body, system, user)) if said is None else said
    answer = "" if fault.kind in {"refusal", "filtered", "empty"} else answer
    if fault.kind == "cut_json":
        answer = answer[: len(answer) // 2]
    thinks = round(model.thinks * EFFORTS.get(str(body.get("reasoning_effort", "medium")), 1.0))
    thought, reason = "so it is. " * (thinks * CHARACTERS_A_TOKEN // 10), "stop"
    limit = limit_of(body) or model.most
    room = None if limit is None else max(0, limit - thinks)
    if room is not None and (room == 0 or tokens_of(answer) > room):
        answer, reason = answer[: room * CHARACTERS_A_TOKEN], "length"
    thinks = thinks if limit is None else min(thinks, limit)
    return _Completion(
        text=answer,
        thought=thought[: thinks * CHARACTERS_A_TOKEN],
        refusal=fault.message if fault.kind == "refusal" else "",
        reason="content_filter" if fault.kind == "filtered" else reason,
        input_tokens=tokens_of(system) + tokens_of(user),
        output_tokens=thinks + tokens_of(answer + (fault.message if fault.kind == "refusal" else "")),
        reasoning_tokens=thinks,
    )


def tokens_of(text: str) -> int:
    """Tokens of a text, at four characters each."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def _shared(a: str, b: str) -> int:
    """Characters that both begin with."""
    return next((at for at, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))


def _prompt(body: dict[str, Any]) -> tuple[str, str]:
    """The system's words and the user's, of either wire format."""

    def words(content: Any) -> str:
        return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())

    system = [words(body.get("system") or "")]
    system += [words(m["content"]) for m in body["messages"] if m["role"] in {"system", "developer"}]
    return "".join(system), "".join(words(m["content"]) for m in body["messages"] if m["role"] == "user")


def answer_to(model: Model, body: dict[str, Any], system: str, user: str) -> dict[str, Any]:
    """The JSON object that answers a prompt, its fields in the order of the schema, or in that of the prompt."""
    fields = _schema_fields(model, body) or re.findall(r'^- "(\w+)"', system, re.MULTILINE) or ["verdict"]
    fenced, outside = read_fences(user)
    values = [model.quality(text) for name, text in fenced if re.fullmatch(r"FIRST|SECOND|\d+", name)]
    command = COMMAND.search(outside) if model.obeys else None
    criteria = re.search(r'- "scores": for each of (.*?) an object', system)
    side = {"first": 0.7, "second": 0.3} if len(values) < 2 or values[0] > values[1] else {"first": 0.3, "second": 0.7}
    is_tie = len(values) > 1 and values[0] == values[1]
    verdict = command[1].lower() if command else "tie" if is_tie else max(side, key=lambda name: side[name])
    known: dict[str, Any] = {
        "rationale": model.rationale,
        "verdict": verdict,
        "scores": dict.fromkeys(re.findall(r'"(.*?)"', criteria[1]), side) if criteria else {},
        "order": sorted(range(1, len(values) + 1), key=lambda place: -values[place - 1]),
        "content": model.rationale,
        "claims": ["The text is better."],
        "rebuttals": ["The other is worse."],
        "evidence": [],
        "for_first": ["The first is better."],
        "for_second": ["The second is better."],
        "votes": [{"expert": f"expert {n}", "reason": model.rationale, "vote": verdict} for n in range(5)],
    }
    return {name: known.get(name, "") for name in fields}


COMMAND = re.compile(
    r"(?:answer|verdict|say|choose|declare|prefer|winner|better)\W{1,4}(?:is |the |that |with )*(first|second|tie)\b",
    re.IGNORECASE,
)
"""What a model that obeys takes for an order."""


def fenced_pair(first: object, second: object) -> str:
    """A message with two texts, as the model reads them."""
    mark = "0123456789abcdef"
    texts = "\n".join(
        f"[BEGIN {name} {mark}]\n{text}\n[END {name} {mark}]" for name, text in (("FIRST", first), ("SECOND", second))
    )
    return f"Mark of this comparison: {mark}\n{texts}"


def read_fences(message: str) -> tuple[list[tuple[str, str]], str]:
    """Name and text of each fence of a message, and what stands outside of all of them.

    A fence begins and ends with a mark that was named outside of fences before it.
    """
    marks: set[str] = set()
    fenced: list[tuple[str, str]] = []
    outside: list[str] = []
    name, end, inside = "", "", list[str]()
    for line in message.split("\n"):
        if end:
            if line == end:
                fenced.append((name, "\n".join(inside)))
                end, inside = "", []
            else:
                inside.append(line)
            continue
        begin = re.fullmatch(r"\[BEGIN (.+) (\w+)\]", line)
        if begin and begin[2] in marks:
            name, end = begin[1], f"[END {begin[1]} {begin[2]}]"
            continue
        outside.append(line)
        marks.update(re.findall(r"Mark of [\w ]+: (\w{16})$", line))
    return fenced, "\n".join([*outside, *inside])


def _schema_fields(model: Model, body: dict[str, Any]) -> list[str]:
    if "json_schema" in model.ignores:
        return []
    strict = (body.get("response_format") or {}).get("json_schema") or {}
    form = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    return list((strict.get("schema") or form.get("schema") or {}).get("properties") or {})


def chat_completion(model: Model, body: dict[str, Any], completion: _Completion) -> dict[str, Any]:
    """An answer in OpenAI's wire format."""
    message: dict[str, Any] = {"role": "assistant", "content": completion.text or None}
    if completion.refusal:
        message["refusal"] = completion.refusal
    if completion.thought and model.thoughts == "content":
        message["reasoning_content"] = completion.thought
    if completion.thought and model.thoughts == "tags":
        message["content"] = f"<think>{completion.thought}{'</think>' if completion.text else ''}{completion.text}"
    choice: dict[str, Any] = {"index": 0, "finish_reason": completion.reason, "message": message}
    if body.get("logprobs") and "logprobs" not in model.ignores:
        choice["logprobs"] = {"content": _logprobs(completion.text)}
    whole = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted-1", "choices": [choice],
    }  # fmt: skip
    return whole | ({"usage": _usage(completion)} if model.tells_usage else {})


def _usage(completion: _Completion) -> dict[str, Any]:
    return {
        "prompt_tokens": completion.input_tokens,
        "completion_tokens": completion.output_tokens,
        "total_tokens": completion.input_tokens + completion.output_tokens,
        "completion_tokens_details": {"reasoning_tokens": completion.reasoning_tokens},
        "prompt_tokens_details": {"cached_tokens": completion.cached_tokens},
    }


def _logprobs(text: str) -> list[dict[str, Any]]:
    """Three tokens: what is before the verdict's label, the label with its rival, and the rest."""
    found = re.search(r'"verdict": "(first|second|tie)', text)
    if found is None:
        return [_token(text, {text: 0.0})]
    label = found[1]
    rival = "second" if label == "first" else "first"
    return [
        _token(text[: found.start(1)], {}),
        _token(label, {label: -0.2231, rival: -1.6094}),
        _token(text[found.end(1) :], {}),
    ]


def _token(text: str, alternatives: dict[str, float]) -> dict[str, Any]:
    listed = [{"token": other, "bytes": list(other.encode()), "logprob": at} for other, at in alternatives.items()]
    return {"token": text, "bytes": list(text.encode()), "logprob": -0.2, "top_logprobs": listed}


def anthropic_message(model: Model, body: dict[str, Any], completion: _Completion) -> dict[str, Any]:
    """An answer in Anthropic's wire format."""
    reasons = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
    parts: list[dict[str, Any]] = []
    if completion.thought and model.thoughts == "content":
        parts.append({"type": "thinking", "thinking": completion.thought, "signature": "scripted"})
    if completion.text:
        parts.append({"type": "text", "text": completion.text})
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": str(body.get("model")), "content": parts,
        "stop_reason": "refusal" if completion.refusal else reasons[completion.reason], "stop_sequence": None,
        "usage": {"input_tokens": completion.input_tokens, "output_tokens": completion.output_tokens},
    }  # fmt: skip


def main() -> None:
    """Serve until interrupted, and print the counts at the end."""
    parser = argparse.ArgumentParser(description="A scripted model behind an OpenAI-compatible endpoint.")
    parser.add_argument("--thinks", type=int, default=0, help="tokens that it reasons before each answer")
    parser.add_argument("--most", type=int, help="the largest limit of tokens that it takes")
    parser.add_argument("--refuses", default="", help="parameters that it refuses, with commas between")
    parser.add_argument("--status", type=int, help="answer every request with this status")
    given = parser.parse_args()
    model = Model(thinks=given.thinks, most=given.most, refuses=frozenset(filter(None, given.refuses.split(","))))
    always = None if given.status is None else status(given.status)
    with ScriptedEndpoint(model, always=always) as endpoint, suppress(KeyboardInterrupt):
        print(endpoint.url, flush=True)
        threading.Event().wait()
    print(endpoint.count)


if __name__ == "__main__":
    main()
