"""Parts shared by all routes in the OpenAPI document: problem+json responses and parameters of listings."""

import hashlib
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from paragone.web.parameters import LedgerDep, PoolId, StorableText

MOST = 500
"""Maximum rows of a page."""

PROBLEM = "application/problem+json"


class Problem(BaseModel):
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


_SCHEMA = {"$ref": f"#/components/schemas/{Problem.__name__}"}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of a route, besides those of all routes."""
    responses: dict[int | str, dict[str, Any]] = {
        status: {"description": _MEANING[status], "content": {PROBLEM: {"schema": _SCHEMA}}}
        for status in (*statuses, *ALWAYS)
    }
    responses[422]["model"] = Problem  # puts it among the document's schemas, where the others find it
    return responses


ALWAYS = (400, 401, 403, 408, 413, 414, 415, 421, 422, 429, 431, 503)
_MEANING = {
    400: "The request cannot be read.",
    401: "This server requires a token.",
    403: "The token may not do this, or the request comes from another site.",
    404: "There is nothing of that name.",
    408: "The body did not come in time.",
    409: "The same id was recorded with other content.",
    413: "The body is too large.",
    414: "The path with its query is too long.",
    415: "The body is no JSON.",
    421: "This server is not of that name.",
    422: "The parameters or the body cannot be.",
    429: "Too many requests; ask again later.",
    431: "The headers are too large.",
    501: "A package that this takes is not installed on the server.",
    503: "The ledger is busy; ask again.",
}

Limit = Annotated[int, Query(ge=1, le=MOST, description="Rows of a page.")]
Cursor = Annotated[
    str | None,
    Query(max_length=2_000, description="`next` of the page before; the first page where there is none."),
]
Reason = Annotated[StorableText, Field(min_length=1, max_length=2_000, description="Why; kept in the ledger.")]


NOT_MODIFIED: dict[int | str, dict[str, Any]] = {
    304: {"description": "Nothing was written to the pool since the answer with this `ETag`."}
}


def tagged(
    request: Request,
    response: Response,
    pool: PoolId,
    reader: LedgerDep,
    if_none_match: Annotated[str | None, Header(description="`ETag` of the answer that is at hand.")] = None,
) -> None:
    """Set an ETag that is valid until the next write to the pool; answer 304 to a client that has it.

    For what is read from the ledger itself. What is made aside may be older than the version that there is now.
    """
    about = f"{reader.version(pool)} {request.url.path}?{request.url.query}"
    tag = f'W/"{hashlib.sha256(about.encode()).hexdigest()[:32]}"'
    response.headers["etag"] = tag
    response.headers["cache-control"] = "private, no-cache"
    response.headers["vary"] = "authorization, cookie"
    if if_none_match is not None and tag in {candidate.strip() for candidate in if_none_match.split(",")}:
        raise HTTPException(304, headers=dict(response.headers))


Tagged = Depends(tagged)
