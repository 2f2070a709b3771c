"""All routes: the API under /api/v1, operations and pages."""

from collections.abc import Iterator
from functools import cache

from fastapi import APIRouter, Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from paragone.errors import InvalidConfig
from paragone.web.api import (
    agent_evidence,
    agents,
    analyses,
    document,
    events,
    judging,
    matches,
    memory,
    memory_acts,
    operations,
    pools,
    runs,
    tournaments,
    votes,
)
from paragone.web.middleware.authentication import Reader
from paragone.web.pages import agent as agent_page
from paragone.web.pages import agents as agents_page
from paragone.web.pages import assets as assets_page
from paragone.web.pages import board as board_page
from paragone.web.pages import item as item_page
from paragone.web.pages import judges as judges_page
from paragone.web.pages import live as live_page
from paragone.web.pages import login as login_page
from paragone.web.pages import match as match_page
from paragone.web.pages import memory as memory_page
from paragone.web.pages import overview as overview_page
from paragone.web.pages import vote as vote_page
from paragone.wire.address import API


@cache
def routes() -> list[BaseRoute]:
    """All routes. They know no application, so a process makes them once: that takes longer than all else."""
    router = APIRouter(generate_unique_id_function=lambda route: route.name)  # method names of generated clients
    for part in (
        pools,
        matches,
        tournaments,
        analyses,
        runs,
        events,
        votes,
        judging,
        memory,
        memory_acts,
        document,
        agents,
        agent_evidence,
    ):
        router.include_router(part.router, prefix=API, dependencies=[Depends(only_known)])
    router.include_router(operations.router)
    for page in (
        assets_page,
        overview_page,
        login_page,
        vote_page,
        board_page,
        match_page,
        item_page,
        judges_page,
        live_page,
        agents_page,
        agent_page,
        memory_page,
    ):
        router.include_router(page.router, include_in_schema=False)
    return router.routes


async def only_known(request: Request, _: Reader) -> None:
    """Refuse unknown parameters.

    Raises:
        InvalidConfig: If there is one; the message lists the parameters of the route.
    """
    route = request.scope["route"]
    if not request.query_params or not isinstance(route, APIRoute):
        return
    accepted = set(_within(route.dependant))
    unknown = sorted(set(request.query_params) - accepted)
    if unknown:
        available = f"there are {', '.join(sorted(accepted))}" if accepted else "there are none"
        raise InvalidConfig(f"there is no parameter {unknown[0][:100]!r} here; {available}", key="query")


def _within(dependant: Dependant) -> Iterator[str]:
    yield from (field.alias for field in dependant.query_params)
    for dependency in dependant.dependencies:
        yield from _within(dependency)
