"""The application: request checks, identity, API and pages, put together."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from starlette.datastructures import State
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from paragone.errors import Busy, Conflict, LedgerError, ParagoneError
from paragone.web.change_watch import Watch
from paragone.web.config import WebConfig
from paragone.web.instrumentation import Instrumentation, Meters, RequestLog
from paragone.web.middleware.access_tokens import TokenFile
from paragone.web.middleware.hosts import CORS, checked_hosts, checked_origins, checked_proxies
from paragone.web.middleware.limits import ConnectionLimit
from paragone.web.middleware.request_checks import RequestChecks
from paragone.web.middleware.sightings import Sightings
from paragone.web.pages.rendering import error_page, wants_page
from paragone.web.people import People
from paragone.web.problems import put_in_words, refusal, status_of, words_of, wrong, wrong_kind
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.routes import routes
from paragone.web.runs.active_runs import ActiveRuns, JudgesHere
from paragone.web.views.cursors import sign_with
from paragone.web.voting.pool_voting import Voting

if TYPE_CHECKING:
    from paragone.web.sign_in import SignIn

UNWATCHED: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""The framework's own spans hold queries, which may hold tokens; ours are made by ``Instrumentation``."""
MOST_STREAMS = 100
"""Event streams that one token at one address may have open."""


def create_app(config: WebConfig, reader: LedgerReader | None = None) -> FastAPI:
    """The application over a ledger.

    Args:
        config: What it serves.
        reader: An open ledger; if None, the configuration's is opened. It is closed when the server ends.

    Raises:
        InvalidConfig: If a host, an origin or a proxy is invalid.
        NotFound: If the folder of the memory holds no store.
    """
    origins = checked_origins(config.origins)
    checked_hosts(config)
    checked_proxies(config.proxies)
    if not config.secret:  # cookies and offers last as long as this process then
        config = replace(config, secret=secrets.token_bytes(32))
    sign_with(config.secret)
    app = FastAPI(
        lifespan=_life,
        openapi_url=None,  # ours requires authentication
        telemetry=UNWATCHED,
    )
    _open_parts(app.state, config, LedgerReader.open(config.db) if reader is None else reader)
    app.router.routes.extend(routes())
    app.add_exception_handler(ParagoneError, _of_ours)
    app.add_exception_handler(RequestValidationError, _of_arguments)
    app.add_exception_handler(HTTPException, _of_routes)
    if origins:
        app.add_middleware(CORSMiddleware, allow_origins=origins, **CORS)
    log = RequestLog(config.log).tell if config.log else None
    app.add_middleware(RequestChecks, config=config, tokens=app.state.tokens, refuse=_refused)
    app.add_middleware(Instrumentation, meters=app.state.meters, log=log)
    return app


def _open_parts(state: State, config: WebConfig, reader: LedgerReader) -> None:
    """Open the parts of the server that routes find in the application's state."""
    memory = None if config.memory is None else MemoryReader.open(config.memory)
    state.config, state.reader = config, reader
    state.voting = Voting(reader, config)
    state.runs = ActiveRuns(reader, JudgesHere(url=config.db, listed=config.judges))
    state.tokens = TokenFile(config.tokens or Path())
    state.people = People(state.tokens, reader.ledger, config.secret)
    state.sign_in = _sign_in(config)
    state.sightings = Sightings(config.tokens)
    state.meters = Meters(reader.ledger.pools.versions, reader.ledger.tournaments.total_spending)
    state.watch = Watch(reader.ledger.pools.versions, state.meters.database_errors.inc)
    state.memory = memory
    state.memory_watch = None if memory is None else Watch(lambda: {"": memory.version()})
    state.ending, state.readiness = False, None
    state.stream_limit = ConnectionLimit(MOST_STREAMS)


@asynccontextmanager
async def _life(app: FastAPI) -> AsyncIterator[None]:
    """Close the parts when the server ends."""
    yield
    begin_to_end(app)
    await asyncio.to_thread(app.state.runs.end)
    await asyncio.to_thread(app.state.sightings.write)
    app.state.reader.close()
    if app.state.memory is not None:
        await asyncio.to_thread(app.state.memory.close)


def _sign_in(config: WebConfig) -> "SignIn | None":
    if config.oidc is None:
        return None
    from paragone.web.sign_in import SignIn

    return SignIn(config.oidc)


def begin_to_end(app: FastAPI) -> None:
    """Begin the shutdown: the server is no longer ready, and event streams end."""
    app.state.ending = True
    app.state.watch.end()
    app.state.reader.begin_to_end()
    app.state.voting.close()
    if app.state.memory_watch is not None:
        app.state.memory_watch.end()
    app.state.runs.begin_to_end()


async def _of_ours(request: Request, error: Exception) -> Response:
    if not isinstance(error, ParagoneError):
        raise error
    if isinstance(error, LedgerError | Busy) and not isinstance(error, Conflict):
        request.app.state.meters.database_errors.inc()
    return _refused(request, status_of(error), words_of(error))


async def _of_arguments(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    kind, problems = wrong_kind(request, error.errors()), wrong(error.errors())
    if kind:
        return _refused(request, 415, kind, {"accept-post": "application/json"})
    return _refused(
        request, 422, "; ".join(f"{problem['where']}: {problem['what']}" for problem in problems), errors=problems
    )


async def _of_routes(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    refused = put_in_words(request, error)
    if isinstance(refused, Response):
        return refused
    return _refused(request, refused.status_code, str(refused.detail), refused.headers)


def _refused(
    request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None, **more: object
) -> Response:
    if not wants_page(request):
        return refusal(status, detail, headers, **more)
    body = error_page(request, status, detail)
    body.headers.update(headers or {})
    return body
