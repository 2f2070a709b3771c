"""The page about the architecture speaks of rooms and modules that exist, and of every room that does."""

import re
from pathlib import Path

TOP = Path(__file__).parents[2]
SOURCE = TOP / "src" / "paragone"
PAGE = (TOP / "docs" / "architecture.md").read_text("utf-8")


def drawn() -> dict[str, str]:
    """Rooms and modules of the two drawings by their path, with what is said of them."""
    found: dict[str, str] = {}
    for block in re.findall(r"```text\n(\S+/)\n(.*?)```", PAGE, flags=re.DOTALL):
        inside = [block[0].removeprefix("src/paragone/")]
        for line in block[1].splitlines():
            name, _, said = line.lstrip("│├└─ ").partition(" ")
            depth = (len(line) - len(line.lstrip("│├└─ "))) // 4
            inside = [*inside[:depth], name]
            found["".join(inside)] = said.strip()
    return found


def test_what_is_drawn_exists_and_is_explained() -> None:
    assert "tournaments/planning/weighted/" in drawn()
    assert [path for path, said in drawn().items() if not (SOURCE / path).exists() or not said] == []


def test_every_room_is_drawn() -> None:
    tops = {f"{path.parent.name}/" for path in SOURCE.glob("*/__init__.py")}
    inner = {f"tournaments/{path.parent.name}/" for path in (SOURCE / "tournaments").glob("*/__init__.py")}
    assert tops | inner <= set(drawn())


def test_every_place_that_is_named_exists() -> None:
    places = set(re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", PAGE))
    assert len(places) > 20
    roots = (SOURCE, TOP)
    assert sorted(place for place in places if not any((root / place).exists() for root in roots)) == []


def test_every_name_of_a_module_beside_it_exists() -> None:
    modules = {path.name for path in SOURCE.rglob("*.py")}
    assert sorted(set(re.findall(r"`([a-z_]+\.py)`", PAGE)) - modules) == []
