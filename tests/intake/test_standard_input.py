"""Standard input as a file: a copy under the ending that its content shows, and what cannot be one."""

import bz2
import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest

from paragone.errors import InvalidConfig, InvalidVotes, UnreadableFile
from paragone.intake import Vote, read_votes
from paragone.intake.items import item_ending, read_items
from paragone.intake.standard_input import STANDARD_INPUT, readable

ROW = '{"a": "café", "b": "thé", "winner": "a"}'
CSV = "a,b,winner\ncafé,thé,a\n"


@pytest.fixture
def typed(monkeypatch):
    """Puts bytes on standard input."""
    return lambda content: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (CSV.encode(), "stdin.csv"),
        (("\n\n" + CSV.replace(",", ";")).replace("\n", "\r\n").encode("utf-8-sig"), "stdin.csv"),
        (CSV.replace(",", "\t").encode("utf-16"), "stdin.csv"),
        (f"{ROW}\n{ROW}\n".encode(), "stdin.jsonl"),
        (f"\ufeff{ROW}\r\n\r\n{ROW}".encode("utf-16-le"), "stdin.jsonl"),
        (ROW.encode(), "stdin.jsonl"),
        (f"[{ROW}]".encode(), "stdin.json"),
        (f'{{"votes": [{ROW}]}}\n'.encode(), "stdin.json"),
        (f'{{\n  "votes": [\n{ROW}]}}'.encode(), "stdin.json"),
    ],
)
def test_the_content_shows_the_format(typed, content, name):
    typed(content)
    path = readable(STANDARD_INPUT)
    assert path.name == name
    votes = read_votes(path)
    assert set(votes) == {Vote(a="café", b="thé", score=1.0)}
    assert votes.notes[0].startswith(f"{name}: {len(votes)} vote")


def test_parquet_is_recognised_by_its_beginning(typed, tmp_path):
    from pyarrow import Table, parquet

    parquet.write_table(Table.from_pylist([{"a": "x", "b": "y", "winner": "b"}]), tmp_path / "v.parquet")
    typed((tmp_path / "v.parquet").read_bytes())
    assert read_votes(readable(STANDARD_INPUT)) == (Vote(a="x", b="y", score=0.0),)


@pytest.mark.parametrize(
    ("text", "name", "ids"),
    [
        ("tea, hot\nmilk\n", "stdin.txt", ["tea, hot", "milk"]),
        ("text\ntea\nmilk\n", "stdin.csv", ["tea", "milk"]),
        ("text,id\ntea,1\nmilk,2\n", "stdin.csv", ["1", "2"]),
        ('{"id": 1, "text": "tea"}\n{"id": 2, "text": "milk"}\n', "stdin.jsonl", ["1", "2"]),
        ('["tea", "milk"]', "stdin.json", ["tea", "milk"]),
    ],
)
def test_items_are_lines_unless_the_first_names_columns(typed, text, name, ids):
    typed(text.encode())
    path = readable(STANDARD_INPUT, item_ending)
    assert (path.name, [item.id for item in read_items(path)]) == (name, ids)


def test_messages_call_the_copy_by_its_name_alone(typed):
    typed(f"{CSV}x,x,a\n".encode())
    with pytest.raises(InvalidVotes, match=r"^stdin\.csv, line 3: 'x' is compared with itself"):
        read_votes(readable(STANDARD_INPUT))


@pytest.mark.parametrize("content", [b"", b" \n\n", "\ufeff\r\n".encode("utf-16")])
def test_nothing_is_refused(typed, content):
    typed(content)
    with pytest.raises(UnreadableFile, match="standard input is empty: pipe a file into it, or name one instead"):
        readable(STANDARD_INPUT)


@pytest.mark.parametrize(
    ("content", "program"), [(gzip.compress(b"a", mtime=0), "zcat"), (bz2.compress(b"a"), "bzcat")]
)
def test_what_is_packed_is_to_be_unpacked(typed, content, program):
    typed(content)
    with pytest.raises(UnreadableFile, match=rf"packed; unpack it first: {program} FILE \| paragone"):
        readable(STANDARD_INPUT)


def test_a_terminal_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("a,b,winner\n"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    with pytest.raises(InvalidConfig, match="is this terminal: pipe a file into it"):
        readable(STANDARD_INPUT)


def test_a_pipe_is_read_like_standard_input(tmp_path):
    pipe = tmp_path / "63"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(CSV,))
    writer.start()
    path = readable(pipe)
    writer.join()
    assert path.name == "pipe.csv"
    assert read_votes(path) == (Vote(a="café", b="thé", score=1.0),)


def test_any_other_file_is_left_as_it_is():
    assert readable(Path("votes.csv")) == Path("votes.csv")
