"""``paragone memory learn-git``: the repository's history as a log of uses."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.interruption import interruptible
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening

if TYPE_CHECKING:
    from paragone.memory.learning import Learned

_KEPT = "what was read until here is kept, and the next run goes on from there"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("learn-git")(learn_git)


def learn_git(
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="Only commits from here on, such as 2026-01-31."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, metavar="N", help="At most so many commits, the oldest first."),
    ] = None,
    max_files: Annotated[
        int,
        typer.Option("--max-files", min=1, metavar="N", help="Commits that change more files count for none."),
    ] = 50,
    seconds: Annotated[float, typer.Option("--seconds", min=1.0, metavar="S", help="How long git may take.")] = 600.0,
    quiet: options.Quiet = False,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Take git's history as sessions, each commit one, so that files have ratings at once. Again, it goes on."""
    from paragone.memory.learning import learn_git as learn

    begin = None if since is None else _time(since)
    with opening.opened(root, store) as memory, interruptible(_KEPT), _told(quiet=quiet) as progress:
        found = learn(
            memory.components.store, since=begin, limit=limit, largest=max_files, seconds=seconds, progress=progress
        )
    if as_json:
        print_json(asdict(found))
    else:
        for line in _sentences(found, max_files):
            typer.echo(line)


def _time(text: str) -> float:
    from paragone.errors import UsageError
    from paragone.memory.store.instant import from_iso

    try:
        return from_iso(text)
    except ValueError as error:
        raise UsageError(f"--since: {error}") from None


@contextmanager
def _told(*, quiet: bool) -> Iterator["Callable[[Learned], None] | None"]:
    """Says on standard error how far it is, where somebody looks."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with console.status("reading git's history") as status:
        yield lambda found: status.update(f"{found.commits:,} of {found.total:,} commits")


def _sentences(found: "Learned", max_files: int) -> Iterator[str]:
    """What was learned, and what was not and why."""
    from paragone.domain.text import counted

    yield (
        f"{counted(found.commits, 'commit')} read: {counted(found.sessions, 'new session')}, "
        f"{counted(found.files, 'use')} of files, {counted(found.renames, 'rename')}"
    )
    notes = {
        f"{counted(found.known, 'commit')} known before": found.known,
        f"{counted(found.large, 'commit')} of over {max_files} files: no file of theirs counts as used": found.large,
        f"{counted(found.merges, 'merge')} among them, each a session of all that it brought": found.merges,
        f"{counted(found.future, 'commit')} dated after now: counted as made now": found.future,
        f"{counted(found.unnamed, 'file')} left out whose name is not UTF-8": found.unnamed,
        "the clone is shallow and its history not whole: git fetch --unshallow, then learn again": found.shallow,
    }
    yield from (f"note: {note}" for note, holds in notes.items() if holds)
