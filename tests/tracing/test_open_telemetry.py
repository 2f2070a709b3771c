"""Spans as OpenTelemetry has them, taken from its own exporter in memory."""

from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from paragone.tracing import note, propagation_headers, span, trace_id, traced_by
from paragone.tracing.open_telemetry import LONGEST, OpenTelemetry

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def kept() -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with traced_by(OpenTelemetry(provider)):
        yield exporter
    provider.shutdown()


def test_spans_stand_within_each_other_with_what_is_known_of_them(kept: InMemorySpanExporter) -> None:
    with span("outer", {"pool": "p", "cost": None}) as told:
        with span("inner", {}, kind="client"):
            note({"rows": 2, "share": 0.5, "whole": True})
        told.note({"text": "x" * 1_000})
        told.rename("renamed")
    inner, outer = kept.get_finished_spans()
    assert (outer.name, dict(outer.attributes or {})) == ("renamed", {"pool": "p", "text": "x" * LONGEST})
    assert dict(inner.attributes or {}) == {"rows": 2, "share": 0.5, "whole": True}
    assert (inner.kind, outer.kind) == (trace.SpanKind.CLIENT, trace.SpanKind.INTERNAL)
    assert inner.parent is not None
    assert inner.parent.span_id == outer.get_span_context().span_id
    assert outer.parent is None


def test_what_failed_names_the_kind_of_error_and_none_of_its_words(kept: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match="s3cret"), span("work", {}):
        raise ValueError("s3cret")
    (found,) = kept.get_finished_spans()
    assert (found.status.status_code, found.status.description) == (trace.StatusCode.ERROR, None)
    assert (dict(found.attributes or {}), found.events) == ({"error.type": "ValueError"}, ())


def test_who_is_cancelled_has_not_failed(kept: InMemorySpanExporter) -> None:
    with pytest.raises(KeyboardInterrupt), span("work", {}):
        raise KeyboardInterrupt
    assert kept.get_finished_spans()[0].status.status_code is trace.StatusCode.UNSET


def test_a_request_goes_on_with_the_trace_of_its_caller_and_reads_nothing_else_of_it(
    kept: InMemorySpanExporter,
) -> None:
    headers = {"traceparent": CALLER, "tracestate": "s3cret=1", "baggage": "user=s3cret"}
    with span("around", {}), span("GET", {}, kind="server", headers=headers):
        assert trace_id() == CALLER.split("-")[1]
        assert propagation_headers()["traceparent"].startswith(CALLER[:36])
    found = kept.get_finished_spans()[0]
    assert found.parent is not None
    assert format(found.parent.span_id, "016x") == CALLER.split("-")[2]
    assert len(found.get_span_context().trace_state) == 0


@pytest.mark.parametrize("headers", [{}, {"traceparent": "00-0-0-0"}, {"traceparent": "\n" * 99}], ids=str)
def test_a_request_without_one_begins_its_own(kept: InMemorySpanExporter, headers: dict[str, str]) -> None:
    with span("around", {}) as _:
        around = trace_id()
        with span("GET", {}, kind="server", headers=headers):
            assert trace_id() not in {"", around}
    assert kept.get_finished_spans()[0].parent is None


def test_outside_of_a_span_there_is_no_trace(kept: InMemorySpanExporter) -> None:
    note({"rows": 1})
    assert (trace_id(), propagation_headers(), kept.get_finished_spans()) == ("", {}, ())


def test_other_libraries_see_no_provider_and_so_put_no_texts_into_it(kept: InMemorySpanExporter) -> None:
    with span("work", {}), trace.get_tracer("another library").start_as_current_span("chat") as theirs:
        assert not theirs.is_recording()
    assert [one.name for one in kept.get_finished_spans()] == ["work"]
