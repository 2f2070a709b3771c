"""Where the tokens of a pack go: areas that add up, and names that are text."""

import json

from paragone.presenting.figures import PackPart, where_tokens_go

PIECES = (
    PackPart(path="src/a/b/c/d.py", form="full", tokens=300, note="need 1500"),
    PackPart(path="src/a/e.py", form="signatures", tokens=100),
    PackPart(path="README.md", form="pointer", tokens=20),
)


def areas(figure: dict) -> dict[str, tuple[str, int]]:
    (map_,) = figure["data"]
    return {id: (parent, value) for id, parent, value in zip(map_["ids"], map_["parents"], map_["values"], strict=True)}


def test_folders_hold_what_lies_in_them_and_all_adds_up() -> None:
    found = areas(where_tokens_go(PIECES, total=450))
    assert found["/"] == ("", 450)
    assert found["/src/"] == ("/", 400)
    assert found["/src/a/"] == ("/src/", 400)
    assert found["/src/a/b/"] == ("/src/a/", 300)
    assert found["/src/a/b/c/d.py"] == ("/src/a/b/", 300)  # deeper folders are no areas of their own
    assert found["/README.md"] == ("/", 20)
    for id, (_, value) in found.items():
        inside = [own for parent, own in found.values() if parent == id]
        assert not inside or sum(inside) == value, id


def test_what_is_not_listed_is_an_area_of_its_own() -> None:
    found = where_tokens_go(PIECES, total=450)
    assert "all else" in found["data"][0]["labels"]
    assert "all else" not in where_tokens_go(PIECES, total=420)["data"][0]["labels"]
    assert found["layout"]["meta"]["alt"] == "Where 450 tokens go: full 300, signatures 100, pointer 20"


def test_names_and_reasons_are_text() -> None:
    hostile = PackPart(path="<b>x</b>/<script>alert(1)</script>.md", form="full", tokens=5, note="<i>why</i>")
    shown = where_tokens_go([hostile], total=5)["data"][0]
    assert "<script" not in json.dumps([shown["labels"], shown["hovertext"]])
    assert not any("<b>x" in text or "<i>" in text for text in (*shown["labels"], *shown["hovertext"]))


def test_an_empty_pack_says_so() -> None:
    assert where_tokens_go([], total=0)["data"] == []
