"""The OpenAPI document: what this server can be asked for, to whom it may answer."""

from typing import Any

from fastapi import APIRouter, Request

from paragone.web.api.description import described
from paragone.web.middleware.authentication import Reader

router = APIRouter()


@router.get("/openapi.json", include_in_schema=False)
def get_document(request: Request, _: Reader) -> dict[str, Any]:
    """Every route, parameter and field."""
    state = request.app.state
    if state.document is None:
        state.document = described(request.app.openapi())
    document: dict[str, Any] = state.document
    return document
