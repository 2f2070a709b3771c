"""The first question of a run is asked alone."""

import asyncio

import pytest

from paragone.domain import Choice
from paragone.errors import JudgeFailed
from paragone.judges import open_judge
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.stack import Stack
from paragone.judges.verdict_cache import MemoryVerdicts
from scripted_endpoint import Model, cut_json, none, refusal, status


class Run:
    """Ten questions put at once to a judge with all that a run has around it."""

    def __init__(self, judge, *, question, count=10, **options):
        self.discoveries, self.failures, self.lost = [], [], []
        questions = [question(call=f"{number}.1.1", second=f"y{number}") for number in range(count)]
        self.verdicts = asyncio.run(self._played(judge, questions, options))

    async def _played(self, judge, questions, options):
        told = {"on_discovery": self.discoveries.append, "on_unusable": self.failures.append}
        told["on_lost"] = lambda _question, verdict: self.lost.append(verdict)
        whole = Stack(store=MemoryVerdicts(), wait=0.0, **told | options).around(judge)
        try:
            return await asyncio.gather(*(whole.compare(question) for question in questions))
        finally:
            await whole.close()

    @property
    def requests(self):
        answered = [verdict for verdict in self.verdicts if verdict.choice.is_answer]
        return sum(verdict.usage.calls for verdict in (*answered, *self.lost))


@pytest.fixture
def play(question):
    return lambda judge, **options: Run(judge, question=question, **options)


def judge_at(endpoint, options=""):
    return open_judge(f"llm:m{options}@{endpoint.url}")


def test_nobody_else_is_asked_before_the_first_answer(serve_model, play):
    endpoint, before, words = serve_model(Model(seconds=0.1)), [], []

    def discovered(discovery):
        before.append(endpoint.count.requests)
        words.append(discovery.words)

    run = play(judge_at(endpoint), on_discovery=discovered)
    assert before == [1]
    assert endpoint.count.requests == run.requests == 10, "the first question is a real one"
    assert words == ["JSON by schema, log-probabilities"]
    assert all(verdict.choice.is_answer for verdict in run.verdicts)


def test_what_the_endpoint_refuses_is_found_out_by_one_question(serve_model, play):
    endpoint = serve_model(
        Model(thinks=900, refuses=frozenset({"max_tokens", "temperature", "logprobs"}), seconds=0.05)
    )
    run = play(judge_at(endpoint))
    assert endpoint.count.requests == run.requests == 10 + 3 + 1, "three parameters and a limit, once each"
    assert run.discoveries[0].words == (
        "JSON by schema, no log-probabilities (reasons come before the verdict), reasoned for 900 tokens, "
        "needs a limit of 1,024 tokens, takes no temperature"
    )
    told = [sum(getattr(verdict.usage, name) for verdict in run.verdicts) for name in ("input_tokens", "output_tokens")]
    assert told == [endpoint.count.input_tokens, endpoint.count.output_tokens]


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_wrong_key_or_model_is_found_by_one_request(serve_model, play, code):
    endpoint = serve_model(always=status(code))
    run = play(judge_at(endpoint), count=1)
    assert (endpoint.count.requests, len(run.failures)) == (1, 1)
    assert (run.failures[0].permanent, run.failures[0].misuse) == (True, True)


def test_three_questions_without_an_answer_are_enough(serve_model, play):
    run = play(judge_at(serve_model(always=status(503))), count=3, attempts=2)
    assert run.requests == 6
    assert [str(failure) for failure in run.failures] == [run.verdicts[-1].error]


def test_a_passing_fault_of_the_first_question_stops_nobody(serve_model, play):
    run = play(judge_at(serve_model(faults=[status(500), cut_json(), refusal(), none()])))
    assert run.failures == []
    assert [verdict.choice is Choice.FAILED for verdict in run.verdicts].count(True) == 1


@pytest.mark.parametrize(("is_new", "stops"), [(True, 1), (False, 0)])
def test_questions_that_are_declined_stop_only_what_is_new(serve_model, play, is_new, stops):
    run = play(judge_at(serve_model(faults=[refusal()] * 3)), count=3, is_new=is_new)
    assert len(run.failures) == stops


def test_every_member_of_a_panel_is_asked_alone_at_first(serve_model, play):
    good, bad = serve_model(Model(seconds=0.05)), serve_model(always=status(401))
    run = play(open_judge(f"panel:llm:m@{good.url} + llm:m@{bad.url}"))
    assert (good.count.requests, bad.count.requests) == (5, 1)
    assert run.failures == [], "the others go on"
    assert len(run.discoveries) == 1


def test_a_judge_that_fails_for_good_later_stops_the_run(play):
    asked = []

    def judge(first, second, criteria):
        asked.append(second.id)
        if len(asked) > 2:
            raise JudgeFailed("no credit is left", permanent=True)
        return "first"

    run = play(FunctionJudge(judge), count=3)
    assert [str(failure) for failure in run.failures] == ["no credit is left"]
    assert run.discoveries == [], "a function needs no trial"


def test_reasons_come_first_where_log_probabilities_are_refused(serve_model, play):
    endpoint = serve_model(Model(refuses=frozenset({"logprobs"})))
    refused = play(judge_at(endpoint), count=2)
    assert [list(body["response_format"]["json_schema"]["schema"]["properties"]) for body in endpoint.seen] == [
        ["verdict", "rationale"], ["rationale", "verdict"], ["rationale", "verdict"],
    ]  # fmt: skip
    assert '- "rationale"' in endpoint.seen[-1]["messages"][0]["content"].split('- "verdict"')[0]
    plain = play(judge_at(serve_model(), "?logprobs=no"), count=2)
    assert {v.prompt_hash for v in refused.verdicts} == {v.prompt_hash for v in plain.verdicts}
    assert all(verdict.probability is None for verdict in refused.verdicts)


def test_where_log_probabilities_are_left_out_reasons_come_first_from_the_second_answer_on(serve_model, play):
    endpoint = serve_model(Model(ignores=frozenset({"logprobs"})))
    play(judge_at(endpoint), count=3)
    assert ["logprobs" in body for body in endpoint.seen] == [True, False, False]
    fields = [list(body["response_format"]["json_schema"]["schema"]["properties"]) for body in endpoint.seen]
    assert fields == [["verdict", "rationale"], ["rationale", "verdict"], ["rationale", "verdict"]]


def test_after_reasoning_no_probability_is_read(serve_model, play):
    (quick,) = play(judge_at(serve_model(Model())), count=1).verdicts
    (pondered,) = play(judge_at(serve_model(Model(thinks=40))), count=1).verdicts
    assert (quick.choice, quick.probability is None) == (pondered.choice, False)
    assert pondered.probability is None
