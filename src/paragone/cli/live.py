"""The live board: ranks, intervals, calls, cost, rate and time left while a run goes on."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from paragone.cli.show import board_table, plain
from paragone.tournaments.door import Tournament
from paragone.tournaments.running.progress import Observer, Progress, unobserved

ROWS = 20
EVERY = 10.0
"""Seconds between lines where the output is no terminal."""


@contextmanager
def watch(tournament: Tournament, *, quiet: bool) -> Iterator[Observer]:
    """An observer that shows progress on standard error, as it suits whoever reads it."""
    console = Console(stderr=True)
    if quiet or tournament.known_judge().card.interactive:
        yield unobserved
    elif console.is_terminal:
        with Live(console=console, refresh_per_second=8, transient=True) as live:
            yield lambda progress: live.update(picture(progress, console.height, console.width))
    else:
        yield _lines(console)


def picture(progress: Progress, height: int, width: int) -> Group:
    """The board so far over a line that says how far it is."""
    parts: list[Table | ProgressBar | Text] = []
    if progress.board is not None:
        parts.append(board_table(progress.board, rows=max(3, min(ROWS, height - 8)), width=width))
    bar = Table.grid(padding=(0, 1))
    bar.add_row(ProgressBar(total=progress.most, completed=progress.done, width=30), Text(sentence(progress)))
    parts.append(bar)
    parts.extend(plain(note) for note in progress.notes)
    return Group(*parts)


def sentence(progress: Progress) -> str:
    """How far a run is, in one line."""
    said = [f"round {progress.round}", f"of at most {progress.most:,}: {progress.spending.sentence()}"]
    if progress.rate > 0:
        said.append(f"{progress.rate:.1f}/s")
    if progress.seconds_left is not None:
        said.append(f"{_clock(progress.seconds_left)} left at the most")
    return ", ".join(said)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _lines(console: Console) -> Observer:
    """A line now and then, for logs; what whoever watches should know is said at once, and once."""
    last, told = time.monotonic(), 0

    def observe(progress: Progress) -> None:
        nonlocal last, told
        for note in progress.notes[told:]:
            console.print(plain(f"note: {note}"), soft_wrap=True)
        told = len(progress.notes)
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            console.print(sentence(progress), markup=False, highlight=False)

    return observe
