"""Health, readiness and metrics for operators, outside of /api/v1, where monitoring tools expect them."""

import asyncio

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import PlainTextResponse, Response

from paragone.errors import Failure
from paragone.web.instrumentation import Meters
from paragone.web.middleware.authorization import Reader
from paragone.web.middleware.roles import Role
from paragone.web.parameters import LedgerDep
from paragone.web.problems import logged, refusal

router = APIRouter(include_in_schema=False)

PATIENCE = 2.0
"""Seconds that the database has to answer."""


@router.get("/healthz")
async def lives() -> PlainTextResponse:
    """Liveness: the process takes requests. Ignores the database, which a restart would not fix."""
    return PlainTextResponse("ok\n", headers={"cache-control": "no-store"})


@router.get("/readyz")
async def is_ready(request: Request, reader: LedgerDep) -> Response:
    """Readiness: the database answers and the server is not shutting down."""
    if request.app.state.ending:
        return refusal(503, "this server is shutting down")
    # One check at a time: if the database hangs, waiting threads would pile up.
    check: asyncio.Task[object] | None = request.app.state.readiness
    if check is None or check.done():
        check = request.app.state.readiness = asyncio.create_task(asyncio.to_thread(reader.ledger.pools.versions))
    await asyncio.wait({check}, timeout=PATIENCE)
    if not check.done():
        return refusal(503, f"the database has not answered within {PATIENCE:g} s")
    failure = check.exception()
    if isinstance(failure, Failure):
        logged(failure)  # and not answered: it may name hosts
        return refusal(503, "the database cannot be reached")
    check.result()
    return PlainTextResponse("ready\n", headers={"cache-control": "no-store"})


@router.get("/metrics")
def get_metrics(request: Request, who: Reader) -> Response:
    """Metrics for Prometheus, of all pools; those by route are for admins."""
    meters: Meters = request.app.state.meters
    text = meters.text(by_route=who.role >= Role.ADMIN)
    return Response(text, media_type=CONTENT_TYPE_LATEST, headers={"cache-control": "no-store"})
