"""Spans: what took how long, within what. Whoever does something says so here; who hears of it is none of its business.

Nobody hears of it by default. ``open_telemetry`` is who tells OpenTelemetry, ``sending`` has it sent to a collector;
both are imported where they are asked for, since they load OpenTelemetry.
"""

from paragone.tracing.spans import Kind, Span, Tracer, Value, carried, is_traced, note, span, trace_id, traced_by

__all__ = ["Kind", "Span", "Tracer", "Value", "carried", "is_traced", "note", "span", "trace_id", "traced_by"]
