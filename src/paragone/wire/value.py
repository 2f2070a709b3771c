"""What all values that leave the process have in common: JSON can hold them, and schemas explain their fields."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache, partial
from inspect import getdoc
from types import NoneType, UnionType
from typing import Any, ClassVar, Self, Union, get_args, get_origin, get_type_hints

from paragone.domain.text import whole

Schema = dict[str, Any]
_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)


class Value:
    """The base of a frozen dataclass that leaves the process.

    Texts come from models and people, numbers from fits. JSON has no form for half of a surrogate pair, nor for
    infinity and NaN. A value replaces the former by the replacement character and the latter by None when it is made,
    so that JSON, pages and MCP show the same.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    # A server answers most routes seldom or never: pydantic makes the schema of an answer when it is first needed. An
    # answer has every field, also where it has its default.
    __pydantic_config__: ClassVar[dict[str, bool]] = {
        "defer_build": True,
        "json_schema_serialization_defaults_required": True,
    }

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            clean = _cleaners[type(value)]
            if clean is not None and (sound := clean(value)) is not value:
                object.__setattr__(self, name, sound)

    @classmethod
    def like(cls, source: object, **fields: object) -> Self:
        """The value with the fields of another object, or of a mapping; nested ones are converted as well.

        Args:
            source: The object or mapping.
            fields: Fields that it lacks, or that are to differ.
        """
        value: Self = _made(cls, source, fields) if fields else _converted(cls, source)
        return value

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Schema:  # noqa: ANN401 - of pydantic
        schema: Schema = handler(core_schema)
        describe(
            handler.resolve_ref_schema(schema), *(getdoc(base) or "" for base in cls.__mro__ if is_dataclass(base))
        )
        return schema


def describe(schema: Schema, *docstrings: str) -> None:
    """Move what docstrings say of each attribute to the fields of a JSON schema.

    Args:
        schema: The schema of a class; it is changed.
        docstrings: The docstring of the class, then those of its bases; the schema's own description if there are none.
    """
    texts = docstrings or (schema.get("description", ""),)
    properties = schema.get("properties", {})
    for text in texts:
        for name, words in _ATTRIBUTE.findall(text.partition("\n\nAttributes:\n")[2]):
            if name in properties:
                properties[name].setdefault("description", " ".join(words.split()))
    if about := texts[0].partition("\n\nAttributes:\n")[0]:
        schema["description"] = about


def shallow(value: Any) -> dict[str, Any]:  # noqa: ANN401 - any dataclass
    """The fields of a dataclass by name; what they hold is not copied."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


_Cleaner = Callable[[Any], Any]


class _Cleaners(dict[type, _Cleaner | None]):
    """How values of each type are made fit for JSON; None for types that always are."""

    def __missing__(self, kind: type) -> _Cleaner | None:
        self[kind] = cleaner = _find_cleaner(kind)
        return cleaner


_cleaners = _Cleaners()


def _find_cleaner(kind: type) -> _Cleaner | None:
    if issubclass(kind, Value):
        return None  # it has cleaned itself
    if is_dataclass(kind):
        return _clean_dataclass
    return next((clean for base, clean in _CLEANERS.items() if issubclass(kind, base)), None)


def _clean(value: Any) -> Any:  # noqa: ANN401 - any value
    clean = _cleaners[type(value)]
    return value if clean is None else clean(value)


def _clean_text(text: str) -> str:
    return text if text.isascii() or (sound := whole(text)) == text else sound


def _clean_number(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _clean_list(values: list[Any]) -> list[Any]:
    sound = [_clean(value) for value in values]
    return values if all(map(_is, sound, values)) else sound


def _clean_tuple(values: tuple[Any, ...]) -> tuple[Any, ...]:
    sound = tuple(_clean(value) for value in values)
    return values if all(map(_is, sound, values)) else sound


def _clean_mapping(values: Mapping[Any, Any]) -> Mapping[Any, Any]:
    sound = {_clean(key): _clean(value) for key, value in values.items()}
    if all(map(_is, sound, values)) and all(map(_is, sound.values(), values.values())):
        return values
    return sound


def _clean_dataclass(value: Any) -> Any:  # noqa: ANN401 - any dataclass
    changed = {name: sound for name, field in shallow(value).items() if (sound := _clean(field)) is not field}
    return replace(value, **changed) if changed else value


def _is(first: object, second: object) -> bool:
    return first is second


_CLEANERS: Mapping[type, _Cleaner] = {
    str: _clean_text,
    float: _clean_number,
    list: _clean_list,
    tuple: _clean_tuple,
    Mapping: _clean_mapping,
}


def _converted(hint: Any, value: Any) -> Any:  # noqa: ANN401 - any annotation, any value
    """A value as an annotation of a dataclass has it."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        kinds = [kind for kind in inner if kind is not NoneType]
        return value if value is None or len(kinds) > 1 else _converted(kinds[0], value)
    if origin is list:
        return [_converted(inner[0], each) for each in value]
    if origin is tuple and inner[1:] == (...,):
        return tuple(_converted(inner[0], each) for each in value)
    if origin is dict:
        return {key: _converted(inner[1], each) for key, each in value.items()}
    if hint is str:
        return str(value)
    if not is_dataclass(hint) or type(value) is hint:
        return value
    return _made(hint, value, {})


def _made(kind: Any, source: Any, fields: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a dataclass, any object
    get = source.get if isinstance(source, Mapping) else partial(getattr, source)
    hints, names = _hints(kind), [name for name in kind.__dataclass_fields__ if name not in fields]
    present = {name: value for name in names if (value := get(name, MISSING)) is not MISSING}
    return kind(**{name: _converted(hints[name], value) for name, value in present.items()}, **fields)


@cache
def _hints(kind: Any) -> dict[str, Any]:  # noqa: ANN401 - a dataclass
    return get_type_hints(kind)
