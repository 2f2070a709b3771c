"""Unknown query parameters are refused, so that a misspelt one is not silently ignored."""

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from paragone.errors import InvalidConfig
from paragone.web.middleware.authentication import Reader


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
