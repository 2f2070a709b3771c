"""The catalogue of what can be found, and its files."""

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.memory.search.catalogue import (
    Catalogue,
    CatalogueEntry,
    _array,
    _content,
    _saved,
    cached_catalogue,
    catalogue,
    empty,
)

an_entry = st.builds(
    CatalogueEntry,
    id=st.sampled_from("pqrst"),
    path=st.sampled_from(["a.py", "b/c.py", "ü.md"]),
    text=st.sampled_from(["one", "two one", "three", ""]),
)


def same(one: Catalogue, other: Catalogue) -> bool:
    arrays = [(one.keys, other.keys), (one.starts, other.starts), (one.places, other.places)]
    arrays += [(getattr(one.words, name), getattr(other.words, name)) for name in ("documents", "counts", "lengths")]
    lists = (one.ids, one.files, one.words.terms) == (other.ids, other.files, other.words.terms)
    return lists and all(np.array_equal(a, b) for a, b in arrays)


def test_an_id_in_several_files_is_one_row_with_several_places() -> None:
    made = catalogue(
        CatalogueEntry(id=id, path=path, text="x") for id, path in [("h", "b.py"), ("k", "a.py"), ("h", "a.py")]
    )
    assert made.ids == ["h", "k"]
    assert made.files == ["a.py", "b.py"]
    assert (made.starts.tolist(), made.places.tolist()) == ([0, 2, 3], [0, 1, 0])
    assert made.in_files(np.asarray([False, True])).tolist() == [True, False]


def test_it_is_found_by_its_path_too() -> None:
    made = catalogue(
        [CatalogueEntry(id="h", path="src/rating_pool.py", text="x"), CatalogueEntry(id="k", path="a.py", text="x")]
    )
    assert made.words.similarity(["pool"]).tolist() > [0.0, 0.0]
    assert made.words.similarity(["pool"])[1] == 0.0


@given(st.lists(an_entry, max_size=8), st.lists(an_entry, max_size=8))
def test_brought_up_to_date_it_is_the_one_made_anew(before: list[CatalogueEntry], now: list[CatalogueEntry]) -> None:
    assert same(catalogue(now, old=catalogue(before)), catalogue(now))


ENTRIES = [
    CatalogueEntry(id="h", path="a.py", text="similarity of words"),
    CatalogueEntry(id="k", path="b.py", text="other"),
]


def never() -> list[CatalogueEntry]:
    raise AssertionError("it was made anew")


@pytest.mark.parametrize("kind", ["<i8", "<i4", "<f4", "|u1"])
@pytest.mark.parametrize("shape", [(0,), (3,), (0, 16), (2, 16), (5_000, 16)])
def test_an_array_is_read_as_numpy_reads_it(tmp_path: Path, kind: str, shape: tuple[int, ...]) -> None:
    """The last shape is large enough to be mapped."""
    written = np.random.default_rng(1).integers(0, 200, shape).astype(kind)
    np.save(tmp_path / "a.npy", written)
    read = _array(_content(tmp_path / "a.npy"))
    assert (read.dtype, read.shape, read.flags.writeable) == (written.dtype, shape, False)
    assert np.array_equal(read, np.load(tmp_path / "a.npy"))


@pytest.mark.parametrize("odd", [np.array(["a"]), np.array([1 + 2j]), np.zeros((1, 2, 3)), np.zeros((2, 3), order="F")])
def test_an_array_of_another_form_is_refused(odd: Any) -> None:
    with pytest.raises(ValueError, match="no array of numbers"):
        _array(_saved(odd))


@pytest.mark.parametrize(
    "damage", [(b"", b""), (b"<f8", b"<f9"), (b"(3,)", b"(9,)"), (b"(3,), }", b"(%d,), }" % 10**30)]
)
def test_an_array_that_cannot_be_is_refused(damage: tuple[bytes, bytes]) -> None:
    whole = _saved(np.zeros(3))
    with pytest.raises(ValueError, match=r"no array of numbers|allowed dimension"):
        _array(whole.replace(*damage) if damage[0] else whole[:-1])


def test_it_is_kept_for_a_state_of_the_index_and_made_anew_for_another(tmp_path: Path) -> None:
    made = cached_catalogue(tmp_path, "chunk", "1", lambda: ENTRIES)
    assert same(cached_catalogue(tmp_path, "chunk", "1", never), made)
    assert same(cached_catalogue(tmp_path, "chunk", "2", lambda: ENTRIES[:1]), catalogue(ENTRIES[:1]))
    assert len(list(tmp_path.iterdir())) == 1, "the one before is gone"


def test_what_was_read_while_the_index_changed_is_not_kept(tmp_path: Path) -> None:
    mixed = cached_catalogue(tmp_path, "chunk", "1", lambda: ENTRIES, is_current=lambda: False)
    assert same(mixed, catalogue(ENTRIES))
    assert same(cached_catalogue(tmp_path, "chunk", "1", lambda: ENTRIES[:1]), catalogue(ENTRIES[:1]))


def test_what_a_kill_left_half_written_goes_after_an_hour(tmp_path: Path) -> None:
    for name, age in ((".new-old", 7200.0), (".new-young", 60.0)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    cached_catalogue(tmp_path, "chunk", "1", lambda: ENTRIES)
    assert [path.name for path in tmp_path.glob(".new-*")] == [".new-young"]


def test_other_catalogues_in_the_folder_stay(tmp_path: Path) -> None:
    cached_catalogue(tmp_path, "chunk", "1", lambda: ENTRIES)
    cached_catalogue(tmp_path, "symbol", "1", lambda: ENTRIES)
    assert same(cached_catalogue(tmp_path, "chunk", "1", never), catalogue(ENTRIES))


@pytest.mark.parametrize("entries", [[], [CatalogueEntry(id="h", path="a", text="")]], ids=["none", "no word"])
def test_nothing_can_be_kept_as_well(tmp_path: Path, entries: list[CatalogueEntry]) -> None:
    cached_catalogue(tmp_path, "chunk", "1", lambda: entries)
    assert same(cached_catalogue(tmp_path, "chunk", "1", lambda: entries), catalogue(entries))
    assert same(catalogue([]), empty())


FILES = ("sums", "keys", "starts", "places", "word_starts", "documents", "counts", "lengths", "ids", "files", "terms")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["absent", "empty", "half"])
def test_a_damaged_one_is_made_anew(tmp_path: Path, name: str, damage: str) -> None:
    cached_catalogue(tmp_path, "chunk", "1", lambda: ENTRIES)
    path = next(tmp_path.glob(f"chunk-*/{name}.*"))
    if damage == "absent":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: 0 if damage == "empty" else path.stat().st_size // 2])
    assert same(cached_catalogue(tmp_path, "chunk", "1", lambda: ENTRIES), catalogue(ENTRIES))
    assert same(cached_catalogue(tmp_path, "chunk", "1", never), catalogue(ENTRIES))


def test_where_nothing_can_be_written_it_is_made_and_not_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert same(cached_catalogue(tmp_path / "file", "chunk", "1", lambda: ENTRIES), catalogue(ENTRIES))


def test_a_flipped_bit_is_never_believed(tmp_path: Path) -> None:
    """Wherever it is: in the numbers, in the texts, in the headings of the files, in the sums themselves."""
    made = cached_catalogue(tmp_path, "chunk", "1", lambda: ENTRIES)
    folder = next(tmp_path.glob("chunk-*"))
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    rng = np.random.default_rng(1)
    for name, size in sizes.items():
        for bit in rng.choice(8 * size, min(30, 8 * size), replace=False).tolist():
            damaged = bytearray((folder / name).read_bytes())
            damaged[bit // 8] ^= 1 << bit % 8
            (folder / name).write_bytes(damaged)
            asked: list[str] = []
            again = cached_catalogue(tmp_path, "chunk", "1", lambda asked=asked: asked.append("") or ENTRIES)  # type: ignore[misc]
            assert same(again, made), (name, bit)
            assert asked, (name, bit)
    assert same(cached_catalogue(tmp_path, "chunk", "1", never), made)
