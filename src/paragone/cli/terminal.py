"""What commands print besides tables: JSON, notices, notes, progress, and the words after Ctrl-C."""

import dataclasses
import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeVar

import typer

from paragone.domain.text import visible, whole
from paragone.errors import Conflict, UsageError


def print_json(value: object) -> None:
    """Write a value as indented JSON; dataclasses become objects, times ISO 8601."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False, default=_plain_value)
    sys.stdout.write(whole(text) + "\n")


def _plain_value(value: object) -> object:
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def iso(seconds: float | None) -> str | None:
    """A time as the logs have it."""
    from paragone.memory.store.lines import as_iso

    return None if seconds is None else as_iso(seconds)


def moment(at: datetime | None) -> str:
    """A time as a table of the terminal has it, to the minute; empty for None."""
    return "" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"


def seconds_of(flag: str, date: str | None) -> float | None:
    """The time that an option names, in seconds since 1970.

    Raises:
        UsageError: If it is none.
    """
    from paragone.memory.store.lines import from_iso

    try:
        return None if date is None else from_iso(date)
    except ValueError as error:
        raise UsageError(f"{flag}: {error}") from None


def notice(text: str, *, err: bool = True) -> None:
    """Print sentences about a run; on a terminal their lines end between words.

    Args:
        text: The sentences; line breaks are kept.
        err: Whether to use standard error, not standard output.
    """
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        width = max(20, shutil.get_terminal_size().columns)
        wrapper = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
        text = "\n".join(map(wrapper.fill, text.split("\n")))
    typer.echo(text, err=err)


def note(*texts: str) -> None:
    """Print notes on standard error."""
    for text in texts:
        typer.echo(f"note: {visible(text)}", err=True)


def gap() -> None:
    """An empty line between notices and results, where both go to one terminal."""
    if sys.stdout.isatty() and sys.stderr.isatty():
        typer.echo()


@contextmanager
def interruptible(state: str) -> Iterator[None]:
    """Exit on Ctrl-C with an interrupt's exit code, after saying in what state everything is."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"paragone: interrupted; {state}", err=True)
        raise typer.Exit(130) from None


@contextmanager
def waiting(activity: str, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show an activity on standard error while it lasts, if that is a terminal; yields what updates its words."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _: None
        return
    with console.status(activity) as status:
        yield status.update


@contextmanager
def progress_bar(activity: str, *, quiet: bool) -> Iterator[Callable[..., None]]:
    """A bar on standard error, if that is a terminal; yields what takes the number done, the total, and its words."""
    if quiet or not sys.stderr.isatty():  # rich need not be loaded
        yield lambda done, total, words=activity: None  # noqa: ARG005
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(activity, total=None)
        yield lambda done, total, words=activity: bar.update(task, completed=done, total=total, description=words)


class Counted(Protocol):
    """The state of an import."""

    @property
    def rows(self) -> int:
        """Rows read so far."""
        ...


State = TypeVar("State", bound=Counted)


@contextmanager
def import_progress(
    count: Callable[[], int | None], recorded: Callable[[State], str], *, quiet: bool
) -> Iterator[Callable[[State], None]]:
    """An observer that shows the state of an import on a terminal. If it ends early, say what is on record.

    Args:
        count: Counts the rows of the file; called when there is something to show.
        recorded: What is on record in a state, in words.
        quiet: Whether to show nothing.
    """
    states: list[State] = []
    try:
        with _import_bar(count, states, quiet=quiet) as observe:
            yield observe
    except (UsageError, Conflict, KeyboardInterrupt) as error:
        if states:
            repair = "" if isinstance(error, KeyboardInterrupt) else "repair the file and "
            typer.echo(f"{recorded(states[-1])}; {repair}import it again to continue", err=True)
        raise


@contextmanager
def _import_bar(
    count: Callable[[], int | None], states: list[State], *, quiet: bool
) -> Iterator[Callable[[State], None]]:
    """An observer that keeps the last state, and shows it on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield states.append
        return
    columns = (BarColumn(), MofNCompleteColumn(), "rows", TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def observe(state: State) -> None:
            if not states:
                bar.update(task, total=count())
            states[:] = [state]
            bar.update(task, completed=state.rows)

        yield observe
