"""A full disk and a server that is restarted cost no answer that was paid for."""

import asyncio
import os
import stat
import subprocess
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace

import pytest

import local_postgres
import warm_start
import without_board
from paragone.domain import Choice, Comparison, DebateTurn, Item, RatingConfig, Speaker, Stage, Usage, Verdict
from paragone.errors import Busy
from paragone.judges.call_options import CallOptions
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Ledger, PendingEvent, PendingTurn, PendingVerdict
from paragone.tournaments.running.control import Gate, GateClosed
from paragone.tournaments.running.recording import LedgerWriter
from paragone.tournaments.running.spool import Spool
from paragone.tournaments.running.verdict_store import LedgerTurns
from paragone.tournaments.tournament import Tournament

JUDGE = """
import os, time
def judge(first, second, criteria):
    time.sleep(0.01)
    while os.path.exists({hold!r}) and os.path.exists({log!r}) and len(open({log!r}).readlines()) >= 4:
        time.sleep(0.005)
    with open({log!r}, "a") as log:
        log.write(f"{{first.id}} {{second.id}}\\n")
    return "first" if len(first.text) > len(second.text) else "second"
"""


@pytest.fixture
def home(tmp_path):
    """A folder with items, and a judge that notes each call that it is paid for."""
    (tmp_path / "items.csv").write_text("id,text\n" + "".join(f"i{n},{'word ' * n}\n" for n in range(1, 7)))
    return tmp_path


@pytest.fixture
def judged(home):
    """A judge, which waits after its fourth answer while there is a file "hold"; counts its calls by question."""
    log = home / "calls.txt"
    (home / "slow.py").write_text(JUDGE.format(hold=str(home / "hold"), log=str(log)))
    return lambda: Counter(log.read_text().splitlines()) if log.exists() else Counter()


def command(home, *arguments, limit=None, **environment):
    """Begins a command, in which no file may grow beyond a limit where one is given."""
    python = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit or -1}, -1))\n"
        "from paragone.cli import main\n"
        "sys.argv = ['paragone', *sys.argv[1:]]\n"
        "main()\n"
    )
    return subprocess.Popen(
        [warm_start.python(), "-c", python, *map(str, arguments)],
        cwd=home,
        env={**os.environ, "HOME": str(home / "away"), "TMPDIR": str(home), "PYTHONPATH": str(home), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


RANK = ("rank", "items.csv", "--criteria", "longer", "--judge", "python:slow:judge", "--budget", 12, "--seed", 1)


def test_a_server_that_is_restarted_costs_no_answer_and_the_run_ends_well(home, judged):
    (home / "hold").touch()
    server = local_postgres.Server()
    try:
        run = command(home, *RANK, "--db", server.url(), "--concurrency", 2)
        deadline = time.monotonic() + 60
        while judged().total() < 4 and time.monotonic() < deadline:
            time.sleep(0.01)
        server.stop()
        (home / "hold").unlink()
        time.sleep(0.3)  # enough for all twelve, two at a time
        before = judged().total()
        server.start()
        out, err = run.communicate(timeout=60)
        assert run.returncode == 0, err
        assert "waiting for the ledger" in err
        assert before < 12, "nothing is asked while answers cannot be written"
        assert judged().total() == 12
        with Ledger.open(server.url()) as ledger:
            (tournament,) = ledger.tournaments.all()
            assert ledger.tournaments.spending(tournament.id).decisions == 12
            assert ledger.audit().ok
        assert list(home.rglob("*.spool")) == []
        assert out
    finally:
        server.remove()


def test_a_disk_that_stays_full_ends_in_a_message_and_the_next_run_takes_in_what_waited(home, judged):
    Ledger.open(home / "full.db").close()  # so that only its log grows
    run = command(home, *RANK, "--quiet", "--db", "full.db", limit=160_000, PARAGONE_PATIENCE="0.3")
    _, err = run.communicate(timeout=60)
    assert run.returncode == 1, err
    assert "Traceback" not in err
    assert sum(line.startswith("waiting for the ledger: ") for line in err.splitlines()) == 1, "said with --quiet, too"
    assert "the next run takes it in" in err
    (spool,) = home.rglob("*.spool")
    assert stat.S_IMODE(spool.stat().st_mode) == 0o600
    paid = judged()
    resumed = command(home, "resume", "--db", "full.db")
    _, err = resumed.communicate(timeout=60)
    assert resumed.returncode == 0, err
    assert "recovered" in err
    assert list(home.rglob("*.spool")) == []
    assert judged().total() == 12
    assert all(judged()[question] >= count for question, count in paid.items())
    with Ledger.open(home / "full.db") as ledger:
        assert ledger.tournaments.spending("items-1").decisions == 12
        assert ledger.audit().ok


class TestSpool:
    """What waits in a file comes back as it was; what is not ours, or not whole, is left out and said."""

    verdict = Verdict(choice=Choice.FIRST, judge="j", rationale="né \x00 \ud800", usage=Usage(calls=2, cost=0.1))
    waiting = (
        PendingVerdict(answer=Comparison(call="1.1.1", first="i0", second="i1", verdict=verdict), key="k"),
        PendingTurn(
            turn=DebateTurn(
                call="1.2.1", number=1, speaker=Speaker.FIRST, stage=Stage.OPENING, content="I", claims=("c",)
            )
        ),
        PendingEvent(kind="stopped", detail={"reason": "x"}),
    )

    @pytest.fixture
    def record(self):
        with Ledger.open("sqlite://") as ledger:
            items = [Item(id=f"i{n}", text="x") for n in range(2)]
            yield ledger.tournaments.create("t", settings={}, items=items, config=RatingConfig())

    @pytest.fixture
    def filled(self, record, tmp_path):
        spool = Spool(record, (tmp_path,))
        assert all(spool.add(waiting) for waiting in self.waiting)
        return spool

    def test_all_of_it_comes_back(self, record, filled, tmp_path):
        again = Spool(record, (tmp_path,))
        assert tuple(again.take()) == self.waiting
        again.clear()
        assert list(tmp_path.iterdir()) == []

    def test_where_no_folder_takes_it_that_is_said_and_the_next_folder_is_tried(self, record, tmp_path):
        (tmp_path / "file").write_text("")
        assert not Spool(record, (tmp_path / "file",)).add(self.waiting[0])
        assert Spool(record, (tmp_path / "file", tmp_path)).add(self.waiting[0])

    def test_a_disk_without_room_for_a_line_keeps_no_file(self, record, tmp_path, monkeypatch):
        def half(handle, content):
            os.write(handle, content[:10])
            raise OSError("no space left")

        monkeypatch.setattr("paragone.tournaments.running.spool._write_whole", half)
        assert not Spool(record, (tmp_path,)).add(self.waiting[0])
        assert list(tmp_path.iterdir()) == []

    def test_damaged_and_cut_off_lines_are_left_out_and_counted(self, record, filled, tmp_path):
        (path,) = filled.paths
        lines = path.read_text().splitlines()
        path.write_text("\n".join([lines[0], lines[1].replace('"i0"', '"i1"'), lines[2], lines[3][:40]]))
        again = Spool(record, (tmp_path,))
        assert tuple(again.take()) == self.waiting[1:2]
        assert "2 of its lines are damaged" in again.notes[0]

    @pytest.mark.parametrize("size", [0, 1, 60])
    def test_one_whose_writer_was_killed_within_its_first_line_is_removed(self, record, filled, tmp_path, size):
        (path,) = filled.paths
        path.write_bytes(path.read_bytes()[:size])
        again = Spool(record, (tmp_path,))
        assert (again.take(), again.notes) == ([], [])
        again.clear()
        assert again.add(self.waiting[0])
        assert Spool(record, (tmp_path,)).take() == [self.waiting[0]]

    def test_one_that_others_may_write_is_not_taken_in(self, record, filled, tmp_path):
        filled.paths[0].chmod(0o666)
        again = Spool(record, (tmp_path,))
        assert again.take() == []
        assert "others may write it" in again.notes[0]

    def test_one_of_another_tournament_is_not_taken_in(self, record, filled, tmp_path):
        other = replace(record, id="t-2")
        assert Spool(other, (tmp_path,)).take() == []


def test_matches_stay_in_the_order_of_their_plans_where_a_lock_lets_only_some_of_a_batch_through(tmp_path, monkeypatch):
    """A lock that is released between two transactions of one batch: who waited too long fails, the rest is written."""
    judge = SimulatedJudge({f"i{n}": float(n) for n in range(6)}, seed=1)
    items = {f"i{n}": f"item {n}" for n in range(6)}
    tournament = Tournament.create(items, judge=judge, criteria="c", db=tmp_path / "l.db", pairing="round-robin")
    with tournament:
        committer = tournament.ledger._database.committer
        writing, refused = committer._write, []

        @contextmanager
        def locked():
            waiting = committer._of("")
            first = next(iter(waiting._entries), None)
            if first is not None and first.call.command.__module__.endswith("evidence.matches") and len(refused) < 3:
                refused.append(first)
                monkeypatch.setattr(waiting, "take_overdue", lambda patience: waiting.take(1))
                raise Busy("another process has the ledger locked")
            with writing() as connection:
                yield connection

        monkeypatch.setattr(committer, "_write", locked)
        without_board.run(tournament, pace=CallOptions(concurrency=6))
        planned = [f"{plan.number}.{place}" for plan in tournament.state.rounds for place in range(1, 4)]
        assert refused
        assert [entry.match.id for entry in tournament.ledger.matches.all(tournament.state.id)] == planned
        assert tournament.audit().ok


def test_turns_of_debates_wait_and_are_written(tmp_path):
    """The disk is full from the first turn on; the advocate is asked for no turn twice."""
    with begun(tmp_path) as (ledger, id, full):
        full.begin()
        told, gate = [], Gate()
        spool = Spool(ledger.tournaments.get(id), (tmp_path,))
        keeper = LedgerWriter(ledger, id, spool, gate=gate, patience=5, on_waiting=told.append)
        turns = LedgerTurns(keeper, lambda _: None)
        turn = DebateTurn(call="1.1.1", number=1, speaker=Speaker.FIRST, stage=Stage.OPENING, content="word " * 40_000)
        turns.keep(turn)
        assert (turns.find("1.1.1", 1), ledger.tournaments.turns(id)) == (turn, ())
        assert "the disk is full" in told[0]
        full.end()
        asyncio.run(keeper.ready())
        assert (ledger.tournaments.turns(id), told[-1], list(tmp_path.glob("*.spool"))) == ((turn,), "", [])


def test_a_disk_that_is_full_ends_a_run_though_the_ledger_can_be_read(tmp_path):
    """What the run itself writes waits for room, as long as its patience lasts: that it can read is no recovery."""
    with begun(tmp_path) as (ledger, id, full):
        full.begin()
        notes, gate, spool = [], Gate(), Spool(ledger.tournaments.get(id), (tmp_path,))
        keeper = LedgerWriter(ledger, id, spool, gate=gate, patience=0.05, on_waiting=notes.append)

        def plan():
            ledger.tournaments.add_event(id, "long", {"text": "word " * 40_000})

        with pytest.raises(GateClosed, match=r"the disk is full .*; make room, or name another file"):
            asyncio.run(asyncio.wait_for(keeper.call(plan), 20))
        assert (keeper.failed, len(notes)) == (True, 1)


def test_where_no_thread_can_be_started_the_run_ends_and_what_waits_is_written(tmp_path):
    """Whoever waited for the write waited for ever."""
    with begun(tmp_path) as (ledger, id, _):
        gate, spool = Gate(), Spool(ledger.tournaments.get(id), (tmp_path,))
        keeper = LedgerWriter(ledger, id, spool, gate=gate, patience=5, on_waiting=pytest.fail)
        turn = DebateTurn(call="1.1.1", number=1, speaker=Speaker.FIRST, stage=Stage.OPENING, content="x")

        async def run():
            keeper.close()
            await asyncio.wait_for(keeper.write(PendingTurn(turn=turn)), 20)

        with pytest.raises(RuntimeError, match="after shutdown"):
            asyncio.run(run())
        with pytest.raises(RuntimeError, match="after shutdown"):
            keeper.write(PendingTurn(turn=turn))
        assert ledger.tournaments.turns(id) == ()
        keeper.close()
        assert ledger.tournaments.turns(id) == (turn,)


@contextmanager
def begun(folder):
    """A ledger, a tournament in it, and its disk, which may become full."""
    with Ledger.open(folder / "l.db", durable=False) as ledger:
        items = [Item(id=f"i{n}", text="x") for n in range(2)]
        id = ledger.tournaments.create("t", settings={}, items=items, config=RatingConfig()).id
        yield ledger, id, Full(ledger._database)


class Full:
    """A limit on the pages of a database, for its writers, which stands in for a full disk."""

    def __init__(self, database):
        self._database = database

    def begin(self):
        with self._database.write() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 1}")

    def end(self):
        with self._database.write() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 100000")
