"""One worker in this process, on a ledger that goes away under it."""

import asyncio

import pytest

from paragone.domain import Item, Pairing, RatingConfig
from paragone.errors import Unwritable
from paragone.ledger import Ledger
from paragone.ledger.namespaces import pools, tournaments
from paragone.ledger.records import AskedQuestion, JudgingTerms
from paragone.tournaments.state import State
from paragone.tournaments.tournament_settings import settings_for
from paragone.workers.judge_list import ListedJudge
from paragone.workers.worker import Worker

PACE = {"per_minute": None, "timeout": 20.0, "attempts": 1, "wait": 0.5, "is_new": True}


@pytest.mark.parametrize(("namespace", "query"), [(tournaments.Tournaments, "events"), (pools.Items, "by_id")])
def test_a_job_is_done_though_the_ledger_goes_away_after_it_was_taken(tmp_path, monkeypatch, namespace, query):
    """Its first look at a tournament, and at the items of a question, fail once; else nobody asked the call again."""
    spec = f"simulated:{tmp_path / 'strengths.csv'}"
    (tmp_path / "strengths.csv").write_text("id,strength\ni0,0\ni1,9\n")
    with Ledger.open("sqlite://") as ledger:
        settings = settings_for(2, criteria="larger", judge="any", seed=1, pairing="informative")
        id = State.begin(
            ledger, "some", settings, [Item(id=f"i{n}", text=f"item {n}") for n in (0, 1)], RatingConfig()
        ).id
        ledger.tournaments.plan_round(id, 1, [Pairing(a="i0", b="i1")])
        ledger.judging.open(id, JudgingTerms(judge="any", options=PACE), "nobody", tokens=0, cost=0.0)
        question = AskedQuestion(call="1.1.1", judge="any", shown=("i0", "i1"))
        ledger.judging.ask(id, [question], lambda *_: None)
        plain, failures = getattr(namespace, query), []

        def away_once(self, *args, **options):
            if not failures:
                failures.append(query)
                raise Unwritable("the ledger is away", temporary=True)
            return plain(self, *args, **options)

        async def work():
            worker = Worker(ledger, {"any": ListedJudge(spec=spec)}, concurrency=1, give_back=lambda _: lambda *_: None)
            monkeypatch.setattr(namespace, query, away_once)
            await worker.do(id, ["1.1.1"])
            await worker.close()

        asyncio.run(work())
        assert failures == [query]
        assert ledger.judging.collect(id)["1.1.1"]["kind"] == "answered"
