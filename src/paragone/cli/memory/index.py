"""``paragone memory init`` and ``index``: create the store of a folder, and index its files."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.options import option
from paragone.cli.parameters import OnlyWith
from paragone.cli.terminal import interruptible, progress_bar
from paragone.domain.text import counted

if TYPE_CHECKING:
    from paragone.memory.index import IndexProgress, IndexRun

_ROWS = 10
"""Paths that a list shows; ``--json`` prints all."""
EmbedOn = Annotated[
    str | None,
    option(
        "Where chunks are embedded: local, for all processors of this machine, or a Dask scheduler.", metavar="WHERE"
    ),
]
_NEXT = (
    ("index", "read the files"),
    ("learn-git", "rate files at once, from the repository's history"),
    ("search", "find something; what is read of it gains rating"),
    ("board", "see the ratings"),
)


def init(store: options.MemoryStore, output: options.Output) -> None:
    """Create the store of a folder, and print what to do next."""
    from paragone.memory import Memory

    with Memory.create(store.root, store=store.store) as memory:
        path, root = memory.store.path, memory.root
    config = path / "memory.toml"
    lines = [
        f"created {path}",
        f"what is indexed, the initial tier of a path, and all constants: {config}",
        "",
        "next:",
        *(f"  paragone memory {command:<10} {purpose}" for command, purpose in _NEXT),
    ]
    output.draw({"root": root, "store": path, "config": config}, lambda _: typer.echo("\n".join(lines)))


def index(
    store: options.MemoryStore,
    output: options.Output,
    vectors: Annotated[bool, option("Embed new text, for searches by meaning.", "--vectors/--no-vectors")] = True,
    on: Annotated[EmbedOn, OnlyWith("--vectors")] = None,
    quiet: options.Quiet = False,
) -> None:
    """Index the files of a folder. Only new and changed files are read."""
    interruption = interruptible("what is indexed is kept, and the next run continues from there")
    with store.opened() as memory, interruption, progress_bar("indexing", quiet=quiet) as update:

        def observe(progress: "IndexProgress") -> None:
            update(progress.done, progress.of, f"indexing, {counted(progress.embedded, 'chunk')} embedded")

        run = memory.index(progress=observe, vectors=vectors, on=on)
    output.show(run, _lines, values=_values)


def _values(run: "IndexRun") -> dict[str, object]:
    return asdict(run) | {"renamed": [{"old": old, "new": new} for old, new in run.renamed]}


def _lines(run: "IndexRun") -> Iterator[str]:
    yield from _list("added", run.added)
    yield from _list("changed", run.changed)
    yield from _list("removed", run.removed)
    yield from _list("renamed", [f"{old} -> {new}" for old, new in run.renamed])
    yield from _list("skipped", [f"{file.path}: {file.why}" for file in run.skipped])
    yield _summary(run)
    if not run.files:
        yield "nothing to index: [index] of memory.toml selects files"


def _list(heading: str, rows: Sequence[str]) -> Iterator[str]:
    for row in rows[:_ROWS]:
        yield f"{heading} {row}"
    if len(rows) > _ROWS:
        yield f"{heading} ... and {len(rows) - _ROWS:,} more; --json prints all"


def _summary(run: "IndexRun") -> str:
    paths = {"added": run.added, "changed": run.changed, "removed": run.removed, "renamed": run.renamed}
    changes = [f"{len(each):,} {name}" for name, each in paths.items() if each]
    changes += [f"{run.unchanged:,} unchanged", f"{len(run.skipped):,} skipped", f"{run.embedded:,} embedded"]
    parts = [counted(run.chunks, "chunk"), counted(run.symbols, "symbol"), counted(run.decisions, "decision record")]
    return f"{counted(run.files, 'file')}, {', '.join(parts)}: {', '.join(changes)}, {run.seconds:.1f} s"
