"""All routes of /api/v1."""

from fastapi import APIRouter, Depends

from paragone.web.api import (
    agent_evidence,
    agents,
    analyses,
    audits,
    boards,
    document,
    events,
    exports,
    judging,
    matches,
    memory,
    memory_acts,
    pools,
    runs,
    tournaments,
    votes,
)
from paragone.web.api.parameters import only_known

router = APIRouter(dependencies=[Depends(only_known)])
for part in (
    pools,
    boards,
    matches,
    tournaments,
    analyses,
    runs,
    exports,
    audits,
    events,
    votes,
    judging,
    memory,
    memory_acts,
    document,
    agents,
    agent_evidence,
):
    router.include_router(part.router)
