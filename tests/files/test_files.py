"""Files that several processes share."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paragone.files import in_turn, put_new, swap_in


@pytest.mark.parametrize("durable", [False, True], ids=["quick", "durable"])
def test_a_file_is_put_there_whole_or_not_at_all(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "kept"
    swap_in("a\r\n\u00e9", path, durable=durable)
    assert path.read_bytes() == b"a\r\n\xc3\xa9"
    with pytest.raises(UnicodeEncodeError):
        swap_in("\ud800", path, durable=durable)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        swap_in("b", tmp_path / "folder", durable=durable)
    assert path.read_bytes() == b"a\r\n\xc3\xa9"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "kept"], "nothing is left beside"


def test_a_new_file_is_put_there_whole_and_over_none(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    put_new(b"first", path)
    with pytest.raises(FileExistsError):
        put_new(b"second", path)
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        put_new(b"second", tmp_path / "link")
    with pytest.raises(FileNotFoundError):
        put_new(b"first", tmp_path / "none" / "kept")
    assert path.read_bytes() == b"first"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["kept", "link"], "nothing is left beside"


def test_of_many_that_put_a_new_file_there_at_once_one_succeeds(tmp_path: Path) -> None:
    def put(number: int) -> bool:
        try:
            put_new(b"%d" % number, tmp_path / "kept")
        except FileExistsError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        (winner,) = [number for number, is_put in enumerate(threads.map(put, range(16))) if is_put]
    assert (tmp_path / "kept").read_bytes() == b"%d" % winner
    assert [file.name for file in tmp_path.iterdir()] == ["kept"]


def test_one_at_a_time(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with in_turn(tmp_path):
            order.append("second")

    with in_turn(tmp_path):
        waiting = threading.Thread(target=second)
        waiting.start()
        waiting.join(0.2)
        order.append("first")
    waiting.join(20)
    assert order == ["first", "second"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), in_turn(tmp_path / "none"):
        raise AssertionError("nobody comes in")
