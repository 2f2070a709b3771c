"""What a cell holds, whichever file or frame it came from."""

import math
import numbers
import re

# What pandas and others write into a text file for a missing value.
_WRITTEN_MISSING = frozenset({"nan", "NaN", "<NA>"})
_DECIMAL_COMMA = re.compile(r"\s*[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,}))\s*", re.ASCII)


def is_missing(value: object) -> bool:
    """Whether a cell is empty: None, a not-a-number of any library, or blank text."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or _is_nan(value)


def is_written_missing(text: str) -> bool:
    """Whether a text is what tables write for a missing value, such as ``NaN``."""
    return text in _WRITTEN_MISSING


def as_text(value: object) -> str | None:
    """A cell as text without blanks around it: text as it is, whole numbers without a point; None for other kinds."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    if isinstance(value, numbers.Integral):
        return str(int(value))
    # A column of integers with one gap becomes floats in pandas: 7.0 was 7.
    number = float(value)
    return str(int(number)) if number.is_integer() else str(number)


def as_number(value: object) -> float | None:
    """A cell as a number, with a decimal point or comma; None where it is not one.

    A comma before three digits may divide thousands, so that only ``0,125`` is taken for a decimal one.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str | numbers.Real):
        if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value):
            value = value.replace(",", ".")
        try:
            return float(value)
        except (ValueError, OverflowError):
            return None
    return None


def _is_nan(value: object) -> bool:
    if isinstance(value, numbers.Real):
        return math.isnan(value)
    return type(value).__name__ in {"NAType", "NaTType"}
