"""What went wrong, for people: a page, where programs get problem+json."""

from starlette.requests import Request
from starlette.responses import HTMLResponse

from paragone.web.pages.rendering import page

_WORDS = {
    400: "This request cannot be read",
    401: "Who are you?",
    403: "You may not do this",
    404: "There is nothing here",
    405: "This cannot be done here",
    409: "Something else was there before",
    422: "This cannot be",
    429: "That was too much at once",
    503: "The server is busy",
}


def wants_page(request: Request) -> bool:
    """Whether a browser asks, and for a page: programs of the API get what they expect whatever they accept."""
    if request.url.path.startswith("/api/"):
        return False
    kinds = [kind.partition(";")[0].strip().lower() for kind in request.headers.get("accept", "").split(",")]
    return "text/html" in kinds


def error_page(request: Request, status: int, detail: str) -> HTMLResponse:
    """The page of a refusal, with the reason in words."""
    title = _WORDS.get(status, "Something went wrong" if status >= 500 else "This did not work")
    return page(
        "error.html",
        status=status,
        title=title,
        detail=detail,
        code=status,
        back=request.url.path,
    )
