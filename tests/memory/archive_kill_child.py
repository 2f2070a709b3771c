"""Archives and restores a file in child processes, each killed before another of the steps that touch the disk.

    python archive_kill_child.py FOLDER

Prints a line of JSON for each kill: what was done, at which step, and what was lost or doubled, which is nothing.
"""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

from paragone.memory.archive import Archive, ArchiveLine
from paragone.memory.store import Store

OLD, NEW = b"old\n" * 1000, b"new\n" * 10
STEPS = {"open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "os.utime", "os.link"}
_left = [-1]


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    """Dies before one of the steps that change something."""
    reads = event == "open" and not int(arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR)
    if _left[0] >= 0 and event in STEPS and not reads:
        if _left[0] == 0:
            os._exit(9)
        _left[0] -= 1


def line(data: bytes) -> ArchiveLine:
    return ArchiveLine(event="archived", path="a.md", sha256=hashlib.sha256(data).hexdigest(), reason="stale")


def archive(store: Store) -> None:
    Archive(store).put(line(OLD))


def restore(store: Store) -> None:
    Archive(store).take_out("a.md")


def force(store: Store) -> None:
    Archive(store).take_out("a.md", force=True)


def prepared(folder: Path, what: str) -> Store:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    store = Store.create(folder)
    (folder / "a.md").write_bytes(OLD)
    os.utime(folder / "a.md", ns=(10**18, 10**18))
    if what != "archive":
        archive(store)
    if what == "force":
        (folder / "a.md").write_bytes(NEW)
    return store


def contents(store: Store) -> set[bytes]:
    """Every content that is in its place, or in the archive under its name."""
    place = store.root / "a.md"
    there = {place.read_bytes()} if place.exists() else set()
    for one in Archive(store).entries():
        data = (store.path / "archive" / "files" / one.sha256).read_bytes()
        if hashlib.sha256(data).hexdigest() == one.sha256:
            there.add(data)
    return there


def killed(store: Store, what: str, step: int) -> bool:
    child = os.fork()
    if not child:
        _left[0] = step
        globals()[what](store)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def main(folder: Path) -> None:
    archive(prepared(folder, "archive"))  # loads what it loads before anybody forks
    sys.addaudithook(_watch)
    for what in ("archive", "restore", "force"):
        expected = {OLD, NEW} if what == "force" else {OLD}
        for step in range(200):
            store = prepared(folder, what)
            died = killed(store, what, step)
            after = contents(store)
            if died and not (what == "archive" and not (folder / "a.md").exists()):
                finish(store, what)
            place = folder / "a.md"
            ended = place.read_bytes() == OLD and place.stat().st_mtime_ns == 10**18 if place.exists() else "archived"
            strange = [path.name for path in folder.iterdir() if path.name not in {"a.md", ".paragone"}]
            print(
                json.dumps(
                    {
                        "what": what,
                        "step": step,
                        "died": died,
                        "lost": len(expected - after),
                        "ended": ended,
                        "entries": len(Archive(store).entries()),
                        "strange": strange,
                    }
                )
            )
            if not died:
                break


def finish(store: Store, what: str) -> None:
    """The same call again, unless there is nothing left of it to do."""
    done = what != "archive" and all(one.sha256 != line(OLD).sha256 for one in Archive(store).entries())
    if not done:
        globals()[what](store)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
