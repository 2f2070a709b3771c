"""Tables from files: what is read, and what is said where it cannot be."""

import csv
import json
import re
import sys

import pytest

from paragone.errors import InvalidItems, MissingExtra, UnknownColumn, UnreadableFile
from paragone.intake import read_strengths, read_table
from paragone.intake.table import InputTable
from paragone.intake.table_files import sniff, tabulate


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_finds_its_delimiter(tmp_path, delimiter):
    path = written(tmp_path, "t.csv", f'id{delimiter}text\n1{delimiter}"one, two; three\tfour"\n')
    table = read_table(path)
    assert table.columns == ("id", "text")
    assert table.rows == [("1", "one, two; three\tfour")]


def test_sniffing_looks_at_fields_not_at_characters():
    assert sniff('"a;b;c;d",e\n') == ","
    assert sniff("text\nno, delimiter; here\n") == ","


def test_csv_with_byte_order_mark_quoted_line_breaks_and_blank_lines(tmp_path):
    path = written(tmp_path, "t.csv", b'\xef\xbb\xbfid,text\r\n\r\na,"one\r\ntwo"\r\n\r\nb,"say ""hi"""\r\n')
    table = read_table(path)
    assert table.columns == ("id", "text")
    assert table.rows == [("a", "one\r\ntwo"), ("b", 'say "hi"')]
    assert [table.where(0), table.where(1)] == [f"{path}, line 3", f"{path}, line 6"]


def test_csv_takes_fields_beyond_the_csv_modules_limit_and_leaves_that_limit_alone(tmp_path):
    before = csv.field_size_limit()
    table = read_table(written(tmp_path, "t.csv", "id,text\n1," + "x" * 300_000 + "\n"))
    assert len(table.rows[0][1]) == 300_000
    assert csv.field_size_limit() == before


def test_tsv_is_divided_by_tabs_only(tmp_path):
    assert read_table(written(tmp_path, "t.tsv", "id,x\ttext\n1\ta;b\n")).columns == ("id,x", "text")


def test_json_lines_with_missing_keys_and_separators_inside(tmp_path):
    path = written(tmp_path, "t.jsonl", '{"id": 1, "text": "a\u2028b"}\n\n{"text": "c", "more": [1]}\n')
    table = read_table(path)
    assert table.columns == ("id", "text", "more")
    assert table.rows == [(1, "a\u2028b", None), (None, "c", [1])]
    assert table.where(1) == f"{path}, line 3"


def test_json_array(tmp_path):
    path = written(tmp_path, "t.json", json.dumps([{"id": 1}, {"id": 2}]))
    assert read_table(path).rows == [(1,), (2,)]
    assert read_table(path).where(1) == f"{path}, entry 2"


def test_the_only_array_of_objects_in_an_object_is_the_table(tmp_path):
    rows = [{"id": 1}, {"id": 2}]
    assert read_table(written(tmp_path, "t.json", json.dumps({"version": 3, "data": rows}))).rows == [(1,), (2,)]
    for ambiguous in ({"data": rows, "more": rows}, {"id": 1, "tags": ["a", "b"]}):
        with pytest.raises(UnreadableFile, match="holds an object; it needs a JSON array"):
            read_table(written(tmp_path, "t.json", json.dumps(ambiguous)))


@pytest.mark.parametrize(("name", "content"), [("t.json", '["one", "two"]'), ("t.jsonl", '"one"\n"two"\n')])
def test_texts_stand_for_objects_with_a_text(tmp_path, name, content):
    table = read_table(written(tmp_path, name, content))
    assert (table.columns, table.rows) == (("text",), [("one",), ("two",)])


def test_parquet_round_trip(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"id": [1, 2], "text": ["a", None]}), path)
    table = read_table(path)
    assert (table.columns, table.rows) == (("id", "text"), [(1, "a"), (2, None)])


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.csv", b"", "is empty"),
        ("t.csv", b"\n \n", "is empty"),
        ("t.csv", b"id,text\n1,a\n2,b,c\n", "line 3: 3 fields where the header has 2"),
        ("t.csv", b"# made today\nid,text\n1,a\n", "line 2: 2 fields where the header has 1; leave '# made today' out"),
        ("t.csv", b'id,text\n1,"never closed\n2,b\n', "line 2: unexpected end of data"),
        ("t.csv", b"id,text\n1,a\n2,caf\xe9\n", "line 3: byte 0xe9 is not UTF-8; save the file as UTF-8"),
        ("t.csv", b"id,text\n1,a\n2,caf\xe9\n", "name its encoding with --encoding"),
        ("t.csv", "id,text\n1,a\n".encode("utf-16")[:-1], "line 2: byte 0x0a is not utf-16"),
        ("t.csv", b"PK\x03\x04\x00", "is not text but a .xlsx file; give it that ending, or save it as CSV"),
        ("t.csv", b"id,text,id\n1,a,2\n", "has the column 'id' twice"),
        ("t.jsonl", b"", "is empty"),
        ("t.jsonl", b'{"id": 1}\n{"id": 2, "te', "line 2: not valid JSON"),
        ("t.jsonl", b'{"id": 1}\n[2]\n', "line 2: an array; expected an object"),
        ("t.json", b" ", "is empty"),
        ("t.json", b'[{"id": 1},\n {"id":', "line 2: not valid JSON"),
        ("t.json", b'{"id": 1}', "holds an object; it needs a JSON array"),
        ("t.json", b"[1]", "entry 1: a number; expected an object"),
        ("t.json", b"[" * 200_000, "JSON that cannot be read"),
        ("t.parquet", b"", "is empty"),
        ("t.parquet", b"PAR1 and then nothing", "is not a whole Parquet file"),
        (
            "t.ods",
            b"PK",
            "of kind .ods cannot be read as tables; known are .csv, .tsv, .jsonl, .json, .parquet, .xlsx",
        ),
        ("t.csv.GZ", b"PK", "of kind .GZ cannot be read as tables; unpack it first"),
        ("t.xlsx", b"PK", "is not a whole spreadsheet"),
        ("t", b"x", "files without an extension cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, name, content, said):
    path = written(tmp_path, name, content)
    with pytest.raises(UnreadableFile) as raised:
        read_table(path)
    assert str(path) in str(raised.value)
    assert said in str(raised.value)


@pytest.mark.parametrize(("name", "said"), [("", "is a folder; expected a file"), ("t.xyz", "no such file")])
def test_a_folder_and_what_is_not_there_are_named(tmp_path, name, said):
    with pytest.raises(UnreadableFile, match=said):
        read_table(tmp_path / name)


def test_a_column_that_resembles_none_is_named_in_whole_sentences():
    table = tabulate([{"id": 1, "Text": "x"}], name="t.csv")
    with pytest.raises(UnknownColumn, match=re.escape("has no column 'nope' (--a). It has the columns 'id', 'Text'")):
        table.named("nope", "--a")


def test_a_column_that_a_parquet_file_has_twice_is_named(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "t.parquet")
    with pytest.raises(UnreadableFile, match="has the column 'a' twice"):
        read_table(tmp_path / "t.parquet")


def test_a_truncated_parquet_file_is_named(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"id": list(range(1000))}), path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UnreadableFile, match=r"t\.parquet is not a whole Parquet file"):
        read_table(path)


def test_parquet_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"the package pyarrow; .*pip install 'paragone\[parquet\]'"):
        read_table(written(tmp_path, "t.parquet", "PAR1"))


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        ("id,skill\nx,1\n", UnknownColumn, "needs the columns 'id' and 'score'"),
        ("id,score\nx,1\nx,2\n", InvalidItems, "line 3: the id 'x' is missing or appears twice"),
        ("id,score\nx,high\n", InvalidItems, "line 2: the score 'high' is not a number"),
        ("id,score\nx,inf\n", InvalidItems, "line 2: the score 'inf' is not a number"),
    ],
)
def test_strengths_that_cannot_be_read_are_named(tmp_path, content, error, said):
    with pytest.raises(error) as raised:
        read_strengths(written(tmp_path, "t.csv", content))
    assert said in str(raised.value)


def test_strengths(tmp_path):
    assert read_strengths(written(tmp_path, "t.csv", "Name,Rating\nx,1e1\n7,-2\n")) == {"x": 10.0, "7": -2.0}


@pytest.mark.parametrize("name", ["none.csv", "none.parquet", "none.json"])
def test_an_absent_file_is_named(tmp_path, name):
    with pytest.raises(UnreadableFile, match=f"{name}: no such file"):
        read_table(tmp_path / name)


def test_a_folder_is_no_table(tmp_path):
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(UnreadableFile, match="is a folder"):
        read_table(tmp_path / "t.csv")


def make(*columns):
    return InputTable(name="t.csv", columns=columns, rows=[], unit="line", numbers=[])


def test_named_columns():
    table = make("id", "Text", "winner")
    assert table.named("Text", "--text") == 1
    assert table.named("TEXT", "--text") == 1
    with pytest.raises(UnknownColumn) as raised:
        table.named("winer", "--winner")
    assert str(raised.value) == (
        "t.csv has no column 'winer' (--winner); did you mean 'winner'? It has the columns 'id', 'Text', 'winner'"
    )


def test_found_columns_prefer_the_proper_name_and_refuse_to_guess():
    assert make("title", "TEXT", "content").found(("text", "content", "title"), option="--text") == 1
    assert make("x", "title").found(("text", "content", "title"), option="--text") == 1
    assert make("x").found(("text", "content"), option="--text") is None
    with pytest.raises(UnknownColumn, match="'content', 'title' could each be the text; say which with --text"):
        make("title", "content").found(("text", "content", "title"), option="--text")


def test_line_ends_of_the_oldest_macs(tmp_path):
    path = tmp_path / "cr.csv"
    path.write_bytes(b"id,text\ra,hello\rb,x\r")
    assert read_table(path).rows == [("a", "hello"), ("b", "x")]
