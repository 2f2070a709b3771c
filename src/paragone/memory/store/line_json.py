"""Lines of the logs as JSON and back.

Lines of texts, whole numbers, flags and times are written and read here; pydantic does the same for all, says what is
wrong with one, and takes a twentieth of a second to load, so it is loaded for those others alone.
"""

import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from paragone.errors import InvalidRecord, ParagoneError
from paragone.memory.store.lines import Instant, L, LogLine, as_iso, from_iso

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def encode(line: L) -> tuple[L, bytes]:
    """A line as it will be read back, and its bytes, with the newline.

    Raises:
        InvalidRecord: If it holds what its type does not allow, such as a number that is not finite.
    """
    plain = plainly_encoded(line)
    if plain is not None:
        return plain
    text = _to_json(line)
    return from_json(type(line), text), text + b"\n"


def plainly_encoded(line: L) -> tuple[L, bytes] | None:
    """The same for a line of texts, whole numbers, flags and times alone; None for others, and for what is not valid.

    Most lines are such, and a process that writes nothing else need not load pydantic, which takes a twentieth of a
    second.
    """
    values: dict[str, Any] = {}
    times: dict[str, Any] = {}
    for each in fields(line):
        value = getattr(line, each.name)
        if each.type == Instant and type(value) is float:
            try:
                value = as_iso(value)
                times[each.name] = from_iso(value)
            except ValueError:
                return None
        elif not _is_plain(value, each.type):
            return None
        values[each.name] = value
    try:
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return None
    return replace(line, **times), text + b"\n"


def plainly_decoded(kind: type[L], text: bytes) -> L | None:
    """The line of a JSON text with such fields alone; None for others, and for what is not valid."""
    try:
        read = json.loads(text.decode())
        if type(read) is not dict:
            return None
        values = {name: _plain_value(read[name], of) for name, of in _plain_fields(kind).items() if name in read}
        return kind(**values)
    except (ValueError, TypeError, RecursionError, ParagoneError):  # for pydantic to read, or to say what is wrong
        return None


_FIELDS: dict[type[LogLine], dict[str, Any]] = {}


def _plain_fields(kind: type[LogLine]) -> dict[str, Any]:
    if kind not in _FIELDS:
        _FIELDS[kind] = {each.name: each.type for each in fields(kind)}
    return _FIELDS[kind]


def _plain_value(value: Any, kind: Any) -> Any:  # noqa: ANN401 - any value of JSON
    """A value of JSON as its field has it.

    Raises:
        ValueError: If it is not of the field's type, or not plain.
    """
    if kind == Instant:
        return from_iso(value)
    if get_origin(kind) is tuple and type(value) is list:
        first, *rest = get_args(kind)
        kinds = (first,) * len(value) if rest == [...] else (first, *rest)
        return tuple([_plain_value(each, of) for each, of in zip(value, kinds, strict=True)])
    if not _is_plain(value, kind):
        raise ValueError(f"{value!r} is not plain")
    if type(value) is str:
        value.encode()  # half a character has no bytes
    return value


_MOST = 2**63
"""Whole numbers below this are written and read alike by all."""


def _is_plain(value: object, kind: Any) -> bool:  # noqa: ANN401 - any annotation
    """Whether a value is of its field's type, and looks the same whoever writes it as JSON."""
    if kind in (str, bool):
        return type(value) is kind
    if kind is int:
        return type(value) is int and abs(value) < _MOST
    if get_origin(kind) is Literal:
        return type(value) is str and value in get_args(kind)
    if get_origin(kind) is tuple and type(value) is tuple:
        first, *rest = get_args(kind)
        kinds = (first,) * len(value) if rest == [...] else (first, *rest)
        return len(kinds) == len(value) and all(map(_is_plain, value, kinds))
    return False


def from_json(kind: type[L], text: bytes) -> L:
    """The line that a JSON text holds. Fields that its type does not have are ignored.

    Raises:
        InvalidRecord: If it is not JSON, or a field is missing or of another type; the message names it.
    """
    plain = plainly_decoded(kind, text)
    if plain is not None:
        return plain
    from pydantic import ValidationError

    try:
        return _adapter(kind).validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidRecord(f"{where}: {first['msg']}" if where else first["msg"]) from None
    except ParagoneError as error:
        raise InvalidRecord(str(error)) from error


def _to_json(line: LogLine) -> bytes:
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


_ADAPTERS: "dict[type[LogLine], TypeAdapter[Any]]" = {}


def _adapter(kind: type[L]) -> "TypeAdapter[L]":
    from pydantic import TypeAdapter

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
