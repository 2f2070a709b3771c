"""What tests of the live board share: a tournament that was played, its library, and a client of an app over it."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.routing import Route

import paragone
from debating_agents import debated
from local_client import LocalClient
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.voting import pair_queue
from remembered_folder import remember

POOL = "tournament-1"
"""Id of the tournament that ``played`` holds."""


@pytest.fixture(scope="session")
def played_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with a tournament of eight items, i0 to i7, of which the later ones are the stronger."""
    folder = tmp_path_factory.mktemp("played")
    lines = "".join(f"i{number},{number / 2}\n" for number in range(8))
    (folder / "strengths.csv").write_text("id,score\n" + lines)
    items = {f"i{number}": f"text {number}" for number in range(8)}
    judge = f"simulated:{folder / 'strengths.csv'}"
    paragone.rank(items, judge=judge, criteria="longer", db=folder / "played.db", seed=1, budget=40)
    return folder / "played.db"


@pytest.fixture(autouse=True)
def planned_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Votes wait for the plan, however busy the machine is: what a late plan means has tests of its own."""
    monkeypatch.setattr(pair_queue, "SOON", 60.0)


@pytest.fixture
def played(played_once: Path, tmp_path: Path) -> Path:
    """The same ledger, for one test to write to."""
    return Path(shutil.copy(played_once, tmp_path / "played.db"))


@pytest.fixture(scope="session")
def debated_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with four agents that debated, foretold and were tested."""
    return debated(tmp_path_factory.mktemp("debated") / "debated.db")


@pytest.fixture
def library(played: Path) -> Iterator[LedgerReader]:
    """Its library."""
    found = LedgerReader.open(str(played))
    yield found
    found.close()


@pytest.fixture
def client_of() -> Iterator[Callable[[WebConfig], TestClient]]:
    """Makes clients of apps, which end with the test."""
    with ExitStack() as open_now:
        yield lambda config: open_now.enter_context(LocalClient(create_app(config)))


@pytest.fixture
def client(played: Path, client_of: Callable[[WebConfig], TestClient]) -> TestClient:
    """A client of an app over the tournament, without tokens: it may do everything."""
    return client_of(WebConfig(db=str(played)))


@pytest.fixture(scope="session")
def shared_client(played_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The same client for all tests that only read, so that fits and figures are made once."""
    db = shutil.copy(played_once, tmp_path_factory.mktemp("shared") / "played.db")
    app = create_app(WebConfig(db=str(db), rate=10**9))  # writes that are refused are many
    with LocalClient(app) as client:
        versions = app.state.reader.ledger.pools.versions
        before = versions()
        yield client
        assert versions() == before, "a test has written to what others read"


@pytest.fixture(scope="session")
def shared_library(shared_client: TestClient) -> LedgerReader:
    """Its library."""
    return shared_client.app.state.reader  # type: ignore[attr-defined, no-any-return]


@pytest.fixture
def library_of() -> Iterator[Callable[[Path], LedgerReader]]:
    """Opens libraries, which end with the test."""
    with ExitStack() as open_now:

        def opened(db: Path) -> LedgerReader:
            found = LedgerReader.open(str(db))
            open_now.callback(found.close)
            return found

        yield opened


@pytest.fixture(scope="session")
def remembered_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is remembered: see ``remember``."""
    return remember(tmp_path_factory.mktemp("remembered") / "root")


@pytest.fixture
def remembered(remembered_once: Path, tmp_path: Path) -> Path:
    """The same folder with its store, for one test to write to."""
    return Path(shutil.copytree(remembered_once, tmp_path / "root"))


@pytest.fixture(scope="session")
def data_links() -> Callable[[str], list[str]]:
    """The addresses of what a page shows as files."""

    def links(html: str) -> list[str]:
        part = html.partition('id="data">')[2].partition("</p>")[0]
        return [unescape(url) for url in re.findall(r'href="([^"]*)"', part)]

    return links


@pytest.fixture(scope="session")
def routes_of():
    """All routes of an application, with their whole paths."""
    return _routes_of


def _routes_of(routes, prefix=""):
    for route in routes:
        if isinstance(route, Route):
            yield prefix + route.path, route
        else:
            context = getattr(route, "include_context", None)
            inner = getattr(route, "original_router", None) or route
            yield from _routes_of(inner.routes, prefix + (getattr(context, "prefix", "") if context else ""))
