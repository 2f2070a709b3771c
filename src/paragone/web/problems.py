"""Errors as answers: problem+json (RFC 9457) for programs. No answer holds a path of the machine or a trace."""

import logging
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse

from paragone.domain.text import whole
from paragone.errors import (
    Busy,
    Conflict,
    MissingExtra,
    NotFound,
    ParagoneError,
    UnreadableFile,
    Unwritable,
    UsageError,
)
from paragone.tracing import trace_id
from paragone.web.observing.asked import request_id

LONGEST = 2_000
"""Characters of the words of a refusal."""

_LOG = logging.getLogger("paragone.web")
_STATUS: Mapping[type[ParagoneError], int] = {
    NotFound: 404,
    Conflict: 409,
    Busy: 503,
    Unwritable: 503,
    MissingExtra: 501,
    UnreadableFile: 500,
    UsageError: 422,
}
_TITLES: Mapping[int, str] = {
    400: "Bad request",
    401: "Who are you?",
    403: "Not allowed",
    404: "Not found",
    405: "Not done here",
    408: "Too slow",
    409: "Conflict",
    413: "Too large",
    414: "Too long",
    415: "No JSON",
    421: "Another host",
    422: "Cannot be",
    429: "Too many requests",
    431: "Too large",
    501: "Not installed",
    503: "Busy",
}


def status_of(error: ParagoneError) -> int:
    """The status that an error has over HTTP; 500 for what should have worked and did not."""
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)


def words_of(error: ParagoneError) -> str:
    """What is told of an error. Of what is not the caller's to mend that is little: its text may name files and hosts.

    That text is in the server's log, under the id of the request, which the caller is told.
    """
    status = status_of(error)
    if status < 500 or status == 501:
        return str(error)
    id = request_id()
    _LOG.error("%s: %s: %s", id, type(error).__name__, error)
    if status == 503:
        return f"this cannot be had just now: ask again in a moment (the server's log has it under {id})"
    return f"this failed, and should not have; the server's log has it under {id}"


def refusal(status: int, detail: str, headers: Mapping[str, str] | None = None, **more: object) -> JSONResponse:
    """A refusal, with the reason in words."""
    title = _TITLES.get(status, "Failed")
    known = {name: id for name, id in (("request_id", request_id()), ("trace_id", trace_id())) if id}
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail[:LONGEST], **known, **more}
    if status == 503:
        headers = {"retry-after": "2", **(headers or {})}
    return JSONResponse(_whole(body), status, headers, "application/problem+json")


def _whole(value: Any) -> Any:  # noqa: ANN401 - JSON
    """The same without halves of characters, which no answer can hold."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {key: _whole(one) for key, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list) else value
