"""Items from files, folders and Python values."""

import json
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Item
from paragone.errors import InvalidItems, UnknownColumn, UnreadableFile
from paragone.intake import MAX_ID, MAX_TEXT, as_items, id_of, identical_texts, read_items

TWO = (Item(id="x", text="one"), Item(id="y", text="two"))
LONG = "Sparse attention lets a model of ordinary size read a whole book at once and remember where each fact stood."


def written(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_text_file_holds_one_item_a_line(tmp_path):
    items = read_items(written(tmp_path, "t.txt", "\ufeffGPT 4\n\n  Claude v1  \r\n" + LONG))
    assert [item.text for item in items] == ["GPT 4", "Claude v1", LONG]
    assert [item.id for item in items[:2]] == ["GPT 4", "Claude v1"]
    assert items[2].id == "sparse-attention-lets-a-model-of-" + items[2].content_hash[:8]


def test_made_ids_survive_sorting_and_additions(tmp_path):
    before = {item.text: item.id for item in read_items(written(tmp_path, "t.txt", f"b\n{LONG}\na\n"))}
    after = {item.text: item.id for item in read_items(written(tmp_path, "t.txt", f"a\nnew\nb\n{LONG}!\n{LONG}\n"))}
    assert before.items() <= after.items()
    assert len(set(after.values())) == 5


@given(st.text(min_size=1).filter(str.strip))
def test_made_ids_are_short_and_depend_on_the_text_alone(text):
    assert 0 < len(id_of(text)) <= 80
    assert id_of(text) == id_of(text)


def test_texts_of_other_scripts_have_ids_too():
    assert id_of("假设" * 60).startswith("假设")
    assert id_of("! " * 90).startswith("item-")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "id,text\nx,one\ny,two\n"),
        ("t.csv", "ID;Hypothesis;score\nx;one;1\ny;two;2\n"),
        ("t.tsv", "text\tid\none\tx\ntwo\ty\n"),
        ("t.jsonl", '{"id": "x", "title": "one"}\n{"id": "y", "title": "two"}\n'),
        ("t.json", json.dumps([{"item_id": "x", "content": "one"}, {"item_id": "y", "content": "two"}])),
        ("t.csv", "id,prompt,answer\nx,p,one\ny,p,two\n"),
        ("t.jsonl", '{"id": "x", "haiku": "one"}\n{"id": "y", "haiku": "two"}\n'),
    ],
)
def test_tables_find_their_columns(tmp_path, name, content):
    assert read_items(written(tmp_path, name, content)) == TWO


def test_parquet_items(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"id": ["x", "y"], "text": ["one", "two"]}), tmp_path / "t.parquet")
    assert read_items(tmp_path / "t.parquet") == TWO


def test_named_columns_win(tmp_path):
    path = written(tmp_path, "t.csv", "id,text,key,claim\n1,no,x,one\n2,no,y,two\n")
    assert read_items(path, id_column="key", text_column="Claim") == TWO


def test_a_table_of_one_column_holds_texts(tmp_path):
    assert [item.id for item in read_items(written(tmp_path, "t.csv", "Text\none\ntwo\n"))] == ["one", "two"]
    assert [item.id for item in as_items([{"idea": "one"}, {"idea": "two"}])] == ["one", "two"]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
def test_the_first_item_of_one_column_is_not_lost_as_a_header(tmp_path, name):
    path = written(tmp_path, name, "idea\none\ntwo\n")
    with pytest.raises(UnknownColumn, match=r"first line, 'idea', may be its name or its first item.*--text-column"):
        read_items(path)
    assert [item.id for item in read_items(path, text_column="idea")] == ["one", "two"]
    long = written(tmp_path, name, "tea " * 40 + "\nmilk\n")
    with pytest.raises(UnknownColumn, match=r"'(tea ){20}\.\.\.'"):
        read_items(long)


def test_numbers_are_ids_and_texts(tmp_path):
    path = written(tmp_path, "t.jsonl", '{"id": 9007199254740993, "text": 1.5}\n{"id": 2.0, "text": 7}\n')
    assert [(item.id, item.text) for item in read_items(path)] == [("9007199254740993", "1.5"), ("2", "7")]


def test_a_folder_holds_one_item_a_file(tmp_path):
    for name in ("b.md", "a/z.txt", "a/y.txt", ".hidden.txt", ".git/config"):
        written(tmp_path, name, f"text of {name}\n")
    written(tmp_path, "picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    written(tmp_path, "paper.pdf", b"%PDF-1.7\n\xe2\xe3\xcf\xd3\n\x01\x02")
    items = read_items(tmp_path)
    assert [(item.id, item.text) for item in items] == [
        ("a/y.txt", "text of a/y.txt"),
        ("a/z.txt", "text of a/z.txt"),
        ("b.md", "text of b.md"),
    ]


def test_a_link_in_a_folder_does_not_lead_out_of_it_or_round_in_circles(tmp_path):
    written(tmp_path, "in/a.txt", "one")
    written(tmp_path, "in/b.txt", "two")
    (tmp_path / "in" / "again").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "dangling.txt").symlink_to(tmp_path / "nowhere")
    assert [item.id for item in read_items(tmp_path / "in")] == ["a.txt", "b.txt"]


def test_text_in_another_encoding_is_refused_and_not_taken_for_binary(tmp_path):
    written(tmp_path, "a.txt", "one")
    written(tmp_path, "b.txt", "first\ncafé".encode("latin-1"))
    with pytest.raises(UnreadableFile, match=r"b\.txt, line 2: byte 0xe9 is not UTF-8"):
        read_items(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.txt", "", "no items; a ranking needs at least two"),
        ("t.txt", "only one\n", "one item; a ranking needs at least two"),
        ("t.txt", "same\nother\nsame\n", "'same' (line 1, line 3)"),
        ("t.csv", "id,text\n", "no items"),
        ("t.csv", "id,text\nx,one\n", "one item"),
        ("t.csv", "id,text\nx,one\nx,two\ny,three\ny,four\n", "'x' (line 2, line 3); 'y' (line 4, line 5)"),
        ("t.csv", "id,text\nx,one\ny,\n", "line 3: the text of item 'y' is missing"),
        ("t.csv", "id,text\nx,one\n ,two\n", "line 3: the id is missing"),
        ("t.csv", "id,text\nx,one\ny,NaN\n", "line 3: the text of item 'y' is 'NaN', which stands for a missing value"),
        ("t.csv", "id,text\nx,one\ny,a\0b\n", "line 3: the text of item 'y' holds a NUL"),
        ("t.csv", 'id,text\nx,one\n"y\nz",two\n', "line 3: the id 'y\\nz' holds a control character"),
        ("t.csv", f"id,text\nx,one\n{'y' * (MAX_ID + 1)},two\n", "has 201 characters; the limit is 200"),
        ("t.csv", f"id,text\nx,one\ny,{'z' * (MAX_TEXT + 1)}\n", "1,000,001 characters; the limit is 1,000,000"),
        ("t.jsonl", '{"id": "x", "text": "one"}\n{"id": "y", "text": null}\n', "2: the text of item 'y' is missing"),
        ("t.csv", "id,text\nx,one\ny,#REF!\n", "the text of item 'y' is '#REF!', which stands for a missing value"),
        ("t.jsonl", '{"id": "x", "text": "one"}\n{"id": "y", "text": NaN}\n', "2: the text of item 'y' is missing"),
        ("t.jsonl", '{"id": "x", "text": "one"}\n{"id": "y", "text": ["a"]}\n', "line 2: the text of item 'y' is list"),
        ("t.jsonl", '{"id": "x", "text": "one"}\n{"id": true, "text": "a"}\n', "line 2: the id is bool"),
        ("t.jsonl", '{"id": "x", "text": "one"}\n{"id": "y", "text": "\\ud800"}\n', "'y' holds half a character"),
    ],
)  # fmt: skip
def test_items_that_cannot_be_ranked_are_named(tmp_path, name, content, said):
    path = written(tmp_path, name, content)
    with pytest.raises(InvalidItems) as raised:
        read_items(path)
    assert str(path) in str(raised.value)
    assert said in str(raised.value)


def test_texts_at_the_limit_are_taken(tmp_path):
    path = written(tmp_path, "t.csv", f"id,text\n{'y' * MAX_ID},{'z' * MAX_TEXT}\nx,one\n")
    assert len(read_items(path)[0].text) == MAX_TEXT


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("foo,bar\n1,2\n3,4\n", "no column for the text"),
        ("foo,text\n1,2\n3,4\n", "no column for the id"),
        ("id,title,abstract\n1,2,3\n", "'title', 'abstract' could each be the text"),
        ("id,answer,response\n1,2,3\n", "could each be the output"),
        ("id,haiku\n1,2\n", "no column for the text"),
    ],
)
def test_columns_that_cannot_be_told_are_asked_for(tmp_path, content, said):
    path = written(tmp_path, "t.csv", content)
    with pytest.raises(UnknownColumn) as raised:
        read_items(path)
    assert said in str(raised.value)
    assert "_column" in str(raised.value)


def test_unknown_columns_and_files(tmp_path):
    path = written(tmp_path, "t.csv", "id,text\nx,one\ny,two\n")
    with pytest.raises(UnknownColumn, match=r"no column 'txt' \(text_column\); did you mean 'text'"):
        read_items(path, text_column="txt")
    with pytest.raises(UnknownColumn, match="has no columns"):
        read_items(written(tmp_path, "t.txt", "a\nb\n"), id_column="id")
    with pytest.raises(UnreadableFile, match="no such file or folder"):
        read_items(tmp_path / "nowhere")
    with pytest.raises(UnreadableFile, match="no such file"):
        read_items(tmp_path / "nowhere.txt")
    with pytest.raises(UnreadableFile, match=r"\.docx is not known; give \.txt, \.csv.*or a folder"):
        read_items(written(tmp_path, "t.docx", "x"))


def test_a_folder_file_that_is_absurdly_long_is_not_even_read(tmp_path):
    written(tmp_path, "a.txt", "one")
    with (tmp_path / "b.txt").open("wb") as file:
        file.truncate(10_000_000_000)
    with pytest.raises(InvalidItems, match="has 10,000,000,000 bytes"):
        read_items(tmp_path)


@pytest.mark.parametrize(
    "source",
    [
        list(TWO),
        iter(TWO),
        {"x": "one", "y": "two"},
        [{"id": "x", "text": "one"}, {"id": "y", "text": "two"}],
        ({"Id": id, "content": text} for id, text in (("x", "one"), ("y", "two"))),
        {"id": ["x", "y"], "prompt": ["p", "p"], "response": ("one", "two")},
    ],
)
def test_python_values(source):
    assert as_items(source) == TWO


def test_a_list_of_texts_and_a_path(tmp_path):
    assert [(item.id, item.text) for item in as_items(["one", " two "])] == [("one", "one"), ("two", "two")]
    path = written(tmp_path, "t.csv", "id,text\nx,one\ny,two\n")
    assert as_items(path) == as_items(str(path)) == TWO


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_data_frames(library):
    module = pytest.importorskip(library)
    data = {"id": [1, 2], "text": ["one", "two"]}
    frame = module.table(data) if library == "pyarrow" else module.DataFrame(data)
    assert as_items(frame) == (Item(id="1", text="one"), Item(id="2", text="two"))
    assert as_items(frame, text_column="id")[1].text == "2"


@pytest.mark.parametrize("column", ["text", "review"])
def test_a_named_index_of_pandas_holds_the_ids(column):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": ["x", "y"], column: ["one", "two"]})
    assert as_items(frame.set_index("id")) == as_items(frame) == TWO
    assert as_items(frame.set_index("id").assign(id=["x", "y"])) == TWO
    with pytest.raises(UnreadableFile, match=f"the DataFrame has the column '{column}' twice"):
        as_items(pandas.concat([frame, frame[column]], axis=1))


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(UnreadableFile, match=r"columns of different lengths: \{'id': 2, 'text': 1\}"):
        as_items({"id": ["x", "y"], "text": ["one"]})


def test_a_gap_in_a_frame_is_named():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InvalidItems, match="the DataFrame, row 2: the text of item '2' is missing"):
        as_items(pandas.DataFrame({"id": [1, 2], "text": ["one", None]}))
    with pytest.raises(InvalidItems, match="the DataFrame, row 1: the id is missing"):
        as_items(pandas.DataFrame({"id": [math.nan, 2], "text": ["one", "two"]}))
    assert as_items(pandas.DataFrame({"id": [7.0, 2.0], "text": ["one", "two"]}))[0].id == "7"


def test_a_series_is_no_frame():
    polars = pytest.importorskip("polars")
    with pytest.raises(UnreadableFile, match="Series is not a data frame with columns"):
        as_items(polars.Series(["a", "b"]))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ([], "no items"),
        (["one"], "one item"),
        ({}, "no items"),
        (["one", None], "entry 2: expected a text or an Item, not NoneType"),
        (["one", math.nan], "entry 2: expected a text or an Item, not float"),
        (["one", {"text": "two"}], "entry 2: expected a text or an Item, not a mapping among other things"),
        (["one", ""], "entry 2: the id is missing"),
        ({"x": "one", "y": None}, "entry 'y': the text is missing"),
        ({"x": ["one"], "y": ["two"]}, "entry 'x': the text is list"),
        ([TWO[0], TWO[0]], "'x' (entry 1, entry 2)"),
        ([Item(id="x", text="a\0"), TWO[1]], "holds a NUL"),
        (42, "not int"),
    ],
)
def test_python_values_that_cannot_be_ranked_are_named(source, said):
    with pytest.raises(InvalidItems) as raised:
        as_items(source)
    assert said in str(raised.value)


def test_identical_texts_are_allowed_and_listed():
    items = as_items({"a": "same", "b": "other", "c": "same"})
    assert identical_texts(items) == (("a", "c"),)
    assert identical_texts(TWO) == ()


def test_nothing_heavy_is_imported_for_text_files(tmp_path):
    import subprocess

    path = written(tmp_path, "t.csv", "id,text\nx,one\ny,two\n")
    code = (
        "import sys; from paragone.intake import read_items; read_items(sys.argv[1]);"
        "print([m for m in ('narwhals', 'pyarrow', 'pandas', 'polars', 'numpy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
