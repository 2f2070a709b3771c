"""Files that are written whole or not at all."""

from pathlib import Path

import pytest

from paragone.errors import Unwritable
from paragone.presenting.files import require_writable, save


def test_written_in_the_place_of_what_was_there(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    save("new", tmp_path / "a.txt")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.txt", "new")]


def test_half_a_character_is_replaced_since_no_file_can_hold_it(tmp_path):
    save("a\ud800b", tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text("utf-8") == "a\ufffdb"


@pytest.mark.parametrize(
    ("name", "why"),
    [("absent/a.txt", "its folder must exist and be writable"), ("folder", "it is a folder"), (".", "it is a folder")],
)
def test_what_cannot_be_written_is_said_before_and_leaves_nothing(tmp_path, monkeypatch, name, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(Unwritable, match=why):
        require_writable(Path(name))
    with pytest.raises(Unwritable, match=name):
        save("new", Path(name))
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
