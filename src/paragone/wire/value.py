"""What all values that leave the process have in common: JSON can hold them, and schemas explain their fields."""

import math
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
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

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            clean = _cleaner(type(value))
            if clean is not None and (sound := clean(value)) is not value:
                object.__setattr__(self, name, sound)

    @classmethod
    def like(cls, source: object) -> Self:
        """The value with the fields of another object, or of a mapping; nested ones are converted as well."""
        made: Self = _converted(cls, source)
        return made

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
        docstrings: The docstring of the class, then those of its bases; the schema's description where there are none.
    """
    texts = docstrings or (schema.get("description", ""),)
    known = schema.get("properties", {})
    for text in texts:
        for name, words in _ATTRIBUTE.findall(text.partition("\n\nAttributes:\n")[2]):
            if name in known:
                known[name].setdefault("description", " ".join(words.split()))
    if about := texts[0].partition("\n\nAttributes:\n")[0]:
        schema["description"] = about


def shallow(value: Any) -> dict[str, Any]:  # noqa: ANN401 - any dataclass
    """The fields of a dataclass by name; what they hold is not copied."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


@cache
def _cleaner(kind: Hashable) -> Callable[[Any], Any] | None:
    """How values of a type are made fit for JSON; None where they always are."""
    if not isinstance(kind, type) or issubclass(kind, Value):
        return None  # it did that itself
    if is_dataclass(kind):
        return _clean_dataclass
    return next((clean for known, clean in _CLEANERS.items() if issubclass(kind, known)), None)


def _clean(value: Any) -> Any:  # noqa: ANN401 - any value
    clean = _cleaner(type(value))
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


def _is(one: object, other: object) -> bool:
    return one is other


_CLEANERS: Mapping[type, Callable[[Any], Any]] = {
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
    if hint is str:
        return str(value)
    if not is_dataclass(hint) or isinstance(value, hint):  # type: ignore[arg-type]
        return value
    is_mapping = isinstance(value, Mapping)
    present = {
        name: found
        for name in _hints(hint)
        if (found := value.get(name, MISSING) if is_mapping else getattr(value, name, MISSING)) is not MISSING
    }
    return hint(**{name: _converted(_hints(hint)[name], each) for name, each in present.items()})


@cache
def _hints(kind: Hashable) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {name: hints[name] for name in kind.__dataclass_fields__}  # type: ignore[attr-defined]  # of a dataclass
