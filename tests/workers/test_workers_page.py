"""A server's start button hands a tournament to workers, and a page shows who they are."""

import re
import signal
import socket
from typing import Any
from urllib.request import urlopen

import pytest

from paragone.client import Client
from paragone.errors import InvalidConfig
from paragone.ledger import Ledger

pytestmark = pytest.mark.slow

RANK = ("rank", "items.txt", "-c", "clarity", "--seed", 7, "--quiet", "--json")


def test_a_tournament_of_workers_is_gone_on_with_from_a_server(site: Any) -> None:
    worker = site.worker()
    site.ends(site.run(*RANK, "--judge", "noted", "--workers", "--name", "remote", "--budget", 12))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = site.run("serve", "--port", port)
    url = f"http://127.0.0.1:{port}"
    site.until(lambda: url in site.words(server))
    with Client(url, attempts=8) as client:
        # What it answered it says with its next sign of life.
        site.until(lambda: client.workers().workers[0].answered == len(site.calls()))
        (shown,) = client.workers().workers
        assert (shown.judges, shown.concurrency, shown.state) == (("noted", "slow"), 4, "idle")
        assert (shown.process, shown.answered) == (site.calls()[0][1], len(site.calls()))
        page = urlopen(f"{url}/workers", timeout=30).read().decode()
        assert re.search(rf"process {shown.process}\b", page)
        assert 'href="/pools/remote-1/live"' in page

        budget = 30
        forecast = client.tournaments.forecast("remote-1", budget=budget)
        client.tournaments.run("remote-1", forecast.confirm, budget=budget)
        site.until(lambda: client.tournaments.live("remote-1").condition == "finished")
        last = client.tournaments.live("remote-1")
        assert (last.stopped, last.budget.answered) == (f"the budget of {budget} comparisons is spent", budget)
        assert {process for _, process, *_ in site.calls()} == {shown.process}, "the server asked nothing itself"
        assert len(site.calls()) == budget

        worker.send_signal(signal.SIGINT)
        assert "questions answered" in site.ends(worker)
        assert "no worker is there" in site.ends(site.run("workers"))
        with pytest.raises(InvalidConfig, match="no worker has the judge 'noted' now; start one"):
            client.tournaments.forecast("remote-1", budget=60)
        assert client.workers().workers == ()
        assert "No worker is there" in urlopen(f"{url}/workers", timeout=30).read().decode()
    with Ledger.open(site.url) as ledger:
        assert ledger.audit().ok
