"""The seam: where spans begin, and the one place that knows who hears of them.

A span has a name of the program's own and attributes that are names, ids and numbers. No text of an item, a prompt, an
answer or an error becomes one: traces go to other machines.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Literal, Protocol

Value = str | int | float | bool | None
"""Of an attribute; None is left out."""
Kind = Literal["internal", "server", "client"]
"""What a span is about: work in this program, a request that came, or one that was sent."""


class Span(Protocol):
    """Something that goes on."""

    def note(self, attributes: Mapping[str, Value]) -> None:
        """Say more about it."""
        ...

    def rename(self, name: str) -> None:
        """Give it a name that was not known when it began."""
        ...

    def fail(self, kind: str) -> None:
        """Say that it failed, and by what kind of error."""
        ...


class Tracer(Protocol):
    """Hears of spans. Any thread may tell it."""

    def span(
        self, name: str, attributes: Mapping[str, Value], kind: Kind, came_with: Mapping[str, str] | None
    ) -> AbstractContextManager[Span]:
        """A span within the current one; see ``span``."""
        ...

    def current(self) -> Span:
        """What goes on just now."""
        ...

    def trace_id(self) -> str:
        """Id of the trace that goes on, in hexadecimal; empty where none does."""
        ...

    def carried(self) -> dict[str, str]:
        """Headers by which another program goes on with this trace; none where none does."""
        ...


class _Unheard:
    """A span that nobody hears of."""

    def __enter__(self) -> Span:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def note(self, attributes: Mapping[str, Value]) -> None:
        pass

    def rename(self, name: str) -> None:
        pass

    def fail(self, kind: str) -> None:
        pass


class _Listening:
    """Who hears of spans in this process."""

    tracer: Tracer | None = None


_UNHEARD = _Unheard()
_listening = _Listening()


@contextmanager
def traced_by(tracer: Tracer) -> Iterator[None]:
    """Have a tracer hear of all spans of this process while the block runs."""
    before = _listening.tracer
    _listening.tracer = tracer
    try:
        yield
    finally:
        _listening.tracer = before


def is_traced() -> bool:
    """Whether anybody hears of spans: where an attribute takes work, it need not be done otherwise."""
    return _listening.tracer is not None


def span(
    name: str,
    attributes: Mapping[str, Value],
    *,
    kind: Kind = "internal",
    came_with: Mapping[str, str] | None = None,
) -> AbstractContextManager[Span]:
    """Something that goes on while the block runs, within what goes on around it; an error that leaves it failed it.

    Args:
        name: What it is; a name of the program's own.
        attributes: What is known of it.
        kind: What it is about.
        came_with: Headers of a request that came, with which it may go on with a trace that another program began.
    """
    tracer = _listening.tracer
    return _UNHEARD if tracer is None else tracer.span(name, attributes, kind, came_with)


def note(attributes: Mapping[str, Value]) -> None:
    """Say more about what goes on just now, for who did not begin it."""
    if _listening.tracer is not None:
        _listening.tracer.current().note(attributes)


def trace_id() -> str:
    """Id of the trace that goes on, in hexadecimal; empty where none does."""
    return "" if _listening.tracer is None else _listening.tracer.trace_id()


def carried() -> dict[str, str]:
    """Headers by which another program goes on with this trace; none where none does."""
    return {} if _listening.tracer is None else _listening.tracer.carried()
