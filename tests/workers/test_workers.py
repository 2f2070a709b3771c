"""Tournaments that workers judge, on a real PostgreSQL with real processes."""

import asyncio
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

import local_postgres
from paragone.domain import Item, Question, RatingConfig, Verdict
from paragone.judges.base import Wrapper
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Ledger
from paragone.ledger.records import AskedQuestion, WorkerRecord
from paragone.tournaments.running.exclusive import ClaimLost
from paragone.tournaments.tournament import Tournament
from paragone.tournaments.tournament_settings import CallOptions
from scripted_endpoint import Model, ScriptedEndpoint

pytestmark = pytest.mark.slow

RANK = ("rank", "items.txt", "-c", "clarity", "--seed", 7, "--quiet", "--json", "--budget", 30)
SECRET = "sk-do-not-tell-anybody"


def evidence(url: str, tournament: str) -> Any:
    """Board, matches and plans of a tournament, as JSON texts."""
    with Tournament.open(url, tournament) as opened:
        matches = [(match.id, match.a, match.b, str(match.outcome), [
            (each.call, each.first, each.second, str(each.verdict.choice), each.verdict.judge)
            for each in match.comparisons
        ]) for match in opened.state.played]  # fmt: skip
        board = [(row.rank, row.id, row.rating, row.low, row.high, row.elo) for row in opened.board().items]
        return json.dumps([matches, [str(each) for each in opened.state.rounds], board])


def test_several_workers_judge_as_one_process_does(site: Any) -> None:
    workers = [site.worker(SPARE_KEY=SECRET) for _ in range(2)]
    site.ends(site.run(*RANK, "--judge", "noted", "--workers", "--name", "remote"))
    here, others = site.folder / "here.db", site.folder / "others"
    site.ends(site.run(*RANK, "--judge", "python:noted:judge", "--name", "here", "--db", here, CALLS=others))
    assert evidence(site.url, "remote-1") == evidence(str(here), "here-1")
    calls = site.calls()
    assert len(calls) == len(others.read_text().splitlines()) > 20

    with Ledger.open(site.url) as ledger:
        assert ledger.audit().ok
    dumped = everything(site.url)
    assert "noted" in dumped
    assert SECRET not in dumped

    shown = json.loads(site.ends(site.run("workers", "--json")))
    with Ledger.open(site.url) as ledger:  # a worker says so with its next sign of life
        site.until(lambda: sum(worker.answered for worker in ledger.remote_judging.workers()) >= len(calls))
    assert [worker["judges"] for worker in shown["workers"]] == [["noted"]] * 2
    for worker in workers:
        worker.send_signal(signal.SIGINT)
    words = [site.ends(worker) for worker in workers]
    assert all("questions answered" in each for each in words)
    assert "no worker is there" in site.ends(site.run("workers"))


def everything(url: str) -> str:
    """All rows of all tables that are not evidence, procrastinate's included."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        names = [
            "question",
            "worker",
            "worker_judge",
            "judging",
            "reservation",
            "procrastinate_jobs",
            "procrastinate_workers",
        ]
        rows = {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
    return "\n".join(f"{name}: {rows[name]}" for name in names)


def test_what_a_killed_worker_had_is_asked_elsewhere_and_nothing_answered_is_asked_again(site: Any) -> None:
    for _ in range(3):
        site.worker(DELAY=0.3)
    run = site.run(*RANK, "--judge", "noted", "--workers")
    site.until(lambda: len(site.calls()) > 15)
    victim = site.calls()[0][1]
    os.kill(victim, signal.SIGKILL)
    site.ends(run)
    calls = Counter(f"{first} {second}" for _, _, first, second in site.calls())
    twice = {call for call, count in calls.items() if count > 1}
    assert len(twice) <= 4  # those that it had in flight
    assert twice <= {f"{first} {second}" for _, process, first, second in site.calls() if process == victim}
    with Ledger.open(site.url) as ledger:
        assert ledger.audit().ok
        recorded = {answer for answer in asked_of(site.url) if answer}
    assert recorded >= calls.keys()  # of all that was asked the answer is there


def test_a_standby_takes_over_from_a_planner_that_is_killed(site: Any) -> None:
    site.worker(DELAY=0.2)
    planner = site.run(*RANK, "--judge", "noted", "--workers")
    site.until(lambda: len(site.calls()) > 5)
    standby = site.run("resume", "--workers", "--json", "--quiet")
    site.until(lambda: "standing by" in site.words(standby))
    killed(planner)
    words = site.ends(standby)
    assert "taking over items-1" in words
    calls = Counter(f"{first} {second}" for _, _, first, second in site.calls())
    assert max(calls.values()) == 1  # those under way at the worker went on
    again = site.run("resume", "--workers", "--json", "--quiet")
    site.ends(again)


def asked_of(url: str) -> list[str]:
    """The texts of the answers on record."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT one.text, other.text FROM comparison JOIN item AS one ON one.item = comparison.first "
            "JOIN item AS other ON other.item = comparison.second WHERE comparison.choice <> 'failed'"
        ).fetchall()
    return [f"{first} {second}" for first, second in rows]


def killed(process: Any) -> None:
    """Kill a process as the system does when memory runs out."""
    process.kill()
    process.wait()


def test_a_worker_with_another_judge_of_the_same_name_is_refused(site: Any) -> None:
    site.worker()
    (site.folder / "other.toml").write_text('noted = "simulated:strengths.csv"\n')
    strengths = "".join(f"{number + 1},{number}\n" for number in range(12))
    (site.folder / "strengths.csv").write_text(f"id,strength\n{strengths}")
    refused = site.run("worker", "--judges", "other.toml")
    assert refused.wait(30) == 2
    assert "a judge is the same judge whichever worker asks it" in site.words(refused)


def test_a_planner_waits_for_a_worker_that_has_its_judge(site: Any) -> None:
    run = site.run(*RANK, "--judge", "noted", "--workers")
    site.until(lambda: "waiting for a worker that has the judge 'noted'" in site.words(run))
    site.worker()
    site.ends(run)


def test_no_call_begins_before_its_turn_over_all_workers(site: Any) -> None:
    """A busy machine makes calls late, and so closer to the next, but none early."""
    for _ in range(2):
        site.worker()
    with noted_turns(site.url) as turns:
        site.ends(site.run(*RANK, "--judge", "noted", "--workers", "--per-minute", 600))
        noted = turns()
    times = sorted(time for time, *_ in site.calls())
    assert len(times) > 20
    # Ten a second, whoever asks, and none saved up while nobody did.
    assert all(after - max(before, begun) > 0.0999 for begun, before, after in noted)
    first = noted[0][0]
    assert all(time > first + turn / 10 - 0.001 for turn, time in enumerate(times))


@contextmanager
def noted_turns(url: str) -> Iterator[Callable[[], list[tuple[float, float, float]]]]:
    """Have the server note when turns were asked for, and the next free one before and after, by its clock: ours."""
    import psycopg

    note = """
        CREATE TABLE turn (begun float, before float, after float);
        CREATE FUNCTION note_turn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO turn VALUES (extract(epoch FROM now()), OLD.next_start, NEW.next_start);
            RETURN NEW;
        END $$;
        CREATE TRIGGER note_turn AFTER UPDATE OF next_start ON judging FOR EACH ROW EXECUTE FUNCTION note_turn();
    """
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(note)
        yield lambda: connection.execute("SELECT begun, before, after FROM turn ORDER BY after").fetchall()


def test_a_budget_of_tokens_holds_over_workers_and_a_kill(site: Any) -> None:
    limit = 12_000
    with ScriptedEndpoint(Model(seconds=0.3, thinks=150)) as endpoint:
        (site.folder / "judges.toml").write_text(f'model = "llm:any@{endpoint.url}"\n')
        workers = [site.worker() for _ in range(3)]
        run = site.run(*RANK, "--judge", "model", "--workers", "--max-tokens", limit, "--budget", 200)
        site.until(lambda: endpoint.count.requests > 10)
        killed(workers[0])
        assert run.wait(60) == 0, site.words(run)
        billed = endpoint.count.input_tokens + endpoint.count.output_tokens
    assert 0.5 * limit < billed <= limit
    with Ledger.open(site.url) as ledger:
        assert ledger.tournaments.spending("items-1").tokens <= billed


def test_workers_hold_debates_as_one_process_does(site: Any) -> None:
    with ScriptedEndpoint() as endpoint:
        spec = f"llm:any@{endpoint.url}"
        (site.folder / "judges.toml").write_text(f'model = "{spec}"\n')
        for _ in range(2):
            site.worker()
        here = site.folder / "here.db"
        config = (
            "--set",
            "rounds_per_session=2",
            "--set",
            "matches_per_round=4",
            "--set",
            "multi_turn_threshold=1000",
            "--seed",
            3,
            "--similarity",
            "none",
        )
        for name, judge, more in (("remote", "workers:model", ()), ("here", spec, ("--db", here))):
            site.ends(site.run("tournament", "new", "items.txt", "--judge", judge, "--name", name, *config, *more))
            flags = ("--workers",) if name == "remote" else ()
            site.ends(site.run("tournament", "run", f"{name}-1", "--quiet", *flags, *more))
    assert evidence(site.url, "remote-1") == evidence(str(here), "here-1")
    with Ledger.open(site.url) as remote, Ledger.open(here) as local:
        turns = [sorted((turn.call, turn.number, turn.content) for turn in ledger.tournaments.turns(id))
                 for ledger, id in ((remote, "remote-1"), (local, "here-1"))]  # fmt: skip
        assert turns[0] == turns[1] != []
        assert remote.audit().ok


def test_workers_order_lists_and_share_panels(site: Any) -> None:
    (site.folder / "strengths.csv").write_text("id,strength\n" + "".join(f"text number {n},{n}\n" for n in range(12)))
    panel = "panel:simulated:strengths.csv?noise=0.1 + simulated:strengths.csv?noise=0.2"
    (site.folder / "judges.toml").write_text(f'lists = "simulated:strengths.csv"\npanel = "{panel}"\n')
    site.worker()
    here = site.folder / "here.db"
    for name, spec, more in (
        ("lists", "simulated:strengths.csv", ("--group-size", 4, "--budget", 12)),
        ("panel", panel, ()),
    ):
        site.ends(site.run(*RANK, "--judge", name, "--workers", "--name", name, *more))
        site.ends(site.run(*RANK, "--judge", spec, "--db", here, "--name", name, *more))
        assert evidence(site.url, f"{name}-1") == evidence(str(here), f"{name}-1")


def test_a_job_that_names_a_judge_off_the_list_is_refused(site: Any) -> None:
    worker = site.worker()
    (site.folder / "secret.toml").write_text('noted = "python:noted:judge"\nsecret = "python:noted:judge"\n')
    run = site.run(*RANK, "--judge", "secret", "--workers")
    spare = site.worker(judges="secret.toml", DELAY=0.5)
    site.until(site.calls)
    killed(spare)
    import psycopg

    with psycopg.connect(site.url, autocommit=True) as connection:  # as somebody who can write jobs might
        connection.execute("UPDATE procrastinate_jobs SET queue_name = 'judge noted'")
    assert run.wait(60) == 2
    assert "this worker has no judge 'secret'; it has noted" in site.words(run)
    assert "was refused" in site.words(worker)


def test_what_a_living_worker_took_for_a_job_that_is_gone_is_asked_again(tmp_path: Path) -> None:
    """A worker whose connection broke drops its jobs, and lives on."""
    queued: list[str] = []

    def also(_: Connection, questions: object) -> None:
        queued.extend(question.call for question in questions)  # type: ignore[attr-defined]

    with Ledger.open(tmp_path / "ledger.db") as ledger:
        items = tuple(Item(id=id, text=id) for id in "ab")
        pool = ledger.tournaments.create("t", settings={}, items=items, config=RatingConfig()).pool
        ledger.remote_judging.register(WorkerRecord(worker="w", host="h", process=1, concurrency=4), [])
        calls = [f"1.{number}.1" for number in range(1, 5)]
        ledger.remote_judging.ask(
            pool, [AskedQuestion(call=call, judge="j", shown=("a", "b"), turns=0) for call in calls], also
        )
        ledger.remote_judging.take(pool, calls[:3], "w")
        ledger.remote_judging.finish(pool, {calls[0]: {"kind": "answered"}})
        queued.clear()
        named = calls[1:2]  # by a job that is under way; no job names the third and the fourth
        assert ledger.remote_judging.abandoned(pool, lambda _: (), also) == 1, "the fourth, which nobody took"
        assert ledger.remote_judging.abandoned(pool, lambda _: [*named, calls[3]], also, by_living=True) == 1
        assert queued == [calls[3], calls[2]]
        assert [question.call for question in ledger.remote_judging.take(pool, calls, "w")] == calls[1:]


def test_planner_standby_and_workers_outlast_a_server_that_dies(site: Any) -> None:
    server = local_postgres.Server()
    site.url = server.url()
    try:
        for _ in range(2):
            site.worker(DELAY=0.15)
        planner = site.run(*RANK, "--judge", "noted", "--workers", "--name", "remote")
        site.until(lambda: len(site.calls()) > 5)
        standby = site.run("resume", "remote-1", "--workers", "--json", "--quiet")
        site.until(lambda: "standing by" in site.words(standby))
        server.crash()
        server.start()
        calls = len(site.calls())
        site.until(lambda: len(site.calls()) > calls + 4 or planner.poll() is not None)
        killed(planner)
        site.ends(standby, 90)
        here, others = site.folder / "here.db", site.folder / "others"
        site.ends(site.run(*RANK, "--judge", "python:noted:judge", "--name", "here", "--db", here, CALLS=others))
        assert evidence(site.url, "remote-1") == evidence(str(here), "here-1")
        made = Counter(f"{first} {second}" for _, _, first, second in site.calls())
        assert sum(made.values()) - len(made) <= 8, "at most what both workers had in flight"
        with Ledger.open(site.url) as ledger:
            assert ledger.audit().ok
    finally:
        site.close()
        server.remove()


class Slow(Wrapper):
    """A judge that takes its time."""

    async def compare(self, question: Question) -> Verdict:
        await asyncio.sleep(0.1)
        return await super().compare(question)


@pytest.mark.parametrize("taken", [True, False], ids=["taken", "free"])
def test_a_run_that_lost_its_claim_takes_it_again_or_ends(ledger_url: Callable[[], str], taken: bool) -> None:
    """Two that plan would collect each other's answers."""
    items, url = {f"i{number}": f"text {number}" for number in range(8)}, ledger_url()
    judge = Slow(SimulatedJudge({id: 1.0 * number for number, id in enumerate(items)}))

    async def play() -> None:
        with Tournament.create(items, judge=judge, criteria="c", db=url, budget=200, confidence=0.9999) as tournament:
            id = tournament.state.id
            run = asyncio.create_task(tournament.arun(pace=CallOptions(concurrency=2)))
            while len(tournament.state.played) < 2:  # noqa: ASYNC110 - nothing says it
                await asyncio.sleep(0.05)
            with ExitStack() as other, Ledger.open(url) as ledger:
                assert await asyncio.to_thread(end_claims, url)
                if taken:
                    other.enter_context(ledger.tournaments.claim(id))
                    with pytest.raises(ClaimLost, match="being run by"):
                        await asyncio.wait_for(run, 20)
                    return
                end = time.monotonic() + 20
                while not ledger.tournaments.is_claimed(id):
                    assert time.monotonic() < end
                    await asyncio.sleep(0.05)
            assert not run.done()
            tournament.gate.close("enough")
            await run

    asyncio.run(play())


def end_claims(url: str) -> int:
    """End the sessions of this process that hold a tournament, as a server does that dies; how many they are."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_locks JOIN pg_stat_activity AS activity USING (pid) "
            "WHERE locktype = 'advisory' AND activity.application_name LIKE %s",
            [f"process {os.getpid()} %"],
        ).fetchone()[0]  # type: ignore[index]
