"""An import killed at any moment goes on where it was: nothing twice, nothing lost."""

import random
import subprocess
from functools import cache
from pathlib import Path

import pytest

import warm_start
from paragone import import_votes
from paragone.ledger import Ledger

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

CHILD = Path(__file__).with_name("import_child.py")


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    """Writes a file of votes; returns it, and what a ledger holds into which it was imported without a kill."""

    @cache
    def write(rows: int, items: int, chunk: int) -> tuple[Path, tuple]:
        draw = random.Random(3)
        lines = [
            f"i{a},i{b},{draw.choice(['a', 'b', 'tie', ''])}"
            for a, b in (draw.sample(range(items), 2) for _ in range(rows))
        ]
        path = tmp_path_factory.mktemp("votes") / "votes.csv"
        path.write_text("a,b,winner\n" + "\n".join(lines) + "\n")
        import_votes(path, db=path.with_name("whole.db"), chunk=chunk)
        return path, whole(path.with_name("whole.db"))

    return write


def run(file, chunk, jobs):
    """Imports in other processes; for each place the rows that were acknowledged, and whether it was killed."""
    arguments = [warm_start.python(), str(CHILD), str(file), str(chunk), *(str(part) for job in jobs for part in job)]
    lines = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.splitlines()
    return [(int(rows), killed == "1") for rows, killed in (line.split() for line in lines)]


def whole(url):
    with Ledger.open(url, durable=False) as ledger:
        assert ledger.audit().ok
        (tournament,) = ledger.tournaments.all()
        pool = tournament.pool
        return (
            ledger.ratings.all(pool),
            ledger.ratings.changes(pool),
            [entry.match for entry in ledger.matches.all(pool)],
            [event.kind for event in ledger.tournaments.events(pool)],
        )


def rows_there(url):
    with Ledger.open(url, durable=False) as ledger:
        return sum(ledger.matches.count(record.pool) for record in ledger.tournaments.all())


def test_killed_between_any_two_statements(new_ledger, votes, deep):
    """At every 31st point from within the first chunk on, or with --deep at every fifth of all.

    Both are primes, so that the kills fall on ever other places of a chunk.
    """
    file, expected = votes(45, 8, chunk=15)
    jobs = [(new_ledger(), point) for point in (range(0, 220, 5) if deep else range(45, 201, 31))]
    ends = list(zip(jobs, run(file, 15, [(new_ledger(), "here"), *jobs]), strict=True))
    assert any(not killed for _, (_, killed) in ends), "the last points lie beyond the end"
    found = set()
    for (url, point), (acknowledged, killed) in ends:
        there = rows_there(url)
        found.add((there, killed))
        assert there in (0, 15, 30, 45), point
        assert there >= acknowledged, "what was acknowledged is there"
        import_votes(file, db=url, chunk=15)
        assert whole(url) == expected, point
    assert {0, 15, 30} <= {there for there, killed in found if killed}, "kills fell before, between and after chunks"


def test_killed_at_a_moment_of_nobodys_choosing(new_ledger, votes):
    """Chunks so large that they go by COPY where there is one, and deaths within it."""
    file, expected = votes(2000, 200, chunk=1000)
    url = new_ledger()
    ends = run(file, 1000, [(url, f"after {seconds}") for seconds in (0.02, 0.1)])
    import_votes(file, db=url, chunk=1000)
    assert ends[0][1]
    assert whole(url) == expected
    assert rows_there(url) == 2000
