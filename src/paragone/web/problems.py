"""Errors as problem+json (RFC 9457), and how OpenAPI describes them. None contains a server path or a traceback."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
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
from paragone.web.instrumentation import request_id
from paragone.wire.address import API

LONGEST = 2_000
"""Maximum characters of a problem's detail."""

PROBLEM = "application/problem+json"
ALWAYS = (400, 401, 403, 408, 413, 414, 415, 421, 422, 429, 431, 503)
"""Refusals of every route."""

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
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    408: "Request timeout",
    409: "Conflict",
    413: "Content too large",
    414: "URI too long",
    415: "Unsupported media type",
    421: "Misdirected request",
    422: "Unprocessable content",
    429: "Too many requests",
    431: "Request header fields too large",
    501: "Not installed",
    503: "Service unavailable",
}
_MEANING: Mapping[int, str] = {
    400: "The request cannot be read.",
    401: "This server requires a token.",
    403: "The token may not do this, or the request comes from another site.",
    404: "There is nothing with this name or id.",
    408: "The body did not arrive in time.",
    409: "The same id was recorded with other content.",
    413: "The body is too large.",
    414: "The path with its query is too long.",
    415: "The body is not JSON.",
    421: "The server does not serve this host.",
    422: "The parameters or the body are not valid.",
    429: "Too many requests; ask again later.",
    431: "The headers are too large.",
    501: "A package that this needs is not installed on the server.",
    503: "The ledger is busy; ask again.",
}


class Problem(BaseModel, defer_build=True):
    """A refusal (RFC 9457).

    Attributes:
        type: ``about:blank``: the status says which kind it is.
        title: The status in words.
        status: The status.
        detail: What was wrong, where, and what to do.
        request_id: The request, as the server's log has it.
        trace_id: The trace that it is part of, where the server traces.
    """

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    request_id: str = ""
    trace_id: str = ""


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of a route in OpenAPI, besides those of all routes."""
    schema = {"$ref": f"#/components/schemas/{Problem.__name__}"}
    responses: dict[int | str, dict[str, Any]] = {
        status: {"description": _MEANING[status], "content": {PROBLEM: {"schema": schema}}}
        for status in (*statuses, *ALWAYS)
    }
    responses[422]["model"] = Problem  # puts it among the document's schemas, where the others find it
    return responses


def status_of(error: ParagoneError) -> int:
    """The HTTP status of an error; 500 for a failure of the server itself."""
    if isinstance(error, Unwritable) and not error.temporary:
        return 500  # asking again, as clients do after 503, does not help
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)


def words_of(error: ParagoneError) -> str:
    """The detail of an error response.

    The text of a server failure may name files and hosts, so it goes to the log only; the response names the request
    id under which it is logged.
    """
    status = status_of(error)
    if status < 500 or status == 501:
        return str(error)
    id = logged(error)
    if status == 503:
        return f"this is temporarily unavailable: try again in a moment (logged by the server under {id})"
    if isinstance(error, Unwritable):
        return f"the server cannot write its data until whoever runs it puts that right: its log says why under {id}"
    return f"the server failed; the error is in its log under {id}"


def logged(error: BaseException) -> str:
    """Log a failure of the server under the id of the request, which is returned."""
    id = request_id()
    _LOG.error("%s: %s: %s", id, type(error).__name__, error)
    return id


def refusal(status: int, detail: str, headers: Mapping[str, str] | None = None, **more: object) -> JSONResponse:
    """A problem+json response."""
    title = _TITLES.get(status, "Failed")
    ids = {name: id for name, id in (("request_id", request_id()), ("trace_id", trace_id())) if id}
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail[:LONGEST], **ids, **more}
    if status == 503:
        headers = {"retry-after": "2", **(headers or {})}
    return JSONResponse(_whole(body), status, headers, PROBLEM)


def _whole(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Replace lone surrogates, which UTF-8 cannot encode."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {key: _whole(element) for key, element in value.items()}
    return [_whole(element) for element in value] if isinstance(value, list) else value


MOST_WRONG = 20
"""Maximum number of errors listed for one body."""


def wrong_kind(request: Request, errors: Sequence[Mapping[str, Any]]) -> str:
    """Why a body was not parsed: its content type is not JSON. Empty if that is not the reason."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
    if is_json or not kind or not any(tuple(error["loc"]) == ("body",) for error in errors):
        return ""
    return f"the body must be application/json, not {kind[:100]}"


def wrong(errors: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The location and reason of each error."""
    return [_one(error) for error in errors[:MOST_WRONG]]


def in_words(errors: ValidationError) -> str:
    """What is wrong with the values of a form, in a sentence."""
    return "; ".join(f"{each['where'].removeprefix('dossier.')}: {each['what']}" for each in wrong(errors.errors()))


def _one(error: Mapping[str, Any]) -> dict[str, str]:
    where = ".".join(map(str, error["loc"]))[:200]
    if error["type"] == "json_invalid":
        position = error["loc"][-1]
        return {"where": "body", "what": f"invalid JSON at character {position}: {error['ctx']['error']}"}
    return {"where": where, "what": expectation(error)}


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
ELSEWHERE = (
    f"there is nothing at this address; all pages are reached from the overview, and {API}/openapi.json lists the rest"
)
_PLAIN = frozenset({"Not Found", "Method Not Allowed"})
_UNREAD = "There was an error parsing the body"


def put_in_words(request: Request, error: HTTPException) -> HTTPException | Response:
    """Explain errors of routing and answer OPTIONS; errors raised by routes stay as they are."""
    if error.status_code == 304:
        return Response(status_code=304, headers=error.headers)
    if error.detail == _UNREAD:
        return HTTPException(400, _why_unread(request, error.__cause__))
    if error.detail not in _PLAIN:
        return error
    methods = allowed(request) if error.status_code == 405 else []
    if not methods:
        return HTTPException(404, ELSEWHERE)
    allow = {"allow": ", ".join((*methods, "OPTIONS"))}
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=allow)
    return HTTPException(405, f"{request.method[:20]} is not allowed here; use {allow['allow']}", allow)


def _why_unread(request: Request, cause: BaseException | None) -> str:
    """Why a body is not even invalid JSON."""
    encoding = request.headers.get("content-encoding", "")
    if encoding:
        return f"the body is encoded ({encoding[:40]}), which this server does not read: send it as plain JSON in UTF-8"
    if isinstance(cause, UnicodeDecodeError):
        return f"the body is not UTF-8: byte {cause.start + 1} is {cause.object[cause.start]:#04x}; save it as UTF-8"
    return "the body cannot be read as JSON: it is nested too deeply, or has a number that is too long"


def allowed(request: Request) -> list[str]:
    """The methods allowed at the address of a request."""
    routes = request.app.router.routes
    methods = [
        method
        for method in METHODS
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    return [method for method in METHODS if method in methods or (method == "HEAD" and "GET" in methods)]
