"""The log of a server on stderr: a line for each request, and warnings.

A line is one line, whatever it quotes. It holds no query, no header and no body, since these may hold tokens and votes.
"""

import logging
import secrets
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal

import structlog

from paragone.tracing import trace_id

HEADER = b"x-request-id"
"""The header of every answer that has it."""

_request: ContextVar[str] = ContextVar("request", default="")


def begin_request() -> str:
    """Give a new request an id, valid in all its threads and runs."""
    id = secrets.token_hex(8)
    _request.set(id)
    return id


def request_id() -> str:
    """Id of the current request; empty if there is none."""
    return _request.get()


Form = Literal["json", "text"]
Event = MutableMapping[str, Any]

_FIRST = ("at", "level", "event")


class RequestLog:
    """Writes a line about each request.

    Args:
        form: JSON, or ``name=value`` for people.
    """

    def __init__(self, form: Form) -> None:
        self._log: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
            structlog.WriteLogger(sys.stderr),
            processors=[*_about(), structlog.processors.add_log_level, *_rendered(form)],
            wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
            cache_logger_on_first_use=True,
        )

    def tell(self, line: dict[str, Any]) -> None:
        """Write a line."""
        self._log.info("request", **line)


@contextmanager
def warnings_logged(form: Form) -> Iterator[None]:
    """Log warnings of this process and its libraries in a form during the block."""
    root = logging.getLogger()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_about(), structlog.stdlib.add_log_level, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendered(form)],
        )
    )
    handler.setLevel(logging.WARNING)
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


def one_line(_: object, __: str, event: Event) -> Event:
    """Escape unprintable characters, so that no text can begin a line or control a terminal."""
    for name, value in event.items():
        if isinstance(value, str) and not value.isprintable():
            event[name] = "".join(ch if ch.isprintable() else ch.encode("unicode_escape").decode() for ch in value)
    return event


def _about() -> tuple[structlog.typing.Processor, ...]:
    return (structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"), _named)


def _named(_: object, __: str, event: Event) -> Event:
    """Add the ids of the request and the trace, unless the event has its own."""
    for name, id in (("request_id", request_id()), ("trace_id", trace_id())):
        if id:
            event.setdefault(name, id)
    return event


def _rendered(form: Form) -> tuple[structlog.typing.Processor, ...]:
    if form == "json":
        return (structlog.processors.format_exc_info, _ordered, structlog.processors.JSONRenderer())
    return (structlog.processors.format_exc_info, _ordered, one_line, structlog.processors.LogfmtRenderer())


def _ordered(_: object, __: str, event: Event) -> Event:
    return {**{name: event.pop(name) for name in _FIRST if name in event}, **event}
