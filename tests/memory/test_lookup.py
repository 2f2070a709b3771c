"""Content by what people call it."""

import pytest

from paragone.domain.content import Content, ContentKind
from paragone.errors import NotFound
from paragone.memory import Memory
from paragone.memory.index.index import content_named


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    (root / "docs" / "decisions").mkdir(parents=True)
    (root / "docs" / "guide.md").write_text("# Guide\n\nHow to begin.\n")
    (root / "docs" / "decisions" / "ADR-027-cables.md").write_text("# ADR-027 Cables\n\nWe use cables.\n")
    (root / "one.py").write_text("class Pier:\n    def hold(self):\n        return 1\n\n\ndef span():\n    return 2\n")
    (root / "two.py").write_text("def span():\n    return 3\n")
    with Memory.create(root) as memory:
        memory.index(vectors=False)
        yield memory.components.index


@pytest.mark.parametrize("name", ["docs/guide.md", "./docs/guide.md", " docs/guide.md ", "docs\\guide.md"])
def test_a_file_is_named_by_its_path(index, name):
    assert content_named(index, name) == Content(kind=ContentKind.FILE, id="docs/guide.md")


@pytest.mark.parametrize("name", ["ADR-027", "adr-027"])
def test_a_decision_record_is_named_by_its_id(index, name):
    found = content_named(index, name)

    assert (found.kind, found.id, found.path) == (ContentKind.ADR, "ADR-027", "docs/decisions/ADR-027-cables.md")


@pytest.mark.parametrize("name", ["@one.py::Pier.hold", "@Pier.hold", "@hold"])
def test_a_symbol_is_named_with_or_without_its_path(index, name):
    found = content_named(index, name)

    assert (found.kind, found.id, found.path) == (ContentKind.SYMBOL, "@one.py::Pier.hold", "one.py")


def test_a_chunk_is_named_by_its_hash(index):
    chunk = next(index.chunks("two.py"))
    found = content_named(index, chunk.hash)

    assert (found.kind, found.id, found.path) == (ContentKind.VECTOR, chunk.hash, "two.py")


def test_a_name_of_several_symbols_lists_them(index):
    with pytest.raises(
        NotFound, match=r"2 symbols are called '@span': @one\.py::span, @two\.py::span; name one by its id"
    ):
        content_named(index, "@span")


@pytest.mark.parametrize(
    ("name", "instead"),
    [("guide.md", "docs/guide.md"), ("old/guide.md", "docs/guide.md"), ("docs/guidd.md", "docs/guide.md")],
)
def test_a_name_that_is_nearly_right_says_what_is_near(index, name, instead):
    with pytest.raises(NotFound, match=f"there is no content '{name}' in the index; did you mean '{instead}'"):
        content_named(index, name)


@pytest.mark.parametrize("name", ["", "   ", "@", "nothing like it", "f" * 64, "ADR-999", "\x00"])
def test_what_is_not_there_is_refused(index, name):
    with pytest.raises(NotFound, match="there is no content"):
        content_named(index, name)
