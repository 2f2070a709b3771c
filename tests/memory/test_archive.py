"""The archive: a file goes in and comes out byte for byte, and nothing is ever overwritten or lost."""

import hashlib
import os
import stat
from itertools import count

import pytest

from paragone.errors import Corrupted, NotFound, Unwritable, UsageError
from paragone.memory.archive import Archive, ArchiveLine
from paragone.memory.store import Store

TEXT = b"old notes\r\n\xff\x00 and bytes\n"


@pytest.fixture
def store(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    numbers = count(1)
    return Store.create(root, clock=lambda: 1_700_000_000.0, new_id=lambda: f"id-{next(numbers)}")


@pytest.fixture
def archive(store):
    return Archive(store)


def write(store, path, data=TEXT, mode=0o640, mtime_ns=1_600_000_000_123_456_789):
    place = store.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    place.chmod(mode)
    os.utime(place, ns=(mtime_ns, mtime_ns))
    return place


def line(path, data=TEXT, reason="stale", **named):
    return ArchiveLine(
        event="archived", path=path, sha256=hashlib.sha256(data).hexdigest(), reason=reason, elo=812.5, r=0.25, **named
    )


def test_a_file_goes_in_with_its_ratings_and_comes_back_as_it_was(store, archive):
    place = write(store, "scratch/ünï notes.md")
    went = archive.put(line("scratch/ünï notes.md", updates=3))
    assert not place.exists()
    assert archive.entries() == Archive(store).entries() == [went]
    assert (went.reason, went.elo, went.r, went.updates, went.size) == ("stale", 812.5, 0.25, 3, len(TEXT))
    assert went.timestamp == 1_700_000_000.0
    archive.take_out("scratch/ünï notes.md")
    status = place.stat()
    assert (place.read_bytes(), stat.S_IMODE(status.st_mode), status.st_mtime_ns) == (
        TEXT,
        0o640,
        1_600_000_000_123_456_789,
    )
    assert archive.entries() == []
    assert [path.name for path in place.parent.iterdir()] == [place.name]
    assert list((store.path / "archive" / "files").iterdir()) == []


def test_its_folder_is_made_again_where_it_is_gone(store, archive):
    place = write(store, "deep/er/a.md")
    archive.put(line("deep/er/a.md"))
    place.parent.rmdir()
    archive.take_out("deep/er/a.md")
    assert place.read_bytes() == TEXT


def test_a_file_that_is_another_than_expected_stays(store, archive):
    place = write(store, "a.md", b"written since")
    assert archive.put(line("a.md")) is None
    assert (place.read_bytes(), archive.entries()) == (b"written since", [])


def test_another_file_is_not_overwritten_unless_forced_and_then_it_is_archived(store, archive):
    place = write(store, "a.md")
    archive.put(line("a.md"))
    write(store, "a.md", b"new")
    with pytest.raises(UsageError, match="differs from the archived one; with --force"):
        archive.take_out("a.md")
    assert place.read_bytes() == b"new"
    archive.take_out("a.md", force=True)
    assert place.read_bytes() == TEXT
    assert [one.reason for one in archive.entries()] == ["made way for a restored file"]
    archive.take_out("a.md", force=True)
    assert place.read_bytes() == b"new"


def test_the_same_content_twice_is_kept_once_and_comes_back_twice(store, archive):
    places = [write(store, name) for name in ("a.md", "b.md")]
    for place in places:
        archive.put(line(place.name))
    assert len(list((store.path / "archive" / "files").iterdir())) == 1
    for place in places:
        archive.take_out(place.name)
    assert [place.read_bytes() for place in places] == [TEXT, TEXT]


def test_of_a_path_the_last_comes_back_first(store, archive):
    for data in (b"one", b"two"):
        write(store, "a.md", data)
        archive.put(line("a.md", data))
    place = store.root / "a.md"
    archive.take_out("a.md")
    assert place.read_bytes() == b"two"
    place.unlink()
    archive.take_out("a.md")
    assert place.read_bytes() == b"one"
    with pytest.raises(NotFound, match=r"the archive holds no 'a.md'"):
        archive.take_out("a.md")


@pytest.mark.parametrize("path", ["../a.md", "/etc/passwd", "a/../../b", "", "a//b", "./a", ".git/config", "x\0"])
def test_no_path_leads_out(store, archive, path):
    with pytest.raises(UsageError, match=r"lies outside of|belongs to git"):
        archive.put(line(path))


def test_the_store_itself_is_not_archived(store, archive):
    data = (store.path / "memory.toml").read_bytes()
    with pytest.raises(UsageError, match="belongs to git or to the store"):
        archive.put(line(".paragone/memory.toml", data))
    assert (store.path / "memory.toml").read_bytes() == data


def test_a_folder_that_leads_out_is_refused(store, archive, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(TEXT)
    (store.root / "link").symlink_to(outside)
    with pytest.raises(UsageError, match="lies outside of"):
        archive.put(line("link/a.md"))
    assert (outside / "a.md").read_bytes() == TEXT


def test_links_and_folders_stay(store, archive):
    write(store, "a.md")
    (store.root / "link.md").symlink_to("a.md")
    (store.root / "folder").mkdir()
    for path in ("link.md", "folder"):
        with pytest.raises(UsageError, match=r"is a link or not a regular file"):
            archive.put(line(path))
    with pytest.raises(NotFound, match=r"there is no file 'gone.md'"):
        archive.put(line("gone.md"))


def test_archived_bytes_that_were_changed_are_not_restored(store, archive):
    place = write(store, "a.md")
    entry = archive.put(line("a.md"))
    (store.path / "archive" / "files" / entry.sha256).write_bytes(b"tampered")
    with pytest.raises(Corrupted, match=r"is not what was archived as 'a.md'"):
        archive.take_out("a.md")
    assert not place.exists()
    assert list(store.root.glob(".a*")) == []


def test_a_manifest_that_names_a_file_elsewhere_restores_nothing(store, archive, tmp_path):
    (tmp_path / "loot").write_bytes(b"x")
    write(store, "a.md")
    archive.put(line("a.md"))
    manifest = store.path / "archive" / "manifest.jsonl"
    whole = manifest.read_text()
    manifest.write_text(whole.replace('"a.md"', '"../b.md"'))
    with pytest.raises(UsageError, match="lies outside of"):
        Archive(store).take_out("../b.md")
    manifest.write_text(whole.replace(hashlib.sha256(TEXT).hexdigest(), "../../../loot"))
    with pytest.raises(Corrupted, match="which is not a SHA-256"):
        Archive(store).take_out("a.md")


def test_a_line_that_was_cut_in_half_is_passed_over(store, archive):
    write(store, "a.md")
    archive.put(line("a.md"))
    manifest = store.path / "archive" / "manifest.jsonl"
    manifest.write_bytes(manifest.read_bytes() + b'{"id":"half","eve')
    write(store, "b.md", b"b")
    fresh = Archive(store)
    fresh.put(line("b.md", b"b"))
    assert [one.path for one in Archive(store).entries()] == [one.path for one in fresh.entries()] == ["a.md", "b.md"]


def test_an_archive_that_cannot_be_written_leaves_the_file(store, archive):
    place = write(store, "a.md")
    (store.path / "archive").write_bytes(b"in the way")
    with pytest.raises(Unwritable, match=r"'a\.md' cannot be archived"):
        archive.put(line("a.md"))
    assert place.read_bytes() == TEXT
