"""Times in logs: ISO 8601 in UTC outside, seconds since 1970 inside."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def as_iso(seconds: float) -> str:
    """A time as logs have it, to the millisecond, such as ``2026-01-02T03:04:05.678Z``.

    Raises:
        ValueError: If it lies outside the years that a date can have.
    """
    try:
        moment = _EPOCH + timedelta(milliseconds=round(seconds * 1000.0))
    except OverflowError as error:
        raise ValueError(f"{seconds} is no time that a date can have") from error
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_iso(text: object) -> float:
    """Seconds since 1970, to the millisecond. A time without a zone is UTC.

    Raises:
        ValueError: If it is no time in ISO 8601.
    """
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        aware = moment and (moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):  # such as midnight of the year 1, east of Greenwich
        aware = None
    if aware is None:
        raise ValueError(f"{text!r} is no time in ISO 8601, such as 2026-01-02T03:04:05.678Z")
    return (aware - _EPOCH) // timedelta(milliseconds=1) / 1000.0


class _Iso:
    """Tells pydantic, once that is loaded, how a time goes out and comes in."""

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> Any:  # noqa: ANN401 - pydantic's own
        from pydantic_core import core_schema

        out = core_schema.plain_serializer_function_ser_schema(as_iso, return_schema=core_schema.str_schema())
        return core_schema.no_info_plain_validator_function(from_iso, serialization=out)

    def __get_pydantic_json_schema__(self, schema: object, handler: object) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


Instant = Annotated[float, _Iso()]
"""Seconds since 1970, UTC; a text in ISO 8601 in a log."""
