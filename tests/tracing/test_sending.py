"""Whether traces are sent, where to, and that a collector which does not answer holds up nobody."""

import sys
import time

import pytest

from local_collector import collecting
from local_server import free_port
from paragone.errors import InvalidConfig, MissingExtra
from paragone.tracing import is_traced, span
from paragone.tracing.sending import check_installed, endpoint, endpoint_of, sending


def silent(words: str) -> None:
    raise AssertionError(words)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("https://collector.example.org/otlp/", "https://collector.example.org/otlp/v1/traces"),
        ("http://[::1]:4318/v1/traces", "http://[::1]:4318/v1/traces"),
    ],
)
def test_the_path_is_added_where_it_is_not_there(url: str, expected: str) -> None:
    assert endpoint(url) == expected


@pytest.mark.parametrize(
    "url",
    ["collector:4318", "http://", "file:///etc/passwd", "http://ann:s3cret@c", "http://c/?key=s3cret", "http://c:0", "http://["],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_being_quoted(url: str) -> None:
    with pytest.raises(InvalidConfig, match="http://HOST:PORT") as refused:
        endpoint(url)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, ""),
        ({"OTEL_SERVICE_NAME": "x"}, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1"}, "http://c:1/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_TRACES_EXPORTER": "none"}, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_SDK_DISABLED": "True"}, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://d:2/x"}, "http://d:2/x"),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, "http://localhost:4318/v1/traces"),
    ],
    ids=str,
)  # fmt: skip
def test_the_standard_variables_say_whether_and_where_to(variables: dict[str, str], expected: str) -> None:
    assert endpoint_of(variables) == expected


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "OTEL_TRACES_EXPORTER is 'zipkin'"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "http/protobuf only, and 'grpc'"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "nowhere"}, "http://HOST:PORT"),
    ],
    ids=str,
)
def test_variables_for_something_else_are_told_and_stop_nobody(more: dict[str, str], words: str) -> None:
    said: list[str] = []
    with sending("", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", **more}, said.append):
        assert not is_traced()
    assert len(said) == 1
    assert said[0].startswith("note: no traces are sent: ")
    assert words in said[0]


def test_without_the_extra_an_address_is_refused_and_a_variable_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk", None)
    with pytest.raises(MissingExtra, match=r"pip install 'paragone\[telemetry\]'"):
        check_installed()
    with pytest.raises(MissingExtra, match="traces need the package opentelemetry-sdk"):
        sending("http://127.0.0.1:4318", {}, silent)
    said: list[str] = []
    with sending("", {"OTEL_TRACES_EXPORTER": "otlp"}, said.append):
        assert not is_traced()
    assert "paragone[telemetry]" in said[0]


def test_what_was_spanned_arrives_when_the_block_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc")
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")  # leads nowhere, and not to this machine
    with collecting() as collector:
        with sending(collector.url, {}, silent), span("outer", {"paragone.pool": "p"}), span("inner", {}):
            pass
        assert not is_traced()
    inner, outer = collector.spans
    assert (inner.name, inner.parent, inner.trace) == ("inner", outer.id, outer.trace)
    assert outer.attributes == {"paragone.pool": "p"}
    assert outer.sender["service.name"] == "paragone"
    assert not [name for name in outer.sender if name.startswith(("process.", "host."))]
    assert collector.headers["authorization"] == "Bearer abc"


def test_another_name_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "board-of-ideas")
    where = "OTEL_EXPORTER_OTLP_ENDPOINT"
    with collecting() as collector, sending("", {where: collector.url}, silent), span("work", {}):
        pass
    assert collector.spans[0].sender["service.name"] == "board-of-ideas"


def test_a_collector_that_is_not_there_holds_up_nobody_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paragone.tracing.sending.FLUSH", 0.2)
    begun = time.monotonic()
    with sending(f"http://127.0.0.1:{free_port()}", {}, silent), span("work", {}):
        pass
    assert time.monotonic() - begun < 8
