"""Budgets in money and tokens hold before a real endpoint, whose own accounts say what was spent."""

import asyncio
import time

import pytest

import without_board
from paragone.judges.call_options import CallOptions
from paragone.judges.llm_judge import LLMJudge
from paragone.llm import Price
from paragone.tournaments.tournament import Tournament
from scripted_endpoint import Model, cut_json, hang, none, status

PRICE = (2.0, 8.0)
ITEMS = {f"i{number}": f"Item {number} says this" + " and more" * (number % 7) for number in range(12)}


def ranked(endpoint, db, **limits):
    rate = Price(input_per_million=PRICE[0], output_per_million=PRICE[1])
    judge = LLMJudge("any", base_url=endpoint.url, price=rate, max_tokens=4000)
    with Tournament.create(ITEMS, judge=judge, criteria="larger", db=db, seed=3, price=PRICE, **limits) as tournament:
        return without_board.run(tournament, pace=CallOptions(concurrency=8, wait=0.001)), tournament.stop.reason


def until_sent(endpoint, count):
    deadline = time.monotonic() + 30
    while endpoint.count.requests < count and time.monotonic() < deadline:
        time.sleep(0.01)


@pytest.mark.parametrize("thinks", [0, 900])
def test_a_limit_in_dollars_holds_also_where_the_model_thinks(serve_model, tmp_path, thinks):
    endpoint = serve_model(Model(thinks=thinks, thoughts="content"), faults=[none(), cut_json(), status(500)])
    limit = 0.05 if thinks else 0.01
    spending, stopped = ranked(endpoint, tmp_path / "l.db", max_cost=limit)
    billed = endpoint.count.dollars(*PRICE)
    each = billed / endpoint.count.completions
    assert limit - 2 * each < billed <= 1.02 * limit
    assert spending.cost == pytest.approx(billed)
    assert f"${limit:g}" in stopped


def test_a_limit_in_tokens_holds_also_where_the_model_thinks(serve_model, tmp_path):
    endpoint = serve_model(Model(thinks=900, thoughts="content"), faults=[cut_json(), none(), cut_json()])
    spending, _ = ranked(endpoint, tmp_path / "l.db", max_tokens=20_000)
    billed = endpoint.count.input_tokens + endpoint.count.output_tokens
    assert 20_000 - 2 * billed / endpoint.count.completions < billed <= 1.02 * 20_000
    assert spending.tokens == billed


def test_the_first_call_is_alone_and_no_call_begins_once_the_limit_is_spent(serve_model, tmp_path):
    """A limit that the first call exceeds: one call is made, whatever the concurrency."""
    endpoint = serve_model(Model(thinks=3000, thoughts="content"))
    spending, _ = ranked(endpoint, tmp_path / "l.db", max_cost=0.01)
    assert (endpoint.count.requests, spending.requests) == (1, 1)


def test_what_was_cut_off_is_counted_after_a_restart(serve_model, tmp_path):
    """Of two requests in flight one hangs; the person leaves; the run that goes on knows of it."""
    endpoint = serve_model(Model(), faults=[none(), none(), hang(60)])
    db = tmp_path / "l.db"
    judge = f"llm:any@{endpoint.url}"
    with Tournament.create(ITEMS, judge=judge, criteria="larger", db=db, seed=3, price=PRICE, max_cost=0.5) as first:

        async def leave():
            running = asyncio.create_task(without_board.arun(first, pace=CallOptions(concurrency=1, wait=0.001)))
            await asyncio.to_thread(until_sent, endpoint, 3)
            first.gate.abandon()
            await running

        asyncio.run(leave())
    with Tournament.open(db) as again:
        spent = again.ledger.tournaments.spending(again.state.id)
        assert (spent.requests, spent.decisions, spent.failed, spent.unpriced) == (3, 2, 1, 1)
        assert spent.requests == endpoint.count.requests
        assert spent.dollars == pytest.approx(endpoint.count.dollars(*PRICE))
        assert spent.cost is None
        assert "at least $" in spent.sentence()
