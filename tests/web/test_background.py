"""Work aside: a few threads, whoever waits hears what becomes of it, and nobody waits for it at the end."""

import threading

import pytest

from paragone.errors import Busy, NotFound
from paragone.web.readers.background import BackgroundExecutor


@pytest.fixture
def aside():
    found = BackgroundExecutor(2, "tests")
    yield found
    found.shutdown()


def test_what_is_made_is_handed_to_who_waits(aside):
    assert [aside.submit(pow, 2, power).result(5) for power in range(5)] == [1, 2, 4, 8, 16]
    assert aside.submit(lambda *, a: a, a=3).result(5) == 3


def test_what_fails_is_told_and_ends_no_thread(aside):
    def fail() -> None:
        raise NotFound("not here")

    for _ in range(3):
        with pytest.raises(NotFound, match="not here"):
            aside.submit(fail).result(5)
    assert aside.submit(lambda: 1).result(5) == 1


def test_so_many_are_made_at_once_and_no_more(aside):
    begun, go_on = threading.Semaphore(0), threading.Event()

    def make() -> int:
        begun.release()
        assert go_on.wait(20)
        return threading.get_ident()

    futures = [aside.submit(make) for _ in range(4)]
    assert begun.acquire(timeout=5)
    assert begun.acquire(timeout=5)
    assert not begun.acquire(timeout=0.05)
    go_on.set()
    assert len({future.result(5) for future in futures}) == 2


def test_the_end_lets_go_of_all_who_wait_and_takes_nothing_more(aside):
    begun, go_on = threading.Event(), threading.Event()

    def make() -> int:
        begun.set()
        assert go_on.wait(20)
        return 1

    under_way, waiting, behind = aside.submit(make), aside.submit(go_on.wait, 20), aside.submit(pow, 2, 3)
    assert begun.wait(5)
    aside.shutdown()
    for future in (under_way, waiting, behind, aside.submit(pow, 2, 3)):
        with pytest.raises(Busy, match="about to end"):
            future.result(0)
    go_on.set()  # what was under way comes to its end, and changes nothing


def test_threads_are_of_the_kind_that_the_end_of_a_process_does_not_wait_for(aside):
    assert aside.submit(lambda: threading.current_thread().daemon).result(5)


def test_one_may_wait_until_what_was_begun_is_done(aside):
    slow = aside.submit(threading.Event().wait, 0.05)
    aside.shutdown(wait=True, cancel_futures=False)
    assert slow.result(0) is False
