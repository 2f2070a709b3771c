"""What is indexed of a folder, and why the rest is not."""

import hashlib
import os
import socket
import stat
import sys

import pytest

from paragone.memory.index import FileReader
from paragone.memory.index.file_reader import source_text
from paragone.memory.index.secret_patterns import Secrecy, holds_secret

posix = pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
TOKEN = "AKIA" + "Q7" * 8


def skipped(run):
    return {one.path: one.why for one in run.skipped}


def paths(folder):
    return [one.path for one in folder.index.files()]


def test_gitignore_files_hold_in_their_folders_and_below(folder):
    folder.write(
        {
            ".gitignore": "*.log\n/build/\n!keep.log\n",
            "a.log": "x",
            "keep.log": "x",
            "build/out.txt": "x",
            "sub/build/out.txt": "x",
            "sub/.gitignore": "*.txt\n!kept.txt\n# remark\n",
            "sub/gone.txt": "x",
            "sub/kept.txt": "x",
            "sub/keep.log": "x",
            "sub/deep/.gitignore": "!*.txt\n",
            "sub/deep/back.txt": "x",
            "top.txt": "x",
        }
    )
    run = folder.update()
    found = [path for path in paths(folder) if not path.endswith(".gitignore")]
    assert found == ["keep.log", "sub/deep/back.txt", "sub/keep.log", "sub/kept.txt", "top.txt"]
    assert run.skipped == (), "what patterns leave out is not listed"


def test_what_a_folder_s_rules_leave_out_no_file_below_brings_back(folder):
    folder.write({".gitignore": "out/\n", "out/.gitignore": "!*\n", "out/a.txt": "x", "b.txt": "x"})
    folder.update()
    assert paths(folder) == [".gitignore", "b.txt"]


def test_rules_of_the_repository_around_the_root_hold_too(remembering, tmp_path):
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("mine.txt\n")
    (tmp_path / ".gitignore").write_text("*.tmp\n/kept/only.txt\n")
    folder = remembering("kept")
    folder.write({"a.tmp": "x", "only.txt": "x", "mine.txt": "x", "b.txt": "x"})
    folder.update()
    assert paths(folder) == ["b.txt"]
    (tmp_path / ".gitignore").write_text("/kept/\n")
    folder.update()
    assert paths(folder) == ["a.tmp", "b.txt", "mine.txt", "only.txt"], "who names an ignored root wants it"


def test_gitignore_can_be_left_aside_and_patterns_added(remembering):
    folder = remembering(gitignore=False, include=("*.txt", "*.md"), exclude=("draft/",))
    folder.write({".gitignore": "*.txt\n", "a.txt": "x", "b.md": "x", "c.py": "x", "draft/d.txt": "x"})
    folder.update()
    assert paths(folder) == ["a.txt", "b.md"]


def test_patterns_that_cannot_be_count_for_nothing(folder):
    folder.write(
        {".gitignore": b"!\n[z-a]\n\\\n\xff\xfe\n*.log\n" + b"*a" * 400 + b"b\n", "a.log": "x", "aaaa.txt": "x"}
    )
    folder.update()
    assert paths(folder) == [".gitignore", "aaaa.txt"]


def test_git_and_the_store_are_never_looked_into(remembering, tmp_path):
    folder = remembering()
    folder.write({".git/config": "x", "sub/.git/HEAD": "x", "sub/.paragone/x.txt": "x", "a.txt": "x"})
    assert folder.update().skipped == ()
    assert paths(folder) == ["a.txt"]


SECRETS = (".env", ".env.local", "prod.env", "server.pem", "tls.KEY", "id_rsa", "id_ed25519.pub", "a/.netrc", ".npmrc",
    ".pypirc", "credentials", "credentials.json", "Secrets.yaml", "app.keystore", "x.p12", "x.pfx", "x.kdbx",
    "t.tfstate", "service-account-prod.json", ".aws/config", "home/.ssh/config", ".gnupg/ring", ".git-credentials",
    ".docker/config.json",
)  # fmt: skip


def test_files_named_like_secrets_are_skipped_with_a_reason(folder):
    folder.write(dict.fromkeys(SECRETS, "x\n") | {"environment.py": "x", "keys.md": "x", "monkey.txt": "x"})
    why = skipped(folder.update())
    assert paths(folder) == ["environment.py", "keys.md", "monkey.txt"]
    folders = {".aws/config": ".aws", "home/.ssh/config": "home/.ssh", ".gnupg/ring": ".gnupg"}
    assert set(why) == {folders.get(path, path) for path in SECRETS}
    assert set(why.values()) == {"its name is that of a secret"}


def test_patterns_of_one_s_own_add_secrets_and_take_out_built_in_ones():
    secrecy = Secrecy(("private/", "!src/secrets.py"))
    assert secrecy.hides("private/plan.md")
    assert secrecy.hides("other/secrets.py")
    assert not secrecy.hides("src/secrets.py")


TEXTS = (
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n",
    'key = "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0B"',
    f"aws: {TOKEN}",
    "ghp_" + "a1B2" * 9,
    "github_pat_" + "a1B2" * 9,
    "sk-" + "a1B2" * 12,
    "sk-ant-api03-" + "a1_-" * 6,
    "xoxb-" + "1234567890-abc",
    "glpat-" + "a1B2c" * 4,
    "AIza" + "a1B2c" * 7,
)


@pytest.mark.parametrize("text", TEXTS)
def test_texts_that_hold_a_key_or_a_token_are_skipped(folder, text):
    folder.write({"notes.md": f"# Notes\n{text}\n"})
    assert skipped(folder.update()) == {"notes.md": "it looks like it holds a secret"}
    assert paths(folder) == []


def test_texts_that_speak_of_keys_are_no_secrets():
    for text in (
        b'if line == "-----BEGIN PRIVATE KEY-----":',
        b"sk-spinner-rotating-plane-large",
        b"a task-force",
        b"AKIA",
    ):
        assert not holds_secret(text), text


def test_a_file_that_comes_to_hold_a_secret_leaves_the_index(folder):
    folder.write({"a.txt": "harmless\n"})
    folder.update()
    folder.write({"a.txt": TOKEN})
    run = folder.update()
    assert (run.removed, run.files, run.chunks) == (("a.txt",), 0, 0)
    assert TOKEN.encode() not in b"".join(path.read_bytes() for path in folder.store.path.rglob("*") if path.is_file())


def test_what_is_no_text_or_too_large_is_skipped(remembering):
    folder = remembering(max_bytes=100)
    folder.write({"a.bin": b"a\0b", "big.txt": "x" * 101, "just.txt": "x" * 100, "odd.txt": bytes(range(128, 228))})
    assert skipped(folder.update()) == {
        "a.bin": "it is binary",
        "big.txt": "it is larger than 100 bytes",
        "odd.txt": "it is not UTF-8 text",
    }
    assert paths(folder) == ["just.txt"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfcaf\xe9 is\r\nenough text\r\n", "café is\nenough text\n"),
        ("größe = 1  # Maß\n".encode("cp1252"), "größe = 1  # Maß\n"),
        ("naïve — “x”, and ".encode() + b"caf\xe9", "naïve — “x”, and café"),
        (b"text with one \x81 undefined byte", "text with one \ufffd undefined byte"),
        ("class Größe { }\r\n".encode("utf-16"), "class Größe { }\n"),
        (b"\xfe\xff" + "class Größe { }\r\n".encode("utf-16-be"), "class Größe { }\n"),
        ("a long line".encode("utf-16") + b"\x00", "a long line\ufffd"),
        ("class Größe { }\n".encode("utf-32"), "class Größe { }\n"),
    ],
)
def test_text_is_read_in_the_encoding_that_it_has(data, text):
    source = source_text("a.txt", data)
    assert (source.text, source.sha256) == (text, hashlib.sha256(data).hexdigest())


def test_what_is_utf_16_is_searched_for_secrets_too_and_binaries_that_begin_like_it_are_none():
    with pytest.raises(ValueError, match="holds a secret"):
        source_text("a.txt", TOKEN.encode("utf-16"))
    with pytest.raises(ValueError, match="it is binary"):
        source_text("a.bin", b"\xff\xfe\0\1\0\0" * 9)


def test_lines_are_counted_whatever_ends_them():
    assert source_text("a.txt", b"caf\xe9 is\r\nenough text\r\n").lines == 2
    assert [source_text("a", text).lines for text in (b"", b"a", b"a\n", b"a\n\nb")] == [0, 1, 1, 3]


@posix
def test_links_are_not_followed(folder, tmp_path):
    (tmp_path / "outside.txt").write_text("outside")
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "x.txt").write_text("far")
    folder.write({"a.txt": "x", "sub/b.txt": "x"})
    for name, target in {"in": "a.txt", "out": tmp_path / "outside.txt", "no": "nothing", "far": tmp_path / "far",
                         "sub/loop": "..", "self": "self"}.items():  # fmt: skip
        (folder.root / name).symlink_to(target)
    why = skipped(folder.update())
    assert paths(folder) == ["a.txt", "sub/b.txt"]
    assert why == {
        "in": "a link; what it leads to is indexed under its own name",
        "sub/loop": "a link; what it leads to is indexed under its own name",
        "out": "a link that leads out of the root",
        "far": "a link that leads out of the root",
        "no": "a link to nothing",
        "self": "a link to nothing",
    }


@posix
def test_what_is_no_regular_file_is_never_opened(folder, monkeypatch):
    os.mkfifo(folder.root / "pipe")
    monkeypatch.chdir(folder.root)  # the name of a socket may not be long
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
    folder.write({"a.txt": "x"})
    assert skipped(folder.update()) == {"pipe": "it is not a regular file", "socket": "it is not a regular file"}
    assert paths(folder) == ["a.txt"]


@posix
def test_hostile_names_are_skipped_or_harmless(folder):
    names = [b"new\nline.txt", b"bell\x07.txt", b"\xff\xfe.txt", "turned\u202e.txt".encode(), b"-rf", b"$(x).txt",
             b"n" * 250, "caf\u00e9 \u4e2d.txt".encode(), b'"q".txt', b"..."]  # fmt: skip
    for name in names:
        (folder.root / os.fsdecode(name)).write_bytes(b"text\n")
    run = folder.update()
    assert paths(folder) == sorted(['"q".txt', "$(x).txt", "-rf", "...", "caf\u00e9 \u4e2d.txt", "n" * 250])
    assert {one.path for one in run.skipped} == {"new\nline.txt", "bell\x07.txt", "\\xff\\xfe.txt", "turned\u202e.txt"}


@posix
def test_a_path_that_is_too_long_for_the_system_stops_nothing(folder):
    here = os.open(folder.root, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=here)
        deeper = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    folder.write({"z.txt": "x"})
    run = folder.update()
    assert paths(folder) == ["z.txt"]
    assert [one.why for one in run.skipped] == ["cannot be looked at: File name too long"]


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_skipped(folder):
    folder.write({"a.txt": "x", "closed/b.txt": "x", "c.txt": "x"})
    (folder.root / "a.txt").chmod(0)
    (folder.root / "closed").chmod(0)
    try:
        assert skipped(folder.update()) == {
            "a.txt": "it cannot be read: Permission denied",
            "closed/": "cannot be listed: Permission denied",
        }
    finally:
        (folder.root / "closed").chmod(stat.S_IRWXU)
    assert paths(folder) == ["c.txt"]


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (FileNotFoundError(2, "gone"), "it was deleted while it was being read"),
        (PermissionError(13, "Permission denied"), "it cannot be read: Permission denied"),
        (OSError(5, "Input/output error"), "it cannot be read: Input/output error"),
    ],
)
def test_a_file_that_fails_while_it_is_read_is_skipped_and_tried_again(folder, monkeypatch, error, why):
    folder.write({"a.txt": "x", "b.txt": "y"})
    read = FileReader.data

    def failing(self, path):
        if path == "a.txt":
            raise error
        return read(self, path)

    with monkeypatch.context() as patched:
        patched.setattr(FileReader, "data", failing)
        assert skipped(folder.update()) == {"a.txt": why}
    assert folder.update().added == ("a.txt",)
