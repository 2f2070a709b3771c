"""Pass spans on to OpenTelemetry.

The provider is our own and never the global one of the process: instrumented libraries put whole addresses, prompts
and answers into that.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from paragone.tracing.spans import Kind, Span, Value

if TYPE_CHECKING:
    from opentelemetry import trace

LONGEST = 200
"""Maximum number of characters of an attribute."""
PARENT = "traceparent"
"""The header that names the trace and the parent span of a request (W3C). No other is read: they hold texts."""


class OpenTelemetry:
    """A tracer that passes spans on to a provider of OpenTelemetry.

    Args:
        provider: The provider; its creator shuts it down.
    """

    def __init__(self, provider: "trace.TracerProvider") -> None:
        from opentelemetry import trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._trace = trace
        self._tracer = provider.get_tracer("paragone", version("paragone"))
        self._propagator = TraceContextTextMapPropagator()
        self._kinds = {
            "internal": trace.SpanKind.INTERNAL,
            "server": trace.SpanKind.SERVER,
            "client": trace.SpanKind.CLIENT,
        }

    @contextmanager
    def span(
        self, name: str, attributes: Mapping[str, Value], kind: Kind, headers: Mapping[str, str] | None
    ) -> Iterator[Span]:
        """A span within the current one; with headers, within the span that they name."""
        from opentelemetry.context import Context

        within = None
        if headers is not None:
            parent = {PARENT: headers[PARENT]} if PARENT in headers else {}
            within = self._propagator.extract(parent, context=Context())
        with self._tracer.start_as_current_span(
            name,
            context=within,
            kind=self._kinds[kind],
            attributes=_attributes(attributes),
            record_exception=False,  # an error's message may hold texts
            set_status_on_exception=False,
        ) as native:
            trace = _OpenTelemetrySpan(native)
            try:
                yield trace
            except Exception as error:  # whatever it is, the span names it and it goes on
                trace.fail(type(error).__name__)
                raise

    def current(self) -> Span:
        """The current span."""
        return _OpenTelemetrySpan(self._trace.get_current_span())

    def trace_id(self) -> str:
        """Id of the current trace in hexadecimal; empty without one."""
        context = self._trace.get_current_span().get_span_context()
        return format(context.trace_id, "032x") if context.is_valid else ""

    def propagation_headers(self) -> dict[str, str]:
        """The header that names the current span; empty without one."""
        carrier: dict[str, str] = {}
        self._propagator.inject(carrier)
        return {PARENT: carrier[PARENT]} if PARENT in carrier else {}


class _OpenTelemetrySpan:
    """A span of OpenTelemetry."""

    def __init__(self, span: "trace.Span") -> None:
        self._span = span

    def note(self, attributes: Mapping[str, Value]) -> None:
        self._span.set_attributes(_attributes(attributes))

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def fail(self, kind: str) -> None:
        from opentelemetry.trace import StatusCode

        self._span.set_attribute("error.type", kind)
        self._span.set_status(StatusCode.ERROR)


def _attributes(attributes: Mapping[str, Value]) -> dict[str, str | int | float | bool]:
    return {
        name: value[:LONGEST] if isinstance(value, str) else value
        for name, value in attributes.items()
        if value is not None
    }
