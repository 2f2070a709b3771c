"""Each model's columns against the definition for one file; replays against worked numbers."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain.content import (
    Action,
    Content,
    ContentKind,
    PoolSize,
    Renamed,
    Showing,
    Shown,
    TruthSource,
    UsageConfig,
    Use,
)
from paragone.memory.log_replay import Gone, Present, SessionStart, TraceReplay, trace
from paragone.memory.scores import Scores
from paragone.memory.session_forecast import DecayedFrequency, Elo, Frequency, Need, Recency
from paragone.memory.store import AccessLine, IndexLine, MemoryConfig, ResultRow, SearchLine, Store, TruthLine
from paragone.ratings.activation import decayed, need
from paragone.ratings.elo import NATS_PER_POINT

DAY = 86_400.0
CONFIG = UsageConfig()


def read(time, *paths, search="", action=Action.READ):
    return Use(id=f"{time}", time=time, action=action, contents=tuple(map(Content.file, paths)), search=search)


@given(
    times=st.lists(st.floats(0.0, 400.0), max_size=40),
    later=st.floats(0.0, 100.0),
    initial=st.sampled_from([800.0, 1200.0, 1600.0]),
    remembered=st.sampled_from([1, 3, 16]),
)
def test_columns_agree_with_the_definition_for_one_file(times, later, initial, remembered):
    config = UsageConfig(need_recent=remembered)
    replay = TraceReplay(config, lambda path: initial)
    models = [Need(3, config), Elo(3, config), Elo(3, config, decays=False), Frequency(3)]
    state = replay.present("a")
    for model in models:
        model.see(1, state, 0.0)
    for time in times:
        for state in replay.count(read(time * DAY, "a")).values():
            for model in models:
                model.see(1, state, time * DAY)

    now = (max(times, default=0.0) + later) * DAY
    found = [float(model.scores(np.array([1]), now)[0]) for model in models]

    shown = decayed(state.elo, 0.0 if state.last_use is None else state.last_use, now, config)
    assert found[0] == pytest.approx((need(state, now, config) - 1200.0) * NATS_PER_POINT, abs=1e-9)
    assert found[1:] == pytest.approx([shown * NATS_PER_POINT, state.elo * NATS_PER_POINT, math.log(len(times) + 0.5)])


def test_decayed_frequency_sums_what_is_left_of_each_use():
    replay, model = TraceReplay(CONFIG, lambda path: 1200.0), DecayedFrequency(1, CONFIG)
    for day in (0.0, 10.0, 40.0):
        model.see(0, replay.count(read(day * DAY, "a"))["a"], day * DAY)

    left = sum(math.exp(-(70.0 - day) / 30.0) for day in (0.0, 10.0, 40.0))
    assert model.scores(np.array([0]), 70.0 * DAY)[0] == pytest.approx(math.log(left + 1e-6))


def test_recency_orders_as_an_lru_cache_does():
    replay, model = TraceReplay(CONFIG, lambda path: 1200.0), Recency(2)
    for number, (path, day) in enumerate((("a", 1.0), ("b", 2.0))):
        model.see(number, replay.count(read(day * DAY, path))[path], day * DAY)

    assert np.diff(model.scores(np.array([0, 1]), 3.0 * DAY))[0] == pytest.approx(math.log(2.0))


class TestReplay:
    def test_a_read_alone_is_against_the_mean_of_what_is_there(self):
        replay = TraceReplay(CONFIG, {"a": 1200.0, "b": 1600.0}.__getitem__)
        replay.present("a")
        replay.present("b")

        state = replay.count(read(1.0, "a"))["a"]

        assert state.elo == pytest.approx(1200 + 16 * (1 - 1 / (1 + 10 ** (200 / 400))))
        assert replay.mean(ContentKind.FILE) == pytest.approx((state.elo + 1600) / 2)

    def test_who_was_shown_and_not_used_pays(self):
        replay = TraceReplay(CONFIG, lambda path: 1200.0)
        replay.present("a")
        replay.present("b")
        replay.count(
            Showing(id="s", time=1.0, tool="keyword_search", results=(Shown(rank=1, path="a"), Shown(rank=2, path="b")))
        )

        changed = replay.count(read(2.0, "b", search="s"))

        assert (changed["a"].elo, changed["b"].elo) == (1192.0, 1208.0)
        assert replay.mean(ContentKind.FILE) == pytest.approx(1200.0)

    def test_a_renamed_file_keeps_its_standing_and_a_deleted_one_begins_anew(self):
        replay = TraceReplay(CONFIG, lambda path: 1200.0)
        replay.present("a")
        replay.count(read(1.0, "a"))

        moved = replay.count(Renamed(id="r", time=2.0, old="a", new="b"))["b"]
        assert (moved.uses, moved.content.id) == (1, "b")
        replay.gone("b")
        assert replay.present("b").uses == 0
        assert replay.count(Renamed(id="r", time=3.0, old="nowhere", new="c")) == {}


class TestBesideTheScores:
    """The replay of a trace is the store's own counting, where both have the same pool."""

    @pytest.mark.parametrize("zero_sum", [True, False])
    def test_the_standings_are_those_of_the_store(self, tmp_path, zero_sum):
        config = UsageConfig(zero_sum=zero_sum)
        store = Store.create(tmp_path, config=MemoryConfig(ratings=config), clock=lambda: 1e9)
        store.logs.append([IndexLine(pools={ContentKind.FILE: PoolSize(count=5, mean_initial=1200.0)})])
        store.logs.append(list(self.random_lines(random.Random(7))))

        replay = TraceReplay(config, lambda path: 1200.0)
        for path in "abcde":
            replay.present(path)
        for step in trace(store.logs.after()):
            if not isinstance(step, SessionStart | Present | Gone):
                replay.count(step)

        with Scores(store) as scores:
            kept = {one.content.id: one for one in scores.rated(ContentKind.FILE)}
        assert set(kept) == set("abcde")
        for path, state in kept.items():
            mine = replay.state(Content.file(path))
            assert (mine.uses, mine.recent, mine.truth) == (state.uses, state.recent, state.truth)
            assert mine.elo == pytest.approx(state.elo, abs=1e-6)

    @staticmethod
    def random_lines(rng):
        last = ""
        for number in range(120):
            time, path = 1e8 + number * 3600.0, rng.choice("abcde")
            own = {"id": f"{number}", "timestamp": time, "session_id": f"s{number // 6}"}
            match rng.randrange(5):
                case 0:
                    rows = tuple(
                        ResultRow(rank=rank, file_path=one, hash=f"h{one}")
                        for rank, one in enumerate(rng.sample("abcde", 3), 1)
                    )
                    last = f"{number}"
                    yield SearchLine(**own, tool="semantic_search", query="q", results=rows)
                case 1:
                    r = rng.choice([0.1, 3.0, None])
                    yield TruthLine(
                        **own, entity_type=ContentKind.FILE, entity_id=path, source=TruthSource.SUPPLIED, r=r
                    )
                case _:
                    search = last if rng.random() < 0.6 else ""
                    action = rng.choice([Action.READ, Action.CITED, Action.USED, Action.CONTRADICTED])
                    yield AccessLine(
                        **own, action=action, entity_type=ContentKind.FILE, entity_id=path, search_id=search
                    )
