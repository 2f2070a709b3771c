"""What all routes of the API share. The routes are in ``web/api/``, and ``web/routes.py`` lists its modules."""

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute

from paragone.web.problems import refusals


def api_router(*statuses: int, **options: Any) -> APIRouter:  # noqa: ANN401 - of FastAPI
    """A router.

    Args:
        statuses: Refusals of its routes, besides those of all routes.
        options: As of ``APIRouter``.
    """
    return APIRouter(responses=refusals(*statuses), route_class=_CheckedInLoop, **options)


class _CheckedInLoop(APIRoute):
    """A route whose plain function runs in a thread, as FastAPI has it.

    That would check the answer in a thread, too: the way there takes some twenty times as long as the check.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:  # noqa: ANN401 - of FastAPI
        super().__init__(path, endpoint if iscoroutinefunction(endpoint) else _in_thread(endpoint), **options)


def _in_thread(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(endpoint)
    async def run(**values: Any) -> Any:  # noqa: ANN401 - whatever the endpoint answers
        return await run_in_threadpool(endpoint, **values)

    return run
