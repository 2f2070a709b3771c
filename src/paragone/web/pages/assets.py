"""Scripts and styles: ours, and Plotly from its package. Each has its hash in its address."""

import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Header
from starlette.exceptions import HTTPException
from starlette.responses import Response

from paragone.presenting.page import plotly_js

router = APIRouter()

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
PLOTLY = "plotly.js"


@cache
def content(name: str) -> bytes:
    """An asset by its name.

    Raises:
        KeyError: If there is none.
    """
    if name == PLOTLY:
        return plotly_js().encode()
    assets = {path.name: path for path in files("paragone.web.pages").joinpath("static").iterdir()}
    return assets[name].read_bytes()


@cache
def compressed(name: str) -> bytes:
    """The gzipped asset; Plotly shrinks to less than a third."""
    return gzip.compress(content(name), compresslevel=6, mtime=0)


@cache
def address(name: str) -> str:
    """Address of an asset; it changes with the content."""
    return f"/assets/{hashlib.sha256(content(name)).hexdigest()[:16]}/{name}"


@router.get("/assets/{mark}/{name}")
def asset(mark: str, name: str, accept_encoding: Annotated[str, Header()] = "") -> Response:
    """An asset; browsers may cache it for ever, since its address changes with its content."""
    try:
        body = content(name)
    except KeyError:
        raise HTTPException(404, "there is no such asset") from None
    if f"/{mark}/" not in address(name):
        raise HTTPException(404, "there is no such asset")
    headers = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}
    if "gzip" in accept_encoding:
        body, headers = compressed(name), {**headers, "content-encoding": "gzip"}
    return Response(body, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)
