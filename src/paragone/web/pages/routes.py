"""All pages."""

from fastapi import APIRouter

from paragone.web.pages import (
    agent,
    agents,
    assets,
    board,
    compare,
    item,
    judges,
    live,
    login,
    match,
    memory,
    memory_upkeep,
    overview,
    vote,
)

router = APIRouter(include_in_schema=False)
for part in (
    assets,
    overview,
    login,
    vote,
    board,
    match,
    item,
    compare,
    judges,
    live,
    agents,
    agent,
    memory,
    memory_upkeep,
):
    router.include_router(part.router)
