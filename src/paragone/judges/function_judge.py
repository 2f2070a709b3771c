"""A Python function as a judge."""

import asyncio
import functools
import hashlib
import importlib
import inspect
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import redirect_stdout, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from paragone.domain import Choice, Question, Usage, Verdict
from paragone.errors import JudgeFailed, UnknownJudge
from paragone.judges.answer import Answer, read_answer, read_order
from paragone.judges.base import DebateCard, JudgeCard, ListCard
from paragone.judges.error_translation import failure_of

Function = Callable[..., object]
"""Called as ``function(first, second, criteria)``, it answers what `read_answer` reads, at once or when awaited; called
as ``function(items, criteria)``, it answers what `read_order` reads, in ids."""

_LONGEST = 100


class FunctionJudge:
    """Asks a Python function: a plain one in a thread, an async one in the loop.

    The function gets two items with ``id`` and ``text`` and the criteria. It answers "first", "second", "tie", None to
    abstain, or a mapping with ``winner`` and, if wanted, ``scores``, ``rationale`` and ``probability``.

    A function of two parameters orders lists: it gets a list of items and the criteria, and answers the list of their
    ids, the best first, or None to abstain. A pair is a list of two to it.

    A function with a parameter ``transcript`` decides debates: it gets the turns, an empty tuple where there was no
    debate.

    A function with a parameter ``dossier`` gets what judges see beside the texts, a `Dossier`, or None.
    """

    def __init__(self, function: str | Function, *, name: str = "", concurrency: int | None = None) -> None:
        """Take the function.

        Args:
            function: The function, or ``module:function``; the module may lie in the current folder.
            name: Names the judge in its identity. Functions of one source that answer differently (made by one factory,
                or instances of one class) need names of their own, or they count as one judge.
            concurrency: How many calls may run at once; a plain function that is not thread-safe needs 1.

        Raises:
            UnknownJudge: If there is no such module or function.
        """
        self._function = load(function) if isinstance(function, str) else function
        self._name = name or (function if isinstance(function, str) else _name(self._function))
        self._is_async = inspect.iscoroutinefunction(self._function)
        self._orders = _takes_lists(self._function)
        identity = f"python:{self._name}{_version(self._function)}"
        lists = ListCard(identity=f"{identity}/lists", most=_LONGEST) if self._orders else None
        self._hears = _parameter(self._function, "transcript")
        self._reads_dossier = _parameter(self._function, "dossier")
        debates = DebateCard(identity=f"{identity}/debates") if self._hears else None
        self._card = JudgeCard(
            identity=identity,
            sends=False,
            reads_ids=True,
            concurrency=concurrency,
            lists=lists,
            debates=debates,
            reads_dossier=self._reads_dossier,
        )

    @property
    def card(self) -> JudgeCard:
        """Names the function, and the version of its source where that can be read."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """Ask the function.

        Raises:
            JudgeFailed: If it raises, or its answer is invalid.
        """
        clock = asyncio.get_running_loop()
        start = clock.time()
        value = await self._ask(question)
        usage = Usage(seconds=clock.time() - start)
        if self._orders:
            return self._ranked(question, value, usage)
        return self._read(value).verdict(self.card.identity_for(question), usage)

    def price(self, question: Question) -> float | None:  # noqa: ARG002  # the same for every question
        """Not known."""
        return None

    async def close(self) -> None:
        """Nothing to give back."""

    async def _ask(self, question: Question) -> object:
        value = self._call(question) if self._is_async else await _in_daemon_thread(lambda: self._call(question))
        if not isinstance(value, Awaitable):
            return value
        try:
            return await value
        except Exception as error:  # a user's function may raise anything
            raise failure_of(self._name, error) from error

    def _call(self, question: Question) -> object:
        # Translated here and not where the thread is awaited, where a StopIteration never arrives.
        arguments = ([*question.items],) if self._orders else (question.first, question.second)
        extra: dict[str, object] = {"transcript": question.transcript} if self._hears else {}
        if self._reads_dossier:
            extra["dossier"] = question.dossier
        try:
            return self._function(*arguments, question.criteria, **extra)
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # raised by the function, not by a person
            raise failure_of(self._name, error) from error

    def _ranked(self, question: Question, value: object, usage: Usage) -> Verdict:
        judge = self.card.identity_for(question)
        if value is None:
            return Verdict(choice=Choice.ABSTAIN, judge=judge, usage=usage)
        try:
            order = read_order(value, [item.id for item in question.items])
        except ValueError as error:
            hint = "; a judge of pairs takes three parameters: first, second, criteria" * isinstance(value, str)
            raise JudgeFailed(f"{self._name}: {error}{hint}", retryable=False) from error
        if question.others:
            return Verdict(choice=Choice.RANKED, judge=judge, order=order, usage=usage)
        return Verdict(choice=(Choice.FIRST, Choice.SECOND)[order[0]], judge=judge, usage=usage)

    def _read(self, value: object) -> Answer:
        try:
            return read_answer(value)
        except ValueError as error:
            raise JudgeFailed(f"{self._name}: {error}", retryable=False) from error


async def _in_daemon_thread(work: Callable[[], object]) -> object:
    """Do the work in a daemon thread, for which not even the interpreter waits once its result is not wanted."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[object] = loop.create_future()

    def finish(value: object, failure: JudgeFailed | None) -> None:
        if not result.done():
            result.set_exception(failure) if failure is not None else result.set_result(value)

    def run() -> None:
        value, failure = None, None
        try:
            value = work()
        except JudgeFailed as error:
            failure = error
        with suppress(RuntimeError):  # the loop is closed: the caller has gone
            loop.call_soon_threadsafe(finish, value, failure)

    try:
        waiting = _WAITING.pop()
    except IndexError:
        waiting = SimpleQueue()
        Thread(target=_work_off, args=(waiting,), daemon=True, name="paragone function judge").start()
    waiting.put(run)
    return await result


_WAITING: "list[SimpleQueue[Callable[[], None]]]" = []
"""The inboxes of threads that have nothing to do: to start one takes longer than most functions do."""
_PATIENCE = 1.0
"""Seconds without a question after which a thread ends."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_WAITING.clear)  # their threads are the parent's


def _work_off(inbox: "SimpleQueue[Callable[[], None]]") -> None:
    """Do what comes into the inbox, until nothing has come for a while."""
    while True:
        try:
            inbox.get(timeout=_PATIENCE)()
        except Empty:
            try:
                _WAITING.remove(inbox)
            except ValueError:
                continue  # somebody has just taken it
            return
        _WAITING.append(inbox)


def load(spec: str) -> Function:
    """The function that ``module:function`` names; the module may lie in the current folder.

    Raises:
        UnknownJudge: If there is no such module or function, or the module cannot be imported.
    """
    module_name, _, path = spec.partition(":")
    if not module_name or not path:
        raise UnknownJudge(f"python:{spec} names no function; write python:MODULE:FUNCTION")
    value: object = _module(module_name)
    for part in path.split("."):
        value = getattr(value, part, None)
    if not callable(value):
        raise UnknownJudge(f"module {module_name!r} has no function {path!r}")
    return value


def _module(name: str) -> object:
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        with redirect_stdout(sys.stderr):  # what a command prints is its own
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise UnknownJudge(f"module {name!r} needs the module {error.name!r}, which is not installed") from error
        raise UnknownJudge(f"no module {name!r}, neither installed nor in {folder}") from error
    except Exception as error:  # a user's module may raise anything when it is imported
        raise UnknownJudge(f"module {name!r} cannot be imported: {type(error).__name__}: {error}") from error


def _takes_lists(function: Function) -> bool:
    """Whether it is called with a list of items and the criteria: it has two parameters and not three."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    parameters = [parameter for parameter in parameters if parameter.name not in ("transcript", "dossier")]
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    open_ended = any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters)
    return not open_ended and sum(parameter.kind in kinds for parameter in parameters) == _OF_A_LIST


_OF_A_LIST = 2


def _parameter(function: Function, name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _bare(function: Function) -> Function:
    return function.func if isinstance(function, functools.partial) else function


def _name(function: Function) -> str:
    bare = _bare(function)
    target = bare if hasattr(bare, "__qualname__") else type(bare)
    return f"{target.__module__}:{getattr(target, '__qualname__', '')}"


def _version(function: Function) -> str:
    """``@`` and a hash of the source, so that verdicts of an older version are not taken for those of this one."""
    try:
        source = inspect.getsource(inspect.unwrap(_bare(function)))
    except (OSError, TypeError):
        return ""
    return f"@{hashlib.sha256(source.encode()).hexdigest()[:12]}"
