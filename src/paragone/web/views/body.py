"""What clients send: texts that can be stored, in bodies without unknown fields."""

from inspect import getdoc
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel

from paragone.domain.text import whole
from paragone.wire.value import Schema, describe


class Body(BaseModel, extra="forbid"):
    """What a client sends."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Schema:  # noqa: ANN401 - of pydantic
        schema: Schema = handler(core_schema)
        describe(
            handler.resolve_ref_schema(schema), *(getdoc(base) or "" for base in cls.__mro__ if issubclass(base, Body))
        )
        return schema


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a null byte: remove it")
    if text != whole(text):
        raise ValueError("it holds half a character (a lone surrogate): remove it")
    return text


StorableText = Annotated[str, AfterValidator(_storable)]
"""A text that is to be stored."""
