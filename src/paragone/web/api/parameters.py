"""A parameter that a route does not have is refused: who misspells one would take the answer for what was asked."""

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from paragone.errors import InvalidConfig
from paragone.web.middleware.authentication import Reader


async def only_known(request: Request, _: Reader) -> None:
    """Refuse unknown parameters.

    Raises:
        InvalidConfig: If there is one, naming those that there are.
    """
    route = request.scope["route"]
    if not request.query_params or not isinstance(route, APIRoute):
        return
    known = set(_within(route.dependant))
    strange = sorted(set(request.query_params) - known)
    if strange:
        there = f"there are {', '.join(sorted(known))}" if known else "there are none"
        raise InvalidConfig(f"there is no parameter {strange[0][:100]!r} here; {there}", key="query")


def _within(dependant: Dependant) -> Iterator[str]:
    yield from (field.alias for field in dependant.query_params)
    for one in dependant.dependencies:
        yield from _within(one)
