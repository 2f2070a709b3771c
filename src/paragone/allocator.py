"""Gives memory that was freed back to the system.

glibc keeps what large temporaries took, so that a process that fits all of its evidence now and then seems to grow,
although it holds hardly more than before.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def give_back() -> bool:
    """Return freed memory to the system, which takes milliseconds; whether there was any, False where glibc is not."""
    trim = _trim()
    return trim is not None and bool(trim(0))


@cache
def _trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library
        return None
    return trim
