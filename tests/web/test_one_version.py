"""Every answer is of one version of the ledger, which it names, whatever is written meanwhile."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local_server import served
from paragone import Client
from paragone.agents.debates import Debates
from paragone.agents.elo_system import pool_in
from paragone.domain import Choice, Comparison, ItemKind, Match, Order, Pairing, Verdict
from paragone.ledger import Ledger
from paragone.web.readers.followed_pool import PoolFollower
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents import roster
from paragone.web.views.agents.board import AgentBoardQuery, agent, board, domains

Counts = dict[str, tuple[float, int]]
"""Running Elo and debates of each agent."""


def counts(ledger: Ledger) -> Counts:
    return {each.rating.item: (each.rating.elo, each.rating.matches) for each in ledger.agents.records("agents")}


def test_readers_of_a_server_that_is_written_to_get_whole_versions(tmp_path: Path) -> None:
    """Each debate brings a new agent. What is answered must be what the ledger was at the version that is named."""
    db, debates = tmp_path / "agents.db", 12
    with served(db, folder=tmp_path) as running, Client(running.url) as reader, Client(running.url) as writer:
        writer.agents.register("base")
        with Ledger.open(db) as ledger:
            at = {ledger.pools.versions()["agents"]: counts(ledger)}
            acknowledged, done = [min(at)], threading.Event()

            def write() -> None:
                try:
                    for number in range(debates):
                        writer.debates.record(f"d{number}", {"base": 0.4, f"agent {number}": 0.6}, domain="law")
                        version = ledger.pools.versions()["agents"]
                        at[version] = counts(ledger)
                        acknowledged.append(version)
                finally:
                    done.set()

            thread = threading.Thread(target=write)
            thread.start()
            answers = []
            while not done.is_set() or not answers:
                least = acknowledged[-1]
                answers += [(least, reader.agents.board(limit=100)), (least, reader.agents.board(domain="", by="elo"))]
                seen = reader.agents.get("base")
                answers_of_agent = (seen.version, (seen.row.elo, seen.row.debates))
                thread.join(0)
                at_version = at.get(answers_of_agent[0])
                assert at_version is None or at_version["base"] == answers_of_agent[1]
            thread.join()
    assert len(at) == 1 + debates
    for least, answer in answers:
        rows = {row.agent: (row.elo, row.debates) for row in answer.rows}
        assert answer.version >= least, "an answer is never older than the question"
        assert (rows, answer.agents, answer.debates) == (at[answer.version], len(rows), len(rows) - 1)
        fitted = {row.agent for row in answer.rows if row.strength is not None}
        if answer.fitted is None:
            assert not fitted
        else:
            known = {name for name, (_, met) in at[answer.fitted].items() if met}
            assert answer.fitted <= answer.version
            assert fitted == known, "who came after the fit is listed without a strength"
            assert answer.pending or answer.fitted == answer.version


def test_a_fit_that_is_older_than_the_elo_is_named_and_leaves_nobody_out(
    debated_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = LedgerReader.open(str(shutil.copy(debated_once, tmp_path / "debated.db")))
    go_on = threading.Event()
    try:
        before = settled(lambda: board(library, AgentBoardQuery()))
        settled(lambda: domains(library, "agents"))
        for _ in range(2):  # all threads in which fits are made
            library._background.submit(go_on.wait, 60)
        with Ledger.open(tmp_path / "debated.db") as other:
            Debates(pool_in(other, "agents")).record_match("new", scores={"ada": 0.2, "newcomer": 0.8}, domain="law")
            elo = counts(other)
            version = other.pools.versions()["agents"]
        monkeypatch.setattr(roster, "FIT", 0.01)
        now = board(library, AgentBoardQuery())
        assert (now.version, now.fitted, now.pending) == (version, before.version, True)
        assert {row.agent: (row.elo, row.debates) for row in now.rows} == elo
        (newcomer,) = [row for row in now.rows if row.agent == "newcomer"]
        assert (newcomer.strength, newcomer.rank) == (None, None)
        assert (now.agents, now.debates) == (before.agents + 1, before.debates + 1)
        seen = agent(library, "agents", "newcomer")
        assert (seen.version, seen.fitted, seen.row.elo) == (version, before.version, elo["newcomer"][0])
        law = domains(library, "agents")
        assert (law.version, law.fitted, law.pending) == (version, before.version, True)
        go_on.set()
        after = settled(lambda: board(library, AgentBoardQuery()))
        assert (after.version, after.fitted) == (version, version)
        assert next(row for row in after.rows if row.agent == "newcomer").strength is not None
    finally:
        go_on.set()
        library.close()


def settled(look: Callable[[], Any]) -> Any:
    """What is shown once nothing newer is being made."""
    while True:
        found = look()
        if not found.pending:
            return found


def test_the_matches_and_the_ratings_of_a_tournament_that_is_played_are_of_one_version(
    played: Path, tmp_path: Path
) -> None:
    with Ledger.open(shutil.copy(played, tmp_path / "copy.db"), durable=False) as ledger:
        pool = next(each.id for each in ledger.pools.all() if each.kind is ItemKind.TEXT)
        ids = [item.id for item in ledger.items.all(pool)]
        before = PoolFollower(ledger, pool).state()

        def write() -> None:
            for number in range(60):
                a, b = ids[number % 3], ids[(number + 1) % 3]
                verdict = Verdict(choice=Choice.FIRST, judge="judge")
                comparison = Comparison(call=f"call {number}", first=a, second=b, verdict=verdict)
                pairing = Pairing(a=a, b=b, orders=(Order.AB,))
                ledger.matches.record(pool, Match.of(f"more {number}", pairing, (comparison,), round=1))

        followed, thread, met = PoolFollower(ledger, pool), threading.Thread(target=write), matches(before)
        thread.start()
        while thread.is_alive():
            state = followed.state()
            assert matches(state) - met == 2 * (len(list(state.played.ids())) - len(list(before.played.ids())))
        assert len(list(followed.state().played.ids())) == len(list(before.played.ids())) + 60


def matches(state: Any) -> int:
    """Matches that the running ratings count, once for each side."""
    return sum(rating.matches for rating in state.ratings.values())
