"""Wrong input: one clear message that names the thing and the remedy, the right exit code, nothing half-written."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import warm_start
from paragone.cli.main import _system_message

RANK = ("--criteria", "better", "--judge", "python:longer:judge")


def wrong(result, *named, code=2):
    assert result.code == code, result.err
    assert "Traceback" not in result.err
    assert result.out == ""
    for part in named:
        assert part in result.err


@pytest.fixture
def items(home):
    def write(content, name="bad.csv"):
        path = home / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("content", "name", "named"),
    [
        ("", "empty.txt", "empty.txt"),
        ("", "empty.csv", "empty.csv"),
        ("only one\n", "one.txt", "one.txt"),
        ("id,text\na,x\na,y\n", "twice.csv", "'a'"),
        ("id,text\na,x\nb,\n", "blank.csv", "b"),
        ("colour,size\na,x\nb,y\n", "columns.csv", "colour"),
        (b"id,text\na,\xff\xfe\nb,y\n", "bytes.csv", "bytes.csv"),
        ('{"id": 1, "text": "x"}\n{"id": 2, "te', "cut.jsonl", "line 2"),
        ('{"id": 1, "text": "x"}\n{"id": 2, "text": NaN}\n', "nan.jsonl", "nan.jsonl"),
        (b"PAR1 and no more", "cut.parquet", "cut.parquet"),
        ("whatever", "items.xyz", ".xyz"),
        ("a\x00b\nc\n", "nul.txt", "nul.txt"),
        ("a," + "x" * 2_000_000 + "\n", "long.txt", "long.txt"),
    ],
)
def test_items_that_cannot_be_ranked(paragone, items, home, content, name, named):
    wrong(paragone("rank", items(content, name), *RANK), named)
    assert not (home / "paragone.db").exists()


def test_a_file_that_is_not_there(paragone, home):
    wrong(paragone("rank", "absent.txt", *RANK), "absent.txt")
    assert not (home / "paragone.db").exists()


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("magic", "magic"),
        ("recorded:absent.csv", "absent.csv"),
        ("python:absent:judge", "absent"),
        ("python:longer:absent", "absent"),
        ("command:no-such-program", "no-such-program"),
        ("python:longer", "python:"),
    ],
)
def test_a_judge_that_is_not_there(paragone, home, spec, named):
    wrong(paragone("rank", "items.csv", "--criteria", "better", "--judge", spec), named)
    assert not (home / "paragone.db").exists()


def test_no_judge_at_all(paragone):
    wrong(paragone("rank", "items.csv", "--criteria", "better"), "--judge", "paragone judges")


def test_a_missing_key(paragone, home, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    wrong(paragone("rank", "items.csv", "--criteria", "better", "--judge", "llm:gpt-5-mini"), "OPENAI_API_KEY")
    assert not (home / "paragone.db").exists()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--budget", "0"), "budget"),
        (("--confidence", "1.5"), "confidence"),
        (("--top", "10"), "top 10"),
        (("--top", "2", "--winner"), "one ranking"),
        (("--pairing", "magic"), "magic"),
        (("--out", "board.pdf"), "board.pdf"),
        (("--text-column", "nothing"), "nothing"),
        (("--no-such-option",), "--no-such-option"),
    ],
)
def test_options_that_cannot_be(paragone, home, options, named):
    wrong(paragone("rank", "items.csv", *RANK, *options), named)
    assert not (home / "paragone.db").exists()


@pytest.mark.parametrize(
    "words",
    [
        "judges test x --labelled v --advocate a without --protocols",
        "judges test x --labelled v --turns 3 without --protocols",
        "rank items.csv -c q --losses 2 without --pairing swiss",
        "rank items.csv -c q --pairing round-robin --draws loss without --pairing swiss",
        "resume --processes 2 without --workers",
        "board --on local without --bootstrap",
        "tournament anomalies --reason x without --keep or --roll-back",
        "tournament report --json --top 3 without --out",
        "tournament report --follow h1 without --out",
        "agents report --csv - --top 3 without --html",
        "memory index --no-vectors --on local without --vectors",
        "memory metrics --by week without --series or --json",
        "memory truth --source tests without --calibrate",
        "memory truth --write without --calibrate",
        "memory truth x --withdraw --note y without --r",
        "mcp --host x without --http",
        "mcp --port 1 without --http",
        "mcp --allow-host x without --http",
        "mcp --token x without --http",
        "mcp --idle 1 without --http",
        "mcp --db x without --rank or --judge or --judges",
    ],
)
def test_an_option_that_would_change_nothing(paragone, home, words):
    line, _, needed = words.partition(" without ")
    option = [word for word in line.split() if word.startswith("--")][-1]
    before = sorted(home.iterdir())
    wrong(paragone(*line.split()), f"{option} changes nothing without {needed}: add that, or leave it out\n")
    assert sorted(home.iterdir()) == before


def test_an_option_that_may_change_something_is_taken(paragone, monkeypatch):
    monkeypatch.setenv("PARAGONE_MCP_TOKEN", "from the environment, so for --http where that is given")
    for line in ("mcp", "memory truth x --r 0 --note y", "rank items.csv -c q --pairing swiss --draws loss"):
        assert "changes nothing" not in paragone(*line.split()).err


def test_an_environment_that_cannot_be(paragone, monkeypatch):
    monkeypatch.setenv("PARAGONE_CONCURRENCY", "many")
    wrong(paragone("rank", "items.csv", *RANK), "PARAGONE_CONCURRENCY")


def test_a_database_that_cannot_be_written(paragone, home):
    wrong(paragone("rank", "items.csv", *RANK, "--db", "absent/folder/x.db"), "absent/folder", code=1)
    (home / "text.db").write_text("this is no database, however long it may be " * 100)
    wrong(paragone("rank", "items.csv", *RANK, "--db", "text.db"), "text.db", code=1)


def test_a_database_of_a_newer_version(paragone, home):
    paragone("rank", "items.csv", *RANK, "--budget", 5, "--db", "new.db")
    with sqlite3.connect(home / "new.db") as raw:
        raw.execute("UPDATE paragone_schema SET version_num = '9999'")
    raw.close()
    wrong(paragone("board", "--db", "new.db"), "new.db", "newer", code=1)


@pytest.mark.parametrize("command", ["board", "resume", "matches", "audit", "whatif", "export"])
def test_a_ledger_that_is_not_there(paragone, home, command):
    wrong(paragone(command, "--db", "absent.db"), "absent.db", code=2)
    assert not (home / "absent.db").exists()


def test_things_that_are_not_in_the_ledger(paragone):
    paragone("rank", "items.csv", *RANK, "--budget", 5)
    wrong(paragone("board", "other-1"), "other-1", "items-1")
    wrong(paragone("show", "nobody"), "nobody")
    wrong(paragone("rollback", "99.9"), "99.9")


def test_an_empty_name_is_not_the_usual_ledger(paragone, home, monkeypatch):
    for command in (("board",), ("audit",), ("rank", "x.txt", *RANK), ("resume",)):
        wrong(paragone(*command, "--db", ""), "--db is empty: name a file or a URL")
    monkeypatch.setenv("PARAGONE_DB", "")
    wrong(paragone("board"), "PARAGONE_DB", "at least 1 character")


def test_an_empty_ledger_is_not_called_sound(paragone, home):
    (home / "zero.db").touch()
    wrong(paragone("audit", "--db", "zero.db"), "no ledger in zero.db")


def test_a_full_disk_is_one_line(start, paragone, home):
    paragone("rank", "items.csv", *RANK, "--budget", 5)
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        process = start("board", stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "cannot be written" in err
    assert "Traceback" not in err


def test_no_command_shows_the_help(paragone):
    result = paragone()
    assert "rank" in result.out + result.err


class TestTheSystem:
    """What the system refuses is said in one line, with the exit code of a failure."""

    @pytest.mark.skipif(sys.platform != "linux", reason="limits on address space hold on Linux only")
    @pytest.mark.parametrize("kilobytes", [60_000, 80_000, 120_000])
    def test_too_little_memory(self, home, kilobytes, deep):
        """Before numpy is loaded and while it is; with ``--deep`` also in between."""
        if kilobytes == 80_000 and not deep:
            pytest.skip("with --deep")
        program = Path(sys.executable).with_name("paragone")
        command = f"ulimit -v {kilobytes}; exec '{program}' rank items.csv --criteria x --judge python:longer:judge"
        run = subprocess.run(
            ["bash", "-c", command],
            capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(home)},
        )  # fmt: skip
        assert run.returncode == 1
        assert "memory" in run.stderr.lower()
        assert len(run.stderr.splitlines()) == 1

    def test_memory_that_runs_out_within_the_interpreter(self):
        for lost in ("error return without exception set", "<f> returned NULL without setting an exception"):
            assert _system_message(SystemError(lost)).startswith("out of memory")
        assert _system_message(SystemError("bad argument to internal function")) == ""

    def test_a_thread_that_cannot_be_started(self):
        assert _system_message(RuntimeError("can't start new thread")).startswith("out of memory")
        assert _system_message(RuntimeError("a mistake of ours")) == ""

    def test_a_file_that_cannot_be_read_is_not_called_output(self):
        assert _system_message(PermissionError(13, "Permission denied", "votes.csv")) == "votes.csv: Permission denied"
        assert _system_message(OSError(28, "No space left on device")).startswith("the output cannot be written")

    def test_a_server_without_its_packages_leaves_nothing_behind(self, home):
        before = set(home.iterdir())
        script = (
            "import sys\n"
            "for name in [name for name in sys.modules if name.startswith('paragone.web')]:\n"
            "    del sys.modules[name]\n"
            "sys.modules['fastapi'] = None\n"
            "sys.argv = ['paragone', 'serve', '--db', 'new.db']\n"
            "from paragone.cli import main\n"
            "main()\n"
        )
        run = subprocess.run([warm_start.python(), "-c", script], capture_output=True, text=True, check=False)
        assert run.returncode == 2
        assert "pip install 'paragone[web]'" in run.stderr
        assert set(home.iterdir()) == before

    def test_a_ledger_below_a_file_and_one_that_is_no_file(self, home, paragone):
        below = paragone(
            "rank", "items.csv", "--criteria", "x", "--judge", "python:longer:judge", "--db", "items.csv/a.db"
        )
        assert "items.csv is a file and not a directory" in below.err
        os.mkfifo(home / "pipe")
        assert "is not a regular file" in paragone("board", "--db", "pipe").err
