"""Questions in batches: half the price, hours of patience, and nothing paid for twice."""

import asyncio
import os
import subprocess
import textwrap
import time

import pytest

import warm_start
from paragone import Tournament
from paragone.errors import InvalidConfig, JudgeFailed, UnknownJudge
from paragone.judges.call_options import IN_A_BATCH, CallOptions
from paragone.judges.spec import open_judge
from paragone.ledger import Ledger
from paragone.llm import Message, ModelRequest, connect
from paragone.llm import batches as module
from scripted_endpoint import Model, ScriptedEndpoint, cut_json, fenced_pair

SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}


@pytest.fixture
def endpoint():
    with ScriptedEndpoint() as started:
        yield started


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, "_QUIET", 0.04)
    monkeypatch.setattr(module, "_POLLS", (0.005, 0.02))


def request(number, logprobs=False):
    return ModelRequest(
        messages=(Message(role="user", content=fenced_pair(number, 50)),),
        schema=SCHEMA,
        call=str(number),
        logprobs=logprobs,
    )


def put(endpoint, requests, hours=1.0, before=(), client=None):
    """The replies or failures to some requests at once, by a client of its own; ``before`` are asked one by one."""

    async def main():
        asked = client or connect("any", base_url=endpoint.url, batch_hours=hours)
        try:
            for each in before:
                await asked.ask(each)
            return await asyncio.gather(*map(asked.ask, requests), return_exceptions=True)
        finally:
            await asked.close()

    return asyncio.run(main())


def until_sent(endpoint):
    while not endpoint.batches.sizes:
        time.sleep(0.02)


def winners(replies):
    return [reply.parsed["verdict"] for reply in replies]


def test_the_first_goes_alone_and_all_others_together(endpoint):
    numbers = [10, 60, 70, 20, 90]
    replies = put(endpoint, [request(n) for n in numbers])
    assert winners(replies) == ["first" if n > 50 else "second" for n in numbers]
    assert endpoint.batches.sizes == [4]
    assert len(endpoint.seen) == 1
    assert (endpoint.count.completions, len(set(endpoint.batches.billed))) == (5, 4)


def test_another_process_takes_over_what_is_under_way_or_done(endpoint):
    endpoint.batches.polls = 10**6
    requests = [request(n) for n in (1, 60, 2, 70)]

    async def killed():
        client = connect("any", base_url=endpoint.url, batch_hours=1.0)
        await client.ask(requests[0])
        waiting = asyncio.gather(*map(client.ask, requests[1:]))
        await asyncio.to_thread(until_sent, endpoint)
        waiting.cancel()
        await client.close()

    asyncio.run(killed())
    endpoint.batches.polls = 0
    endpoint.batches._left.update(dict.fromkeys(endpoint.batches._left, 0))
    assert winners(put(endpoint, requests[1:])) == ["first", "second", "first"]  # it was under way
    assert winners(put(endpoint, requests[1:])) == ["first", "second", "first"]  # it was done
    assert (endpoint.batches.sizes, endpoint.count.completions, len(endpoint.seen)) == ([3], 4, 1)


def test_the_same_question_put_again_is_asked_again(endpoint):
    client = connect("any", base_url=endpoint.url, batch_hours=1.0)
    put(endpoint, [request(60)], before=[request(1), request(60), request(60)], client=client)
    assert endpoint.batches.sizes == [1, 1, 1]
    assert len(set(endpoint.batches.billed)) == 3
    # What was asked three times has three answers; a fourth is paid for, alone as the first of its process.
    client = connect("any", base_url=endpoint.url, batch_hours=1.0)
    put(endpoint, [], before=[request(60)] * 4, client=client)
    assert (endpoint.batches.sizes, len(endpoint.seen)) == ([1, 1, 1], 2)


def test_a_receipt_that_was_lost_is_looked_for(endpoint):
    endpoint.batches.lost_receipts = 1
    assert winners(put(endpoint, [request(60), request(2)], before=[request(1)])) == ["first", "second"]
    assert endpoint.batches.sizes == [2]


def test_what_expired_may_be_asked_again_and_the_rest_counts(endpoint):
    endpoint.batches.endings = ["expired"]
    requests = [request(n) for n in (60, 2, 70, 3)]
    first = put(endpoint, requests, before=[request(1)])
    assert winners(first[:2]) == ["first", "second"]
    for failure in first[2:]:
        assert failure.retryable
        assert "without an answer: the batch is expired" in str(failure)
    assert winners(put(endpoint, requests)) == ["first", "second", "first", "second"]
    assert endpoint.batches.sizes == [4, 1], "one of the two goes alone"
    assert endpoint.count.completions == 5


def test_a_batch_that_never_returns_is_cancelled(endpoint):
    endpoint.batches.endings = ["never"]
    (failure,) = put(endpoint, [request(60)], hours=0.5 / 3600, before=[request(1)])
    assert "cancelled before it was done" in str(failure)
    assert not failure.retryable
    (batch,) = endpoint.batches._batches.values()
    assert batch["status"] == "cancelled"


def test_a_batch_that_is_not_taken_says_why(endpoint):
    endpoint.batches.endings = ["failed"]
    (failure,) = put(endpoint, [request(60)], before=[request(1)])
    assert "batch_2 was not taken" in str(failure)
    assert "the model takes no batches" in str(failure)


@pytest.mark.parametrize("line", [
    '{"custom_id": "ID", "response": "none"}', '{"custom_id": "ID", "response": {"status_code": "200", "body": []}}',
    '{"custom_id": ["ID"]}', "[1, 2]", "not JSON", '{"custom_id": "ID", "error": {"message": "expired"}}',
    '{"custom_id": "ID", "response": {"status_code": 200, "body": {"choices": "none"}}}',
    '{"custom_id": "ID", "response": {"status_code": 500, "body": {"error": {"message": "expired"}}}}',
])  # fmt: skip
def test_a_line_that_is_no_answer_is_a_failure(endpoint, monkeypatch, line):
    monkeypatch.setattr(
        endpoint.batches, "_line", lambda asked, ask: line.replace("ID", asked["custom_id"]).encode() + b"\n"
    )
    (failure,) = put(endpoint, [request(60)], before=[request(1)])
    assert isinstance(failure, JudgeFailed)
    assert failure.retryable


def test_an_endpoint_without_batches_is_seen_before_it_costs(endpoint):
    endpoint.batches.is_there = False
    (failure,) = put(endpoint, [request(60)])
    assert isinstance(failure, JudgeFailed)
    assert failure.misuse
    assert "has no batch interface (404): leave out the option batch_hours" in str(failure)
    assert endpoint.count.completions == 0


def test_what_the_first_question_found_refused_is_left_out_of_batches(endpoint):
    endpoint.model = Model(refuses=frozenset({"logprobs", "top_logprobs"}))
    replies = put(endpoint, [request(n, logprobs=True) for n in (60, 2)], before=[request(1, logprobs=True)])
    assert winners(replies) == ["first", "second"]
    assert (len(endpoint.seen), endpoint.batches.sizes) == (3, [2]), "the first question was refused twice"


def test_providers_without_the_interface_and_wrong_hours_are_refused():
    with pytest.raises(InvalidConfig, match="cannot be asked in batches"):
        open_judge("llm:anthropic:claude-haiku-4-5?batch_hours=24")
    with pytest.raises(UnknownJudge, match="a number of hours"):
        open_judge("llm:gpt-5-mini?batch_hours=0@http://127.0.0.1:1/v1")


def test_it_is_half_the_price(endpoint, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    alone, together = connect("gpt-4o-mini"), connect("gpt-4o-mini", batch_hours=24.0)
    assert together.price.input_per_million == pytest.approx(alone.price.input_per_million / 2)
    assert together.price.output_per_million == pytest.approx(alone.price.output_per_million / 2)


def test_a_tournament_is_judged_in_batches_and_resumed_after_a_kill(endpoint, tmp_path):
    """The run is killed when its first batch is under way; the ledger then holds one answer."""
    endpoint.batches.polls = 10**6
    items = tmp_path / "items.txt"
    items.write_text("".join(f"idea {number}\n" for number in range(12)))
    spec = f"llm:any?batch_hours=1@{endpoint.url}"
    code = textwrap.dedent("""
        from paragone.llm import batches
        batches._QUIET, batches._POLLS = 0.04, (0.005, 0.02)
        from paragone.cli import main
        main()
    """)
    base = [warm_start.python(), "-c", code]
    run = subprocess.Popen(
        [*base, "rank", str(items), "-c", "the larger", "--judge", spec, "--seed", "1", "--budget", "60", "--quiet"],
        cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=os.environ | {"PARAGONE_DB": "t.db"},
    )  # fmt: skip
    until_sent(endpoint)
    run.kill()
    run.wait()
    assert endpoint.batches.sizes
    endpoint.batches.polls = 1
    endpoint.batches._left.update(dict.fromkeys(endpoint.batches._left, 0))
    done = subprocess.run(
        [*base, "resume", "--quiet"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"PARAGONE_DB": "t.db"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert endpoint.count.completions == 60 == len(endpoint.seen) + len(endpoint.batches.billed)
    assert len(set(endpoint.batches.billed)) == len(endpoint.batches.billed)
    assert max(endpoint.batches.sizes) > 8
    with Ledger.open(tmp_path / "t.db") as ledger:
        (pool,) = (record.id for record in ledger.pools.all())
        assert ledger.audit().ok
        assert ledger.tournaments.spending(pool).decisions == 60


def test_no_time_limit_holds_and_nothing_is_sent_twice_for_being_slow(endpoint):
    judge = open_judge(f"llm:any?batch_hours=1@{endpoint.url}")
    assert judge.card.batched
    assert judge.card.untimed
    assert judge.card.identity == open_judge(f"llm:any@{endpoint.url}").card.identity
    assert IN_A_BATCH > 8


def test_a_malformed_answer_is_asked_for_again(endpoint, tmp_path):
    endpoint.batches.faults = [cut_json()]
    made = Tournament.create(
        {str(n): f"idea {n}" for n in range(6)}, judge=open_judge(f"llm:any?batch_hours=1@{endpoint.url}"),
        criteria="the larger", db=tmp_path / "t.db", budget=20, seed=1,
    )  # fmt: skip
    with made:
        made.run(pace=CallOptions(wait=0.0))
        assert made.ledger.tournaments.spending(made.state.id).decisions == 20
    assert endpoint.count.completions == 21
