"""A program as a judge: long-lived, one JSON object a line."""

import asyncio
import shlex
import shutil
from collections.abc import Sequence

from paragone.domain import Choice, DebateTurn, Question, Usage, Verdict
from paragone.errors import JudgeFailed, UnknownJudge
from paragone.judges.answer import read_answer
from paragone.judges.base import DebateCard, JudgeCard
from paragone.judges.program import Program


class CommandJudge:
    """Asks a program over its standard input and output.

    It reads one JSON object a line, ``{"call", "first": {"id", "text"}, "second": {"id", "text"}, "criteria"}``, and
    writes one a line, ``{"call", "winner": "first"|"second"|"tie"|"abstain", "rationale"}`` (``probability`` and
    ``scores`` if it likes), in any order; ``call`` says which question an answer belongs to. After a debate the
    question has its turns too: ``transcript``, a list of ``{"speaker", "stage", "content", "claims", "rebuttals",
    "evidence"}``. The program is started with the first question, without a shell, and again after it died or got out
    of step; after ``restarts`` starts in a row without an answer it is given up.
    """

    def __init__(self, command: str | Sequence[str], *, concurrency: int = 8, restarts: int = 3) -> None:
        """Take the command.

        Args:
            command: Program and arguments; a string is split as a shell would split it. Keep keys out of it and in the
                environment: it is the judge's identity and is stored.
            concurrency: How many questions the program gets before it has answered the first.
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
        )

    @property
    def card(self) -> JudgeCard:
        """Names the command."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """Ask the program.

        Raises:
            JudgeFailed: If the program died, got out of step, or answered what is no answer.
        """
        clock = asyncio.get_running_loop()
        start = clock.time()
        program = await self._running()
        reply = await program.ask(question.call, _asked(question))
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
                self._refuse_another_start()
                self._fruitless += 1
                await self._end()
                self._program = await Program.start(self._arguments)
            return self._program

    async def _end(self) -> None:
        program, self._program = self._program, None
        if program is not None:
            await program.end()

    def _refuse_another_start(self) -> None:
        if self._fruitless >= self._restarts:
            raise JudgeFailed(
                f"{self._arguments[0]} was started {self._fruitless} times in a row without an answer and is not "
                "started again",
                attempts=0,
                aside="" if self._program is None else self._program.last_words,
                permanent=True,
            )

    def _verdict(self, question: Question, reply: dict[str, object], usage: Usage) -> Verdict:
        try:
            answer = read_answer(reply)
        except ValueError as error:
            raise JudgeFailed(f"{self._arguments[0]}: {error}", retryable=False) from error
        return Verdict(
            choice=answer.choice,
            judge=self.card.identity_for(question),
            probability=None if answer.choice is Choice.ABSTAIN else answer.probability,
            scores=answer.scores,
            rationale=answer.rationale,
            usage=usage,
        )


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


def _asked(question: Question) -> dict[str, object]:
    asked: dict[str, object] = {
        "call": question.call,
        "first": {"id": question.first.id, "text": question.first.text},
        "second": {"id": question.second.id, "text": question.second.text},
        "criteria": question.criteria,
    }
    return {**asked, "transcript": [_said(turn) for turn in question.transcript]} if question.turns else asked


def _said(turn: DebateTurn) -> dict[str, object]:
    return {
        "speaker": turn.speaker.value,
        "stage": turn.stage.value,
        "content": turn.content,
        "claims": list(turn.claims),
        "rebuttals": list(turn.rebuttals),
        "evidence": list(turn.evidence),
    }
