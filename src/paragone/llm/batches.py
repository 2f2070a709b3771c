"""Questions sent together through a provider's batch interface: about half the price, and hours of patience.

The provider keeps the only record of what was sent. A batch says in its metadata that it is ours, and each of its lines
carries an id made from the question. So whoever asks the same again, also after a crash at any instant, finds what is
under way or done, and nothing is paid for twice. Source: OpenAI, "Batch API", https://platform.openai.com/docs/guides/batch
"""

import asyncio
import hashlib
import itertools
import json
import logging
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from paragone.errors import JudgeFailed
from paragone.llm.client import REQUEST_TIMEOUT, ModelLimits, ModelRequest, Reply
from paragone.llm.endpoint import EndpointClient, failures, parameters, structure_of
from paragone.llm.failures import CallTarget, of_answer, of_status
from paragone.llm.negotiation import Refusal, is_refusal
from paragone.llm.prices import Price
from paragone.llm.remote_calls import check_allowed

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Batch

_LOG = logging.getLogger("paragone.llm")

PRICE_SHARE = 0.5
"""What a request in a batch costs beside one that is sent alone, at OpenAI."""
MOST = 10_000
"""Questions of one batch at the most. OpenAI takes 50,000 lines and 200 MB."""
_QUIET = 1.0
_POLLS = (1.0, 60.0)
_TAG = "paragone"
_PATH: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_PLAIN = "-plain"
_OK = 200
_FINAL = frozenset({"completed", "failed", "expired", "cancelled"})
_DIGITS = 40
_HOUR = 3600.0
_LONGEST = 24 * _HOUR  # what a provider may take for a batch, and so how old one may be that somebody waits for

Line = dict[str, Any]
"""One line of a batch's output."""


class BatchClient(EndpointClient):
    """A model whose questions are sent in batches, but for the first.

    The first is sent alone, at its full price: it shows in seconds what the endpoint refuses, and not after hours.
    """

    def __init__(
        self,
        model: str,
        *,
        hours: float,
        base_url: str | None = None,
        timeout: float = REQUEST_TIMEOUT,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Open a client; see ``connect``.

        Args:
            model: The model's name.
            hours: How long to wait for a batch before it is cancelled.
            base_url: Address of the endpoint; None for the provider's own.
            timeout: Seconds that one request about a batch may take.
            sleep: How to wait.
        """
        super().__init__(model, base_url=base_url, timeout=timeout)
        self._queue = BatchQueue(self._sdk, self._target, timeout=timeout, patience=hours * _HOUR, sleep=sleep)
        self._first = asyncio.Lock()
        self._has_answered = False

    def __repr__(self) -> str:
        return f"BatchClient({self.model!r}, host={self._target.host!r})"

    @property
    def price(self) -> Price | None:
        """Half the list price; None where that is not known."""
        full = super().price
        if full is None:
            return None
        return Price(
            input_per_million=PRICE_SHARE * full.input_per_million,
            output_per_million=PRICE_SHARE * full.output_per_million,
        )

    async def ask(self, request: ModelRequest) -> Reply:
        """Ask once, without retries: the first question alone, all others in batches."""
        check_allowed(self.base_url)
        await self._queue.recover()
        key = _key(self.model, request)
        if not self._has_answered and not self._queue.has(key):
            async with self._first:
                if not self._has_answered:
                    reply = await super().ask(request)
                    self._has_answered = True
                    return reply

        async def send(adapted: ModelRequest, terms: ModelLimits) -> Reply | Refusal:
            answer = await self._queue.ask(key, parameters(self.model, adapted, terms), plain=adapted is not request)
            return answer if isinstance(answer, Refusal) else self._reply_of(answer, adapted, terms)

        return await self._negotiation.settle(request, send)

    async def close(self) -> None:
        """Close the connections. Batches go on at the provider."""
        await self._queue.close()
        await super().close()

    def _reply_of(self, body: Mapping[str, Any], request: ModelRequest, terms: ModelLimits) -> Reply:
        from openai.types.chat import ChatCompletion

        return self._reply(ChatCompletion.construct(**body), structure_of(request, terms))


def _key(model: str, request: ModelRequest) -> str:
    """What a question is known by at the provider; the same for the same question of the same call."""
    text = json.dumps([model, asdict(request)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A question in a batch: its id there, what it was asked in, and the line that answers it."""

    id: str
    plain: bool
    line: "asyncio.Future[Line]"


@dataclass(frozen=True, slots=True)
class _Question:
    entry: _Entry
    body: dict[str, Any]


class BatchQueue:
    """The questions of one process that go in batches, and their answers.

    Attributes:
        target: Where batches go.
    """

    def __init__(
        self,
        sdk: "AsyncOpenAI",
        target: CallTarget,
        *,
        timeout: float,
        patience: float,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Begin with no question.

        Args:
            sdk: The library's client.
            target: Where batches go.
            timeout: Seconds that one request about a batch may take.
            patience: Seconds after which a batch without answers is cancelled.
            sleep: How to wait.
            clock: Seconds since the epoch.
        """
        self.target = target
        self._sdk, self._timeout, self._patience = sdk, timeout, patience
        self._sleep, self._clock = sleep, clock
        self._waiting: list[_Question] = []
        self._entries: defaultdict[str, list[_Entry]] = defaultdict(list)
        self._taken: Counter[str] = Counter()  # how many of a question's entries have been handed out
        self._recovery: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._sender: asyncio.Task[None] | None = None
        self._arrived = 0.0

    def has(self, key: str) -> bool:
        """Whether a question is under way or answered, from before a crash."""
        return len(self._entries[key]) > self._taken[key]

    async def recover(self) -> None:
        """Find the batches that are under way or done, once."""
        if self._recovery is None:
            self._recovery = asyncio.create_task(self._recover())
        try:
            await asyncio.shield(self._recovery)
        except JudgeFailed:
            self._recovery = None
            raise

    async def ask(self, key: str, body: dict[str, Any], *, plain: bool) -> Mapping[str, Any] | Refusal:
        """Put a question into the next batch, or take its answer from an earlier one.

        Args:
            key: What the question is known by.
            body: What is sent.
            plain: Whether it asks for the form without log-probabilities.

        Returns:
            The body of the answer, or a refusal of the request.

        Raises:
            JudgeFailed: If there is no answer, or the endpoint failed.
        """
        entry = self._next(key)
        if entry is not None and entry.plain and not plain:
            return Refusal(400, "logprobs: refused when this was asked before")
        if entry is None or entry.plain != plain:
            entry = self._enqueue(key, body, plain=plain)
        try:
            line = await asyncio.shield(entry.line)
        finally:
            if entry.line.done():
                self._taken[key] = self._entries[key].index(entry) + 1
        return self._body(line)

    def _next(self, key: str) -> _Entry | None:
        return self._entries[key][self._taken[key]] if self.has(key) else None

    def _enqueue(self, key: str, body: dict[str, Any], *, plain: bool) -> _Entry:
        entry = self._entry(f"{key}-{len(self._entries[key])}{_PLAIN if plain else ''}")
        self._waiting.append(_Question(entry, body))
        self._arrived = self._clock()
        if self._sender is None or self._sender.done():
            self._sender = self._start(self._send_when_quiet())
        return entry

    def _entry(self, id: str) -> _Entry:
        """A further entry of the question that an id stands for."""
        entry = _Entry(id, id.endswith(_PLAIN), asyncio.get_running_loop().create_future())
        self._entries[id.partition("-")[0]].append(entry)
        return entry

    async def close(self) -> None:
        """Stop waiting for batches; they go on at the provider."""
        tasks = [*self._tasks, *([self._recovery] if self._recovery else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for entry in itertools.chain.from_iterable(self._entries.values()):
            if entry.line.done() and not entry.line.cancelled():
                entry.line.exception()  # or asyncio would complain: nobody may be left who asks

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # Sending

    async def _send_when_quiet(self) -> None:
        while self._waiting:
            while len(self._waiting) < MOST and self._clock() - self._arrived < _QUIET:
                await self._sleep(_QUIET / 4)
            questions, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            entries = {question.entry.id: question.entry for question in questions}
            try:
                with self._distrusted():
                    batch = await self._submit(questions)
            except JudgeFailed as failure:
                _fail(entries.values(), failure)
                continue
            _LOG.warning(
                "%d questions for %s are in %s at %s, which may take hours; after Ctrl-C, resume waits for the same",
                len(questions), self.target.model, batch.id, self.target.host,
            )  # fmt: skip
            self._start(self._follow(batch, entries))

    async def _submit(self, questions: list[_Question]) -> "Batch":
        """Send a batch. One whose receipt was lost is looked for before it is sent again."""
        nonce = uuid4().hex
        lines = [
            json.dumps({"custom_id": each.entry.id, "method": "POST", "url": _PATH, "body": each.body})
            for each in questions
        ]
        with self._failures():
            file = await self._sdk.files.create(
                file=("questions.jsonl", ("\n".join(lines) + "\n").encode()), purpose="batch"
            )
        try:
            with self._failures():
                return await self._sdk.batches.create(
                    input_file_id=file.id, endpoint=_PATH, completion_window="24h", metadata={_TAG: nonce}
                )
        except JudgeFailed as failure:
            if failure.tokens == (0, 0):  # it was refused, or never sent
                raise
            async for batch in self._own_batches():
                if (batch.metadata or {}).get(_TAG) == nonce:
                    return batch
            raise

    # Waiting

    async def _follow(self, batch: "Batch", entries: Mapping[str, _Entry]) -> None:
        """Wait for a batch, and hand out its answers."""
        try:
            with self._distrusted():
                batch = await self._finished(batch)
            for id, line in (await self._lines(batch)).items():
                if id in entries and not entries[id].line.done():
                    entries[id].line.set_result(line)
            _fail(entries.values(), self._incomplete(batch))
        except JudgeFailed as failure:
            _fail(entries.values(), failure)

    async def _finished(self, batch: "Batch") -> "Batch":
        pause, longest = _POLLS
        created = float(batch.created_at or self._clock())
        while batch.status not in _FINAL:
            if self._clock() - created > self._patience:
                return await self._cancelled(batch)
            await self._sleep(pause)
            pause = min(longest, 1.5 * pause)
            try:
                with self._failures():
                    batch = await self._sdk.batches.retrieve(batch.id)
            except JudgeFailed as failure:
                if failure.misuse:
                    raise
                _LOG.info("no news of %s: %s", batch.id, failure)
        return batch

    async def _cancelled(self, batch: "Batch") -> "Batch":
        """Cancel a batch that takes too long; what was answered by then counts."""
        with self._failures():
            batch = await self._sdk.batches.cancel(batch.id)
        for _ in range(20):
            if batch.status in _FINAL:
                break
            await self._sleep(_POLLS[0])
            with self._failures():
                batch = await self._sdk.batches.retrieve(batch.id)
        return batch

    async def _lines(self, batch: "Batch") -> dict[str, Line]:
        """The lines of a batch's answers and errors by the ids of their questions. Untrusted."""
        lines: dict[str, Line] = {}
        for file in (batch.output_file_id, batch.error_file_id):
            for line in [] if file is None else await self._read(file):
                if isinstance(line.get("custom_id"), str):
                    lines.setdefault(line["custom_id"], line)
        return lines

    async def _read(self, file: str) -> list[Line]:
        with self._failures():
            text = (await self._sdk.files.content(file)).text
        lines = []
        for raw in text.split("\n"):
            try:
                line = json.loads(raw) if raw.strip() else None
            except ValueError:
                continue
            if isinstance(line, dict):
                lines.append(line)
        return lines

    # After a crash

    async def _recover(self) -> None:
        earliest = self._clock() - self._patience - _LONGEST
        with self._distrusted():
            batches = [batch async for batch in self._own_batches() if (batch.created_at or 0) >= earliest]
            for batch in reversed(batches):  # the oldest first
                await self._take_up(batch)

    async def _take_up(self, batch: "Batch") -> None:
        if batch.status in _FINAL:
            for id, line in (await self._lines(batch)).items():
                if _response(line).get("status_code") == _OK:
                    self._entry(id).line.set_result(line)
            return
        ids = [str(line["custom_id"]) for line in await self._read(batch.input_file_id) if "custom_id" in line]
        self._start(self._follow(batch, {id: self._entry(id) for id in ids}))

    async def _own_batches(self) -> "AsyncIterator[Batch]":
        with self._failures():
            async for batch in self._sdk.batches.list(limit=100):
                if (batch.metadata or {}).get(_TAG):
                    yield batch

    # Answers

    def _body(self, line: Line) -> Mapping[str, Any] | Refusal:
        response, error = _response(line), line.get("error")
        status, body = response.get("status_code"), response.get("body")
        if not isinstance(body, dict) or not isinstance(status, int):
            message = error.get("message", "") if isinstance(error, dict) else ""
            raise of_answer(f"its line in the batch has no answer: {message}", self.target, tokens=(0, 0))
        if status == _OK:
            return body
        refusal = body.get("error")
        fields = refusal if isinstance(refusal, dict) else {}
        detail = " ".join(str(fields.get(key) or "") for key in ("message", "param")) if fields else ""
        if is_refusal(status):
            return Refusal(status, detail)
        raise of_status(status, detail, self.target)

    def _incomplete(self, batch: "Batch") -> JudgeFailed:
        """The failure of questions that a batch ended without answering."""
        problems = [str(each.message) for each in (batch.errors.data or [])] if batch.errors else []
        if batch.status == "failed":
            failure = of_answer("; ".join(problems) or "no reason was given", self.target)
            return JudgeFailed(f"{batch.id} was not taken: {failure}", retryable=False, tokens=(0, 0))
        ending = "cancelled before it was done" if batch.status == "cancelled" else batch.status
        text = f"{self.target.host} left a question of {batch.id} without an answer: the batch is {ending}"
        return JudgeFailed(text, retryable=batch.status != "cancelled", tokens=(0, 0))

    @contextmanager
    def _distrusted(self) -> Iterator[None]:
        """Turn what is no batch into a failure: the library does not check the shape of answers."""
        try:
            yield
        except (AttributeError, TypeError, ValueError, KeyError) as error:
            raise of_answer(f"it is not a batch ({type(error).__name__})", self.target) from None

    @contextmanager
    def _failures(self) -> Iterator[None]:
        missing = (
            f"{self.target.host} has no batch interface (404): leave out the option batch_hours of the judge's spec"
        )
        with failures(self.target, self._timeout, missing=missing):
            yield


def _response(line: Line) -> dict[str, Any]:
    response = line.get("response")
    return response if isinstance(response, dict) else {}


def _fail(entries: Iterable[_Entry], failure: JudgeFailed) -> None:
    """Fail those that have no answer yet."""
    for entry in entries:
        if not entry.line.done():
            entry.line.set_exception(_copy(failure))


def _copy(failure: JudgeFailed) -> JudgeFailed:
    """The same failure for another question: each is counted by itself."""
    return JudgeFailed(
        str(failure),
        retryable=failure.retryable,
        retry_after=failure.retry_after,
        permanent=failure.permanent,
        misuse=failure.misuse,
        tokens=failure.tokens,
    )
