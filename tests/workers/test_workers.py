"""Tournaments that workers judge, on a real PostgreSQL with real processes."""

import asyncio
import json
import os
import re
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
from paragone.errors import Busy
from paragone.judges.base import Wrapper
from paragone.judges.call_options import CallOptions
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Ledger
from paragone.ledger.records import AskedQuestion, WorkerRecord
from paragone.tournaments.running.exclusive import ClaimLost
from paragone.tournaments.tournament import Tournament

pytestmark = pytest.mark.slow


def rank(name: str, judge: str, *more: object) -> tuple[object, ...]:
    """A command; criteria of its own, or what was judged in another tournament of the ledger would not be asked."""
    criteria = f"clarity {name}"
    options = ("--seed", 7, "--quiet", "--json", "--budget", 18)
    return "rank", "items.txt", "-c", criteria, *options, "--judge", judge, "--name", name, *more


def evidence(url: str, tournament: str) -> Any:
    """Matches, plans and ratings of a tournament, of which its board is made, as JSON texts."""
    with Tournament.open(url, tournament) as opened:
        matches = [(match.id, match.a, match.b, str(match.outcome), [
            (each.call, each.first, each.second, str(each.verdict.choice), each.verdict.judge)
            for each in match.comparisons
        ]) for match in opened.state.played]  # fmt: skip
        ratings = sorted(map(str, opened.ledger.ratings.all(tournament).values()))
        return json.dumps([matches, [str(each) for each in opened.state.rounds], ratings])


def test_several_workers_judge_as_one_process_does(crew: Any) -> None:
    here, others = crew.folder / "here.db", crew.folder / "others"
    crew.all_end(
        crew.run(*rank("pairs", "noted", "--workers")),
        crew.run(*rank("pairs", "python:noted:judge", "--db", here), CALLS=others),
    )
    assert evidence(crew.url, "pairs-1") == evidence(str(here), "pairs-1")
    calls = crew.calls()
    assert len(calls) == len(others.read_text().splitlines()) > 12

    with Ledger.open(crew.url) as ledger:
        assert ledger.audit().ok
    dumped = everything(crew.url)
    assert "noted" in dumped
    assert crew.secret not in dumped

    shown = json.loads(crew.ends(crew.run("workers", "--json")))
    with Ledger.open(crew.url) as ledger:  # a worker says so with its next sign of life
        crew.until(lambda: sum(worker.answered for worker in ledger.remote_judging.workers()) >= len(calls))
    assert [worker["judges"] for worker in shown["workers"]] == [
        ["lists", "model", "noted", "panel", "slow", "thinker"]
    ] * 2


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


def test_what_a_killed_worker_had_is_asked_elsewhere_and_nothing_answered_is_asked_again(crew: Any) -> None:
    """Beside it a run whose workers share a budget of tokens: that holds over the kill, too."""
    limit = 8_000
    victim = crew.worker(CALLS=crew.folder / "of-the-victim")
    asked = crew.run(*rank("asked", "slow", "--workers"))
    limited = crew.run(*rank("limited", "thinker", "--workers", "--max-tokens", limit, "--budget", 200))
    crew.until(lambda: len(crew.calls("of-the-victim")) > 2 and crew.thinker.count.requests > 5)
    killed(victim)
    crew.all_end(asked, limited)

    made = texts_of(crew.calls("of-the-victim"))
    calls = Counter(texts_of(crew.calls()) + made)
    twice = {call for call, count in calls.items() if count > 1}
    assert len(twice) <= 4  # those that it had in flight
    assert twice <= set(made)
    with Ledger.open(crew.url) as ledger:
        assert ledger.audit().ok
        billed = crew.thinker.count.input_tokens + crew.thinker.count.output_tokens
        assert 0.5 * limit < billed <= limit
        assert ledger.tournaments.spending("limited-1").tokens <= billed
    assert set(answered(crew.url, "asked-1")) >= calls.keys()  # of all that was asked the answer is there


def test_a_standby_takes_over_from_a_planner_that_is_killed(crew: Any) -> None:
    planner = crew.run(*rank("watched", "slow", "--workers"))
    crew.until(lambda: len(crew.calls()) > 1)
    standby = crew.run("resume", "watched-1", "--workers", "--json", "--quiet")
    crew.until(lambda: "standing by" in crew.words(standby))
    killed(planner)
    words = crew.ends(standby)
    assert "taking over watched-1" in words
    assert max(Counter(texts_of(crew.calls())).values()) == 1  # those under way at the workers went on


def texts_of(calls: list[Any]) -> list[str]:
    """The texts that each call was about."""
    return [f"{first} {second}" for _, _, first, second in calls]


def answered(url: str, tournament: str) -> list[str]:
    """The texts of the answers on record."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT one.text, other.text FROM comparison JOIN item AS one ON one.item = comparison.first "
            "JOIN item AS other ON other.item = comparison.second WHERE comparison.choice <> 'failed' "
            "AND comparison.pool = %s AND one.pool = comparison.pool AND other.pool = comparison.pool",
            [tournament],
        ).fetchall()
    return [f"{first} {second}" for first, second in rows]


def killed(process: Any) -> None:
    """Kill a process as the system does when memory runs out."""
    process.kill()
    process.wait()


def test_a_worker_with_another_judge_of_the_same_name_is_refused(crew: Any) -> None:
    refused = crew.run("worker", "--judges", crew.judges("other.toml", {"noted": "simulated:strengths.csv"}))
    assert refused.wait(30) == 2
    assert "a judge is the same judge whichever worker asks it" in crew.words(refused)


def test_a_planner_waits_for_a_worker_that_has_its_judge(crew: Any) -> None:
    run = crew.run(*rank("waiting", "late", "--workers"))
    crew.until(lambda: "waiting for a worker that has the judge 'late'" in crew.words(run))
    crew.worker(judges=crew.judges("late.toml", {"late": "python:noted:judge"}))
    crew.ends(run)


def test_no_call_begins_before_its_turn_over_all_workers(crew: Any) -> None:
    """A busy machine makes calls late, and so closer to the next, but none early."""
    with noted_turns(crew.url) as turns:
        crew.ends(crew.run(*rank("paced", "noted", "--workers", "--per-minute", 3600)))
        noted = turns()
    times = sorted(time for time, *_ in crew.calls())
    assert len(times) > 12
    # Sixty a second, whoever asks, and none saved up while nobody did.
    assert all(after - max(before, begun) > 1 / 60 - 0.0001 for begun, before, after in noted)
    first = noted[0][0]
    assert all(time > first + turn / 60 - 0.001 for turn, time in enumerate(times))


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
        connection.execute("DROP TRIGGER note_turn ON judging; DROP FUNCTION note_turn; DROP TABLE turn")


def test_workers_hold_debates_as_one_process_does(crew: Any) -> None:
    here, spec = crew.folder / "debates.db", f"llm:any@{crew.model.url}"
    config = ("rounds_per_session=1", "matches_per_round=3", "multi_turn_threshold=1000")
    options = (*(part for value in config for part in ("--set", value)), "--seed", 3, "--similarity", "none")
    new, run = ("tournament", "new", "items.txt"), ("tournament", "run")
    crew.all_end(
        crew.run(*new, "--judge", "workers:model", "--name", "debates", *options),
        crew.run(*new, "--judge", spec, "--name", "here", *options, "--db", here),
    )
    crew.all_end(
        crew.run(*run, "debates-1", "--quiet", "--workers"),
        crew.run(*run, "here-1", "--quiet", "--db", here),
    )
    assert evidence(crew.url, "debates-1") == evidence(str(here), "here-1")
    with Ledger.open(crew.url) as remote, Ledger.open(here) as local:
        turns = [sorted((turn.call, turn.number, turn.content) for turn in ledger.tournaments.turns(id))
                 for ledger, id in ((remote, "debates-1"), (local, "here-1"))]  # fmt: skip
        assert turns[0] == turns[1] != []
        assert remote.audit().ok


def test_workers_order_lists_and_share_panels(crew: Any) -> None:
    options = {"lists": ("--group-size", 4, "--budget", 8), "panel": ("--budget", 10)}
    specs = {"lists": "simulated:strengths.csv", "panel": crew.panel}
    crew.all_end(
        *(crew.run(*rank(name, name, "--workers", *more)) for name, more in options.items()),
        *(
            crew.run(*rank(name, specs[name], "--db", crew.folder / f"{name}.db", *more))
            for name, more in options.items()
        ),
    )
    for name in options:
        assert evidence(crew.url, f"{name}-1") == evidence(str(crew.folder / f"{name}.db"), f"{name}-1")


def test_a_job_that_names_a_judge_off_the_list_is_refused(crew: Any) -> None:
    spare = crew.worker(judges=crew.judges("secret.toml", {"secret": "python:noted:slow"}))
    run = crew.run(*rank("secret", "secret", "--workers"))
    crew.until(crew.calls)
    killed(spare)
    import psycopg

    with psycopg.connect(crew.url, autocommit=True) as connection:  # as somebody who can write jobs might
        connection.execute("UPDATE procrastinate_jobs SET queue_name = 'judge noted'")
    assert run.wait(60) == 2
    assert "this worker has no judge 'secret'; it has lists" in crew.words(run)
    assert any("was refused" in crew.words(worker) for worker in crew.workers)


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
        workers = site.team(2)
        here, others = site.folder / "here.db", site.folder / "others"
        alone = site.run(*rank("remote", "python:noted:slow", "--db", here), CALLS=others)
        planner = site.run(*rank("remote", "slow", "--workers"))
        site.until(lambda: len(site.calls()) > 5)
        standby = site.run("resume", "remote-1", "--workers", "--json", "--quiet")
        site.until(lambda: "standing by" in site.words(standby))
        server.crash()
        server.start()
        calls = len(site.calls())
        site.until(lambda: len(site.calls()) > calls + 4 or planner.poll() is not None)
        killed(planner)
        site.ends(standby, 90)
        site.ends(alone)
        assert evidence(site.url, "remote-1") == evidence(str(here), "remote-1")
        made = Counter(texts_of(site.calls()))
        assert sum(made.values()) - len(made) <= 8, "at most what both workers had in flight"
        with Ledger.open(site.url) as ledger:
            assert ledger.audit().ok
        server.crash()
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
        for worker in workers:
            words = site.ends(worker, 15)
            assert "Traceback" not in words, words
            assert "connecting in" not in words
            assert re.search(r"ended: \d+ questions answered.*the ledger cannot be reached", words)
    finally:
        site.close()
        server.remove()


class Slow(Wrapper):
    """A judge that takes its time."""

    async def compare(self, question: Question) -> Verdict:
        await asyncio.sleep(0.05)
        return await super().compare(question)


def _took(ledger: Ledger, tournament: str, claims: ExitStack) -> bool:
    try:
        claims.enter_context(ledger.tournaments.claim(tournament))
    except Busy:
        return False
    return True


@pytest.mark.parametrize("taken", [True, False], ids=["taken", "free"])
def test_a_run_that_lost_its_claim_takes_it_again_or_ends(
    ledger_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch, taken: bool
) -> None:
    """Two that plan would collect each other's answers."""
    monkeypatch.setattr("paragone.tournaments.running.exclusive.CLAIM_WATCH", 0.1)
    items, url = {f"i{number}": f"text {number}" for number in range(8)}, ledger_url()
    judge = Slow(SimulatedJudge({id: 1.0 * number for number, id in enumerate(items)}))

    async def play() -> None:
        with Tournament.create(items, judge=judge, criteria="c", db=url, budget=200, confidence=0.9999) as tournament:
            id = tournament.state.id
            run = asyncio.create_task(tournament.arun(pace=CallOptions(concurrency=2)))
            while len(tournament.state.played) < 2:  # noqa: ASYNC110 - nothing says it
                await asyncio.sleep(0.02)
            with ExitStack() as other, Ledger.open(url) as ledger:
                assert await asyncio.to_thread(end_claims, url)
                while taken and not _took(ledger, id, other):  # the run was first to take it again
                    await asyncio.to_thread(end_claims, url)
                if taken:
                    with pytest.raises(ClaimLost, match="being run by"):
                        await asyncio.wait_for(run, 20)
                    return
                end = time.monotonic() + 20
                while not ledger.tournaments.is_claimed(id):
                    assert time.monotonic() < end
                    await asyncio.sleep(0.02)
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
