"""A collector of traces on this machine: takes what is sent by OTLP over HTTP, and keeps it to be looked at."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True, kw_only=True)
class Collected:
    """A span that was sent.

    Attributes:
        name: Its name.
        kind: 1 for work inside, 2 for a request that came, 3 for one that was sent.
        trace: Id of its trace.
        id: Its id.
        parent: Id of the span around it; empty where there is none.
        failed: Whether it failed.
        nanoseconds: How long it took.
        attributes: What is known of it.
        sender: What is known of whoever sent it.
    """

    name: str
    kind: int
    trace: str
    id: str
    parent: str
    failed: bool
    nanoseconds: int
    attributes: dict[str, Any]
    sender: dict[str, Any]


@dataclass
class Collector:
    """What was sent so far.

    Attributes:
        url: Its address.
        spans: The spans, in the order in which they came.
        raw: The bodies, as they came.
        headers: The headers of the last request.
    """

    url: str
    spans: list[Collected] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    def named(self, name: str) -> list[Collected]:
        """The spans of a name."""
        return [span for span in self.spans if span.name == name]

    def take(self, body: bytes, headers: dict[str, str]) -> None:
        """Keep what one request brought."""
        found = ExportTraceServiceRequest.FromString(body)
        self.headers = headers
        self.raw.append(body)
        for of in found.resource_spans:
            sender = _plain(of.resource.attributes)
            self.spans += [_collected(span, sender) for scope in of.scope_spans for span in scope.spans]


@contextmanager
def collecting() -> Iterator[Collector]:
    """Collects for the block."""
    kept = threading.Lock()

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            with kept:
                collector.take(body, {name.lower(): value for name, value in self.headers.items()})
            self.send_response(200 if self.path == "/v1/traces" else 404)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Taking) as server:
        collector = Collector(f"http://127.0.0.1:{server.server_address[1]}")
        serving = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        serving.start()
        try:
            yield collector
        finally:
            server.shutdown()
            serving.join()


def _collected(span: Any, sender: dict[str, Any]) -> Collected:
    return Collected(
        name=span.name,
        kind=span.kind,
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        failed=span.status.code == 2,
        nanoseconds=span.end_time_unix_nano - span.start_time_unix_nano,
        attributes=_plain(span.attributes),
        sender=sender,
    )


def _plain(attributes: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, str(one.value.WhichOneof("value"))) for one in attributes}
