"""The table of conformance speaks of demands that exist, files that exist and tests that exist."""

import re
from collections import Counter
from pathlib import Path

TOP = Path(__file__).parents[2]
TEXT = (TOP / "docs" / "conformance.md").read_text("utf-8")
LAST = {"T": 22, "S": 4, "A": 8, "M": 11, "X": 16}
"""The requirements number their demands T1 to T22, S1 to S4, and so on."""

DEMANDS = {f"{letter}{number}" for letter, last in LAST.items() for number in range(1, last + 1)}


def rows() -> list[list[str]]:
    """Cells of the lines of the table: demand (and which part of it), state, what, where, proof."""
    lines = [line for line in TEXT.splitlines() if re.match(r"\| [A-Z]\d", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def demand(row: list[str]) -> str:
    """The demand of a row, such as T4 of "T4, scale"."""
    return row[0].partition(",")[0]


def test_every_row_is_whole() -> None:
    assert rows()
    assert [row for row in rows() if len(row) != 5 or not all(row)] == []
    assert {row[1] for row in rows()} <= {"met", "part"}


def test_every_demand_is_one_of_the_requirements() -> None:
    assert {demand(row) for row in rows()} <= DEMANDS


def test_no_row_is_there_twice() -> None:
    assert [name for name, times in Counter(row[0] for row in rows()).items() if times > 1] == []


def test_what_this_version_is_about_is_met() -> None:
    met = {demand(row) for row in rows()} - {demand(row) for row in rows() if row[1] != "met"}
    assert {name for name in DEMANDS if name[0] in "TS"} | {"X1", "X2", "X3", "X4", "X5"} <= met


def test_every_place_exists() -> None:
    places = {place for row in rows() for place in re.findall(r"`([\w/]+(?:\.\w+|/))`", row[3])}
    assert places
    assert sorted(place for place in places if not (TOP / "src" / "paragone" / place).exists()) == []


def test_every_proof_exists() -> None:
    for row in rows():
        proofs = re.findall(r"`(tests/[\w/]+\.py)(?:::\w+)*?(?:::(\w+))?`", row[4])
        assert len(proofs) == row[4].count("`") / 2, row
        for file, test in proofs:
            assert (TOP / file).exists(), (row[0], file)
            assert not test or f"def {test}(" in (TOP / file).read_text("utf-8"), (row[0], file, test)
