"""Which model foretells best: by worlds in which that is known, and written where it is chosen."""

import tomllib

import pytest

from paragone.domain.content import Action, Content, UsageConfig, Use
from paragone.errors import UsageError
from paragone.memory.evaluation import choose, evaluate
from paragone.memory.log_replay import Gone, Present, SessionStart
from paragone.memory.session_forecast import forecast
from paragone.memory.store import MemoryConfig, SessionLine, Store
from paragone.memory.store.config import SearchRankingConfig, with_setting

DAY = 86_400.0
BEGIN = 1_700_000_000.0


def session(number, day, *paths, source="git"):
    time = BEGIN + day * DAY
    return SessionLine(
        id=f"{source}:{number}", session_id=f"{source}:{number}", timestamp=time, start_time=time, end_time=time,
        files_accessed=paths, source=source if source == "git" else "",
    )  # fmt: skip


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path, clock=lambda: BEGIN + 4000 * DAY) as made:
        yield made


def bursts(sessions):
    """Six sessions an hour apart are about one file, and the next day's about another of fifteen."""
    return [session(number, number // 6 + number % 6 / 24, f"f{number // 6 * 7 % 15}") for number in range(sessions)]


class TestForetell:
    def test_chance_is_the_mean_over_all_orders_and_need_knows_the_last(self):
        steps = [Present(time=0.0, paths=("a", "b", "c"))]
        for number in range(3):
            time = number * DAY
            steps.append(SessionStart(id=f"{number}", time=time, used=frozenset({"b"})))
            steps.append(Use(id=f"{number}", time=time, action=Action.READ, contents=(Content.file("b"),)))

        found = forecast(steps, UsageConfig(), lambda path: 1200.0)

        third = (1 + 1 / 2 + 1 / 3) / 3
        assert [one.reciprocal for one in found.scores["chance"]] == pytest.approx([third] * 3)
        assert [one.reciprocal for one in found.scores["need"]] == pytest.approx([third, 1.0, 1.0])
        assert found.candidates == [3, 3, 3]

    def test_what_is_new_large_early_or_gone_is_not_measured(self):
        def use(id, *paths):
            visit = SessionStart(id=id, time=1.0, used=frozenset(paths))
            return [
                visit,
                Present(time=1.0, paths=paths),
                Use(id=id, time=1.0, action=Action.READ, contents=tuple(map(Content.file, paths))),
            ]

        steps = [*use("new", "a", "b"), *use("early", "a"), *use("large", "a", "b"), *use("left out", "a"),
                 Gone(paths=("b",)), *use("gone", "b"), Gone(paths=("b",)), *use("measured", "a")]  # fmt: skip

        found = forecast(steps, UsageConfig(), lambda path: 1200.0, first=2, largest=1, left_out={"left out"})

        assert [visit.id for visit in found.visits] == ["measured"]
        assert found.unmeasured == 5
        assert found.candidates == [1]


class TestEvaluate:
    def test_where_files_are_used_in_bursts_need_is_chosen(self, store):
        store.logs.append(bursts(240))
        store.config = MemoryConfig(ranking=SearchRankingConfig(rank_by="elo"))

        found = evaluate(store, draws=300)

        assert found.choose == "need"
        assert 'rank_by = "need"' in found.advice
        by_name = {one.model: one for one in found.models}
        assert by_name["need"].mrr.value > by_name["elo zero-sum"].mrr.value > by_name["chance"].mrr.value
        assert by_name["elo zero-sum"].lead.value == 0.0
        assert (found.sessions, found.unmeasured) == (225, 15)  # the first use of each file is none that could be known

    def test_of_a_few_sessions_nothing_is_chosen(self, store):
        store.logs.append(bursts(12))

        found = evaluate(store)

        assert found.choose is None
        assert "too few" in found.advice

    def test_without_any_session_it_says_how_to_begin(self, store):
        found = evaluate(store)

        assert (found.models, found.sessions) == ((), 0)
        assert "paragone memory learn-git" in found.advice

    def test_sessions_of_one_source_are_measured_and_all_are_learned_from(self, store):
        store.logs.append([session(1, 1, "a", "b"), session(2, 2, "a", source="agent"), session(3, 3, "b")])

        assert [evaluate(store, source=source).sessions for source in ("all", "git", "agents")] == [2, 1, 1]

    def test_the_same_logs_give_the_same_bits(self, store):
        store.logs.append(bursts(40))

        assert evaluate(store, draws=50) == evaluate(store, draws=50)


class TestChoose:
    def test_the_choice_holds_for_whoever_opens_the_store_and_comments_stay(self, store):
        path = store.path / "memory.toml"
        before = path.read_text()

        assert choose(store, "elo") == path

        assert Store.open(store.root).config.ranking.rank_by == "elo"
        assert path.read_text() == before.replace('# rank_by = "need"', 'rank_by = "elo"')
        choose(store, "need")
        assert Store.open(store.root).config == MemoryConfig()

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "[pack]\ntokens = 5\n",
            '[ranking]\nrank_by="elo" # mine\n[pack]\ntokens = 5\n',
            "[ ranking ] # so\r\nmode = 'bounded'\r\n[pack]\r\ntokens = 5\r\n",
            '[ranking]\nmode = "bounded"',
        ],
    )
    def test_nothing_else_changes_however_it_is_written(self, text):
        expected = tomllib.loads(text)
        expected.setdefault("ranking", {})["rank_by"] = "need"

        made = with_setting(text, "ranking", "rank_by", 'rank_by = "need"')
        assert tomllib.loads(made) == expected

    def test_a_file_that_cannot_be_changed_safely_stays_as_it_was(self, store):
        path = store.path / "memory.toml"
        text = 'ranking.mode = "bounded"\n'
        path.write_text(text)

        with pytest.raises(UsageError, match="cannot be changed safely"):
            choose(store, "need")

        assert path.read_text() == text
        assert not list(store.path.glob("*.tmp"))
