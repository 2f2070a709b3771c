"""``paragone memory prune`` and ``restore``: move short-term memory to the archive, and bring it back."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.domain.text import counted
from paragone.presenting.table import Table, number, table, text

if TYPE_CHECKING:
    from paragone.wire.prune import ArchivedFile, PruneCandidate, Pruning


def prune(
    store: options.MemoryStore,
    output: options.Output,
    archive: Annotated[
        bool, option("Archive the files; without this nothing is changed.", "--archive", "--yes")
    ] = False,
    scope: Annotated[
        list[str] | None,
        option("Which files are short-term memory; repeatable.  [default: prune.scope]", metavar="PATTERN"),
    ] = None,
) -> None:
    """Archive stale files of low rating and low R. Pinned files, and files of high or unknown R, are kept."""
    with store.opened() as memory:
        plan = memory.pruner.plan(scope=scope)
        if archive:
            plan = memory.pruner.prune(plan)
    output.show(plan.pruning, _plan)


def _plan(plan: "Pruning") -> Iterator[str | Table[Any]]:
    if not plan.scope:
        yield "prune.scope is empty, so nothing is pruned: give --scope PATTERN, or set it in memory.toml"
        return
    for action, title in (("archive", "archived" if plan.done else "to archive"), ("keep", "kept")):
        files = [file for file in plan.files if file.action == action]
        if files:
            yield from (_candidates(files, title), "")
    files_to_archive = counted(plan.archive, "file")
    if not plan.archive:
        yield "nothing to archive"
    elif plan.done:
        yield f"{files_to_archive} archived; paragone memory restore brings them back"
    else:
        yield f"{files_to_archive} to be archived, nothing done yet: --archive does it"


def _candidates(files: "Sequence[PruneCandidate]", title: str) -> "Table[PruneCandidate]":
    return table(
        files,
        text(title, lambda file: file.path),
        number("bytes", lambda file: file.size),
        text("why", lambda file: file.reason),
    )


def restore(
    store: options.MemoryStore,
    output: options.Output,
    paths: Annotated[
        list[str] | None, argument("Paths of archived files.  [default: list the archive]", metavar="PATH")
    ] = None,
    force: Annotated[bool, option("If another file has the path now, archive that one first.")] = False,
) -> None:
    """Restore files from the archive. They return byte for byte, with their permissions and times."""
    with store.opened() as memory:
        lines = [memory.pruner.restore(path, force=force) for path in paths] if paths else memory.pruner.archived()
    output.show([line.file for line in lines], _restored if paths else _archived)


def _restored(files: "Sequence[ArchivedFile]") -> Iterator[str]:
    return (f"restored {file.path}" for file in files)


def _archived(files: "Sequence[ArchivedFile]") -> Iterator[str | Table[Any]]:
    if not files:
        yield "the archive is empty"
        return
    yield table(
        files,
        text("archived", lambda file: file.at.date().isoformat()),
        number("bytes", lambda file: file.size),
        text("path", lambda file: file.path),
        text("why", lambda file: file.reason),
    )
