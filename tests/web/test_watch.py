"""The watch: who hears of what, how much it keeps for the slow, and that it asks nobody while nobody listens."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from paragone.errors import Busy
from paragone.web.change_watch import Listener, Watch
from paragone.wire.event import Event


class Versions:
    """Versions as a ledger has them, and how often they were asked for."""

    def __init__(self, **now: int) -> None:
        self.now: dict[str, int] = now
        self.asked = 0
        self.failing = self.failed = 0

    def note(self) -> None:
        self.failed += 1

    def __call__(self) -> Mapping[str, int]:
        self.asked += 1
        if self.failing:
            self.failing -= 1
            raise Busy("the database is locked")
        return dict(self.now)


def run(test: Callable[[Watch, Versions], Awaitable[None]], **now: int) -> None:
    versions = Versions(**now)

    async def whole() -> None:
        watch = Watch(versions, versions.note, soonest=0.005, latest=0.01)
        async with asyncio.timeout(10):
            await test(watch, versions)
        watch.end()

    asyncio.run(whole())


async def heard(listener: Listener) -> Event:
    async for news in listener.news():
        assert news is not None
        return news
    raise AssertionError("it ended")


def test_a_newcomer_hears_how_things_are_and_then_what_moves() -> None:
    async def test(watch: Watch, versions: Versions) -> None:
        with watch.listening("a") as one, watch.listening(None) as every:
            assert await heard(one) == Event(pool="a", version=3, id=3, moved=False)
            assert await heard(every) == Event(pool=None, version=10, id=10, moved=False)
            versions.now["b"] = 8
            assert await heard(every) == Event(pool="b", version=8, id=11)
            versions.now["a"] = 4
            assert await heard(one) == Event(pool="a", version=4, id=4)

    run(test, a=3, b=7)


def test_who_comes_back_hears_at_once_whether_something_moved() -> None:
    async def test(watch: Watch, versions: Versions) -> None:
        with (
            watch.listening("a", last=3) as same,
            watch.listening("a", last=2) as behind,
            watch.listening(None, 9) as all_,
        ):
            assert (await heard(same)).moved is False
            assert await heard(behind) == Event(pool="a", version=3, id=3, moved=True)
            assert await heard(all_) == Event(pool=None, version=10, id=10, moved=True)
            asked = versions.asked
            with watch.listening("b", last=6) as later:  # the watch runs: nobody has to be asked
                assert await heard(later) == Event(pool="b", version=7, id=7, moved=True)
            assert versions.asked <= asked + 1

    run(test, a=3, b=7)


def test_a_slow_listener_gets_the_newest_state_and_no_backlog() -> None:
    async def test(watch: Watch, versions: Versions) -> None:
        with watch.listening("a") as slow, watch.listening("a") as quick:
            await heard(slow)
            await heard(quick)
            for version in range(4, 24):
                versions.now["a"] = version
                assert (await heard(quick)).version == version
            assert (await heard(slow)).version == 23
            versions.now["a"] = 24
            assert (await heard(slow)).version == 24, "nothing was left in between"

    run(test, a=3)


def test_nobody_is_asked_while_nobody_listens_and_what_was_known_is_not_told_later() -> None:
    async def test(watch: Watch, versions: Versions) -> None:
        await asyncio.sleep(0.03)
        assert versions.asked == 0
        with watch.listening("a") as listener:
            await heard(listener)
        assert len(watch) == 0
        await asyncio.sleep(0.02)  # a question that was under way
        asked = versions.asked
        versions.now["a"] = 9
        await asyncio.sleep(0.05)
        assert versions.asked == asked
        with watch.listening("a") as listener:
            assert (await heard(listener)).version == 9

    run(test, a=3)


def test_a_database_that_is_away_is_asked_again_and_nothing_is_missed() -> None:
    async def test(watch: Watch, versions: Versions) -> None:
        versions.failing = 3
        with watch.listening("a", last=2) as listener:
            assert await heard(listener) == Event(pool="a", version=3, id=3)
            assert versions.failed == 3
            versions.failing = 1
            versions.now["a"] = 5
            assert (await heard(listener)).version == 5

    run(test, a=3)


def test_silence_is_broken_by_heartbeats() -> None:
    async def test(watch: Watch, versions: Versions) -> None:
        with watch.listening("a") as listener:
            await heard(listener)
            said = []
            async for news in listener.news(heartbeat=0.01):
                said.append(news)
                if len(said) == 2:
                    break
            assert said == [None, None]

    run(test, a=3)


def test_the_end_lets_all_go_and_sends_newcomers_away() -> None:
    async def test(watch: Watch, versions: Versions) -> None:
        with watch.listening("a") as listener:
            await heard(listener)
            watch.end()
            assert [news async for news in listener.news()] == []
        with watch.listening("a") as late:
            assert [news async for news in late.news()] == []

    run(test, a=3)
