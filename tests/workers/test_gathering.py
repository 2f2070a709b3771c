"""What goes on in the background of planners and workers, and how it ends."""

import asyncio
from collections.abc import Callable

import pytest

from paragone.workers.batching import ended


@pytest.mark.parametrize("swallowed", [0, 1, 2])
def test_a_task_ends_though_errors_take_the_place_of_its_cancellation(
    swallowed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paragone.workers.batching.LONGEST_PAUSE", 0.01)
    cancellations = 0

    async def outlasts_errors(ready: Callable[[], None]) -> None:
        nonlocal cancellations
        while True:
            ready()
            try:
                try:
                    await asyncio.sleep(3600.0)
                except asyncio.CancelledError:
                    cancellations += 1
                    if cancellations <= swallowed:
                        raise ConnectionError("the server closed the connection while it was given back") from None
                    raise
            except ConnectionError:
                continue

    async def main() -> None:
        started = asyncio.Event()
        task = asyncio.create_task(outlasts_errors(started.set))
        await started.wait()
        await asyncio.wait_for(ended([task]), 5.0)
        assert task.cancelled()

    asyncio.run(main())
    assert cancellations == swallowed + 1
