"""The workers that judge for tournaments of this ledger, over HTTP."""

from fastapi import APIRouter

from paragone.web.middleware.authorization import Admin
from paragone.web.parameters import LedgerDep
from paragone.wire.workers import WorkersOverview
from paragone.workers.overview import overview

router = APIRouter(tags=["tournaments"])


@router.get("/workers")
def get_workers(reader: LedgerDep, _: Admin) -> WorkersOverview:
    """The workers that judge for tournaments of this ledger, and what waits for them."""
    return overview(reader.ledger)
