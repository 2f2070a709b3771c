"""A run as its traces tell it: the run, its rounds, matches, calls and writes, each within the other, without texts."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from paragone.judges.call_options import CallOptions
from paragone.judges.llm_judge import LLMJudge
from paragone.llm import Price
from paragone.tournaments.tournament import Tournament
from paragone.tracing import traced_by
from paragone.tracing.open_telemetry import OpenTelemetry

ITEMS = {"a": "s3cret text of a", "b": "s3cret text of b", "c": "s3cret text of c"}


@contextmanager
def keeping() -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with traced_by(OpenTelemetry(provider)):
        yield exporter
    provider.shutdown()


@pytest.fixture
def kept() -> Iterator[InMemorySpanExporter]:
    with keeping() as exporter:
        yield exporter


def id_of(span: ReadableSpan) -> int:
    return span.get_span_context().span_id


def parent_of(span: ReadableSpan) -> int:
    return 0 if span.parent is None else span.parent.span_id


def test_a_run_with_a_model_is_one_trace_down_to_the_request_that_the_model_gets(endpoint, kept, tmp_path):
    endpoint.completes('{"verdict": "first", "rationale": "s3cret reason"}')
    judge = LLMJudge("scripted", base_url=endpoint.url, price=Price(input_per_million=2.0, output_per_million=10.0))
    with Tournament.create(ITEMS, judge=judge, criteria="s3cret", db=tmp_path / "l.db", seed=1, budget=3) as tournament:
        kept.clear()
        tournament.run()
    spans = kept.get_finished_spans()
    by_id = {id_of(one): one for one in spans}
    (run,) = [one for one in spans if one.name == "tournament.run"]
    assert dict(run.attributes) == {
        "paragone.pool": "tournament-1",
        "paragone.judge": judge.card.identity,
        "paragone.finished": True,
        "paragone.failed": False,
    }
    within = {"tournament.round": "tournament.run", "tournament.match": "tournament.round",
              "judge.call": "tournament.match", "chat scripted": "judge.call"}  # fmt: skip
    for name, around in within.items():
        found = [one for one in spans if one.name == name]
        assert found
        assert {by_id[parent_of(one)].name for one in found} == {around}
        assert {one.get_span_context().trace_id for one in found} == {run.get_span_context().trace_id}
    matches = [one for one in spans if one.name == "tournament.match"]
    assert len(matches) == 3
    # 1000 tokens in at 2 and 20 out at 10 dollars a million
    expected = {"paragone.calls": 1, "paragone.answered": 1, "paragone.cached": 0, "paragone.input_tokens": 1000,
                "paragone.output_tokens": 20, "paragone.cost": pytest.approx(0.0022)}  # fmt: skip
    assert {key: matches[0].attributes[key] for key in expected} == expected
    call = next(one for one in spans if one.name == "judge.call")
    assert call.attributes["paragone.judge"] == judge.card.identity
    assert (call.attributes["paragone.choice"], call.attributes["paragone.input_tokens"]) == ("first", 1000)
    asked = [one for one in spans if one.name == "chat scripted"]
    assert asked[0].attributes["gen_ai.usage.output_tokens"] == 20
    heard = {headers["traceparent"] for headers in endpoint.headers}
    trace = format(run.get_span_context().trace_id, "032x")
    assert heard == {f"00-{trace}-{id_of(one):016x}-03" for one in asked}  # sampled, and random
    assert "s3cret" not in "".join(one.to_json() for one in spans)


def test_writes_say_which_pool_and_how_many_rows_and_a_match_is_written_in_its_round(kept, tmp_path):
    first = lambda a, b, criteria: "first"
    with Tournament.create(ITEMS, judge=first, criteria="c", db=tmp_path / "l.db", seed=1, budget=2) as tournament:
        made = [one for one in kept.get_finished_spans() if one.name == "ledger.write"]
        kept.clear()
        tournament.run()
    (creation,) = [dict(one.attributes) for one in made if one.attributes]  # others make the tables
    assert creation["paragone.pool"] == "tournament-1"
    assert creation["paragone.rows"] > len(ITEMS)
    spans = kept.get_finished_spans()
    names = {id_of(one): one.name for one in spans}
    writes = [one for one in spans if one.name == "ledger.write"]
    within = {names.get(parent_of(one)) for one in writes}
    assert within == {"tournament.round", "tournament.match", None}  # the last says that it ended
    assert {one.attributes["paragone.pool"] for one in writes if one.attributes} == {"tournament-1"}


def test_tries_that_fail_are_told_one_by_one_with_what_they_cost(endpoint, kept, tmp_path):
    endpoint.says({"error": {"message": "s3cret"}}, 503).completes('{"verdict": "second"}')
    judge = LLMJudge("scripted", base_url=endpoint.url)
    with Tournament.create(
        {"a": "x", "b": "y"}, judge=judge, criteria="c", db=tmp_path / "l.db", seed=1, budget=1
    ) as tournament:
        tournament.run(pace=CallOptions(attempts=2, wait=0.001))
    calls = [one for one in kept.get_finished_spans() if one.name == "judge.call"]
    assert [one.attributes.get("error.type") for one in calls] == ["JudgeFailed", None]
    assert calls[0].attributes["paragone.call"] == calls[1].attributes["paragone.call"]
    assert "s3cret" not in calls[0].to_json()


def test_traced_or_not_the_board_is_the_same(tmp_path):
    def board(file):
        options = {
            "judge": lambda a, b, criteria: "first" if a.id < b.id else "second",
            "criteria": "c",
            "seed": 1,
            "budget": 6,
        }
        with Tournament.create(ITEMS, db=tmp_path / file, **options) as tournament:
            return [replace(row, text="") for row in tournament.run().items]

    with keeping() as exporter:
        traced = board("traced.db")
    assert exporter.get_finished_spans()
    assert board("plain.db") == traced
