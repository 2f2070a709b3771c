"""The one way to read a remembered file."""

import os
import sys

import pytest

from paragone.errors import NotFound, UnreadableFile
from paragone.memory.index import FileReader, SourceText

posix = pytest.mark.skipif(sys.platform == "win32", reason="no links there")


@pytest.fixture
def reader(remembering):
    folder = remembering(max_bytes=50, secrets=("private/",))
    folder.write(
        {
            "a.py": "one\r\ntwo",
            "sub/b.txt": "b",
            ".env": "x",
            "private/c.txt": "x",
            ".git/config": "x",
            "bin": b"\0",
            "big": "x" * 51,
            "keyed.txt": "AKIA" + "Q7" * 8,
        }
    )
    return FileReader(folder.store)


def test_a_file_is_read_as_text(reader, tmp_path):
    digest = "b81d54de3d39c210c9579f8b7f4c0cf68d4394a068c150ae6d2556371675b32d"
    assert reader.read("sub/../sub/./b.txt").path == "sub/b.txt"
    (tmp_path / "root" / "a.py").write_bytes(b"x\r\ny")
    assert reader.read("a.py") == SourceText(path="a.py", text="x\ny", sha256=digest, lines=2)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../x", "outside of the root"),
        ("sub/../../x", "outside of the root"),
        ("/etc/passwd", "outside of the root"),
        (".env", "that of a secret"),
        ("private/c.txt", "that of a secret"),
        (".git/config", "belongs to git or to the store"),
        (".GIT/config", "belongs to git or to the store"),
        (".paragone/memory.toml", "belongs to git or to the store"),
        ("bin", "it is binary"),
        ("big", "larger than 50 bytes"),
        ("keyed.txt", "looks like it holds a secret"),
        ("sub", "it is a folder"),
        ("", "it is a folder"),
        ("a\nb", "characters that cannot be shown"),
        ("a\0b", "characters that cannot be shown"),
        ("a\udcff", "characters that cannot be shown"),
    ],
)
def test_what_may_not_be_read_is_refused_with_its_reason(reader, path, why):
    with pytest.raises(UnreadableFile, match=why) as refused:
        reader.read(path)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("path", ["nothing", "a.py/below", "sub/nothing"])
def test_what_is_not_there_is_not_found(reader, path):
    with pytest.raises(NotFound, match="there is no file"):
        reader.read(path)


def test_a_message_shows_no_endless_path(reader):
    for path in ("x" * 300, "x/" * 5000):
        with pytest.raises((NotFound, UnreadableFile)) as refused:
            reader.read(path)
        assert len(str(refused.value)) < 600


@posix
def test_a_link_may_be_read_where_its_target_may(reader, tmp_path):
    root = tmp_path / "root"
    (tmp_path / "outside.txt").write_text("x")
    for name, target in {"in": "a.py", "out": "../outside.txt", "env": ".env", "repo": ".git/config"}.items():
        (root / name).symlink_to(target)
    (root / "folder").symlink_to("..")
    assert (reader.read("in").text, reader.read("in").path) == ("one\ntwo", "a.py"), "it counts as what it is"
    for path in ("out", "folder/outside.txt"):
        with pytest.raises(UnreadableFile, match="leads out of the root"):
            reader.read(path)
    with pytest.raises(UnreadableFile, match=r"leads to \.env, and its name is that of a secret"):
        reader.read("env")
    with pytest.raises(UnreadableFile, match="belongs to git"):
        reader.read("repo")


@posix
def test_a_link_that_was_put_there_since_is_not_followed(reader, tmp_path):
    (tmp_path / "outside.txt").write_text("x")
    (tmp_path / "root" / "link").symlink_to("../outside.txt")
    (tmp_path / "root" / "up").symlink_to("..")
    for path in ("link", "up/outside.txt"):
        with pytest.raises(OSError, match="it is a link"):
            reader.data(path)


@posix
def test_a_pipe_is_refused_and_nobody_waits_for_it(reader, tmp_path):
    os.mkfifo(tmp_path / "root" / "pipe")
    with pytest.raises(UnreadableFile, match="not a regular file"):
        reader.read("pipe")
    with pytest.raises(OSError, match="not a regular file"):
        reader.data("pipe")  # put there after it was looked at


def test_allowed_says_why_not(reader):
    assert reader.allowed("a.py") is None
    assert reader.allowed("nothing") is None
    assert reader.allowed(".env") == "its name is that of a secret"


def test_a_store_elsewhere_in_the_root_is_hidden_too(tmp_path):
    from paragone.memory.store import Store

    (tmp_path / "root").mkdir()
    with Store.create(tmp_path / "root", store=tmp_path / "root" / "kept") as store:
        assert FileReader(store).allowed("kept/memory.toml") == "it belongs to git or to the store"
        assert FileReader(store).allowed("keptsake.txt") is None
