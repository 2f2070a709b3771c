"""Places where no ledger can be: one clear error that names the place and the remedy, and nothing left behind."""

import os
import signal
import sqlite3
import stat
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

import warm_start
from paragone.errors import Busy, Corrupted, InvalidConfig, LedgerError, NotFound, Unwritable
from paragone.ledger import Ledger
from paragone.ledger.databases.database import Database
from paragone.ledger.databases.sqlite import SQLite


@pytest.mark.parametrize("form", [str, lambda path: path, lambda path: f"sqlite:///{path}"])
def test_a_path_or_a_url(path, form):
    Ledger.open(form(path)).close()
    assert path.is_file()


def test_ledgers_in_memory_are_new_each_with_the_tables_of_a_file(path, forge, fill):
    """They begin as copies of one that is kept."""
    with Ledger.open("sqlite://") as first, Ledger.open(path) as filed:
        fill(first)
        fill(filed)
        with Ledger.open("sqlite://") as second:
            assert second.pools.all() == second.tournaments.all() == ()
            made = [_made(ledger) for ledger in (first, filed, second)]
            assert made[0] == made[1] == made[2]
            second.pools.create("p", forge.config)
            assert [ledger.audit().ok for ledger in (first, filed, second)] == [True] * 3
        assert first.ratings.all("ideas-1") == filed.ratings.all("ideas-1")


def _made(ledger):
    """The statements that made the database, its revision, and what a connection is set to."""
    with ledger._database.read() as connection:
        asked = ("SELECT * FROM paragone_schema", "PRAGMA foreign_keys", "PRAGMA recursive_triggers")
        made = sorted(connection.exec_driver_sql("SELECT type, name, sql FROM sqlite_master").all(), key=str)
        return made, [connection.exec_driver_sql(each).all() for each in asked]


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_file_is_put_there_whole_and_is_as_sqlite_makes_it_statement_by_statement(tmp_path, monkeypatch, umask):
    """The latter where the file system has no second names for files, and where an empty file is there already."""
    empty, old = tmp_path / "empty.db", os.umask(umask)
    try:
        Ledger.open("sqlite://").close()
        with monkeypatch.context() as at_once:
            at_once.setattr(SQLite, "create_tables", _refused)
            Ledger.open(tmp_path / "whole.db").close()
        with monkeypatch.context() as without_names:
            without_names.setattr("os.link", _refused)
            Ledger.open(tmp_path / "created.db").close()
        empty.touch(0o644)
        Ledger.open(empty).close()
    finally:
        os.umask(old)
    made = {file.name: _file_made(file) for file in tmp_path.iterdir()}
    assert made.keys() == {"whole.db", "created.db", "empty.db"}
    assert made["whole.db"] == made["created.db"] == made["empty.db"]


def _refused(*_, **__):
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_while_a_file_is_put_there_leaves_none_or_a_whole_one(path, moment):
    script = (
        "import os, signal, sys\n"
        "from paragone.ledger import Ledger\n"
        "link = os.link\n"
        "def killed(*names):\n"
        "    sys.argv[2] == 'after' and link(*names)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "os.link = killed\n"
        "Ledger.open(sys.argv[1])\n"
    )
    run = subprocess.run([warm_start.python(), "-c", script, path, moment], check=False)
    assert run.returncode == -signal.SIGKILL
    assert path.exists() == (moment == "after")
    with Ledger.open(path) as ledger:
        assert ledger.audit().ok


def test_who_comes_second_and_fails_removes_nothing(path, forge, monkeypatch):
    """Another process puts a ledger there, and writes, after this one saw none; then this one cannot go on."""

    def quicker(content, there):
        monkeypatch.undo()
        with Ledger.open(there) as ledger:
            ledger.pools.create("p", forge.config)
        monkeypatch.setattr(Database, "prepare", _refused)
        raise FileExistsError

    monkeypatch.setattr("paragone.ledger.databases.sqlite.put_new", quicker)
    with pytest.raises(PermissionError):
        Ledger.open(path)
    monkeypatch.undo()
    with Ledger.open(path, create=False) as ledger:
        assert [pool.id for pool in ledger.pools.all()] == ["p"]


def _file_made(path):
    """All that is in a file, what a connection says of it, and who may do what with it."""
    with closing(sqlite3.connect(path)) as connection:
        pragmas = ("journal_mode", "page_size", "encoding", "user_version", "application_id", "auto_vacuum")
        said = [connection.execute(f"PRAGMA {pragma}").fetchall() for pragma in (*pragmas, "integrity_check")]
        rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
        return rows, said, list(connection.iterdump()), stat.filemode(path.stat().st_mode)


@pytest.mark.parametrize("name", ["a b.db", "ünïcode-仮説.db", "100%.db", "a?b=c.db", "#.db", "x.sqlite3"])
def test_any_file_name(tmp_path, name):
    Ledger.open(tmp_path / name).close()
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("url", [":memory:", "sqlite://", "sqlite:///:memory:"])
def test_memory_leaves_no_file(tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    with Ledger.open(url) as ledger:
        assert ledger.tournaments.all() == ()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://host/db", r"no ledger can be kept in 'mysql'"),
        ("sqlite://ledger.db", "needs three: sqlite:///ledger"),
        ("sqlite:", "not a database URL"),
    ],
)
def test_urls_of_no_use(url, message):
    with pytest.raises(InvalidConfig, match=message):
        Ledger.open(url)


def test_a_directory(tmp_path):
    with pytest.raises(Unwritable, match=r"is a directory; name a file in it, such as .*paragone\.db"):
        Ledger.open(tmp_path)


def test_no_directory(tmp_path):
    with pytest.raises(Unwritable, match=r"there is no directory .*absent"):
        Ledger.open(tmp_path / "absent" / "ledger.db")
    assert list(tmp_path.iterdir()) == []


def test_a_file_where_a_directory_should_be(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(Unwritable, match=r"file"):
        Ledger.open(tmp_path / "file" / "ledger.db")


@pytest.mark.parametrize("name", ["x" * 300, "nul\x00"])
def test_a_name_that_cannot_be(tmp_path, name):
    with pytest.raises(Unwritable, match="cannot be"):
        Ledger.open(tmp_path / name)


def test_nothing_there_and_none_to_be_made(path):
    with pytest.raises(NotFound, match=f"no database {path}"):
        Ledger.open(path, create=False)
    assert not path.exists()


@pytest.mark.parametrize("content", [b"id,text\n1,hello\n", b"SQLite format 4\x00" + bytes(200), os.urandom(5000)])
def test_not_a_database(path, content):
    path.write_bytes(content)
    with pytest.raises(Unwritable, match=f"{path} is not a database; name another file"):
        Ledger.open(path)
    assert path.read_bytes() == content


def test_an_empty_file_is_a_new_database(path):
    path.touch()
    with Ledger.open(path) as ledger:
        assert ledger.audit().ok


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_a_truncated_file(filed, keep):
    content = filed.read_bytes()
    filed.write_bytes(content[: int(len(content) * keep)])
    with pytest.raises(LedgerError, match=str(filed)) as raised:
        _read_all(filed)
    assert isinstance(raised.value, Corrupted | Unwritable)


@pytest.mark.parametrize("last", [20, None], ids=["some", "all that follow"])
def test_overwritten_pages(filed, last):
    content = bytearray(filed.read_bytes())
    overwritten = slice(4096 * 3, last and 4096 * last)
    content[overwritten] = b"\xff" * len(content[overwritten])
    filed.write_bytes(content)
    with pytest.raises(Corrupted, match=f"{filed} is damaged .*go back to a copy"):
        _read_all(filed)


def test_a_file_whose_schema_is_no_text_any_more(filed):
    content = bytearray(filed.read_bytes())
    at = content.index(b"CREATE TABLE")
    content[at : at + 400] = b"\xba" * 400  # SQLite's message quotes it, and is no text either
    filed.write_bytes(content)
    with pytest.raises(Corrupted, match=f"{filed} is damaged .*go back to a copy"):
        Ledger.open(filed)


def _read_all(path):
    with Ledger.open(path) as ledger:
        ledger.matches.all("ideas-1")
        report = ledger.audit()
        assert not report.ok
        raise Corrupted(report.differences[0].message)


def test_a_database_that_somebody_keeps_locked(filed, forge):
    other = sqlite3.connect(filed, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Ledger.open(filed, patience=0.05) as ledger:
        assert len(ledger.matches.all("ideas-1")) == 8  # readers do not wait
        with pytest.raises(Busy, match=f"{filed} is locked: .* more than 0.05 s"):
            ledger.matches.record("ideas-1", forge.match("new"))
        other.execute("ROLLBACK")
        ledger.matches.record("ideas-1", forge.match("new"))
    other.close()


def test_a_read_only_file_and_folder_for_somebody_without_rights(filed):
    """As root no permission holds, so a process that gives up its rights tries."""
    folder = Path(tempfile.mkdtemp())
    closed = folder / "closed.db"
    closed.write_bytes(filed.read_bytes())
    closed.chmod(0o444)
    secret = folder / "secret.db"
    secret.write_bytes(filed.read_bytes())
    secret.chmod(0)
    folder.chmod(0o555)
    script = (
        "import os, sys\n"
        "from paragone.domain import RatingConfig\n"
        "from paragone.errors import Unwritable\n"
        "from paragone.ledger import Ledger\n"
        # everything is imported before: without rights, the folder of the packages may be out of reach
        "with Ledger.open('sqlite://') as ledger:\n"
        "    ledger.pools.create('any', RatingConfig())\n"
        "os.getuid() or os.setuid(65534)\n"
        "with Ledger.open(os.path.join(sys.argv[1], 'closed.db')) as ledger:\n"
        "    print(len(ledger.matches.all('ideas-1')), ledger.audit().ok)\n"
        "for name in ('closed.db', 'new.db', 'secret.db'):\n"
        "    try:\n"
        "        with Ledger.open(os.path.join(sys.argv[1], name)) as ledger:\n"
        "            ledger.tournaments.add_event('ideas-1', 'resumed', {})\n"
        "    except Unwritable as error:\n"
        "        print(error)\n"
    )
    try:
        run = subprocess.run(
            [warm_start.python(), "-c", script, str(folder)], capture_output=True, text=True, check=True
        )
        read, *lines = run.stdout.splitlines()
        assert read == "8 True"  # a finished ledger can be read where nothing may be written
        assert lines[0].startswith(f"{closed} may not be written")
        assert (
            lines[1] == f"{folder / 'new.db'} cannot be made: this user may not write to {folder}; name another place"
        )
        assert lines[2] == f"{secret} may not be read by this user; ask its owner, or name another file"
        assert sorted(file.name for file in folder.iterdir()) == ["closed.db", "secret.db"]
    finally:
        folder.chmod(0o755)
        closed.unlink()
        secret.unlink()
        folder.rmdir()


@pytest.mark.parametrize("room", [0, 60_000])
def test_a_full_disk_leaves_nothing_behind(path, room):
    """The limit on the size of files stands in for a disk that fills up."""
    script = (
        "import resource, signal, sys\n"
        "from paragone.errors import Unwritable\n"
        "from paragone.ledger import Ledger\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))\n"
        "try:\n"
        "    Ledger.open(sys.argv[1])\n"
        "except Unwritable as error:\n"
        "    print(error)\n"
    )
    command = [warm_start.python(), "-c", script, str(path), str(room)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{path} " in run.stdout
    assert "space" in run.stdout
    assert list(path.parent.iterdir()) == []
