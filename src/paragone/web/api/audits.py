"""Audits over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Query

from paragone.web.api.answers import refusals
from paragone.web.dependencies import LedgerDep
from paragone.web.middleware.authentication import Admin
from paragone.web.views import audits as views
from paragone.web.views.links import PoolId
from paragone.wire.audit import Audit

Expected = Annotated[
    list[str] | None,
    Query(description="A hash that an earlier audit gave for a head; its commit must still be there.", max_length=100),
]

router = APIRouter(tags=["audits"], responses=refusals())


@router.post("/audit")
def audit_all(reader: LedgerDep, _: Admin, expect: Expected = None) -> Audit:
    """Recompute the hash chain and every rating of all pools, and compare with what is stored."""
    return views.audit(reader, expect=expect or ())


@router.post("/pools/{pool}/audit", responses=refusals(404))
def audit_pool(pool: PoolId, reader: LedgerDep, _: Admin, expect: Expected = None) -> Audit:
    """The same for one pool."""
    return views.audit(reader, pool, expect or ())
