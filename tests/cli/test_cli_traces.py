"""What a run at the terminal sends to a collector, where the environment names one."""

import pytest
from typer.testing import CliRunner

from local_collector import collecting
from paragone.cli import app

RANK = [
    "rank",
    "items.txt",
    "--judge",
    "simulated:strengths.csv",
    "--criteria",
    "c",
    "--budget",
    "4",
    "--seed",
    "1",
    "-q",
]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / "strengths.csv").write_text("id,score\none,1\ntwo,2\nthree,3\n")


def test_a_run_is_traced_where_a_collector_is_named(monkeypatch):
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        done = CliRunner().invoke(app, RANK)
    assert done.exit_code == 0, done.output
    (run,) = collector.named("tournament.run")
    assert len(collector.named("tournament.match")) == 4
    assert {one.trace for one in collector.named("judge.call")} == {run.trace}


def test_variables_that_cannot_be_heeded_are_told_and_the_ranking_is_made(monkeypatch):
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "zipkin")
    done = CliRunner().invoke(app, RANK)
    assert done.exit_code == 0, done.output
    assert "note: no traces are sent: OTEL_TRACES_EXPORTER is 'zipkin'" in done.stderr
