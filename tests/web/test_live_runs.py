"""Tournaments that are begun, watched, paused, stopped and gone on with over HTTP."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient

import paragone
import warm_start
from local_server import soon
from paragone.judges import simulated_judge
from paragone.ledger import Ledger
from paragone.ledger.evidence.tournaments import ADMIN
from paragone.settings import settings
from paragone.tournaments.tournament import Tournament
from paragone.web.config import WebConfig
from paragone.web.runs import run
from paragone.web.runs.active_runs import ActiveRuns

POOL = "tournament-1"
AT = f"/api/v1/pools/{POOL}"
ITEMS = {f"i{number}": f"text {number}" for number in range(6)}
BUDGET = 16
SLOW = "delay=0.4"
"""Of a judge that waits until the test has come in between, however busy the machine is; see ``answers``."""


def made(folder: Path, how: str = "", **options: Any) -> WebConfig:
    """A ledger with a tournament that nobody has run; its judge is simulated, so that every run of it is the same."""
    (folder / "strengths.csv").write_text("id,score\n" + "".join(f"i{n},{n / 2}\n" for n in range(6)))
    judge = options.pop("judge", f"simulated:{folder / 'strengths.csv'}{how and '?'}{how}")
    asked = {"criteria": "longer", "seed": 1, "budget": BUDGET, "confidence": 0.999, **options}
    with Tournament.create(ITEMS, judge=judge, db=folder / "live.db", **asked):
        return WebConfig(db=str(folder / "live.db"))


def begin(client: TestClient, act: str = "run", **limits: float) -> dict[str, Any]:
    told = client.get(f"{AT}/forecast", params=limits)
    assert told.status_code == 200, told.text
    answer = client.post(f"{AT}/{act}", json={**limits, "confirm": told.json()["confirm"]})
    assert answer.status_code == 202, answer.text
    return answer.json()


def until(client: TestClient, fits: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Everything that was seen until the last of it fits."""
    seen, deadline = [], time.monotonic() + 60
    while not seen or not fits(seen[-1]):
        assert time.monotonic() < deadline, seen[-1]
        seen.append(client.get(f"{AT}/live").json())
        time.sleep(0.02)  # what is new is fitted for each look
    return seen


def at_rest(view: dict[str, Any]) -> bool:
    return view["condition"] not in {"beginning", "running", "pausing", "stopping", "elsewhere"}


def rested(client: TestClient) -> dict[str, Any]:
    """What is shown once its run has ended."""
    wait([future for _, future in list(client.app.state.runs._runs.values())], timeout=60)  # type: ignore[attr-defined]
    return until(client, at_rest)[-1]


def played(config: WebConfig) -> list[tuple[str, str, str, str]]:
    with Ledger.open(config.db) as ledger:
        return [(one.match.id, one.match.a, one.match.b, one.match.outcome.value) for one in ledger.matches.all(POOL)]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Judges with a delay wait until it is set, and then no longer."""
    may_come = threading.Event()

    async def delayed(seconds: float) -> None:
        await asyncio.to_thread(may_come.wait, 60)

    monkeypatch.setattr(simulated_judge, "asyncio", SimpleNamespace(sleep=delayed))
    return may_come


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, str, str]]:
    """The matches of the same tournament, run in one go without a server."""
    folder = tmp_path_factory.mktemp("undisturbed")
    config = made(folder)
    with Tournament.open(config.db, POOL) as tournament:
        tournament.run()
    return played(config)


def test_a_run_is_watched_from_its_start_to_its_end(tmp_path, client_of, undisturbed, answers):
    config = made(tmp_path, SLOW)
    client = client_of(config)
    before = client.get(f"{AT}/live").json()
    assert (before["condition"], before["acts"], before["budget"]["remaining"]) == ("new", ["run"], BUDGET)
    assert before["will_stop"][1] == f"when its budget of {BUDGET} decisions is spent: 0 so far"
    begin(client)
    seen = until(client, lambda view: view["condition"] == "running" and bool(view["open"]))
    anew, page = '<noscript><meta http-equiv="refresh"', AT.removeprefix("/api/v1") + "/live"
    assert anew in client.get(page).text, "without scripts the page loads itself again"
    answers.set()
    seen += until(client, at_rest)
    assert anew not in client.get(page).text
    answered = [view["budget"]["answered"] for view in seen]
    assert answered == sorted(answered)
    last = seen[-1]
    assert (last["condition"], last["budget"]["answered"], last["budget"]["remaining"]) == ("finished", BUDGET, 0)
    assert last["stopped"] == f"the budget of {BUDGET} comparisons is spent"
    assert sum(one["played"] for one in last["rounds"]) == BUDGET
    until(client, lambda view: not view["pending"] and bool(view["settling"]))
    assert played(config) == undisturbed
    assert client.post(f"{AT}/audit").json()["ok"]


def test_nothing_is_begun_before_somebody_says_yes_to_its_price(tmp_path, client_of):
    config = made(tmp_path)
    client = client_of(config)
    told = client.get(f"{AT}/forecast").json()
    assert (told["expected"]["decisions"], told["done"], told["expected"]["dollars"]) == (BUDGET, 0, 0.0)
    for body in ({}, {"confirm": "yes"}, {"confirm": told["confirm"], "budget": 12}):
        answer = client.post(f"{AT}/run", json=body)
        assert (answer.status_code, "nothing was spent" in answer.json()["detail"]) == (409, True)
    assert "at most 12 decisions" in client.post(f"{AT}/run", json={"budget": 12}).json()["detail"]
    assert client.get(f"{AT}/live").json()["condition"] == "new"
    assert played(config) == []


def test_limits_come_with_the_run_and_are_on_record(tmp_path, client_of, library_of):
    client = client_of(made(tmp_path))
    begin(client, budget=5)
    last = rested(client)
    assert (last["budget"]["answered"], last["budget"]["most"], last["by"]) == (5, 5, "local")
    begin(client, budget=7, max_tokens=10**6)
    again = rested(client)
    assert (again["stopped"], again["budget"]["answered"]) == ("the budget of 7 comparisons is spent", 7)
    events = library_of(tmp_path / "live.db").ledger.tournaments.events(POOL)
    acts = [event.detail for event in events if event.kind == ADMIN]
    assert acts == [
        {"by": "local", "act": "run", "budget": 5},
        {"by": "local", "act": "run", "budget": 7, "max_tokens": 10**6},
    ]


@pytest.mark.parametrize(
    "limits", [{"budget": 0}, {"confidence": 1}, {"max_cost": -1}, {"budget": "many"}, {"judge": "command:rm"}]
)
def test_limits_that_cannot_be_are_refused_and_so_is_a_judge(tmp_path, client_of, limits):
    client = client_of(made(tmp_path))
    assert client.post(f"{AT}/run", json={**limits, "confirm": "x"}).status_code == 422
    if "judge" not in limits:
        assert client.get(f"{AT}/forecast", params=limits).status_code == 422


def test_a_pause_keeps_what_was_answered_and_a_resume_plays_the_same_matches(tmp_path, client_of, undisturbed, answers):
    config = made(tmp_path, SLOW)
    client = client_of(config)
    begin(client)
    until(client, lambda view: view["in_flight"] > 0)
    assert client.post(f"{AT}/pause", json={}).status_code == 202
    answers.set()
    paused = rested(client)
    assert (paused["condition"], paused["stopped"]) == ("paused", "paused by local")
    assert paused["acts"] == ["resume", "run"]
    assert paused["budget"]["spending"]["decisions"] == paused["budget"]["answered"] > 0
    assert paused["budget"]["remaining"] > 0
    assert client.post(f"{AT}/resume", json={}).status_code == 409
    begin(client, "resume")
    last = rested(client)
    assert (last["condition"], last["budget"]["spending"]["decisions"]) == ("finished", BUDGET)
    assert played(config) == undisturbed
    over = client.post(f"{AT}/resume", json={"confirm": "x"})
    assert (over.status_code, "is over" in over.json()["detail"]) == (409, True)


def test_a_stop_waits_for_no_answer(tmp_path, client_of):
    config = made(tmp_path, "delay=100")
    client = client_of(config)
    begin(client)
    flying = until(client, lambda view: view["in_flight"] > 0 and view["open"])[-1]
    assert (flying["open"][0]["in_flight"], flying["open"][0]["seconds"] is not None) == (True, True)
    client.post(f"{AT}/pause")
    assert client.get(f"{AT}/live").json()["condition"] == "pausing"
    began = time.monotonic()
    client.post(f"{AT}/stop")
    last = rested(client)
    assert time.monotonic() - began < 30
    assert (last["condition"], last["budget"]["spending"]["decisions"]) == ("stopped", 0)


def test_there_is_one_run_of_a_tournament(tmp_path, client_of):
    client = client_of(made(tmp_path, "delay=100"))
    begin(client)
    again = client.post(f"{AT}/run", json={"confirm": "x"})
    assert (again.status_code, "played already" in again.json()["detail"]) == (409, True)
    client.post(f"{AT}/stop")
    rested(client)


def test_of_two_who_begin_at_once_one_is_refused_limits_and_all(tmp_path, client_of, library_of, monkeypatch):
    client, ledger = client_of(made(tmp_path)), library_of(tmp_path / "live.db").ledger
    told = client.get(f"{AT}/forecast", params={"budget": 5}).json()
    monkeypatch.setattr(
        ActiveRuns, "_refuse_running", lambda *_: None
    )  # the other one begins right after it was looked
    with ledger.tournaments.claim(POOL):
        late = client.post(f"{AT}/run", json={"budget": 5, "confirm": told["confirm"]})
    assert (late.status_code, "somebody else" in late.json()["detail"]) == (409, True)
    assert [event.kind for event in ledger.tournaments.events(POOL)] == ["started"]
    assert client.get(f"{AT}/live").json()["budget"]["most"] == BUDGET


def test_a_run_of_somebody_else_is_shown_as_such_and_left_alone(tmp_path, client_of, library_of):
    client = client_of(made(tmp_path))
    with library_of(tmp_path / "live.db").ledger.tournaments.claim(POOL):
        view = client.get(f"{AT}/live").json()
        assert (view["condition"], view["acts"]) == ("elsewhere", [])
        for act in ("run", "resume", "pause", "stop"):
            answer = client.post(f"{AT}/{act}", json={"confirm": "x"} if act in {"run", "resume"} else {})
            assert answer.status_code == 409, answer.text
    idle = client.post(f"{AT}/pause")
    assert (idle.status_code, "nobody is running" in idle.json()["detail"]) == (409, True)
    assert "has not begun" in client.post(f"{AT}/resume", json={"confirm": "x"}).json()["detail"]


def test_a_wish_reaches_a_run_in_another_process_of_the_server(tmp_path, client_of, monkeypatch):
    monkeypatch.setattr(run, "LOOK", 0.02)
    config = made(tmp_path, "delay=100")
    one, other = client_of(config), client_of(config)  # each with its own connections: only the ledger joins them
    begin(one)
    until(one, lambda view: view["in_flight"] > 0)
    seen = other.get(f"{AT}/live").json()
    assert (seen["condition"], seen["acts"], seen["by"]) == ("running", ["pause", "stop"], "local")
    assert other.post(f"{AT}/stop").status_code == 202
    assert until(other, at_rest)[-1]["stopped"] == "stopped by local"


def test_a_server_that_ends_ends_its_runs_in_order(tmp_path, client_of, undisturbed, answers, monkeypatch):
    begin_to_end = ActiveRuns.begin_to_end
    monkeypatch.setattr(ActiveRuns, "begin_to_end", lambda runs: (begin_to_end(runs), answers.set()))
    config = made(tmp_path, SLOW)
    client = client_of(config)
    begin(client)
    until(client, lambda view: view["in_flight"] > 0)
    client.__exit__(None, None, None)
    with Ledger.open(config.db) as ledger:
        assert not ledger.tournaments.is_claimed(POOL)
    after = client_of(config)
    view = after.get(f"{AT}/live").json()
    assert (view["condition"], view["stopped"]) == ("stopped", "the server ended")
    begin(after, "resume")
    rested(after)
    assert played(config) == undisturbed


_SERVER = """
import asyncio, itertools, os, sys, time
from types import SimpleNamespace
from paragone.judges import simulated_judge
from paragone.web.middleware.access_tokens import LOCAL
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.runs.active_runs import ActiveRuns
print(os.getpid(), flush=True)
questions = itertools.count()

async def delayed(seconds):  # all but the first are in flight when it is killed
    await asyncio.sleep(0.0 if next(questions) < 5 else 100.0)

simulated_judge.asyncio = SimpleNamespace(sleep=delayed)
room = ActiveRuns(LedgerReader.open(sys.argv[1]))
room.begin("tournament-1", LOCAL, {}, room.quote("tournament-1", {}).confirm)
time.sleep(100)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_server_that_is_killed_loses_nothing(tmp_path, client_of, undisturbed):
    config = made(tmp_path, SLOW)
    command = [warm_start.python(), "-c", _SERVER, config.db]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    server = int(process.stdout.readline())
    with Ledger.open(config.db) as ledger:
        deadline = time.monotonic() + 60
        while ledger.tournaments.spending(POOL).decisions < 4 and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(server, signal.SIGKILL)
        process.communicate()
        kept = ledger.tournaments.spending(POOL).decisions
    assert 4 <= kept < BUDGET
    client = client_of(config)
    view = client.get(f"{AT}/live").json()
    assert (view["condition"], view["acts"], view["budget"]["answered"]) == ("interrupted", ["resume", "run"], kept)
    begin(client, "resume")
    last = rested(client)
    assert last["condition"] == "finished"
    assert played(config) == undisturbed


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        (lambda first, second, criteria: "first", "was given by a program"),
        ("human", "asks a person at a terminal"),
    ],
)
def test_judges_that_no_server_can_ask_are_refused_with_what_to_do(tmp_path, client_of, judge, words):
    client = client_of(made(tmp_path, judge=judge))
    view = client.get(f"{AT}/live").json()
    assert (view["acts"], words in view["cannot"]) == ([], True)
    assert f"paragone resume {POOL}" in view["cannot"]
    answer = client.post(f"{AT}/run", json={"confirm": "x"})
    assert (answer.status_code, words in answer.json()["detail"]) == (422, True)


def test_a_pool_that_people_vote_on_needs_no_run(client_of, tmp_path):
    client = client_of(WebConfig(db=str(tmp_path / "people.db")))
    client.post("/api/v1/pools", json={"name": "p", "criteria": "c", "items": [{"text": "one"}, {"text": "two"}]})
    view = client.get("/api/v1/pools/p-1/live").json()
    assert (view["acts"], "people judge this one" in view["cannot"]) == ([], True)


def test_what_breaks_a_run_is_told(tmp_path, client_of):
    config = made(tmp_path)
    (tmp_path / "strengths.csv").unlink()
    client = client_of(config)
    assert client.get(f"{AT}/forecast").status_code >= 422
    assert client.get(f"{AT}/live").json()["condition"] == "new"


def test_a_judge_that_is_out_stops_the_run_in_words(tmp_path, client_of, monkeypatch):
    once = replace(settings(), attempts=1)  # between others it rests for seconds
    monkeypatch.setattr("paragone.web.runs.active_runs.settings", lambda: once)
    client = client_of(made(tmp_path, "failures=1"))
    begin(client)
    last = rested(client)
    assert last["condition"] == "stopped"
    assert "the judge" in last["stopped"]
    assert soon(lambda: client.app.state.runs._runs == {}), "a run that has ended holds no tournament"


def test_a_tournament_of_hypotheses_plays_a_session(tmp_path, client_of):
    system = paragone.TournamentSystemConfig() if hasattr(paragone, "TournamentSystemConfig") else None
    client = client_of(made(tmp_path, "", pairing="weighted", budget=None, confidence=0.9, system=system))
    begin(client, budget=6)
    last = rested(client)
    assert last["budget"]["answered"] <= 6
    assert last["round"] >= 1
