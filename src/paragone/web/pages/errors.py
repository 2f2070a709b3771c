"""Error pages for browsers, where programs get problem+json."""

from starlette.requests import Request
from starlette.responses import HTMLResponse

from paragone.web.pages.rendering import page

_WORDS = {
    400: "This request cannot be read",
    401: "Please log in",
    403: "You may not do this",
    404: "There is nothing here",
    405: "This method is not allowed here",
    409: "This conflicts with what is there",
    422: "This request is not valid",
    429: "Too many requests",
    503: "The server is busy",
}


def wants_page(request: Request) -> bool:
    """Whether the client is a browser that expects a page; addresses of the API always answer in JSON."""
    if request.url.path.startswith("/api/"):
        return False
    kinds = [kind.partition(";")[0].strip().lower() for kind in request.headers.get("accept", "").split(",")]
    return "text/html" in kinds


def error_page(request: Request, status: int, detail: str) -> HTMLResponse:
    """An error page with the reason."""
    title = _WORDS.get(status, "Something went wrong" if status >= 500 else "This did not work")
    return page(
        "error.html",
        status=status,
        title=title,
        detail=detail,
        code=status,
        back=request.url.path,
    )
