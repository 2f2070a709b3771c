"""Spans as OpenTelemetry has them.

The provider is our own and never the one of the whole process: libraries that see one of those put whole addresses,
prompts and answers into it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from paragone.tracing.spans import Kind, Span, Value

if TYPE_CHECKING:
    from opentelemetry import trace

LONGEST = 200
"""Characters of an attribute."""
PARENT = "traceparent"
"""The header that names the trace and the span that a request comes from (W3C). No other is read: they hold texts."""


class OpenTelemetry:
    """Tells a provider of OpenTelemetry about spans.

    Args:
        provider: The provider; whoever made it shuts it down.
    """

    def __init__(self, provider: "trace.TracerProvider") -> None:
        from opentelemetry import trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._trace = trace
        self._tracer = provider.get_tracer("paragone", version("paragone"))
        self._headers = TraceContextTextMapPropagator()
        self._kinds = {
            "internal": trace.SpanKind.INTERNAL,
            "server": trace.SpanKind.SERVER,
            "client": trace.SpanKind.CLIENT,
        }

    @contextmanager
    def span(
        self, name: str, attributes: Mapping[str, Value], kind: Kind, came_with: Mapping[str, str] | None
    ) -> Iterator[Span]:
        """A span within the current one, or where there are headers, within the one that they name."""
        from opentelemetry.context import Context

        within = None
        if came_with is not None:
            parent = {PARENT: came_with[PARENT]} if PARENT in came_with else {}
            within = self._headers.extract(parent, context=Context())
        with self._tracer.start_as_current_span(
            name,
            context=within,
            kind=self._kinds[kind],
            attributes=_known(attributes),
            record_exception=False,  # what an error says may hold texts
            set_status_on_exception=False,
        ) as native:
            trace = _Told(native)
            try:
                yield trace
            except Exception as error:
                trace.fail(type(error).__name__)
                raise

    def current(self) -> Span:
        """What goes on just now."""
        return _Told(self._trace.get_current_span())

    def trace_id(self) -> str:
        """Id of the trace that goes on, in hexadecimal; empty where none does."""
        context = self._trace.get_current_span().get_span_context()
        return format(context.trace_id, "032x") if context.is_valid else ""

    def carried(self) -> dict[str, str]:
        """The header that names the current span; none where there is none."""
        headers: dict[str, str] = {}
        self._headers.inject(headers)
        return {PARENT: headers[PARENT]} if PARENT in headers else {}


class _Told:
    """A span of OpenTelemetry."""

    def __init__(self, span: "trace.Span") -> None:
        self._span = span

    def note(self, attributes: Mapping[str, Value]) -> None:
        self._span.set_attributes(_known(attributes))

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def fail(self, kind: str) -> None:
        from opentelemetry.trace import StatusCode

        self._span.set_attribute("error.type", kind)
        self._span.set_status(StatusCode.ERROR)


def _known(attributes: Mapping[str, Value]) -> dict[str, str | int | float | bool]:
    return {
        name: value[:LONGEST] if isinstance(value, str) else value
        for name, value in attributes.items()
        if value is not None
    }
