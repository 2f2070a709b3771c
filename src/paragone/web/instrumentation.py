"""Each request gets an id, is counted, timed and traced, and logged if there is a log; metrics for Prometheus.

Labels are names of ours only: route templates, statuses, HTTP methods. No text of a user or a request becomes one. The
log has one line for each request, whatever it quotes, without query, header and body: these may hold tokens and votes.
"""

import logging
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paragone.domain import Spending
from paragone.errors import Failure
from paragone.tracing import Span, is_traced, span, trace_id
from paragone.wire.address import API

if TYPE_CHECKING:  # a server without a log needs none of it, nor the colours of consoles that come with it
    from structlog.typing import FilteringBoundLogger, Processor

HEADER = b"x-request-id"
"""The header of every answer that has it."""

_request: ContextVar[str] = ContextVar("request", default="")


def begin_request() -> str:
    """Give a new request an id, valid in all its threads and runs."""
    # Not of the system's randomness: asking for that hands the interpreter to other threads, for milliseconds.
    id = f"{random.getrandbits(64):016x}"
    _request.set(id)
    return id


def request_id() -> str:
    """Id of the current request; empty if there is none."""
    return _request.get()


LogForm = Literal["json", "text"]
LogEvent = MutableMapping[str, Any]

_FIRST = ("at", "level", "event")


class RequestLog:
    """Writes a line about each request.

    Args:
        form: JSON, or ``name=value`` for people.
    """

    def __init__(self, form: LogForm) -> None:
        import structlog

        self._log: FilteringBoundLogger = structlog.wrap_logger(
            structlog.WriteLogger(sys.stderr),
            processors=[*_about(), structlog.processors.add_log_level, *_rendered(form)],
            wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
            cache_logger_on_first_use=True,
        )

    def tell(self, line: dict[str, Any]) -> None:
        """Write a line."""
        self._log.info("request", **line)


@contextmanager
def warnings_logged(form: LogForm) -> Iterator[None]:
    """Log warnings of this process and its libraries in a form during the block."""
    import structlog

    root = logging.getLogger()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_about(), structlog.stdlib.add_log_level, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendered(form)],
        )
    )
    handler.setLevel(logging.WARNING)
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


def one_line(_: object, __: str, event: LogEvent) -> LogEvent:
    """Escape unprintable characters, so that no text can begin a line or control a terminal."""
    for name, value in event.items():
        if isinstance(value, str) and not value.isprintable():
            event[name] = "".join(ch if ch.isprintable() else ch.encode("unicode_escape").decode() for ch in value)
    return event


def _about() -> "tuple[Processor, ...]":
    from structlog.processors import TimeStamper

    return (TimeStamper(fmt="iso", utc=True, key="at"), _named)


def _named(_: object, __: str, event: LogEvent) -> LogEvent:
    """Add the ids of the request and the trace, unless the event has its own."""
    for name, id in (("request_id", request_id()), ("trace_id", trace_id())):
        if id:
            event.setdefault(name, id)
    return event


def _rendered(form: LogForm) -> "tuple[Processor, ...]":
    from structlog.processors import JSONRenderer, LogfmtRenderer, format_exc_info

    if form == "json":
        return (format_exc_info, _ordered, JSONRenderer())
    return (format_exc_info, _ordered, one_line, LogfmtRenderer())


def _ordered(_: object, __: str, event: LogEvent) -> LogEvent:
    return {**{name: event.pop(name) for name in _FIRST if name in event}, **event}


SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Variable with the folder in which the processes of one server share their counts."""
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Meters:
    """The counters of a process, or of all processes that serve one address."""

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
            seconds: How long it took; None for event streams.
        """
        self._requests.labels(method if method in METHODS else "other", route, str(status)).inc()
        if seconds is not None:
            self._seconds.labels(route).observe(seconds)

    def text(self, *, by_route: bool) -> bytes:
        """The metrics as Prometheus reads them.

        Args:
            by_route: Whether with those by route, which tell what admins do and who tries to log in.
        """
        registry = CollectorRegistry()
        if SHARED in os.environ:
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        else:
            registry.register(self._registry)
        registry.register(self._of_ledger)
        return generate_latest(registry if by_route else _WithoutRoutes(registry))


class _WithoutRoutes(Collector):
    """The metrics of a registry, those by route left out."""

    def __init__(self, registry: Collector) -> None:
        self._registry = registry

    def collect(self) -> Iterator[Metric]:
        families = self._registry.collect()
        return (family for family in families if not any("route" in sample.labels for sample in family.samples))


class _OfLedger(Collector):
    """Metrics read from the ledger."""

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
        if self._counted is None or self._counted[0] != commits:  # it reads every verdict
            self._counted = commits, self._spending()
        for name, what, value in _spending_metrics(self._counted[1]):
            yield GaugeMetricFamily(f"paragone_{name}", f"{what}, of all pools of the ledger.", value=value)


def _spending_metrics(spent: Spending) -> Iterator[tuple[str, str, float]]:
    """The four counts, and their unknown parts; no dollars if none are known."""
    yield "decisions", "Verdicts that count", spent.decisions
    yield "model_requests", "Requests that were sent to models", spent.requests
    yield "failed_attempts", "Attempts that brought no answer", spent.failed
    yield "tokens", "Tokens sent and received, as far as they are known", spent.tokens
    yield "unmetered_requests", "Requests whose tokens are not known", spent.unmetered
    if spent.dollars is not None:
        yield "dollars", "US dollars spent, as far as they are known", spent.dollars
    yield "unpriced_requests", "Requests whose price is not known", spent.unpriced


UNMATCHED = "unmatched"
"""Route of requests that no route matches."""
ENDLESS = frozenset({f"{API}/events", f"{API}/memory/events"})
"""Routes whose answers are event streams."""
UNTRACED = ENDLESS | {"/healthz", "/readyz", "/metrics"}
"""Routes without traces: also those that machines poll every few seconds."""

Log = Callable[[dict[str, Any]], None]


class Instrumentation:
    """Counts, times and traces requests."""

    def __init__(self, app: ASGIApp, meters: Meters, log: Log | None = None) -> None:
        self._app, self._meters, self._log = app, meters, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        id = begin_request()
        if is_traced() and scope["path"] not in UNTRACED:
            with _begun(scope, id) as request_span:
                answer = await self._measure(scope, receive, send, id)
                _tell(request_span, scope, answer["status"])
        else:
            await self._measure(scope, receive, send, id)

    async def _measure(self, scope: Scope, receive: Receive, send: Send, id: str) -> dict[str, int]:
        answer = {"status": 500, "bytes": 0}  # if no response begins, the request failed

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer["status"] = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), (HEADER, id.encode())]}
            answer["bytes"] += len(message.get("body", b""))
            await send(message)

        started = time.perf_counter()
        try:
            await self._app(scope, receive, noting)
        finally:
            self._note(scope, answer, time.perf_counter() - started)
        return answer

    def _note(self, scope: Scope, answer: dict[str, int], seconds: float) -> None:
        route = route_of(scope)
        self._meters.answered(scope["method"], route, answer["status"], None if route in ENDLESS else seconds)
        if self._log is not None:
            client = scope.get("client")
            self._log(
                {
                    "method": scope["method"],
                    "path": scope["path"],
                    "route": route,
                    **answer,
                    "seconds": round(seconds, 6),
                    "client": client[0] if client else None,
                    "who": scope.get("state", {}).get("who"),
                }
            )


def _begun(scope: Scope, id: str) -> AbstractContextManager[Span]:
    """A request as a span, which may continue the client's trace; its route is known at the end."""
    method = _method(scope)
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    attributes = {"http.request.method": method, "url.scheme": scope["scheme"], "paragone.request_id": id}
    return span(method, attributes, kind="server", headers=headers)


def _tell(request_span: Span, scope: Scope, status: int) -> None:
    """Record the route by its template only: paths name items and pools, queries hold searches."""
    route = route_of(scope)
    request_span.rename(f"{_method(scope)} {route}")
    request_span.note({"http.route": None if route == UNMATCHED else route, "http.response.status_code": status})
    if status >= 500:
        request_span.fail(str(status))


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in METHODS else "_OTHER"


def route_of(scope: Scope) -> str:
    """The full template of the route of a request."""
    template = getattr(scope.get("route"), "path", None)
    if template is None:
        return UNMATCHED
    has_prefix = template.startswith(API) or not scope["path"].startswith(f"{API}/")
    return template if has_prefix else f"{API}{template}"
