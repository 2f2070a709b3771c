"""Memory that was freed goes back to the system."""

import platform
import sys
from pathlib import Path

import pytest

from paragone import allocator


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep less")
def test_what_was_freed_is_given_back() -> None:
    pieces = [bytes(100_000) + bytes([n % 256]) for n in range(400)]  # below the size that is given back at once
    last = bytes(100_000)  # keeps the top of the heap
    before = resident()
    pieces.clear()
    held = resident()
    assert allocator.give_back()
    assert held - resident() > 20e6 or before - resident() > 20e6
    assert last


def test_elsewhere_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    allocator._trim.cache_clear()
    assert not allocator.give_back()
    allocator._trim.cache_clear()
