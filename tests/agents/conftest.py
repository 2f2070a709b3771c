"""A system of agents in each backend, and a clock to hand in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from paragone.agents import EloSystem


@dataclass
class Clock:
    """Seconds that pass when they are told to."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a database may be made."""
    return tmp_path / "agents.db"


@pytest.fixture
def elo(path: Path, clock: Clock) -> Iterator[EloSystem]:
    """A system in a file."""
    with EloSystem(path, durable=False, clock=clock) as opened:
        yield opened


@pytest.fixture(params=["sqlite-file", "sqlite-memory", "postgresql"])
def url(request: pytest.FixtureRequest, path: Path) -> str:
    """Where a system may be made, in each backend."""
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_ledger")
    return str(path) if request.param == "sqlite-file" else "sqlite://"


@pytest.fixture(params=["sqlite", "postgresql"])
def shared_url(request: pytest.FixtureRequest, path: Path) -> str:
    """Where a system may be made that several processes can use."""
    return request.getfixturevalue("schema_url")() if request.param == "postgresql" else str(path)


@pytest.fixture(params=["sqlite", "postgresql"])
def any_elo(request: pytest.FixtureRequest) -> Iterator[EloSystem]:
    """A system in each backend."""
    place = request.getfixturevalue("postgres_ledger") if request.param == "postgresql" else "sqlite://"
    with EloSystem(place, durable=False, snapshot=False, warn=False) as opened:
        yield opened


@pytest.fixture
def contents() -> Callable[[EloSystem], dict[str, Any]]:
    """All that can be seen of a system, without times and ids."""

    def seen(elo: EloSystem) -> dict[str, Any]:
        agents = sorted(elo.list_agents())
        return {
            "ratings": elo.get_ratings_batch(agents),
            "debates": len(elo.get_recent_matches(10_000, use_cache=False)),
            "relationships": [elo.get_all_relationships_for_agent(agent) for agent in agents],
            "calibration": [elo.get_domain_calibration(agent) for agent in agents],
            "tests": [(test.test.item, [change.change for change in test.changes]) for test in elo.tests()],
        }

    return seen
