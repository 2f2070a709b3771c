"""Memory that was freed goes back to the system."""

import os
import platform
import subprocess
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
    allocator._libc.cache_clear()
    assert not allocator.give_back()
    allocator.keep()
    allocator._libc.cache_clear()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep more")
def test_small_temporaries_cost_the_systems_pages_once() -> None:
    script = """
import resource, sys
if "keep" in sys.argv:
    from paragone import allocator
    allocator.keep()
[bytes([1]) * 100_000 for _ in range(10)]
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(50):
    [bytes([1]) * 100_000 for _ in range(10)]
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
    pages = 1_000_000 // 4096
    assert int(_output(script, "keep")) < pages < 50 * pages // 2 < int(_output(script))


def _output(script: str, *words: str) -> str:
    # The limits would be found where the process before had left them.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    return subprocess.run(
        [sys.executable, "-c", script, *words], check=True, capture_output=True, text=True, env=plain
    ).stdout
