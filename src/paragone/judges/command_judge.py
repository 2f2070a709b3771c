"""A program as a judge: a long-lived process, one JSON object a line."""

import asyncio
import contextlib
import json
import os
import shlex
import shutil
import signal
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Mapping, Sequence

from paragone.domain import DebateTurn, Question, Usage, Verdict
from paragone.domain.text import visible
from paragone.errors import JudgeFailed, UnknownJudge
from paragone.judges.answer import read_answer
from paragone.judges.base import DebateCard, JudgeCard

Reply = dict[str, object]

_LONGEST_LINE = 16 * 1024 * 1024
_TAIL = 2_000
_PATIENCE = 2.0


class Program:
    """One run of a program, from its start to its end.

    A question is one line in and its answer one line out, matched by name. Whatever breaks that (an end, a line that is
    no JSON object, an answer to no question) ends the run: all questions in flight fail with the reason and a hint,
    the last that the program wrote to its standard error.
    """

    def __init__(self, name: str, process: Process) -> None:
        """Take a process whose three streams are pipes; `start` makes one."""
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError(f"the standard streams of {name} must be pipes")
        self._name = name
        self._process = process
        self._input, self._output, self._errors = process.stdin, process.stdout, process.stderr
        self._asked: dict[str, deque[asyncio.Future[Reply]]] = {}
        self._tail = bytearray()
        self._ended = ""
        self._alive = True
        self._draining = asyncio.create_task(self._drain())
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, arguments: Sequence[str]) -> "Program":
        """Run a program in a session of its own, so that Ctrl-C at the terminal does not cut off its answers.

        Raises:
            JudgeFailed: If it cannot be run.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=_LONGEST_LINE, start_new_session=True
            )
        except OSError as error:
            raise JudgeFailed(f"{arguments[0]} cannot be run: {error.strerror or error}") from error
        return cls(arguments[0], process)

    @property
    def is_alive(self) -> bool:
        """Whether it may still answer."""
        return self._alive

    @property
    def reason(self) -> str:
        """Why it will not answer any more, in words; empty while it may."""
        return self._ended

    @property
    def last_words(self) -> str:
        """The end of what it wrote to its standard error, without control characters; empty if that is nothing.

        It is shown and never kept: a program may well write a key there.
        """
        text = visible(self._tail.decode("utf-8", "replace"))
        return f"{self._name} wrote: {text}" if text else ""

    async def ask(self, call: str, question: Mapping[str, object]) -> Reply:
        """The answer to one question.

        Raises:
            JudgeFailed: If the run ended before the answer came.
        """
        if self._ended:
            raise JudgeFailed(self._ended, hint=self.last_words)
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._asked.setdefault(call, deque()).append(future)
        try:
            self._input.write(json.dumps(question).encode("ascii") + b"\n")
            # A program that went away is reported by the reader, which also knows how it ended.
            with contextlib.suppress(ConnectionError):
                await self._input.drain()
            return await future
        finally:
            future.cancel()

    async def end(self) -> None:
        """End its input, wait a little, then kill it; questions in flight fail."""
        # A run that is breaking down already is left to say why; one that does not end is not waited for.
        patience = _PATIENCE if self._alive else None
        self._alive = False
        self._input.close()
        await asyncio.wait([self._reading], timeout=patience)
        self._kill()
        await self._process.wait()
        self._reading.cancel()
        self._draining.cancel()
        await asyncio.gather(self._reading, self._draining, return_exceptions=True)
        self._give_up(f"{self._name} was closed")

    async def _read(self) -> None:
        reason = await self._pass_on()
        self._alive = False
        if not reason:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _PATIENCE)
            reason = f"{self._name} {_manner(self._process.returncode)}"
        self._kill()
        await self._process.wait()
        # Standard error may still be on its way when the output has ended.
        await asyncio.wait([self._draining], timeout=_PATIENCE)
        self._give_up(reason)

    async def _pass_on(self) -> str:
        """Pass on answers until the output ends; return why, if it was stopped before that."""
        while True:
            try:
                line = await self._output.readline()
            except ValueError:
                return f"{self._name} wrote a line of more than {_LONGEST_LINE // 1024**2} MiB"
            if not line:
                return ""
            if line.strip() and not self._settle(line):
                return (
                    f"{self._name} wrote what answers no question: {_brief(line)} (an answer is one line of JSON with "
                    "the question's call; anything else belongs on standard error)"
                )

    def _settle(self, line: bytes) -> bool:
        """Settle the question that a line answers; False if it answers none."""
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            return False
        call = reply.get("call") if isinstance(reply, dict) else None
        waiting = self._asked.get(call) if isinstance(call, str) else None
        if not waiting:
            return False
        # A question that was given up may be asked again under the same name: who still waits comes first.
        future = next((future for future in waiting if not future.done()), waiting[0])
        waiting.remove(future)
        if not future.done():
            future.set_result(reply)
        return True

    async def _drain(self) -> None:
        while piece := await self._errors.read(4096):
            self._tail += piece
            del self._tail[:-_TAIL]

    def _give_up(self, reason: str) -> None:
        self._ended = self._ended or reason
        unanswered = [future for waiting in self._asked.values() for future in waiting if not future.done()]
        self._asked.clear()
        for future in unanswered:
            future.set_exception(JudgeFailed(self._ended, hint=self.last_words))

    def _kill(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)


def _manner(code: int | None) -> str:
    if code is None:
        return "closed its output"
    return f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"


def _brief(line: bytes) -> str:
    text = visible(line.decode("utf-8", "replace"))
    return text if len(text) <= 80 else f"{text[:77]}..."


class CommandJudge:
    """Asks a program over its standard input and output.

    It reads one JSON object a line, ``{"call", "first": {"id", "text"}, "second": {"id", "text"}, "criteria"}``, and
    writes one a line, ``{"call", "winner": "first"|"second"|"tie"|"abstain", "rationale"}`` (``probability`` and
    ``scores`` if it likes), in any order; ``call`` says which question an answer belongs to. After a debate the
    question has its turns too: ``transcript``, a list of ``{"speaker", "stage", "content", "claims", "rebuttals",
    "evidence"}``; in a tournament with a dossier it has ``dossier``, an object with its parts. The program is started
    with the first question, without a shell, and again after it died or broke the protocol; after
    ``restarts`` starts in a row without an answer it is given up.
    """

    def __init__(self, command: str | Sequence[str], *, concurrency: int = 8, restarts: int = 3) -> None:
        """Take the command.

        Args:
            command: Program and arguments; a string is split as a shell would split it. Keep keys out of it and in the
                environment: it is the judge's identity and is stored.
            concurrency: The most questions in flight.
            restarts: Starts in a row without an answer before it is given up.

        Raises:
            UnknownJudge: If there is no such program.
        """
        self._arguments = _arguments(command)
        self._restarts = restarts
        self._program: Program | None = None
        self._starting = asyncio.Lock()
        self._fruitless = 0
        identity = f"command:{shlex.join(self._arguments)}"
        self._card = JudgeCard(
            identity=identity,
            sends=False,
            reads_ids=True,
            concurrency=concurrency,
            debates=DebateCard(identity=f"{identity}/debates"),
            reads_dossier=True,
        )

    @property
    def card(self) -> JudgeCard:
        """Names the command."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """Ask the program.

        Raises:
            JudgeFailed: If the program died, broke the protocol, or gave an invalid answer.
        """
        clock = asyncio.get_running_loop()
        start = clock.time()
        program = await self._running()
        reply = await program.ask(question.call, _request(question))
        self._fruitless = 0
        usage = Usage(seconds=clock.time() - start)
        return self._verdict(question, reply, usage)

    def price(self, question: Question) -> float | None:  # noqa: ARG002  # the same for every question
        """Not known."""
        return None

    async def close(self) -> None:
        """End the program: its input ends, and if it does not, it is killed."""
        async with self._starting:
            await self._end()

    async def _running(self) -> Program:
        async with self._starting:
            if self._program is None or not self._program.is_alive:
                await self._end()
                self._refuse_another_start()
                self._fruitless += 1
                self._program = await Program.start(self._arguments)
            return self._program

    async def _end(self) -> None:
        if self._program is not None:
            await self._program.end()  # and it stays, as it can say why

    def _refuse_another_start(self) -> None:
        if self._fruitless >= self._restarts:
            reason, hint = ("", "") if self._program is None else (self._program.reason, self._program.last_words)
            raise JudgeFailed(
                f"{self._arguments[0]} was started {self._fruitless} times in a row without an answer and is not "
                f"started again{reason and f': {reason}'}",
                attempts=0,
                hint=hint,
                permanent=True,
            )

    def _verdict(self, question: Question, reply: dict[str, object], usage: Usage) -> Verdict:
        try:
            answer = read_answer(reply)
        except ValueError as error:
            raise JudgeFailed(f"{self._arguments[0]}: {error}", retryable=False) from error
        return answer.verdict(self.card.identity_for(question), usage)


def _arguments(command: str | Sequence[str]) -> tuple[str, ...]:
    try:
        arguments = tuple(shlex.split(command) if isinstance(command, str) else command)
    except ValueError as error:
        raise UnknownJudge(f"command:{command} cannot be split into program and arguments: {error}") from error
    if not arguments:
        raise UnknownJudge("command: names no program; write command:PROGRAM ARGS")
    if shutil.which(arguments[0]) is None:
        raise UnknownJudge(f"there is no program {arguments[0]!r} that can be run; check the path and its permissions")
    return arguments


def _request(question: Question) -> dict[str, object]:
    record: dict[str, object] = {
        "call": question.call,
        "first": {"id": question.first.id, "text": question.first.text},
        "second": {"id": question.second.id, "text": question.second.text},
        "criteria": question.criteria,
    }
    if question.dossier is not None:
        record["dossier"] = question.dossier.as_json()
    return {**record, "transcript": [_turn(turn) for turn in question.transcript]} if question.turns else record


def _turn(turn: DebateTurn) -> dict[str, object]:
    return {
        "speaker": turn.speaker.value,
        "stage": turn.stage.value,
        "content": turn.content,
        "claims": list(turn.claims),
        "rebuttals": list(turn.rebuttals),
        "evidence": list(turn.evidence),
    }
