"""Tokens at rest: hashed, private, shown once, worthless as soon as they are revoked, in every process."""

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import warm_start
from paragone.errors import Conflict, InvalidConfig, InvalidEvidence, NotFound, UnreadableFile
from paragone.web.middleware.access_tokens import PREFIX, Caller, Role, TokenFile, danger, digest, role_named, secret_in


@pytest.fixture
def file(tmp_path):
    return TokenFile(tmp_path / "tokens.json")


def test_the_file_holds_hashes_and_is_private(file):
    token = file.add("anna", Role.VOTE)
    assert token.startswith(PREFIX)
    assert len(token) > 40
    written = file.path.read_text()
    assert token not in written
    assert token[len(PREFIX) :] not in written
    assert json.loads(written)["tokens"] == [{"name": "anna", "role": "vote", "sha256": digest(token)}]
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert [one.name for one in file.path.parent.iterdir()] == ["tokens.json"]


def test_the_file_is_private_under_any_umask(file):
    before = os.umask(0)
    try:
        file.add("anna", Role.READ)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_a_token_names_its_caller_and_nothing_else_does(file):
    token = file.add("anna", Role.VOTE)
    assert file.caller(token) == Caller(name="anna", role=Role.VOTE, key=digest(token))
    for wrong in ("", token[:-1], token + " ", token.upper(), digest(token), "ä" * 50, "\ud800", "\0"):
        assert file.caller(wrong) is None


def test_no_secret_stands_in_a_repr(file):
    token = file.add("anna", Role.ADMIN)
    who = file.caller(token)
    shown = repr(who) + repr(file) + str(file.__dict__)
    assert token not in shown
    assert digest(token) not in repr(who)


def test_revoking_holds_at_once_in_another_process(file):
    token = file.add("anna", Role.ADMIN)
    other = TokenFile(file.path)
    assert other.caller(token) is not None
    code = (
        "import sys, pathlib; from paragone.web.middleware.access_tokens import TokenFile; "
        "TokenFile(pathlib.Path(sys.argv[1])).revoke('anna')"
    )
    subprocess.run([warm_start.python(), "-c", code, str(file.path)], check=True, timeout=60)
    assert other.caller(token) is None


def test_a_name_that_was_revoked_and_given_anew_has_another_token(file):
    old = file.add("anna", Role.ADMIN)
    reader = TokenFile(file.path)
    for _ in range(20):  # within one tick of the clock, and of the same length
        assert reader.caller(old) is not None
        file.revoke("anna")
        new = file.add("anna", Role.ADMIN)
        assert reader.caller(old) is None
        assert reader.caller(new) is not None
        old = new


def test_those_who_write_at_once_lose_nothing(file):
    names = [f"n{number}" for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: TokenFile(file.path).add(name, Role.READ), names))
    assert {caller.name for caller in file.callers()} == set(names)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 1000, "a\0", "\ud800", "local"])
def test_names_that_cannot_be(file, name):
    with pytest.raises(InvalidEvidence):
        file.add(name, Role.READ)
    assert not file.path.exists()


def test_a_name_once(file):
    file.add("anna", Role.READ)
    with pytest.raises(Conflict, match="already"):
        file.add("anna", Role.ADMIN)
    with pytest.raises(NotFound, match="bert"):
        file.revoke("bert")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '{"tokens": 5}',
        '{"tokens": [{}]}',
        '{"tokens": [5]}',
        '{"tokens": ["x"]}',
        "\udcff",
        '{"tokens": [{"name": "a", "role": "king", "sha256": "x"}]}',
        '{"tokens": [{"name": "a", "role": 3, "sha256": "x"}]}',
    ],
)
def test_a_file_that_is_none_lets_nobody_in(file, text):
    token = file.add("anna", Role.ADMIN)
    file.path.write_bytes(text.encode("utf-8", "surrogateescape"))
    for _ in range(2):
        with pytest.raises(UnreadableFile):
            file.caller(token)


def test_a_hash_of_another_kind_matches_nothing(file):
    file.path.write_text(
        '{"tokens": [{"name": "a", "role": "read", "sha256": "ä"}, {"name": "b", "role": "read", "sha256": 5}]}'
    )
    file.path.chmod(0o600)
    assert file.caller("x") is None


@pytest.mark.skipif(sys.platform == "win32", reason="no such rights")
def test_a_file_that_others_may_write_is_refused(file):
    token = file.add("anna", Role.ADMIN)
    file.path.chmod(0o666)
    with pytest.raises(UnreadableFile, match="written by others"):
        file.caller(token)


def test_roles_are_ordered_and_named():
    assert Role.READ < Role.VOTE < Role.JUDGE < Role.ADMIN
    assert role_named("Judge") is Role.JUDGE
    with pytest.raises(InvalidConfig, match="read, vote, judge, admin"):
        role_named("root")


def test_a_secret_is_made_once_and_private(tmp_path):
    path = tmp_path / "s.secret"
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: secret_in(path), range(16)))
    assert len(found) == 1
    assert len(found.pop()) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="no such rights")
def test_files_that_others_may_use_are_refused(tmp_path):
    path = tmp_path / "s.secret"
    secret_in(path)
    for mode, why in ((0o604, "may be read by others"), (0o620, "may be written by others"), (0o602, "be written")):
        path.chmod(mode)
        with pytest.raises(InvalidConfig, match=why):
            secret_in(path)
    for mode in (0o600, 0o640, 0o400):
        path.chmod(mode)
        assert len(secret_in(path)) == 32


@pytest.mark.skipif(sys.platform == "win32", reason="no such rights")
@pytest.mark.parametrize(
    ("owner", "mode", "user", "why"),
    [
        (7, 0o600, 7, ""),
        (0, 0o600, 7, ""),
        (8, 0o600, 7, "belongs to others"),
        (8, 0o600, 0, ""),
        (7, 0o644, 7, "may be read by others"),
        (7, 0o660, 7, "may be written by others"),
    ],
)
def test_whose_a_file_is(owner, mode, user, why):
    status = os.stat_result((mode, 0, 0, 1, owner, 0, 0, 0, 0, 0))
    assert danger(status, user=user) == why


@pytest.mark.parametrize("text", ["", "00" * 8, "zz" * 32, "\xff"])
def test_a_secret_that_is_none_is_refused(tmp_path, text):
    path = tmp_path / "s.secret"
    path.write_text(text, "utf-8")
    path.chmod(0o600)
    with pytest.raises(InvalidConfig, match="no secret"):
        secret_in(path)
