"""Functions as judges."""

import asyncio
import functools
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

import warm_start
from paragone.domain import Choice, CriterionScore, DebateTurn, Speaker, Stage
from paragone.errors import JudgeFailed, UnknownJudge
from paragone.judges import function_judge
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.retrying import Timed


def longer(first, second, criteria):
    if len(first.text) == len(second.text):
        return "tie"
    return "first" if len(first.text) > len(second.text) else "second"


async def longer_async(first, second, criteria):
    await asyncio.sleep(0)
    return longer(first, second, criteria)


class Longer:
    def __call__(self, first, second, criteria):
        return longer(first, second, criteria)


@pytest.mark.parametrize("function", [longer, longer_async, Longer(), functools.partial(longer_async)])
def test_plain_and_async_functions_and_callables(ask, function):
    texts = {"x": "long text", "y": "short"}
    judge = FunctionJudge(function)
    assert ask(judge, "x", "y", texts=texts).choice is Choice.FIRST
    assert ask(judge, "y", "x", texts=texts).choice is Choice.SECOND
    assert ask(judge, texts={"x": "same", "y": "same"}).choice is Choice.TIE
    assert judge.card.reads_ids


def test_identities_name_the_function_or_what_the_caller_says():
    assert FunctionJudge(longer).card.identity.startswith(f"python:{__name__}:longer@")
    assert FunctionJudge(Longer()).card.identity == f"python:{__name__}:Longer"
    assert FunctionJudge(functools.partial(longer)).card == FunctionJudge(longer).card
    assert FunctionJudge(Longer(), name="by length").card.identity == "python:by length"


def test_what_the_function_gets_and_gives(ask):
    seen = []

    def function(first, second, criteria):
        seen.append((first.id, first.text, second.id, second.text, criteria))
        return {"winner": "second", "rationale": "why", "scores": {"wit": [0.1, 0.9]}, "probability": 0.2}

    verdict = ask(FunctionJudge(function), "x", "y", criteria="wit")
    assert seen == [("x", "text of x", "y", "text of y", "wit")]
    assert (verdict.choice, verdict.rationale, verdict.probability) == (Choice.SECOND, "why", 0.2)
    assert verdict.scores == (CriterionScore(criterion="wit", first=0.1, second=0.9),)
    assert verdict.usage.calls == 0


def test_a_probability_may_be_a_number_of_numpy(ask):
    verdict = ask(FunctionJudge(lambda *_: {"winner": "first", "probability": np.float32(0.75)}))
    assert (verdict.probability, type(verdict.probability)) == (0.75, float)


def test_a_function_of_two_parameters_that_names_a_side_is_told_of_the_third(ask):
    with pytest.raises(JudgeFailed, match="not 'first'; a judge of pairs takes three parameters"):
        ask(FunctionJudge(lambda first, second: "first"))


def test_none_abstains_and_takes_no_probability_along(ask):
    assert ask(FunctionJudge(lambda *_: None)).choice is Choice.ABSTAIN
    verdict = ask(FunctionJudge(lambda *_: {"winner": None, "probability": 0.9}))
    assert (verdict.choice, verdict.probability) == (Choice.ABSTAIN, None)


def test_a_plain_function_runs_beside_the_loop(ask):
    threads = []

    def function(*_):
        threads.append(threading.current_thread())
        return "first"

    ask(FunctionJudge(function))
    assert threads != [threading.current_thread()]


def threads_of(ask, monkeypatch, *, questions, patience):
    """The threads that answer questions, one after another."""
    monkeypatch.setattr(function_judge, "_PATIENCE", patience)
    threads = []

    def judge(first, second, criteria):
        threads.append(threading.current_thread())
        return "first"

    for _ in range(questions):
        assert ask(FunctionJudge(judge)).choice is Choice.FIRST
    return threads


def test_a_thread_that_has_nothing_to_do_answers_the_next_question(ask, monkeypatch):
    assert len(set(threads_of(ask, monkeypatch, questions=50, patience=30.0))) < 25


def test_a_thread_that_is_asked_nothing_for_a_while_ends(ask, monkeypatch):
    for thread in threads_of(ask, monkeypatch, questions=2, patience=0.001):
        thread.join(10)
        assert not thread.is_alive()


def test_a_process_that_is_forked_has_threads_of_its_own():
    program = """
import asyncio, os, time
from paragone.domain import Item, Question
from paragone.judges import function_judge

judge = function_judge.FunctionJudge(lambda first, second, criteria: "second")
item = Item(id="x", text="x")
question = Question(call="m1.1", first=item, second=item, criteria="any")
asyncio.run(judge.compare(question))
while not function_judge._WAITING:
    time.sleep(0.001)
if not os.fork():
    print(asyncio.run(asyncio.wait_for(judge.compare(question), 20)).choice)
else:
    os.wait()
"""
    done = subprocess.run([warm_start.python(), "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.strip() == str(Choice.SECOND), done.stderr


@pytest.mark.parametrize("error", [ZeroDivisionError("by zero"), StopIteration("done"), TimeoutError("late")])
@pytest.mark.parametrize("is_async", [False, True])
def test_an_exception_inside_is_a_failure_that_names_the_function_and_keeps_the_cause(ask, error, is_async):
    def broken(first, second, criteria):
        raise error

    async def broken_async(first, second, criteria):
        raise error

    with pytest.raises(JudgeFailed, match="broken") as raised:
        ask(FunctionJudge(broken_async if is_async else broken))
    cause = raised.value.__cause__
    assert error in (cause, cause.__cause__)
    assert cause.__traceback__ is not None


@pytest.mark.parametrize("way_out", [KeyboardInterrupt, SystemExit])
def test_a_function_that_wants_out_is_a_failed_call(ask, way_out):
    """It runs in a thread, where no person's Ctrl-C arrives, so it is the function's own doing."""

    def leaving(*_):
        raise way_out

    with pytest.raises(JudgeFailed, match=way_out.__name__):
        ask(FunctionJudge(leaving))


@pytest.mark.parametrize("answer", ["FIRST", "a", 1, True, {"win": "first"}, {"winner": "x"}])
def test_an_unknown_answer_is_a_failure(ask, answer):
    with pytest.raises(JudgeFailed) as raised:
        ask(FunctionJudge(lambda *_: answer))
    assert not raised.value.retryable


def test_a_slow_function_runs_into_the_timeout(ask):
    async def slow(*_):
        await asyncio.sleep(60)

    with pytest.raises(JudgeFailed, match="no answer within"):
        ask(Timed(FunctionJudge(slow), 0.01))


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", str(tmp_path))])
    return tmp_path


def test_a_module_in_the_current_folder_is_found(ask, in_folder):
    (in_folder / "judge_in_folder.py").write_text(
        "class Group:\n    @staticmethod\n    def pick(first, second, criteria):\n        return 'tie'\n"
        "def pick(first, second, criteria):\n    return 'second'\n"
    )
    (in_folder / "judge_package").mkdir()
    (in_folder / "judge_package" / "inner.py").write_text("def pick(first, second, criteria):\n    return 'first'\n")
    assert ask(FunctionJudge("judge_package.inner:pick")).choice is Choice.FIRST
    judge = FunctionJudge("judge_in_folder:pick")
    assert ask(judge).choice is Choice.SECOND
    assert ask(FunctionJudge("judge_in_folder:Group.pick")).choice is Choice.TIE
    assert judge.card.identity.startswith("python:judge_in_folder:pick@")


def test_a_changed_function_is_another_judge(in_folder):
    identities = set()
    for number, answer in enumerate(("first", "second")):
        (in_folder / f"judge_version_{number}.py").write_text(f"def pick(a, b, c):\n    return {answer!r}\n")
        identities.add(FunctionJudge(f"judge_version_{number}:pick").card.identity.partition("@")[2])
    assert len(identities) == 2


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("nowhere_at_all:pick", "no module 'nowhere_at_all', neither installed nor in"),
        ("nowhere.at.all:pick", "no module 'nowhere.at.all'"),
        ("json:nothing", "module 'json' has no function 'nothing'"),
        ("json:__name__", "module 'json' has no function '__name__'"),
        ("json", "write python:MODULE:FUNCTION"),
        (":pick", "write python:MODULE:FUNCTION"),
        ("judge_that_breaks:pick", "cannot be imported: NameError"),
        ("judge_that_lacks:pick", "needs the module 'not_installed_here'"),
    ],
)
def test_a_function_that_is_not_there_is_named(in_folder, spec, said):
    (in_folder / "judge_that_breaks.py").write_text("undefined\n")
    (in_folder / "judge_that_lacks.py").write_text("import not_installed_here\n")
    with pytest.raises(UnknownJudge) as raised:
        FunctionJudge(spec)
    assert said in str(raised.value)


def test_a_function_with_a_transcript_hears_debates_and_any_other_does_not(question):
    def listening(first, second, criteria, transcript):
        return {"winner": "second", "rationale": ", ".join(turn.content for turn in transcript)}

    said = DebateTurn(call="m1.1", number=1, speaker=Speaker.FIRST, stage=Stage.OPENING, content="Well.")
    judge = FunctionJudge(listening)
    heard = asyncio.run(judge.compare(replace(question(), turns=1, transcript=(said,))))
    assert (heard.rationale, heard.judge) == ("Well.", judge.card.debates.identity)
    assert asyncio.run(judge.compare(question())).judge == judge.card.identity
    assert FunctionJudge(longer).card.debates is None
    ordering = FunctionJudge(lambda items, criteria, transcript=(): [item.id for item in items]).card
    assert ordering.lists is not None
    assert ordering.debates is not None
