"""Trace spans: what took how long, within what. The code that opens a span does not know which tracer receives it.

By default none does. ``open_telemetry`` passes spans on to OpenTelemetry, and ``sending`` sends them to a collector.
Both are imported only when they are used, since they load OpenTelemetry.
"""

from paragone.tracing.spans import (
    Kind,
    Span,
    Tracer,
    Value,
    is_traced,
    note,
    propagation_headers,
    span,
    trace_id,
    traced_by,
)

__all__ = [
    "Kind",
    "Span",
    "Tracer",
    "Value",
    "is_traced",
    "note",
    "propagation_headers",
    "span",
    "trace_id",
    "traced_by",
]
