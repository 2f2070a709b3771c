"""Lines as JSON and back. pydantic, which reads and checks them, is loaded when it is first needed."""

import json
from typing import TYPE_CHECKING, Any, TypeVar

from paragone.errors import InvalidRecord, ParagoneError
from paragone.memory.store.lines import AccessLine, IndexLine, Line, SearchLine, SessionLine, TruthLine, UpdateLine

if TYPE_CHECKING:
    from pydantic import TypeAdapter

L = TypeVar("L", bound=Line)

EVIDENCE: dict[str, type[Line]] = {
    "search_log": SearchLine,
    "access_log": AccessLine,
    "session_audit": SessionLine,
    "truth_log": TruthLine,
    "index_log": IndexLine,
}
"""The logs that are the truth, and what their lines are."""

UPDATES = "elo_updates"
"""The log that follows from the others."""

LOGS: dict[str, type[Line]] = {**EVIDENCE, UPDATES: UpdateLine}


def written(line: L) -> tuple[L, bytes]:
    """A line as it will be read, and its bytes, with the newline at the end.

    Raises:
        InvalidRecord: If it holds what its type does not allow, such as a number that is not finite.
    """
    kind = type(line)
    text = _to_json(line)
    return from_json(kind, text), text + b"\n"


def from_json(kind: type[L], text: bytes) -> L:
    """The line that a JSON text holds. Fields that its type does not have are ignored.

    Raises:
        InvalidRecord: Naming the field that is absent or of another type, or saying that it is no JSON.
    """
    from pydantic import ValidationError

    try:
        return _adapter(kind).validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidRecord(f"{where}: {first['msg']}" if where else first["msg"]) from None
    except ParagoneError as error:
        raise InvalidRecord(str(error)) from error


def _to_json(line: Line) -> bytes:
    adapter = _adapter(type(line))
    try:
        return adapter.dump_json(line, warnings=False)
    except ValueError:
        pass  # half a surrogate pair, which no reader of JSON would take, or what JSON has no form for
    try:
        values = adapter.dump_python(line, mode="json", warnings=False)
        text = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError) as error:
        raise InvalidRecord(f"{type(line).__name__} cannot be written as JSON: {error}") from error
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


_ADAPTERS: "dict[type[Line], TypeAdapter[Any]]" = {}


def _adapter(kind: type[L]) -> "TypeAdapter[L]":
    from pydantic import TypeAdapter

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
