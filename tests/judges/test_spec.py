"""Judges by their specs."""

import asyncio
import subprocess
import sys

import pytest

from paragone.domain import Choice
from paragone.errors import InvalidConfig, UnknownColumn, UnknownJudge, UnreadableFile
from paragone.judges import KINDS, describe, open_judge
from paragone.judges.command_judge import CommandJudge
from paragone.judges.human_judge import HumanJudge
from paragone.judges.recorded_judge import RecordedJudge
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.llm import Price


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text("a,b,winner\nx,y,x\n")
    (tmp_path / "strengths.csv").write_text("id,score\nx,2\ny,0.5\n")
    (tmp_path / "spec_judge.py").write_text("def pick(first, second, criteria):\n    return 'second'\n")
    monkeypatch.setattr(sys, "path", sys.path[:])
    return tmp_path


def test_every_simple_spec_opens_its_judge(files, ask):
    assert ask(open_judge("recorded:votes.csv")).choice is Choice.FIRST
    assert ask(open_judge("python:spec_judge:pick")).choice is Choice.SECOND
    assert isinstance(open_judge(f"command:{sys.executable} -c pass"), CommandJudge)
    assert isinstance(open_judge("human"), HumanJudge)
    assert isinstance(open_judge(" simulated:strengths.csv "), SimulatedJudge)


def test_a_model_and_its_address_are_told_apart():
    judge = open_judge(
        "llm:maker/model:8b@http://127.0.0.1:9/v1", price=Price(input_per_million=1, output_per_million=2)
    )
    assert "maker/model:8b" in judge.card.identity
    assert "127.0.0.1:9" in judge.card.identity
    asyncio.run(judge.close())


def test_the_seed_flows_into_judges_that_draw(files):
    assert open_judge("recorded:votes.csv", seed=3).card == RecordedJudge("votes.csv", seed=3).card
    assert open_judge("simulated:strengths.csv", seed=3).card == SimulatedJudge({"x": 2.0, "y": 0.5}, seed=3).card
    assert open_judge("simulated:strengths.csv?seed=3").card == open_judge("simulated:strengths.csv", seed=3).card


def test_simulated_parameters(files, ask):
    spec = "simulated:strengths.csv?noise=0.5&bias=0.4&ties=0.1&abstentions=0.2&sticky=0"
    expected = SimulatedJudge({"x": 2.0, "y": 0.5}, noise=0.5, bias=0.4, ties=0.1, abstentions=0.2, sticky=False)
    assert open_judge(spec).card == expected.card
    with pytest.raises(Exception, match="simulated failure"):
        ask(open_judge("simulated:strengths.csv?failures=1"))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("", "there is no judge ''"),
        ("gpt-4o", "there is no judge 'gpt-4o'. The kinds are local, llm:MODEL"),
        ("recordet:votes.csv", "did you mean recorded:FILE? The kinds are"),
        ("Human", "did you mean human?"),
        ("recorded", "is not complete; write recorded:FILE"),
        ("recorded:", "is not complete; write recorded:FILE"),
        ("llm: ", "is not complete; write llm:MODEL[?OPTIONS][@URL]"),
        ("human:ada", "takes nothing after it"),
        ("local:", "takes nothing after it"),
        ("python:spec_judge", "write python:MODULE:FUNCTION"),
        ("command:no-such-program-here", "no program"),
        ("llm:model@localhost:8000/v1", "must begin with http:// or https://"),
        ("simulated:strengths.csv?noize=1", "no option 'noize'; did you mean noise? Its options are noise,"),
        ("simulated:strengths.csv?noise=loud", "the option noise cannot be 'loud': write a number"),
    ],
)
def test_specs_that_name_no_judge(files, spec, said):
    with pytest.raises(UnknownJudge) as raised:
        open_judge(spec)
    assert said in str(raised.value)


def test_files_and_parameters_that_cannot_be_used(files):
    with pytest.raises(UnreadableFile, match=r"none\.csv: no such file"):
        open_judge("recorded:none.csv")
    with pytest.raises(UnknownColumn, match="needs the columns 'id' and 'score'"):
        open_judge("simulated:votes.csv")
    with pytest.raises(InvalidConfig, match="ties"):
        open_judge("simulated:strengths.csv?ties=2")


def test_every_kind_is_described_in_a_line():
    reports = describe({})
    assert [report.name for report in reports] == [kind.name for kind in KINDS]
    assert [report.name for report in reports] == [
        "local", "llm", "recorded", "python", "command", "human", "simulated", "panel", "cascade",
    ]  # fmt: skip
    for report in reports:
        assert report.form.startswith(report.name)
        assert "\n" not in report.help
        assert report.ready == (not report.missing)


def test_readiness_of_language_models_follows_from_the_key_alone():
    def llm(environment):
        return next(report for report in describe(environment) if report.name == "llm")

    assert "OPENAI_API_KEY" in llm({}).missing
    assert not llm({"OPENAI_API_KEY": ""}).ready
    assert llm({"OPENAI_API_KEY": "any"}).ready
    assert all(report.ready for report in describe({}) if report.name not in ("llm", "local"))


def test_nothing_heavy_is_imported_before_it_is_named():
    heavy = "('openai', 'xllamacpp', 'pydantic_ai', 'narwhals', 'pyarrow', 'httpx', 'numpy')"
    code = f"import sys, paragone.judges; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
