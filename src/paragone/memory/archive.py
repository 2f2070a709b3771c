"""The archive of pruned files: their bytes by hash, and a manifest with what each was. Nothing in it is ever lost.

A file is copied and on the disk, and listed in the manifest, before it is deleted; it is restored the same way. After a
kill between any two steps the file is in at least one of both places, and the same call completes the move.
"""

import hashlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from paragone.domain.text import harmless
from paragone.errors import Corrupted, InvalidRecord, NotFound, Unwritable, UsageError
from paragone.memory.index.file_reader import HIDDEN
from paragone.memory.store.line_json import encode, from_json
from paragone.memory.store.lines import Instant, LogLine, instant
from paragone.memory.store.log_files import sync_folder, writing
from paragone.wire.prune import ArchivedFile

if TYPE_CHECKING:
    from paragone.memory.store import Store


_NAME = "manifest"


@dataclass(frozen=True, kw_only=True, slots=True)
class ArchiveLine(LogLine):
    """A line of the archive's manifest: a file that was archived or restored.

    Attributes:
        event: Which of both.
        entry: For a restored file, the id of the line that archived it; for a file that made way for a restored one,
            the id of the latter's line; else empty.
        path: Its path below the root.
        sha256: Of its bytes.
        size: In bytes.
        mode: Its permission bits.
        mtime_ns: When it was last written, in nanoseconds since 1970.
        reason: Why it was archived.
        elo: Its rating then, as the last change left it.
        decayed: The same, decayed since its last use.
        need: Its need then.
        updates: How often its rating had changed.
        uses: How often it had been used.
        last_use: Its last use; null if never used.
        r: Its R; null if unknown.
    """

    event: Literal["archived", "restored"]
    path: str
    sha256: str
    entry: str = ""
    size: int = 0
    mode: int = 0o644
    mtime_ns: int = 0
    reason: str = ""
    elo: float | None = None
    decayed: float | None = None
    need: float | None = None
    updates: int = 0
    uses: int = 0
    last_use: Instant | None = None
    r: float | None = None

    @property
    def file(self) -> ArchivedFile:
        """The file as a value."""
        return ArchivedFile.like(self, at=instant(self.timestamp), elo=self.decayed)


class ArchiveManifest:
    """The manifest of an archive's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read = 0
        self._there: dict[str, ArchiveLine] = {}

    def entries(self) -> list[ArchiveLine]:
        """The files in the archive, oldest first."""
        for line in self._new_lines():
            if line.event == "archived":
                self._there[line.id] = line
            else:
                self._there.pop(line.entry, None)
        return list(self._there.values())

    def append(self, line: ArchiveLine) -> ArchiveLine:
        """Write a line; it is on the disk when this returns.

        Raises:
            Unwritable: If the disk is full or read-only.
        """
        logged, data = encode(line)
        with writing(self._folder, sys.maxsize) as manifest:
            manifest.write(_NAME, [data])
            manifest.sync()
        return logged

    def _new_lines(self) -> Iterator[ArchiveLine]:
        """Lines since the last call. One that a kill cut in half is ignored; the next writer completes it."""
        try:
            with (self._folder / f"{_NAME}.jsonl").open("rb") as file:
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            return
        complete = data[: data.rfind(b"\n") + 1]
        self._read += len(complete)
        for raw in complete.splitlines():
            with suppress(InvalidRecord):
                yield from_json(ArchiveLine, raw)


_BLOCK = 1 << 20


class Archive:
    """The archive of a store."""

    def __init__(self, store: "Store") -> None:
        self._store = store
        self._folder = store.path / "archive"
        self._files = self._folder / "files"
        self._manifest = ArchiveManifest(self._folder)

    def entries(self) -> list[ArchiveLine]:
        """The files in it, oldest first."""
        return self._manifest.entries()

    def put(self, line: ArchiveLine) -> ArchiveLine | None:
        """Move a file into the archive.

        Args:
            line: Its path and expected hash; size, mode and time are filled in.

        Returns:
            The line in the manifest; None if the file has another hash, and stays.

        Raises:
            NotFound: If there is no such file.
            UsageError: If its path leads out of the root, or is not that of a regular file.
            Unwritable: If it cannot be copied or removed; then it is still in its place.
            Busy: If another process archives or restores.
        """
        with self._store.locked("archive"), _translated(f"{harmless(line.path)!r} cannot be archived"):
            target = self._target(line.path)
            before = _status(target, line.path)
            existing = self._existing_entry(line, before)
            entry = self._copy_in(target, before, line) if existing is None else existing
            if entry is None or _differs(target, before):  # written meanwhile: what was copied is not what it is now
                return None
            target.unlink()
            sync_folder(target.parent)
            return entry

    def take_out(self, path: str, *, force: bool = False) -> ArchiveLine:
        """Restore the last archived file of a path: its bytes, permissions and time; see ``Pruner.restore``."""
        with self._store.locked("archive"), _translated(f"{harmless(path)!r} cannot be restored"):
            entry, target = self._entry_to_restore(path), self._target(path)
            if not self._is_back(target, entry, force=force):
                self._copy_out(entry, target)
            target.chmod(entry.mode)
            os.utime(target, ns=(entry.mtime_ns, entry.mtime_ns))
            back = self._note(replace(entry, id=self._store.new_id(), event="restored", entry=entry.id))
            if all(archived.sha256 != entry.sha256 for archived in self.entries()):
                self._blob(entry.sha256).unlink(missing_ok=True)
            return back

    def _entry_to_restore(self, path: str) -> ArchiveLine:
        """The last entry of a path; if it made way for another file that was not restored yet, that other."""
        entries = {archived.id: archived for archived in self.entries() if archived.path == path}
        if not entries:
            raise NotFound(f"the archive holds no {harmless(path)!r}; paragone memory restore lists what it holds")
        last = list(entries.values())[-1]
        return entries.get(last.entry, last)

    def _blob(self, sha256: str) -> Path:
        if len(sha256) != 64 or not sha256.isalnum():
            raise Corrupted(f"the archive's manifest names a file by {harmless(sha256)!r}, which is not a SHA-256")
        return self._files / sha256

    def _target(self, path: str) -> Path:
        """The real location of a path below the root and outside the store."""
        root = Path(os.path.realpath(self._store.root))
        parts = path.split("/")
        target = root.joinpath(*parts)
        folder = Path(os.path.realpath(target.parent))
        inside = folder == root or folder.is_relative_to(root)
        if not path or path.startswith("/") or {"", ".", ".."} & set(parts) or "\0" in path or not inside:
            raise UsageError(f"{harmless(path)!r} lies outside of {root}")
        if (folder / target.name).is_relative_to(os.path.realpath(self._store.path)) or set(HIDDEN) & set(parts):
            raise UsageError(f"{harmless(path)!r} belongs to git or to the store")
        return folder / target.name

    def _existing_entry(self, line: ArchiveLine, status: os.stat_result) -> ArchiveLine | None:
        """The entry of this very file, made by an earlier call that was killed."""
        same = (line.path, line.sha256, status.st_size, stat.S_IMODE(status.st_mode), status.st_mtime_ns)
        for archived in self.entries():
            if (archived.path, archived.sha256, archived.size, archived.mode, archived.mtime_ns) == same:
                is_whole = {_hash(self._blob(archived.sha256)), _hash(self._target(line.path))} == {line.sha256}
                return archived if is_whole else None
        return None

    def _copy_in(self, source: Path, status: os.stat_result, line: ArchiveLine) -> ArchiveLine | None:
        self._files.mkdir(parents=True, exist_ok=True)
        part = self._files / f"{line.sha256}.part"
        blob = self._blob(line.sha256)
        if _copy(source, part) != line.sha256:
            part.unlink()
            return None
        part.replace(blob)
        sync_folder(self._files)
        return self._note(
            replace(
                line,
                id=self._store.new_id(),
                event="archived",
                size=status.st_size,
                mode=stat.S_IMODE(status.st_mode),
                mtime_ns=status.st_mtime_ns,
            )
        )

    def _is_back(self, target: Path, entry: ArchiveLine, *, force: bool) -> bool:
        """Whether the same file is there already; with ``force``, another file is archived first."""
        if not os.path.lexists(target):
            return False
        _status(target, entry.path)
        now = _hash(target)
        if now != entry.sha256 and not force:
            raise UsageError(
                f"{harmless(entry.path)!r} is there, and differs from the archived one; "
                "with --force it goes into the archive, and the archived one comes back"
            )
        if now != entry.sha256:
            why = "made way for a restored file"
            self.put(ArchiveLine(event="archived", entry=entry.id, path=entry.path, sha256=now, reason=why))
        return now == entry.sha256

    def _copy_out(self, entry: ArchiveLine, target: Path) -> None:
        blob = self._blob(entry.sha256)
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.{entry.sha256[:8]}.part")
        part.unlink(missing_ok=True)
        if _copy(blob, part) != entry.sha256:
            part.unlink()
            raise Corrupted(f"{blob} is not what was archived as {harmless(entry.path)!r}; nothing was restored")
        if os.path.lexists(target):
            part.unlink()
            raise UsageError(f"{harmless(entry.path)!r} appeared meanwhile; it was left as it is")
        part.replace(target)
        sync_folder(target.parent)

    def _note(self, line: ArchiveLine) -> ArchiveLine:
        return self._manifest.append(replace(line, timestamp=self._store.clock()))


@contextmanager
def _translated(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unwritable(f"{what}: {error.strerror or error}") from error


def _status(file: Path, path: str) -> os.stat_result:
    """The status of a regular file.

    Raises:
        NotFound: If there is none.
        UsageError: If it is a link, a folder or anything else.
    """
    try:
        status = file.lstat()
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {harmless(path)!r}") from error
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{harmless(path)!r} is a link or not a regular file, and stays as it is")
    return status


def _differs(file: Path, before: os.stat_result) -> bool:
    """Whether a file was written or replaced since its status was read."""
    now = file.lstat()
    return (now.st_ino, now.st_size, now.st_mtime_ns) != (before.st_ino, before.st_size, before.st_mtime_ns)


def _hash(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _copy(source: Path, target: Path) -> str:
    """Copy a file so that it survives a loss of power, readable by its owner only; returns its SHA-256."""
    digest = hashlib.sha256()
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with source.open("rb") as read, open(os.open(target, flags, 0o600), "wb") as write:  # noqa: PTH123 - a descriptor
        while block := read.read(_BLOCK):
            digest.update(block)
            write.write(block)
        write.flush()
        os.fsync(write.fileno())
    return digest.hexdigest()
