"""``paragone memory index``: bring what is remembered up to date with the files."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.interruption import interruptible
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening
from paragone.domain.text import counted, visible

if TYPE_CHECKING:
    from paragone.memory.index import IndexProgress, IndexRun

_ROWS = 10
"""Paths that a list shows; ``--json`` has all of them."""
_KEPT = "what is indexed is kept, and the next run goes on from there"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(index)


def index(
    vectors: Annotated[
        bool, typer.Option("--vectors/--no-vectors", help="Whether to embed what is new, for searches by meaning.")
    ] = True,
    quiet: options.Quiet = False,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Index the files that are remembered: only what is new or changed since the last run is read."""
    with opening.opened(root, store) as memory, interruptible(_KEPT), _progress(quiet=quiet) as progress:
        run = memory.index(progress=progress, vectors=vectors)
    if as_json:
        print_json(_values(run))
    else:
        _print(run)


@contextmanager
def _progress(*, quiet: bool) -> "Iterator[Callable[[IndexProgress], None]]":
    """A bar on standard error where that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=quiet or not sys.stderr.isatty()) as bar:
        task = bar.add_task("indexing", total=None)

        def show(progress: "IndexProgress") -> None:
            said = f"indexing, {counted(progress.embedded, 'chunk')} embedded"
            bar.update(task, completed=progress.done, total=progress.of, description=said)

        yield show


def _values(run: "IndexRun") -> dict[str, object]:
    return asdict(run) | {"renamed": [{"old": old, "new": new} for old, new in run.renamed]}


def _print(run: "IndexRun") -> None:
    from paragone.cli.show import out, plain

    lines = [
        *_list("added", run.added),
        *_list("changed", run.changed),
        *_list("removed", run.removed),
        *_list("renamed", [f"{old} -> {new}" for old, new in run.renamed]),
        *_list("skipped", [f"{one.path}: {one.why}" for one in run.skipped]),
        _summary(run),
        *([] if run.files else ["nothing here is to be indexed: [index] of memory.toml says what is"]),
    ]
    for line in lines:
        out().print(plain(line), soft_wrap=True)


def _list(what: str, rows: Sequence[str]) -> Iterator[str]:
    for row in rows[:_ROWS]:
        yield f"{what}  {visible(row)}"
    if len(rows) > _ROWS:
        yield f"{what}  ... and {len(rows) - _ROWS:,} more; --json has all of them"


def _summary(run: "IndexRun") -> str:
    parts = {"added": run.added, "changed": run.changed, "removed": run.removed, "renamed": run.renamed}
    moved = [f"{len(paths):,} {what}" for what, paths in parts.items() if paths]
    held = [counted(run.chunks, "chunk"), counted(run.symbols, "symbol"), counted(run.decisions, "decision record")]
    did = [*moved, f"{run.unchanged:,} as they were", f"{len(run.skipped):,} skipped", f"{run.embedded:,} embedded"]
    return f"{counted(run.files, 'file')}, {', '.join(held)}: {', '.join(did)}, {run.seconds:.1f} s"
