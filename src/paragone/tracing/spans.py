"""Open spans, and hold the one tracer of the process that receives them.

A span has a name chosen by this program, and attributes that are names, ids and numbers. No text of an item, a prompt,
an answer or an error becomes an attribute: traces go to other machines.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Literal, Protocol

Value = str | int | float | bool | None
"""The value of an attribute; None is left out."""
Kind = Literal["internal", "server", "client"]
"""The kind of a span: work in this program, a request received, or one sent."""


class Span(Protocol):
    """An operation in progress."""

    def note(self, attributes: Mapping[str, Value]) -> None:
        """Add attributes."""
        ...

    def rename(self, name: str) -> None:
        """Give it a name that was not known at its start."""
        ...

    def fail(self, kind: str) -> None:
        """Mark it as failed by a kind of error."""
        ...


class Tracer(Protocol):
    """Receives spans, from any thread."""

    def span(
        self, name: str, attributes: Mapping[str, Value], kind: Kind, headers: Mapping[str, str] | None
    ) -> AbstractContextManager[Span]:
        """A span within the current one; see ``span``."""
        ...

    def current(self) -> Span:
        """The current span."""
        ...

    def trace_id(self) -> str:
        """Id of the current trace in hexadecimal; empty without one."""
        ...

    def propagation_headers(self) -> dict[str, str]:
        """Headers with which another program continues this trace; empty without a trace."""
        ...


class _NoSpan:
    """A span without a tracer."""

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


class _Process:
    """The tracer of this process, if any."""

    tracer: Tracer | None = None


_NO_SPAN = _NoSpan()
_process = _Process()


@contextmanager
def traced_by(tracer: Tracer) -> Iterator[None]:
    """Have a tracer receive all spans of this process while the block runs."""
    before = _process.tracer
    _process.tracer = tracer
    try:
        yield
    finally:
        _process.tracer = before


def is_traced() -> bool:
    """Whether there is a tracer: attributes that take work to compute are left out without one."""
    return _process.tracer is not None


def span(
    name: str,
    attributes: Mapping[str, Value],
    *,
    kind: Kind = "internal",
    headers: Mapping[str, str] | None = None,
) -> AbstractContextManager[Span]:
    """A span of the block, within the current span; an error that leaves the block marks it as failed.

    Args:
        name: Its name, chosen by this program.
        attributes: Its attributes.
        kind: Its kind.
        headers: Headers of a received request, which may continue a trace that another program began.
    """
    tracer = _process.tracer
    return _NO_SPAN if tracer is None else tracer.span(name, attributes, kind, headers)


def note(attributes: Mapping[str, Value]) -> None:
    """Add attributes to the current span, which other code opened."""
    if _process.tracer is not None:
        _process.tracer.current().note(attributes)


def trace_id() -> str:
    """Id of the current trace in hexadecimal; empty without one."""
    return "" if _process.tracer is None else _process.tracer.trace_id()


def propagation_headers() -> dict[str, str]:
    """Headers with which another program continues this trace; empty without a trace."""
    return {} if _process.tracer is None else _process.tracer.propagation_headers()
