"""A round of the informative pairing among many items: CPU seconds, and the memory that its process needs."""

import multiprocessing
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from contender_paragone import GOALS

from paragone.pairing.informative import next_batch
from paragone.pairing.presentation import PairHistory

SIZES = (10_000, 100_000)
BARS = {10_000: 0.08, 100_000: 1.0}  # CPU seconds a round
MOST_MEMORY = 0.36  # GB, at the larger
DRAWS, CALLS_AN_ITEM, REPEATS = 200, 5, 3  # draws as many as a tournament of this size makes


def measure(items: int) -> dict[str, Any]:
    """One size, in a fresh process, since the peak of memory is that of a process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_round, items).result()


def _round(items: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    mean = 2.5 * rng.standard_normal(items)
    sample = rng.standard_normal((DRAWS, items))
    sample *= 0.7
    sample += mean
    asked = _history(np.argsort(mean), rng)
    seconds = {}
    for name, goal in GOALS.items():
        spent = []
        for _ in range(REPEATS):
            began = time.process_time()
            next_batch(mean, sample, asked, goal, rng=rng)
            spent.append(time.process_time() - began)
        seconds[name] = round(min(spent), 3)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9
    return {"items": items, "cpu_seconds": seconds, "memory_gb": round(memory, 3), "calls": asked.total}


def _history(order: np.ndarray, rng: np.random.Generator) -> PairHistory:
    """Comparisons between neighbours up to some fifteen places apart, as rounds before would have left them."""
    asked = PairHistory(order.size)
    for gap in rng.choice(np.arange(1, 16), CALLS_AN_ITEM, replace=False).tolist():
        for first, second in zip(order[:-gap].tolist(), order[gap:].tolist(), strict=True):
            asked.add(*((first, second) if (first + second) % 2 else (second, first)))
    return asked


def table(measured: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield "\nA round among many items: CPU s by goal [at most], memory of the process with 200 draws"
    for one in measured:
        bar = BARS.get(one["items"])
        texts = [f"{name} {spent:.3f}{_mark(spent, bar)}" for name, spent in one["cpu_seconds"].items()]
        most = MOST_MEMORY if one["items"] == max(BARS) else None
        yield f"  {one['items']:7d} items  {', '.join(texts)}; {one['memory_gb']:.3f} GB{_mark(one['memory_gb'], most)}"


def _mark(value: float, most: float | None) -> str:
    return "" if most is None else f" [{most:g}{'' if value <= most else ' MISSED'}]"
