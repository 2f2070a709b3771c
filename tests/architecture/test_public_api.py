"""The public names: importable, documented, typed."""

import inspect
from pathlib import Path

import pytest

import paragone

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"
TYPED = Path(__file__).parents[1] / "typing" / "api.py"


def test_there_are_public_names() -> None:
    assert {"rank", "arank", "fit"} <= set(paragone.__all__)
    assert list(paragone.__all__) == sorted(paragone.__all__)


def test_every_public_name_can_be_had_and_is_listed() -> None:
    assert [name for name in paragone.__all__ if not hasattr(paragone, name)] == []
    assert set(paragone.__all__) <= set(dir(paragone))


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = paragone.no_such_name


def test_every_public_name_is_in_the_reference() -> None:
    text = REFERENCE.read_text("utf-8")
    assert [name for name in paragone.__all__ if f"`{name}" not in text] == []


def test_every_public_name_has_a_docstring() -> None:
    things = {name: getattr(paragone, name) for name in paragone.__all__ if not name.startswith("__")}
    speaking = (thing for thing in things.items() if inspect.isclass(thing[1]) or inspect.isroutine(thing[1]))
    assert [name for name, thing in speaking if not inspect.getdoc(thing)] == []


def test_every_public_name_is_used_with_types() -> None:
    text = TYPED.read_text("utf-8")
    assert [name for name in paragone.__all__ if f"paragone.{name}" not in text] == []
