"""Progress of a run from Python: a line on a terminal, a bar in a notebook, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any, TextIO

from paragone.domain.text import visible
from paragone.tournaments.running.control import Observer, Progress

INTERVAL = 10.0
"""Seconds between two lines where the output is neither a terminal nor a notebook."""
_WIDTH = 24


@contextmanager
def progress(stream: TextIO | None = None) -> Iterator[Observer]:
    """Show the progress of a run; the value of the block is the observer to pass to it.

    In Jupyter and similar notebooks this is a progress bar, on a terminal a line that is updated in place, elsewhere a
    new line every ten seconds.

    Args:
        stream: Where to write; standard error by default.
    """
    target = sys.stderr if stream is None else stream
    display = _notebook_display()
    if display is not None:
        yield lambda now: display(_bar(now))
    elif target.isatty():
        yield lambda now: _rewrite(target, in_words(now))
        target.write("\n")
    else:
        yield _now_and_then(target)


def in_words(now: Progress) -> str:
    """Progress as a line."""
    remaining = "" if not now.seconds_left or now.seconds_left < 1 else f", at most {now.seconds_left:.0f} s left"
    waiting = f", {visible(now.waiting)}" if now.waiting else ""
    return f"[{'#' * int(_share(now) * _WIDTH):{_WIDTH}}] {now.done:,} of at most {now.most:,}{remaining}{waiting}"


def _share(now: Progress) -> float:
    return min(1.0, now.done / max(1, now.most))


def _bar(now: Progress) -> str:
    words = escape(in_words(now).partition("] ")[2])
    return f'<progress value="{_share(now):.3f}" max="1"></progress> {words}'


def _rewrite(stream: TextIO, line: str) -> None:
    stream.write(f"\r\x1b[K{line}")
    stream.flush()


def _now_and_then(stream: TextIO) -> Observer:
    last = time.monotonic()

    def observe(now: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= INTERVAL:
            last = time.monotonic()
            stream.write(f"{in_words(now)}\n")

    return observe


def _notebook_display() -> Callable[[str], Any] | None:
    """What shows HTML in the notebook that this runs in, in one place; None where it is none."""
    if "ipykernel" not in sys.modules:  # it runs the cells, and nobody else loads it
        return None
    ipython = import_module("IPython.display")
    handle = ipython.display(ipython.HTML(""), display_id=True)
    return lambda html: handle.update(ipython.HTML(html))
