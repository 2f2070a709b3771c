"""Audits over HTTP."""

from fastapi import APIRouter

from paragone.web.api.answers import refusals
from paragone.web.guards.identity import Admin
from paragone.web.reaching import Books
from paragone.web.views import audits as views
from paragone.web.views.audits import AuditView
from paragone.web.views.links import PoolId

router = APIRouter(tags=["audits"], responses=refusals())


@router.post("/audit")
def audit_all(books: Books, _: Admin) -> AuditView:
    """Recompute the hash chain and every rating of all pools, and compare with what is stored."""
    return views.audit(books)


@router.post("/pools/{pool}/audit", responses=refusals(404))
def audit_pool(pool: PoolId, books: Books, _: Admin) -> AuditView:
    """The same for one pool."""
    return views.audit(books, pool)
