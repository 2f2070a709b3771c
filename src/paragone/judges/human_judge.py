"""A person at the terminal as a judge."""

import asyncio
import io
import re
import shutil
import signal
import sys
import textwrap
from itertools import zip_longest
from typing import TextIO

from paragone.domain import Choice, DebateTurn, Question, Speaker, Usage, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.base import DebateCard, JudgeCard
from paragone.judges.dossier_prompt import fitted

_KEYS = {"1": Choice.FIRST, "2": Choice.SECOND, "t": Choice.TIE, "s": Choice.ABSTAIN}
_PROMPT = "1 or 2 is better, t tie, s skip, q quit: "
_GUTTER = " │ "
_SIDE_BY_SIDE = 100
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class HumanJudge:
    """Shows two texts and asks a person which is better; blind: no ids, no ratings.

    The texts stand side by side where the terminal is wide enough, else one above the other. Control characters in them
    are replaced, so that a text cannot take over the terminal. Keys, followed by Enter: 1, 2, t for a tie, s to skip
    (an abstention), q to quit.
    """

    def __init__(
        self, *, input: TextIO | None = None, output: TextIO | None = None, width: int | None = None, name: str = ""
    ) -> None:
        """Take the streams.

        Args:
            input: Where answers come from; standard input by default.
            output: Where the texts go; standard error by default, so that standard output stays clean for results.
            width: Columns of the terminal; asked of it by default.
            name: Who is asked; part of the identity, so that two people are two judges.
        """
        self._input = sys.stdin if input is None else input
        self._output = sys.stderr if output is None else output
        self._width = width
        self._asking = asyncio.Lock()
        identity = f"human:{name}" if name else "human"
        self._card = JudgeCard(
            identity=identity,
            sends=False,
            concurrency=1,
            interactive=True,
            debates=DebateCard(identity=f"{identity}/debates"),
            reads_dossier=True,
        )

    @property
    def card(self) -> JudgeCard:
        """One question at a time, at this terminal."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """Ask the person, again where the answer is none of the keys.

        Quitting and the end of the input act like Ctrl-C: the run is interrupted as it has arranged for, and the
        question stays open.

        Raises:
            JudgeFailed: If the person quit and a handler of interrupts is installed.
            KeyboardInterrupt: If the person quit and interrupts are ignored.
        """
        clock = asyncio.get_running_loop()
        async with self._asking:
            start = clock.time()
            width = self._width or shutil.get_terminal_size().columns
            print(formatted_question(question, width), file=self._output)
            choice = await self._choice()
            usage = Usage(seconds=clock.time() - start)
            return Verdict(choice=choice, judge=self.card.identity_for(question), usage=usage)

    def price(self, question: Question) -> float | None:  # noqa: ARG002  # the same for every question
        """None: a person's time has no known price."""
        return None

    async def close(self) -> None:
        """Nothing to give back."""

    async def _choice(self) -> Choice:
        while True:
            print(_PROMPT, end="", file=self._output, flush=True)
            line = await self._line()
            key = line.strip().lower()
            if not line or key == "q":
                await _interrupt()
                raise JudgeFailed("the person at the terminal quit", retryable=False, attempts=0)
            if key in _KEYS:
                return _KEYS[key]

    async def _line(self) -> str:
        # At a terminal, wait in the event loop and not in readline, so that Ctrl-C and timeouts reach a waiting judge.
        # Other streams may have read ahead, and then nothing would ever arrive to wait for.
        if self._input.isatty():
            await _readable(self._input)
        return self._input.readline()


async def _interrupt() -> None:
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):  # as in a shell's background jobs
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)
    await asyncio.sleep(0)  # where the interrupt cancels this call, it does so here


async def _readable(stream: TextIO) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    try:
        loop.add_reader(stream.fileno(), ready.set)
    except (NotImplementedError, io.UnsupportedOperation):
        return
    try:
        await ready.wait()
    finally:
        loop.remove_reader(stream.fileno())


def formatted_question(question: Question, width: int) -> str:
    """The question as a person sees it: dossier, criteria, two numbered texts and what was said, in so many columns."""
    first, second = _clean(question.first.text), _clean(question.second.text)
    head = "\n".join(textwrap.wrap(f"Which is better? {_clean(question.criteria)}", width))
    body = _beside(first, second, width) if width >= _SIDE_BY_SIDE else _above(first, second, width)
    turns = [line for turn in question.transcript for line in _turn(turn, width)]
    transcript = "".join(f"{line}\n" for line in ["", *turns]) if turns else ""
    return f"\n{_dossier(question, width)}{head}\n\n{body}\n{transcript}"


def _dossier(question: Question, width: int) -> str:
    """What is known beside the texts; empty if nothing is."""
    if question.dossier is None or question.dossier.is_empty:
        return ""
    fits = fitted(question.dossier)
    parts = [*fits.sections, *((f"NOTES ON [{number}]", text) for number, text in enumerate(fits.notes, 1) if text)]
    lines = [line for name, text in parts for line in _wrapped(f"--- {name.lower()}\n{_clean(text)}", width)]
    return "\n".join([*lines, "", ""])


def _turn(turn: DebateTurn, width: int) -> list[str]:
    number = {Speaker.FIRST: 1, Speaker.SECOND: 2}[turn.speaker]
    cited = [f"cites: {_clean(source)}" for source in turn.evidence]
    parts = [f"--- {turn.stage} for [{number}]", _clean(turn.content), *cited]
    return [line for part in parts for line in _wrapped(part, width)]


def _beside(first: str, second: str, width: int) -> str:
    column = (width - len(_GUTTER)) // 2
    rows = zip_longest(_wrapped(f"[1]\n{first}", column), _wrapped(f"[2]\n{second}", column), fillvalue="")
    return "\n".join(f"{left_line:<{column}}{_GUTTER}{right}".rstrip() for left_line, right in rows)


def _above(first: str, second: str, width: int) -> str:
    parts = (_wrapped(f"[1]\n{first}", width), ["-" * width], _wrapped(f"[2]\n{second}", width))
    return "\n".join(line for part in parts for line in part)


def _wrapped(text: str, width: int) -> list[str]:
    return [piece for line in text.splitlines() for piece in textwrap.wrap(line, width) or [""]]


def _clean(text: str) -> str:
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n").expandtabs(4))
