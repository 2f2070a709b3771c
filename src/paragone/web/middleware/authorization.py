"""Authorization: whether the caller of a request has the role that it takes, in the pool to which it leads."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from paragone.web.forms import CSRF, form_of, is_form
from paragone.web.middleware.access_tokens import Caller, Role
from paragone.web.middleware.authentication import CHANGING, HEADER, caller_of, identity_of
from paragone.wire.address import AGENTS, API, id_of

_CALLER, _IDENTIFIED = "paragone.caller", "paragone.identified"
"""Where the scope of a request has its caller, and who was identified, whom it may yet refuse."""
_BEARER = HTTPBearer(auto_error=False, description="A token of `paragone token add`. Servers without tokens take none.")


def permitted(request: Request, role: Role) -> Caller:
    """The caller of a request, who is identified once.

    Raises:
        HTTPException: As of ``caller_of``; 403 too if they lack the role.
        UnreadableFile: If the token file cannot be read.
    """
    who: Caller | None = request.scope.get(_CALLER)
    if who is None:
        who = request.scope[_CALLER] = here(request, caller_of(request))
        request.app.state.sightings.note(who)
    if who.role < role:
        kind = "the token " if who.grants is None else ""
        raise HTTPException(403, f"{kind}{who.name!r} has the role {who.role.word}; this takes the role {role.word}")
    return who


def identified(request: Request) -> Caller | None:
    """The caller of a request, also where they may do nothing; None if it did not come so far as to identify them."""
    who: Caller | None = request.scope.get(_IDENTIFIED)
    return who


_OF_ALL = frozenset({"/", "/vote", f"{API}/pools", f"{API}/openapi.json"})
"""What those who may see some pools may read beside these: listings, which show them their own."""
_OF_AGENTS = re.compile(rf"(?:{API})?/agents(?:/|$)")
"""What is read of agents: the pool is in the query. What is recorded names it elsewhere, and stays closed."""


def here(request: Request, who: Caller) -> Caller:
    """A caller with the role that they have where a request leads.

    Whatever is new is closed to people who were let into some pools, until its path names one of them.

    Raises:
        HTTPException: 403 if they may not see that at all, whether it exists or not.
    """
    request.scope[_IDENTIFIED] = who
    if who.grants is None:
        return who
    path = request.url.path
    in_path = request.path_params.get("pool")
    reads = request.method in {"GET", "HEAD"}
    pool = _decoded(in_path)
    if path == f"{API}/events":
        pool = request.query_params.get("pool")
    elif reads and _OF_AGENTS.match(path):
        pool = request.query_params.get("pool", AGENTS)
    grant = None if pool is None else who.grant(pool)
    if grant is not None:
        return replace(who, role=Role.of(grant.role))
    if pool is None and path in _OF_ALL and reads:
        return replace(who, role=Role.READ)
    pools = ", ".join(grant.pool for grant in who.grants) or "no pool any more"
    raise HTTPException(403, f"{who.name!r} was invited to {pools}, and to nothing else here")


def _decoded(segment: str | None) -> str | None:
    try:
        return None if segment is None else id_of(segment)
    except ValueError:
        return ""


def needs(role: Role) -> Callable[..., Awaitable[Caller]]:
    """A dependency that requires a role. A coroutine, so that FastAPI does not start a thread for it."""

    async def allowed(request: Request, _: Annotated[object, Depends(_BEARER)] = None) -> Caller:
        if request.method in CHANGING and HEADER not in request.headers and is_form(request.headers):
            await _identify_form(request)
        return permitted(request, role)

    return allowed


async def _identify_form(request: Request) -> None:
    """Identify who sends a form without a script: its CSRF token is in a field, read once it is known who sends it."""
    if _CALLER not in request.scope and not identity_of(request).is_bearer:
        csrf = (await form_of(request)).fields.get(CSRF, "")
        request.scope[_CALLER] = here(request, caller_of(request, csrf))


Reader = Annotated[Caller, Depends(needs(Role.READ))]
Voter = Annotated[Caller, Depends(needs(Role.VOTE))]
Judging = Annotated[Caller, Depends(needs(Role.JUDGE))]
Admin = Annotated[Caller, Depends(needs(Role.ADMIN))]
