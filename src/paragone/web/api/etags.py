"""ETags: the version of a pool is read first, so an unchanged response is not computed or sent again."""

import hashlib
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from starlette.exceptions import HTTPException

from paragone.web.dependencies import LedgerDep
from paragone.web.views.links import PoolId

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
