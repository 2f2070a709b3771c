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
from paragone.tournaments.running.progress import Observer, Progress, unobserved
from paragone.tournaments.tournament import Tournament

ROWS = 20
EVERY = 10.0
"""Seconds between lines where the output is no terminal."""


@contextmanager
def watch(tournament: Tournament, *, quiet: bool, opening: str = "") -> Iterator[Observer]:
    """An observer that shows progress on standard error, as it suits whoever reads it.

    Args:
        tournament: What is played.
        quiet: Whether to show nothing.
        opening: What the run will take, to be said with what the first answer shows of the model.
    """
    console = Console(stderr=True)
    if quiet or tournament.known_judge().card.interactive:
        yield unobserved
    elif console.is_terminal:
        with Live(console=console, refresh_per_second=8, transient=True) as live:
            announced = _announcing(console, opening)

            def observe(progress: Progress) -> None:
                announced(progress)
                live.update(picture(progress, console.height, console.width))

            yield observe
    else:
        yield _lines(console, opening)


def _announcing(console: Console, opening: str) -> Observer:
    """Says what a run takes once the first answer has come, with what it showed; of further models a line each."""
    printed, waiting = 0, opening

    def observe(progress: Progress) -> None:
        nonlocal printed, waiting
        fresh = progress.discovered[printed:]
        printed = len(progress.discovered)
        if waiting and (fresh or progress.done):
            showed = "".join(f"; {discovery.words}" for discovery in fresh[:1])
            console.print(plain(f"{waiting}{showed}"), soft_wrap=True)
            fresh, waiting = fresh[1:], ""
        for discovery in fresh:
            console.print(plain(f"{discovery.who}: {discovery.words}"), soft_wrap=True)

    return observe


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
    if progress.waiting:
        said.append(progress.waiting)
    return ", ".join(said)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _lines(console: Console, opening: str) -> Observer:
    """A line now and then, for logs; what whoever watches should know is said at once, and once."""
    last, told = time.monotonic(), 0
    announced = _announcing(console, opening)

    def observe(progress: Progress) -> None:
        nonlocal last, told
        announced(progress)
        for note in progress.notes[told:]:
            console.print(plain(f"note: {note}"), soft_wrap=True)
        told = len(progress.notes)
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            console.print(sentence(progress), markup=False, highlight=False)

    return observe
