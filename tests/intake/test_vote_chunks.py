"""Votes in chunks are the votes that are read whole, however long the chunks are."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.errors import InvalidVotes, ParagoneError, UnreadableFile
from paragone.intake import VoteOptions, read_votes
from paragone.intake.votes import VoteFile

ROWS = [
    {"a": "x", "b": "y", "winner": "a", "judge": "j"},
    {"a": "y", "b": "z", "winner": "", "judge": ""},
    {"a": "z", "b": "x", "winner": "tie", "judge": "k"},
    {"a": "x", "b": "z", "winner": "0.25", "judge": "j"},
    {"a": "y", "b": "x", "winner": "x", "judge": "j"},
]


def flat(source, size, **columns):
    """What the chunks hold, as ``Vote`` has it; abstentions left out."""
    found = []
    for chunk in VoteFile(source=source, options=VoteOptions(**columns)).chunks(size):
        rows = zip(chunk.a, chunk.b, chunk.score, chunk.tie, chunk.weight, chunk.judge, strict=True)
        found.extend(row for row in rows if row[2] is not None)
    return found


def whole(source, **columns):
    return [(v.a, v.b, v.score, v.tie, v.weight, v.judge) for v in read_votes(source, **columns)]


@pytest.fixture
def files(tmp_path):
    """The rows in each kind of file."""
    from pyarrow import Table, parquet

    names = list(ROWS[0])
    lines = [",".join(names), *(",".join(row.values()) for row in ROWS)]
    (tmp_path / "v.csv").write_text("\ufeff" + "\n".join(lines[:3]) + "\n\n" + "\n".join(lines[3:]))
    (tmp_path / "v.tsv").write_text("\n".join(lines).replace(",", "\t"))
    (tmp_path / "mac.csv").write_bytes("\r".join(lines).encode())
    (tmp_path / "v.jsonl").write_text("\n".join(json.dumps(row) for row in ROWS) + "\n")
    (tmp_path / "v.json").write_text(json.dumps(ROWS))
    parquet.write_table(Table.from_pylist(ROWS), tmp_path / "v.parquet", row_group_size=2)
    return tmp_path


@pytest.mark.parametrize("name", ["v.csv", "v.tsv", "mac.csv", "v.jsonl", "v.json", "v.parquet"])
@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_every_kind_of_file(files, name, size):
    assert flat(files / name, size) == whole(files / name)
    chunks = list(VoteFile(source=files / name).chunks(size))
    assert [len(chunk) for chunk in chunks[:-1]] == [size] * (len(chunks) - 1)
    assert [chunk.start for chunk in chunks] == list(range(0, 5, size))


def test_lists_and_what_can_be_gone_through_once(files):
    triples = [("x", "y", "a"), ("y", "z", "tie")]
    assert flat(triples, 1) == whole(triples)
    assert flat(iter(triples), 1) == whole(triples)


def test_a_column_may_come_late_in_a_jsonl_file(tmp_path):
    path = tmp_path / "late.jsonl"
    path.write_text('{"a": "x", "b": "y", "winner": "a"}\n{"a": "x", "b": "y", "winner": "b", "judge": "j"}\n')
    assert flat(path, 1) == whole(path)
    assert flat(path, 1)[1][-1] == "j"


@given(
    st.lists(
        st.tuples(*[st.sampled_from("abx1")] * 2, st.sampled_from([*"abx012?", "-1", "tie", ""])),
        min_size=1, max_size=6,
    ),
    st.integers(1, 4),
)  # fmt: skip
def test_one_file_speaks_one_language_however_it_is_cut(triples, size):
    """Items that are called like sides: what a cell means is settled by all rows, near or far."""
    try:
        expected = whole(triples)
    except ParagoneError as error:
        with pytest.raises(type(error)):
            flat(triples, size)
    else:
        assert flat(triples, size) == expected


def test_a_bad_row_is_named_when_its_chunk_is_taken(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("a,b,winner\nx,y,a\nx,y,b\nx,x,a\n")
    chunks = VoteFile(source=path).chunks(2)
    assert next(chunks).score == [1.0, 0.0]
    with pytest.raises(InvalidVotes, match="line 4: 'x' is compared with itself"):
        next(chunks)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("v.csv", b"", "is empty"),
        ("v.csv", b"a,b,winner\n", "has no rows"),
        ("v.csv", b"a,b,winner\nx,y,a\nx,y\n", "line 3: 2 fields"),
        ("v.csv", b'a,b,winner\nx,"y,a\n', "line 2"),
        ("v.csv", b"a,b,winner\nx,y,a\nx,\xff,a\n", "line 3: byte 0xff"),
        ("v.csv", b"\xff\xfea\x00,\x00b", "line 1: byte 0x62 is not utf-16"),
        ("v.jsonl", b'{"a": 1}\n{"a"\n', "line 2: not valid JSON"),
        ("v.jsonl", b"\n", "is empty"),
        ("v.parquet", b"PAR1", "not a whole Parquet file"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path, name, content, says):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises((UnreadableFile, InvalidVotes), match=says):
        list(VoteFile(source=path).chunks(100))


@pytest.mark.parametrize("name", ["v.csv", "v.jsonl", "v.parquet", "v.txt"])
def test_a_file_that_is_not_there(tmp_path, name):
    with pytest.raises(UnreadableFile):
        list(VoteFile(source=tmp_path / name).chunks(100))


def test_about_how_many_rows_there_are(files):
    assert VoteFile(source=files / "v.parquet").count() == 5
    assert VoteFile(source=files / "v.jsonl").count() == 5
    assert VoteFile(source=ROWS).count() == 5
