"""Reading files by pages, and definitions."""

import pytest

from paragone.errors import NotFound, UsageError
from paragone.memory.index import FileReader
from paragone.memory.search import expand, read
from paragone.memory.search.reading import MAX_CHARACTERS

CODE = "import os\n\n\nclass Pool:\n    def mean(self):\n        return 1\n\n    def size(self):\n        return 2\n"
FILES = {"src/pool.py": CODE, "src/other.py": "def mean():\n    return 3\n", "empty.txt": "", "end.txt": "a\nb"}


@pytest.fixture
def files(folder):
    folder.write(FILES)
    folder.update()
    return FileReader(folder.store)


def test_a_page_has_its_lines_and_says_where_the_next_begins(files):
    first = read(files, "src/pool.py", lines=4)
    assert (first.text, first.start, first.end) == ("import os\n\n\nclass Pool:", 1, 4)
    assert (first.total_lines, first.next_start) == (9, 5)
    last = read(files, "src/pool.py", start=5, lines=100)
    assert (last.start, last.end, last.next_start) == (5, 9, None)
    assert f"{first.text}\n{last.text}\n" == CODE


@pytest.mark.parametrize(("path", "end", "total"), [("empty.txt", 0, 0), ("end.txt", 2, 2)])
def test_a_file_without_a_last_line_end(files, path, end, total):
    page = read(files, path)
    assert (page.text, page.end, page.total_lines, page.next_start) == (FILES[path], end, total, None)


def test_a_page_is_bounded_by_characters_too(files, folder):
    folder.write({"wide.txt": "".join(f"{n:05d}" + "x" * 9_995 + "\n" for n in range(25))})
    pages, start, seen = 0, 1, []
    while start is not None:
        page = read(files, "wide.txt", start=start, lines=2000)
        assert len(page.text) <= MAX_CHARACTERS
        seen += [int(row[:5]) for row in page.text.split("\n")]
        pages, start = pages + 1, page.next_start
    assert seen == list(range(25))
    assert pages == 3


def test_a_line_that_is_longer_than_a_page_is_cut_and_says_so(files, folder):
    folder.write({"min.js": "x" * (MAX_CHARACTERS + 1234) + "\nnext\n"})
    page = read(files, "min.js")
    assert page.text.endswith("x… (1,234 characters more)")
    assert (page.end, page.next_start) == (1, 2)


def test_nothing_that_is_shown_steers_a_terminal(files, folder):
    folder.write({"odd.txt": "a\x1b[2J\u202eb\u2028c\rd\n\tkept\n"})
    assert read(files, "odd.txt").text == "a [2J b c d\n\tkept"


@pytest.mark.parametrize(
    ("path", "given", "error", "said"),
    [
        ("nowhere.txt", {}, NotFound, "there is no file 'nowhere.txt'"),
        ("../out.txt", {}, UsageError, "outside of the root"),
        (".env", {}, UsageError, "that of a secret"),
        ("src", {}, UsageError, "folder"),
        ("end.txt", {"start": 3}, UsageError, "end.txt has 2 lines; there is no line 3"),
        ("end.txt", {"start": 0}, UsageError, "there is no line 0"),
        ("end.txt", {"lines": 0}, UsageError, "lines lies between 1 and 2,000, not 0"),
        ("end.txt", {"lines": 2001}, UsageError, "not 2001"),
    ],
)
def test_what_cannot_be_read_is_refused(files, folder, path, given, error, said):
    folder.write({".env": "KEY=1\n"})
    with pytest.raises(error, match=said):
        read(files, path, **given)


@pytest.mark.parametrize("name", ["Pool.size", "@Pool.size", "size", "@src/pool.py::Pool.size"])
def test_a_definition_is_shown_whole(files, folder, name):
    found = expand(files, folder.index, name)
    assert found.symbol.id == "@src/pool.py::Pool.size"
    assert (found.page.text, found.page.start, found.page.end) == ("    def size(self):\n        return 2", 8, 9)
    assert (found.page.next_start, found.page.changed) == (None, False)


def test_a_name_of_several_definitions_is_refused_with_their_ids(files, folder):
    folder.write({"a.py": "class A:\n    def get(self): ...\n", "b.py": "class B:\n    def get(self): ...\n"})
    folder.update()
    with pytest.raises(UsageError, match=r"called 'get'; name one of them: @a.py::A.get, @b.py::B.get"):
        expand(files, folder.index, "get")


def test_a_name_of_none_is_not_found(files, folder):
    with pytest.raises(NotFound, match="no symbol 'nothing'; look it up with: paragone memory search --kind symbol"):
        expand(files, folder.index, "nothing")


def test_a_definition_that_moved_since_is_found_where_it_is_now(files, folder):
    folder.write({"src/pool.py": '"""New."""\n\n' + CODE.replace("return 2", "return 22")})
    found = expand(files, folder.index, "Pool.size")
    assert found.page.text == "    def size(self):\n        return 22"
    assert (found.page.start, found.page.changed) == (10, True)


def test_a_definition_that_is_gone_since_says_so(files, folder):
    folder.write({"src/pool.py": "x = 1\n"})
    with pytest.raises(NotFound, match=r"Pool.size is not in src/pool.py any more.* paragone memory index"):
        expand(files, folder.index, "Pool.size")


def test_a_long_definition_goes_on_on_another_page(files, folder):
    body = "".join(f"    x{n} = {n}\n" for n in range(2500))
    folder.write({"long.py": f"def long():\n{body}\n\nafter = 1\n"})
    folder.update()
    page = expand(files, folder.index, "long").page
    assert (page.start, page.end, page.next_start) == (1, 2000, 2001)
