"""What is said where no route answers a request: that nothing is there, or what may be asked instead."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from paragone.wire.address import API

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
ELSEWHERE = f"nothing is at this address; {API}/openapi.json names all that there are"
_PLAIN = frozenset({"Not Found", "Method Not Allowed"})


def put_in_words(request: Request, error: HTTPException) -> HTTPException | Response:
    """A refusal of routing that says what to do; OPTIONS is answered. Refusals of routes stay as they are."""
    if error.status_code == 304:
        return Response(status_code=304, headers=error.headers)
    if error.detail not in _PLAIN:
        return error
    methods = allowed(request)
    if error.status_code != 405 or not methods:
        return HTTPException(404, ELSEWHERE)
    allow = {"allow": ", ".join((*methods, "OPTIONS"))}
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=allow)
    return HTTPException(405, f"{request.method[:20]} is not done here, but {allow['allow']}", allow)


def allowed(request: Request) -> list[str]:
    """The methods that the address of a request takes."""
    routes = request.app.router.routes
    found = [
        method
        for method in METHODS
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    return [method for method in METHODS if method in found or (method == "HEAD" and "GET" in found)]
