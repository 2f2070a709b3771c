"""Threads of one process that write to one file queue for it, first come, first served."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from paragone.domain import ItemKind, RatingConfig
from paragone.errors import Busy
from paragone.ledger import Ledger
from paragone.ledger.databases.sqlite import WriterTurns, turns_of


def _until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_turns_come_in_the_order_in_which_they_were_asked_for():
    turns, order = WriterTurns(), []

    def ask(number):
        with turns.turn(20.0) as mine:
            order.append((number, mine))

    with ThreadPoolExecutor(6) as threads:
        with turns.turn(20.0) as first:
            assert first
            for number in range(6):
                threads.submit(ask, number)
                _until(lambda expected=number + 1: len(turns._gates) == expected)
        threads.shutdown()
    assert order == [(number, True) for number in range(6)]
    assert not turns._taken


def test_one_at_a_time():
    turns, inside, most = WriterTurns(), [], []

    def work(number):
        for _ in range(200):
            with turns.turn(20.0) as mine:
                assert mine
                inside.append(number)
                most.append(len(inside))
                inside.remove(number)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert max(most) == 1
    assert len(most) == 1600


def test_who_runs_out_of_patience_leaves_and_those_behind_move_up():
    turns, came = WriterTurns(), []
    with ThreadPoolExecutor(2) as threads:
        with turns.turn(1.0):
            with turns.turn(0.01) as impatient:
                assert not impatient
            assert not turns._gates
            threads.submit(lambda: came.append(turns._enter(20.0)))
            _until(lambda: len(turns._gates) == 1)
        threads.shutdown()
    assert came == [True]


@pytest.mark.parametrize("patience", [0.0, -1.0, float("inf")])
def test_any_patience_will_do(patience):
    turns = WriterTurns()
    for _ in range(2):
        with turns.turn(patience) as mine:
            assert mine


def test_an_error_within_a_turn_ends_it():
    turns = WriterTurns()
    with pytest.raises(ValueError, match="within"), turns.turn(1.0):
        raise ValueError("within")
    with turns.turn(0.0) as mine:
        assert mine


def test_who_is_interrupted_in_the_queue_holds_nobody_up():
    """The main thread is interrupted while it waits, by a signal as Ctrl-C sends it."""
    turns = WriterTurns()
    leave = threading.Event()

    def hold():
        with turns.turn(1.0):
            leave.wait(20.0)

    holder = threading.Thread(target=hold)
    holder.start()
    _until(lambda: turns._taken)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    with pytest.raises(KeyboardInterrupt), turns.turn(20.0):
        pass
    assert not turns._gates
    leave.set()
    holder.join()
    with turns.turn(0.0) as mine:
        assert mine


def test_all_ledgers_of_a_file_in_a_process_share_its_turns(tmp_path):
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "ledger.db")
    assert turns_of(tmp_path / "ledger.db") is not turns_of(tmp_path / "other.db")
    with Ledger.open(tmp_path / "ledger.db", patience=0.05) as one, Ledger.open(link, patience=0.05) as other:
        one.pools.create("p", RatingConfig(), kind=ItemKind.AGENT)
        with one._database.write():
            with pytest.raises(Busy, match=r"ledger\.db|link\.db"):
                other.agents.register("p", "claude")
            assert other.agents.records("p") == (), "readers wait for nobody"
        other.agents.register("p", "claude")
        assert [record.rating.item for record in one.agents.records("p")] == ["claude"]
