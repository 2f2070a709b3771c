"""Sending traces to a collector, by OTLP over HTTP: whether somebody wants it, where to, and the end of it."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import version
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from paragone.errors import InvalidConfig, MissingExtra
from paragone.tracing.spans import traced_by

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace.export import SpanExporter

PATH = "/v1/traces"
"""Where collectors take traces."""
FLUSH = 3.0
"""Seconds that the last spans have to be sent in when a program ends."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")

_OWN, _ALL, _EXPORTER = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_EXPORTER"
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_DEFAULT = "http://localhost:4318"


def sending(url: str, environment: Mapping[str, str], warn: Callable[[str], None]) -> AbstractContextManager[None]:
    """Send traces while the block runs, if somebody asks for them.

    Args:
        url: Address of a collector; empty where the standard variables say whether and where to.
        environment: The environment's variables. What else they say about OpenTelemetry, its own library heeds.
        warn: Hears why no traces are sent though variables ask for them: those are set for many programs at once, and
            none of these should fail by them.

    Raises:
        InvalidConfig: If the address is none.
        MissingExtra: If an address is given, and OpenTelemetry is not installed.
    """
    if url:
        return _sending(endpoint(url))
    try:
        address = asked_for(environment)
        return _sending(address) if address else nullcontext()
    except (InvalidConfig, MissingExtra) as error:
        warn(f"note: no traces are sent: {error}")
        return nullcontext()


def endpoint(url: str) -> str:
    """Where a collector takes traces, from its address, which may have the path already.

    Raises:
        InvalidConfig: If it is no address.
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


def asked_for(environment: Mapping[str, str]) -> str:
    """Where traces are sent to, as the standard variables say; empty where they ask for none.

    Raises:
        InvalidConfig: If they ask for something that cannot be.
    """

    def said(name: str) -> str:
        return environment.get(name, "").strip()

    exporter = said(_EXPORTER)
    requested = said(_OWN) or said(_ALL) or exporter
    if not requested or exporter == "none" or said("OTEL_SDK_DISABLED").lower() == "true":
        return ""
    if exporter not in {"", "otlp"}:
        raise InvalidConfig(f"{_EXPORTER} is {exporter!r}, and only otlp or none can be had")
    protocol = next((value for name in _PROTOCOLS if (value := said(name))), "http/protobuf")
    if protocol != "http/protobuf":
        raise InvalidConfig(f"OTLP is spoken by http/protobuf only, and {protocol!r} was asked for")
    if said(_OWN):
        endpoint(said(_OWN))
        return said(_OWN)  # which the standard has taken as it is, whatever its path
    return endpoint(said(_ALL) or _DEFAULT)


def check_installed() -> None:
    """Refuse to go on without OpenTelemetry.

    Raises:
        MissingExtra: If it is not installed.
    """
    try:
        import opentelemetry.exporter.otlp.proto.http.trace_exporter
        import opentelemetry.sdk.trace  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise MissingExtra(f"traces need {error.name}; pip install 'paragone[telemetry]'") from error


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
        # A collector that does not answer is tried again for longer than anybody wants to wait for an end.
        ending = threading.Thread(target=provider.shutdown, daemon=True)
        ending.start()
        ending.join(FLUSH)


def _exporter(where: str) -> "SpanExporter":
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from requests import Session

    session = Session()
    session.trust_env = urlsplit(where).hostname not in LOOPBACK  # a proxy does not lead to this machine
    return OTLPSpanExporter(endpoint=where, session=session)


def _resource() -> "Resource":
    """Who sends: paragone, where the environment gives it no other name."""
    from opentelemetry.sdk.resources import Resource

    resource = Resource.create({"service.version": version("paragone")})
    if not str(resource.attributes["service.name"]).startswith("unknown_service"):
        return resource
    return resource.merge(Resource({"service.name": "paragone"}))
