"""The seam: nobody hears of spans by default, and whoever does hears of all of them while the block runs."""

import timeit
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from paragone.tracing import Kind, Span, Value, is_traced, note, propagation_headers, span, trace_id, traced_by


class Told:
    """Writes down what it is told."""

    def __init__(self, heard: list[object]) -> None:
        self._heard = heard

    def note(self, attributes: Mapping[str, Value]) -> None:
        self._heard.append(dict(attributes))

    def rename(self, name: str) -> None:
        self._heard.append(f"now {name}")

    def fail(self, kind: str) -> None:
        self._heard.append(f"failed: {kind}")


class Listener:
    """A tracer that is no more than a list."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    @contextmanager
    def span(
        self, name: str, attributes: Mapping[str, Value], kind: Kind, headers: Mapping[str, str] | None
    ) -> Iterator[Span]:
        self.heard.append((name, dict(attributes), kind, headers))
        yield Told(self.heard)
        self.heard.append(f"end of {name}")

    def current(self) -> Span:
        return Told(self.heard)

    def trace_id(self) -> str:
        return "ab"

    def propagation_headers(self) -> dict[str, str]:
        return {"traceparent": "00-ab-cd-01"}


def test_nobody_hears_by_default() -> None:
    with span("work", {"a": 1}) as told:
        told.note({"b": 2})
        told.rename("other work")
        told.fail("timeout")
        note({"c": 3})
    assert (is_traced(), trace_id(), propagation_headers()) == (False, "", {})


def test_an_error_passes_through_where_nobody_hears() -> None:
    with pytest.raises(ValueError, match="mine"), span("work", {}):
        raise ValueError("mine")


def test_a_tracer_hears_everything_in_its_order_and_nothing_after_the_block() -> None:
    listener = Listener()
    with traced_by(listener):
        with span("work", {"a": 1}, kind="server", headers={"x": "y"}) as told:
            told.note({"b": 2})
            note({"c": None})
            told.rename("other")
            told.fail("timeout")
        assert (is_traced(), trace_id(), propagation_headers()) == (True, "ab", {"traceparent": "00-ab-cd-01"})
    with span("later", {}):
        pass
    assert listener.heard == [
        ("work", {"a": 1}, "server", {"x": "y"}),
        {"b": 2},
        {"c": None},
        "now other",
        "failed: timeout",
        "end of work",
    ]


def test_blocks_within_blocks_go_back_to_who_heard_before() -> None:
    outer, inner = Listener(), Listener()
    with traced_by(outer):
        with traced_by(inner), span("in", {}):
            pass
        with span("out", {}):
            pass
    assert ([one[0] for one in outer.heard[::2]], [one[0] for one in inner.heard[::2]]) == (["out"], ["in"])


def test_a_span_that_nobody_hears_costs_less_than_five_microseconds() -> None:
    def spanned() -> None:
        with span("ledger.write", {}):
            pass

    assert min(timeit.repeat(spanned, number=2_000, repeat=5)) / 2_000 < 5e-6
