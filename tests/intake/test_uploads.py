"""Items that a browser sends: what is understood of them, and files that are larger than they look."""

import io
import zipfile

import pytest
from PIL import Image

from paragone.errors import InvalidItems, UnknownColumn, UnreadableFile
from paragone.intake import uploads
from paragone.intake.items import read_items
from paragone.intake.uploads import pasted_items, uploaded_items

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def texts(understood):
    return {item.id: item.text for item in understood.items}


def zipped(entries, compression=zipfile.ZIP_DEFLATED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        for name, held in entries.items():
            archive.writestr(name, held)
    return content.getvalue()


def written(columns, **options):
    content = io.BytesIO()
    parquet.write_table(pa.table(columns), content, **options)
    return content.getvalue()


@pytest.mark.parametrize(
    ("text", "paragraphs", "expected", "words"),
    [
        ("tea\r\n\r\n milk \r\n", False, {"tea": "tea", "milk": "milk"}, "one item a line"),
        ("tea, hot\nmilk, cold", False, {"tea, hot": "tea, hot", "milk, cold": "milk, cold"}, "one item a line"),
        ("id,text\na,tea\nb,milk", False, {"a": "tea", "b": "milk"}, "a table: ids from 'id', texts from 'text'"),
        ("name;text;x\na;tea;1\nb;milk;2", False, {"a": "tea", "b": "milk"},
         "a table: ids from 'name', texts from 'text'; not used: 'x'"),
        ("text\ntea\nmilk", False, {"tea": "tea", "milk": "milk"}, "a table: ids made of the texts, texts from 'text'"),
        ("tea\nhot\n\n \nmilk", True, {"tea hot": "tea\nhot", "milk": "milk"}, "paragraphs, divided by blank lines"),
    ],
)  # fmt: skip
def test_what_is_pasted_is_lines_a_table_or_paragraphs(text, paragraphs, expected, words):
    understood = pasted_items(text, paragraphs=paragraphs)
    assert (texts(understood), understood.words) == (expected, words)


@pytest.mark.parametrize("text", ["", " \n\n", "tea", "tea\ntea"])
def test_what_cannot_be_ranked_is_refused(text):
    for paragraphs in (False, True):
        with pytest.raises(InvalidItems, match="what was pasted"):
            pasted_items(text.replace("\n", "\n\n"), paragraphs=paragraphs)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"tea\nmilk\n"),
        ("a.csv", b"id,text\na,tea\nb,milk\n"),
        ("a.jsonl", b'{"id": "a", "text": "tea"}\n{"id": "b", "text": "milk"}\n'),
        ("a.PARQUET", written({"id": ["a", "b"], "text": ["tea", "milk"]})),
    ],
)
def test_a_file_is_read_as_by_the_command_line(tmp_path, name, content):
    (tmp_path / name.lower()).write_bytes(content)
    assert uploaded_items(name, content).items == read_items(tmp_path / name.lower())


def test_a_column_can_be_named_and_a_message_has_the_name_of_the_file_and_not_of_its_copy():
    content = b"id,note\na,tea\nb,milk\n"
    assert texts(uploaded_items("../x/notes.csv", content, text_column="note")) == {"a": "tea", "b": "milk"}
    with pytest.raises(UnknownColumn, match=r"^notes.csv has no column .*Name one with column of the texts$"):
        uploaded_items("C:\\x\\notes.csv", content)
    with pytest.raises(UnreadableFile, match=r"^x.pdf: .pdf is not known; give .txt, .csv"):
        uploaded_items("x.pdf", content)


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("a.txt", b"tea\ncaf\xe9\n", "a.txt, line 2"),
        ("a.csv", b"text\ncaf\xe9\n", "a.csv, line 2"),
        ("a.zip", zipped({"b.txt": "tea", "c.txt": b"caf\xe9"}), "a.zip, c.txt, line 1"),
    ],
)
def test_a_file_in_another_encoding_is_refused_with_what_a_browser_can_do(name, content, place):
    with pytest.raises(UnreadableFile) as refused:
        uploaded_items(name, content)
    assert str(refused.value) == f"{place}: byte 0xe9 is not UTF-8; save the file as UTF-8 (in Excel: CSV UTF-8)"


def test_a_zip_is_a_folder_of_texts_as_the_command_line_reads_one(tmp_path):
    entries = {"ideas/a.md": " Tea. ", "ideas/deep/b.txt": "Milk.", "ideas/c.png": b"\0\1", "ideas/.d": "hidden"}
    for name, held in entries.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(held if isinstance(held, bytes) else held.encode())
    understood = uploaded_items("ideas.zip", zipped({**entries, "__MACOSX/ideas/a.md": "x", "ideas/empty/": ""}))
    assert understood.items == read_items(tmp_path / "ideas")
    assert understood.words == "a folder: one item a text file; left out because not text: 1"


def test_a_zip_that_grows_is_refused_and_names_in_it_lead_nowhere(tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_LETTERS", 2_500_000)  # of four bytes each
    bomb = zipped({f"{number}.txt": b"a" * 4_000_000 for number in range(3)})
    assert len(bomb) < 100_000
    with pytest.raises(UnreadableFile, match="more than can be read here once it is unpacked"):
        uploaded_items("bomb.zip", bomb)
    with pytest.raises(UnreadableFile, match="more than can be read"):
        uploaded_items("one.zip", zipped({"a": b"a" * 4_000_001, "b": "b"}))
    with pytest.raises(UnreadableFile, match="outside of its folder"):
        uploaded_items("up.zip", zipped({"/etc/passwd": "a", "b": "b"}))
    assert texts(uploaded_items("up.zip", zipped({"../../a": "a", "b": "b", "c": "c"}))) == {"b": "b", "c": "c"}
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    assert texts(uploaded_items("l.zip", zipped({link: "/etc/passwd", "b": "b", "c": "c"}))) == {"b": "b", "c": "c"}
    monkeypatch.setattr(uploads, "MOST_FILES", 2)
    with pytest.raises(UnreadableFile, match="at most 2 are read"):
        uploaded_items("many.zip", zipped({"a": "a", "b": "b", "c": "c"}))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"x" * 100, zipped({"a": "a" * 99, "b": "b"})[:-30]])
def test_what_is_no_whole_zip_is_refused(content):
    with pytest.raises(UnreadableFile, match="not a whole zip"):
        uploaded_items("a.zip", content)


def test_parquet_that_stands_for_a_hundred_gigabytes_ends_a_process_of_its_own_and_not_this_one():
    rows = 100_000
    text = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["w" * 1_000_000]))
    bomb = written({"id": list(map(str, range(rows))), "text": text}, compression="zstd")
    assert len(bomb) < 500_000
    with pytest.raises(UnreadableFile, match=r"bomb.parquet holds more than can be read here, or is damaged"):
        uploaded_items("bomb.parquet", bomb)


def test_too_many_items_or_letters_are_refused(monkeypatch):
    monkeypatch.setattr(uploads, "MOST_ITEMS", 2)
    with pytest.raises(InvalidItems, match="3 items; at most 2"):
        pasted_items("a\nb\nc")
    monkeypatch.setattr(uploads, "MOST_LETTERS", 3)
    with pytest.raises(InvalidItems, match="4 characters together; at most 3"):
        uploaded_items("a.txt", b"aa\nbb")


def test_images_of_a_zip_come_with_its_texts():
    dot = io.BytesIO()
    Image.new("RGB", (2, 2)).save(dot, "PNG")
    entries = {"i/a.md": "![](img/dot.png)", "i/b.md": "B", "i/img/dot.png": dot.getvalue(), "i/bad.png": "<svg/>"}
    understood = uploaded_items("i.zip", zipped({**entries, "i/x.bin": b"\0"}))
    assert texts(understood) == {"a.md": "![](img/dot.png)", "b.md": "B"}
    assert understood.images == {"dot.png": dot.getvalue()}
    assert understood.words == "a folder: one item a text file; images: 1; left out because not text: 2"
    assert understood.remarks == ("bad.png is not a complete PNG, JPEG, GIF or WebP image; save it as one of these",)
