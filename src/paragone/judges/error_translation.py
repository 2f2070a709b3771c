"""Whatever a judge of somebody else's raises, as a failure of its answer: it must not end a run in a traceback."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from types import new_class
from typing import TypeVar

from paragone.domain import Question, Verdict
from paragone.errors import JudgeFailed, ParagoneError
from paragone.judges.base import Judge, Wrapper

AnyJudge = TypeVar("AnyJudge", bound=Judge)

_FAULTS = (TypeError, AttributeError, NameError, ImportError, NotImplementedError, SyntaxError)
"""Errors of the judge's code itself: called in the same way again, it would raise them again."""


def failure_of(who: str, error: BaseException) -> JudgeFailed:
    """The failure of an answer, with the error's type and message; a ``JudgeFailed`` is returned as it is."""
    if isinstance(error, JudgeFailed):
        return error
    text = f"{who} raised {type(error).__name__}: {error}"
    return JudgeFailed(text, retryable=not isinstance(error, _FAULTS))


def with_clear_failures(judge: AnyJudge, who: str) -> AnyJudge:
    """The same judge, of which what is called outside its answers raises ``JudgeFailed`` or nothing.

    It stays of its own class, which says what else it can do; one with slots becomes of a subclass.

    Args:
        judge: Somebody else's judge.
        who: Who it is, for messages.
    """
    methods: dict[str, Callable[..., object]] = {
        name: partial(_closed if name == "close" else _clearly, f"`{name}` of {who}", method)
        for name in ("price", "forecast", "unknown", "close")
        if (method := getattr(judge, name, None)) is not None
    }
    try:
        for name, method in methods.items():
            object.__setattr__(judge, name, method)
    except (AttributeError, TypeError):
        with suppress(TypeError):  # such as an object that is a class
            object.__setattr__(judge, "__class__", _subclass(type(judge), methods))
    return judge


def _subclass(kind: type, methods: Mapping[str, Callable[..., object]]) -> type:
    """A subclass for one judge, with the same slots, in which these methods take the place of its own."""
    static = {name: staticmethod(method) for name, method in methods.items()}
    members = {"__slots__": (), "__module__": kind.__module__, **static}
    return new_class(kind.__name__, (kind,), exec_body=lambda namespace: namespace.update(members))


def _clearly(who: str, method: Callable[..., object], *arguments: object) -> object:
    with _clear(who):
        return method(*arguments)


async def _closed(who: str, method: Callable[[], Awaitable[None]]) -> None:
    with _clear(who):
        await method()


@contextmanager
def _clear(who: str) -> Iterator[None]:
    try:
        yield
    except ParagoneError:
        raise
    except (Exception, SystemExit) as error:
        raise JudgeFailed(
            f"{failure_of(who, error)}; `paragone plugins` says what brings it", permanent=True
        ) from error


class Translated(Wrapper):
    """Makes failures of what a judge raises beside ``ParagoneError``, and of answers that are no verdict.

    Put it directly around a judge, as its innermost wrapper.
    """

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison.

        Raises:
            JudgeFailed: If there was no answer, for whatever reason.
        """
        who = self.card.identity_for(question)
        try:
            verdict: object = await self._judge.compare(question)
        except ParagoneError:
            raise
        except (Exception, SystemExit) as error:  # whoever wrote the judge
            raise failure_of(who, error) from error
        if not isinstance(verdict, Verdict):
            raise JudgeFailed(f"{who} answered {type(verdict).__name__}, not a Verdict", retryable=False)
        return verdict
