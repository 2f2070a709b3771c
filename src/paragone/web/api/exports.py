"""Exports over HTTP: everything of a pool as a file."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from paragone.errors import MissingExtra
from paragone.web.api.answers import refusals
from paragone.web.dependencies import LedgerDep
from paragone.web.middleware.authentication import Reader
from paragone.web.views import exports as views
from paragone.web.views.exports import TYPES, Format, What
from paragone.web.views.links import PoolId

router = APIRouter(prefix="/pools", tags=["exports"], responses=refusals(404, 501))

_BYTES = {"type": "string", "format": "binary"}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "content": {kind.partition(";")[0]: {"schema": _BYTES} for kind in TYPES.values()},
    }
}


@router.get("/{pool}/exports/{what}", response_class=StreamingResponse, responses=_FILES)
def get_export(
    pool: PoolId,
    what: Annotated[What, Path(description="What of it.")],
    reader: LedgerDep,
    _: Reader,
    format: Annotated[Format, Query(description="CSV, JSON lines or Parquet.")] = "csv",
) -> StreamingResponse:
    """Everything of one kind, in the order of record; the board best first. It comes in pieces, however much it is."""
    try:
        pieces = views.export(reader, pool, what, format)
    except MissingExtra as error:
        raise HTTPException(501, str(error)) from error
    filename = {"content-disposition": f'attachment; filename="{what}.{format}"', "cache-control": "no-store"}
    return StreamingResponse(pieces, media_type=TYPES[format], headers=filename)
