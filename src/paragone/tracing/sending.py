"""Send traces to a collector by OTLP over HTTP, if an address or the standard environment variables say so."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import version
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from paragone import extras
from paragone.errors import InvalidConfig, MissingExtra
from paragone.tracing.spans import traced_by

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace.export import SpanExporter

PATH = "/v1/traces"
"""The path at which collectors receive traces."""
FLUSH = 3.0
"""Seconds to send the last spans when a program ends."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")

_OWN, _ALL, _EXPORTER = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_EXPORTER"
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_DEFAULT = "http://localhost:4318"


def sending(url: str, environment: Mapping[str, str], warn: Callable[[str], None]) -> AbstractContextManager[None]:
    """Send traces while the block runs, if they are wanted.

    Args:
        url: Address of a collector; empty if the standard variables say whether and where to.
        environment: The environment's variables; OpenTelemetry's own library reads the others that concern it.
        warn: Called with the reason if no traces can be sent though variables ask for them. They are set for many
            programs at once, none of which should fail by them.

    Raises:
        InvalidConfig: If the address is invalid.
        MissingExtra: If an address is given, and OpenTelemetry is not installed.
    """
    if url:
        return _sending(endpoint(url))
    try:
        address = endpoint_of(environment)
        return _sending(address) if address else nullcontext()
    except (InvalidConfig, MissingExtra) as error:
        warn(f"note: no traces are sent: {error}")
        return nullcontext()


def endpoint(url: str) -> str:
    """The URL at which a collector receives traces, from its address, which may have the path already.

    Raises:
        InvalidConfig: If the address is invalid.
    """
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_one = False
    if not is_one or parts.query or parts.fragment or parts.username is not None:
        raise InvalidConfig(
            "a collector of traces is named as http://HOST:PORT, without a password, which belongs into "
            "OTEL_EXPORTER_OTLP_HEADERS",
            key="traces",
        )
    return url if parts.path.endswith(PATH) else url.rstrip("/") + PATH


def endpoint_of(environment: Mapping[str, str]) -> str:
    """The URL for traces by the standard variables; empty if they ask for none.

    Raises:
        InvalidConfig: If they ask for something that is not supported.
    """

    def variable(name: str) -> str:
        return environment.get(name, "").strip()

    exporter = variable(_EXPORTER)
    requested = variable(_OWN) or variable(_ALL) or exporter
    if not requested or exporter == "none" or variable("OTEL_SDK_DISABLED").lower() == "true":
        return ""
    if exporter not in {"", "otlp"}:
        raise InvalidConfig(f"{_EXPORTER} is {exporter!r}, and only otlp or none can be had")
    protocol = next((value for name in _PROTOCOLS if (value := variable(name))), "http/protobuf")
    if protocol != "http/protobuf":
        raise InvalidConfig(f"OTLP is spoken by http/protobuf only, and {protocol!r} was asked for")
    if variable(_OWN):
        endpoint(variable(_OWN))
        return variable(_OWN)  # the standard takes this one as it is, whatever its path
    return endpoint(variable(_ALL) or _DEFAULT)


def check_installed() -> None:
    """Check that OpenTelemetry is installed.

    Raises:
        MissingExtra: If it is not installed.
    """
    extras.require("traces need", "opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http")


def _sending(where: str) -> AbstractContextManager[None]:
    check_installed()
    return _exporting(_exporter(where))


@contextmanager
def _exporting(exporter: "SpanExporter") -> Iterator[None]:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from paragone.tracing.open_telemetry import OpenTelemetry

    provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    try:
        with traced_by(OpenTelemetry(provider)):
            yield
    finally:
        # The exporter retries a collector that does not answer for longer than a program should take to end.
        ending = threading.Thread(target=provider.shutdown, daemon=True)
        ending.start()
        ending.join(FLUSH)


def _exporter(where: str) -> "SpanExporter":
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from requests import Session

    session = Session()
    session.trust_env = urlsplit(where).hostname not in LOOPBACK  # a proxy does not reach this machine's loopback
    return OTLPSpanExporter(endpoint=where, session=session)


def _resource() -> "Resource":
    """The name of the sender: paragone, unless the environment gives another."""
    from opentelemetry.sdk.resources import Resource

    resource = Resource.create({"service.version": version("paragone")})
    if not str(resource.attributes["service.name"]).startswith("unknown_service"):
        return resource
    return resource.merge(Resource({"service.name": "paragone"}))
