"""What is wrong with the parameters or the body of a request, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request

from paragone.domain.refusals import expectation

MOST_WRONG = 20
"""Places of a body that a refusal names."""


def wrong_kind(request: Request, errors: Sequence[Mapping[str, Any]]) -> str:
    """Why a body was not even read, where that is so: it says that it is no JSON. Empty where it is not so."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
    if is_json or not kind or not any(tuple(one["loc"]) == ("body",) for one in errors):
        return ""
    return f"a body is application/json here, and this one says that it is {kind[:100]}"


def wrong(errors: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Where something is wrong, and what."""
    return [_one(error) for error in errors[:MOST_WRONG]]


def _one(error: Mapping[str, Any]) -> dict[str, str]:
    where = ".".join(map(str, error["loc"]))[:200]
    if error["type"] == "json_invalid":
        place = error["loc"][-1]
        return {"where": "body", "what": f"it is no JSON at character {place}: {error['ctx']['error']}"}
    return {"where": where, "what": expectation(error)}
