"""What all views are made of: frozen values whose texts and numbers JSON can hold."""

import math
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from paragone.domain.text import whole


class View(BaseModel):
    """A value that is shown. Answers have no fields besides those that it names."""

    model_config = ConfigDict(frozen=True)


def _finite(value: float | None) -> float | None:
    return value if value is None or math.isfinite(value) else None


def _whole(value: object) -> object:
    return whole(value) if isinstance(value, str) else value


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a null byte: remove it")
    if text != whole(text):
        raise ValueError("it holds half a character (a lone surrogate): remove it")
    return text


Words = Annotated[str, BeforeValidator(_whole)]
"""A text from anywhere. Halves of characters, which no JSON can hold, are replaced; everything else stays."""

Given = Annotated[str, AfterValidator(_storable)]
"""A text that somebody sends to be kept."""

Known = Annotated[float | None, BeforeValidator(_finite)]
"""A number; None where it is not known, not finite or absent."""
