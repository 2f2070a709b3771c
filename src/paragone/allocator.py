"""When memory that was freed goes back to the system.

glibc gives back at once what small temporaries took, so that each new one costs the system's pages anew, until it has
seen large ones. From then on it keeps what they took, so that a process that fits all of its evidence now and then
seems to grow, although it holds hardly more than before.
"""

import ctypes
import sys
from functools import cache

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGE = 32 * 2**20
"""Bytes from which on temporaries are memory of their own: where glibc itself ends up, once it has seen such."""


def keep() -> None:
    """Keep for the next temporaries what was freed, from the first one on; an eighth of a board's whole time."""
    libc = _libc()
    if libc is not None and hasattr(libc, "mallopt"):
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGE)
        libc.mallopt(_M_TRIM_THRESHOLD, 2 * _LARGE)


def give_back() -> bool:
    """Return freed memory to the system, which takes milliseconds; whether there was any, False where glibc is not."""
    libc = _libc()
    return libc is not None and hasattr(libc, "malloc_trim") and bool(libc.malloc_trim(0))


@cache
def _libc() -> ctypes.CDLL | None:
    """The C library; another one than glibc may lack what is asked of it."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        return ctypes.CDLL(None)
    except OSError:
        return None
