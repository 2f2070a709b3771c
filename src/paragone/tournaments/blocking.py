"""Waiting for a coroutine in code that is not asynchronous."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def synchronously(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, in its own thread if a loop is already running (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as executor:
        return executor.submit(asyncio.run, work).result()
