"""What a server counts: requests, how long they took, listeners, votes, failures of the database.

Labels are names of ours only: route templates, statuses, methods of HTTP. No text of a user or a request becomes one.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from paragone.domain import Spending
from paragone.errors import Failure

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder in which the processes of one server add up what they count."""
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Meters:
    """The counters of a process; with those of its siblings where several processes serve one address."""

    def __init__(self, versions: Callable[[], Mapping[str, int]], spending: Callable[[], Spending]) -> None:
        self._of_ledger = _OfLedger(versions, spending)
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "paragone_requests", "Requests answered.", ["method", "route", "status"], registry=registry
        )
        self._seconds = Histogram(
            "paragone_request_seconds",
            "Seconds until a request was answered, event streams apart.",
            ["route"],
            buckets=BUCKETS,
            registry=registry,
        )
        self.listeners = Gauge(
            "paragone_listeners", "Open event streams.", multiprocess_mode="livesum", registry=registry
        )
        self.votes = Counter("paragone_votes", "Votes recorded, repeated ones apart.", registry=registry)
        self.database_errors = Counter("paragone_database_errors", "Times that the database failed.", registry=registry)

    def answered(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """Count a request.

        Args:
            method: Its method.
            route: Template of the route that answered.
            status: The status of the answer.
            seconds: How long it took; None where that says nothing.
        """
        self._requests.labels(method if method in METHODS else "other", route, str(status)).inc()
        if seconds is not None:
            self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """Everything as Prometheus reads it."""
        registry = CollectorRegistry()
        if SHARED in os.environ:
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        else:
            registry.register(self._registry)
        registry.register(self._of_ledger)
        return generate_latest(registry)


class _OfLedger(Collector):
    """What the ledger says when it is asked."""

    def __init__(self, versions: Callable[[], Mapping[str, int]], spending: Callable[[], Spending]) -> None:
        self._versions = versions
        self._spending = spending
        self._counted: tuple[int, Spending] | None = None

    def collect(self) -> Iterator[GaugeMetricFamily | InfoMetricFamily]:
        yield InfoMetricFamily("paragone", "Which paragone this is.", value={"version": version("paragone")})
        try:
            versions = self._versions()
        except Failure:
            yield GaugeMetricFamily("paragone_database_up", "Whether the database answers.", value=0)
            return
        yield GaugeMetricFamily("paragone_database_up", "Whether the database answers.", value=1)
        yield GaugeMetricFamily("paragone_pools", "Pools of the ledger.", value=len(versions))
        commits = sum(versions.values())
        yield GaugeMetricFamily("paragone_commits", "Writes to all pools of the ledger.", value=commits)
        if self._counted is None or self._counted[0] != commits:  # it takes a look at every verdict
            self._counted = commits, self._spending()
        for name, what, value in _taken(self._counted[1]):
            yield GaugeMetricFamily(f"paragone_{name}", f"{what}, of all pools of the ledger.", value=value)


def _taken(spent: Spending) -> Iterator[tuple[str, str, float]]:
    """The four counts, and what is not known of them; no dollars where none are known."""
    yield "decisions", "Verdicts that count", spent.decisions
    yield "model_requests", "Requests that were sent to models", spent.requests
    yield "failed_attempts", "Attempts that brought no answer", spent.failed
    yield "tokens", "Tokens sent and received, as far as they are known", spent.tokens
    yield "unmetered_requests", "Requests whose tokens are not known", spent.unmetered
    if spent.dollars is not None:
        yield "dollars", "US dollars spent, as far as they are known", spent.dollars
    yield "unpriced_requests", "Requests whose price is not known", spent.unpriced
