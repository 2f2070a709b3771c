"""Errors as answers: problem+json (RFC 9457) for programs. No answer holds a path of the machine or a trace."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match

from paragone.domain.refusals import expectation
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
from paragone.web.observability.logs import request_id
from paragone.wire.address import API

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
    ids = {name: id for name, id in (("request_id", request_id()), ("trace_id", trace_id())) if id}
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail[:LONGEST], **ids, **more}
    if status == 503:
        headers = {"retry-after": "2", **(headers or {})}
    return JSONResponse(_whole(body), status, headers, "application/problem+json")


def _whole(value: Any) -> Any:  # noqa: ANN401 - JSON
    """The same without halves of characters, which no answer can hold."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {key: _whole(element) for key, element in value.items()}
    return [_whole(element) for element in value] if isinstance(value, list) else value


MOST_WRONG = 20
"""Places of a body that a refusal names."""


def wrong_kind(request: Request, errors: Sequence[Mapping[str, Any]]) -> str:
    """Why a body was not even read, where that is so: it says that it is no JSON. Empty where it is not so."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
    if is_json or not kind or not any(tuple(error["loc"]) == ("body",) for error in errors):
        return ""
    return f"a body is application/json here, and this one says that it is {kind[:100]}"


def wrong(errors: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Where something is wrong, and what."""
    return [_one(error) for error in errors[:MOST_WRONG]]


def _one(error: Mapping[str, Any]) -> dict[str, str]:
    where = ".".join(map(str, error["loc"]))[:200]
    if error["type"] == "json_invalid":
        position = error["loc"][-1]
        return {"where": "body", "what": f"it is no JSON at character {position}: {error['ctx']['error']}"}
    return {"where": where, "what": expectation(error)}


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
ELSEWHERE = f"nothing is at this address; {API}/openapi.json names all that there are"
_PLAIN = frozenset({"Not Found", "Method Not Allowed"})


def put_in_words(request: Request, error: HTTPException) -> HTTPException | Response:
    """A refusal of routing that says what to do; OPTIONS is answered. Refusals of routes stay as they are."""
    if error.status_code == 304:
        return Response(status_code=304, headers=error.headers)
    if error.detail not in _PLAIN:
        return error
    methods = allowed(request)
    if error.status_code != 405 or not methods:
        return HTTPException(404, ELSEWHERE)
    allow = {"allow": ", ".join((*methods, "OPTIONS"))}
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=allow)
    return HTTPException(405, f"{request.method[:20]} is not done here, but {allow['allow']}", allow)


def allowed(request: Request) -> list[str]:
    """The methods that the address of a request takes."""
    routes = request.app.router.routes
    methods = [
        method
        for method in METHODS
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    return [method for method in METHODS if method in methods or (method == "HEAD" and "GET" in methods)]
