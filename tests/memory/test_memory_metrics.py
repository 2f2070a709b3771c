"""Document M's metrics from logs that were written by hand: worked numbers, and nothing where there is nothing."""

import pytest

from paragone.domain.content import Action, ContentKind
from paragone.memory.index import Index
from paragone.memory.metrics import measure
from paragone.memory.scores import Scores
from paragone.memory.store import AccessLine, MemoryConfig, ResultRow, SearchLine, SessionLine, Store
from paragone.memory.store.config import PackConfig

DAY = 86_400.0
BEGIN = 1_767_225_600.0  # a Thursday
NOW = BEGIN + 400 * DAY


class Remembered:
    """Two small files and a large one, and logs."""

    def __init__(self, root, **config):
        for name in ("a.py", "b.py"):
            (root / name).write_text(f"{name[0]} = 1\n")
        (root / "large.py").write_text("".join(f"x{number} = {number}\n" for number in range(2000)))
        self.store = Store.create(root, config=MemoryConfig(**config), clock=lambda: NOW)
        self.index, self.scores = Index(self.store), Scores(self.store)
        self.index.update(vectors=False)

    def sessions(self, *files, first=0, **last):
        """``last`` is what else holds of the last one."""
        self.store.logs.append(
            SessionLine(
                id=f"git:{number}",
                session_id=f"git:{number}",
                timestamp=BEGIN + number * DAY,
                source="git",
                start_time=BEGIN + number * DAY,
                end_time=BEGIN + number * DAY,
                files_accessed=tuple(own),
                **(last if number == first + len(files) - 1 else {}),
            )
            for number, own in enumerate(files, first)
        )

    def search(self, id, *rows, used=()):
        results = tuple(
            ResultRow(rank=rank, file_path=path, similarity=similarity)
            for rank, (path, similarity) in enumerate(rows, 1)
        )
        self.store.logs.append(
            [SearchLine(id=id, timestamp=NOW - 60, session_id=id, tool="semantic_search", query="q", results=results)]
            + [
                AccessLine(
                    id=f"{id}:{path}",
                    timestamp=NOW - 30,
                    session_id=id,
                    action=Action.READ,
                    search_id=id,
                    entity_type=ContentKind.FILE,
                    entity_id=path,
                )
                for path in used
            ]
        )

    def measured(self, **options):
        found = measure(self.store, self.index, self.scores, **options)
        return {one.name: one for one in found.measures} | {"sessions": found.sessions}


@pytest.fixture
def memory(tmp_path):
    return Remembered(tmp_path, pack=PackConfig(tokens=300, exclude=("memory.toml",)))


def test_where_nothing_happened_there_is_nothing_to_measure(memory):
    found = memory.measured()

    assert found["sessions"] == 0
    for name in ("convergence", "LITE accuracy", "search efficiency", "used@5 with Elo", "used@5 without Elo"):
        assert (found[name].value, found[name].met, found[name].evidence) == (None, None, 0)
        assert found[name].note.startswith("nothing to measure yet")


def test_lite_accuracy_is_the_share_of_the_next_sessions_files_in_the_pack_before_it(memory):
    memory.sessions(["a.py", "large.py"], ["a.py"], ["a.py", "large.py"], ["new.py"])

    found = memory.measured()["LITE accuracy"]

    # the first knows nothing yet; then a.py fits the 300 tokens whole, and large.py as signatures
    assert (found.value, found.evidence) == (1.0, 3)
    assert found.note.endswith("whole 67%")
    assert (found.target, found.met) == (0.9, True)
    assert sum(point.evidence for point in found.series) == 3


def test_lite_accuracy_of_packs_by_tier(tmp_path):
    (tmp_path / "f.py").write_text("def f(x):\n    return x\n")
    memory = Remembered(tmp_path, pack=PackConfig(tokens=300, mode="tiers", exclude=("memory.toml",)))
    memory.sessions(*(["a.py", "f.py"] for _ in range(5)))

    found = memory.measured()["LITE accuracy"]

    # two uses bring f.py into the tier that has signatures, for sessions three to five; a.py has none to show
    assert (found.value, found.evidence) == (3 / 8, 8)


def test_lite_accuracy_follows_files_that_are_renamed_and_forgets_those_that_are_removed(memory):
    memory.sessions(["old.py"], ["a.py"], renamed=(("old.py", "a.py"),))
    memory.sessions(["b.py"], first=2)
    memory.sessions(["a.py"], first=3, removed=("b.py",))
    memory.sessions(["b.py"], ["b.py"], first=4)

    found = memory.measured()["LITE accuracy"]

    assert (found.value, found.evidence) == (1.0, 3)  # sessions 1, 3 and 5: in 2 and 4 b.py is new


def test_savings_are_those_of_the_pack_of_now(memory):
    found = memory.measured()["token savings"]

    pack = found.note
    assert found.value > 0.8
    assert found.met
    assert "tokens, against" in pack


def test_convergence_goes_by_the_last_twenty_sessions_and_is_judged_after_a_hundred(memory):
    memory.sessions(*(["a.py"] for _ in range(19)))
    assert memory.measured()["convergence"].value is None

    memory.sessions(["b.py"], first=19)
    found = memory.measured()["convergence"]  # a.py rose by far over 40 points, b.py by under 8
    assert (found.value, found.evidence, found.met) == (0.5, 2, None)
    assert "judged from 100 sessions on" in found.note

    memory.sessions(*([] if number % 20 else ["b.py"] for number in range(100)), first=20)
    memory.sessions(*(["a.py" if number % 2 else "b.py"] for number in range(80)), first=200)
    late = memory.measured(by="session")["convergence"]
    assert late.met is (late.value >= 0.9)
    assert len(late.series) > 50


def test_high_is_what_stood_at_1600_then_and_each_file_counts_once(tmp_path):
    (tmp_path / "AGENTS.md").write_text("# Rules\n")
    memory = Remembered(tmp_path)
    memory.search("s", ("AGENTS.md", 0.9), ("AGENTS.md", 0.8), ("a.py", 0.7), ("b.py", 0.6))

    found = memory.measured()["search efficiency"]

    assert (found.value, found.evidence, found.met) == (pytest.approx(1 / 3), 3, False)


def test_used_at_five_with_and_without_ratings(tmp_path):
    (tmp_path / "AGENTS.md").write_text("# Rules\n")
    memory = Remembered(tmp_path)
    near = [(f"{number}.py", 0.5) for number in range(5)]
    memory.search("s", *near, ("AGENTS.md", 0.45), used=("AGENTS.md",))  # 0.7 x 0.45 + 0.3 x 2/3 > 0.7 x 0.5 + 0.1

    found = memory.measured()

    assert (found["used@5 with Elo"].value, found["used@5 without Elo"].value) == (1.0, 0.0)
    assert found["used@5 with Elo"].evidence == 1


def test_a_point_of_a_course_is_a_week_or_a_session(memory):
    memory.sessions(*(["a.py"] for _ in range(15)))

    weeks = memory.measured(by="week")["LITE accuracy"].series
    single = memory.measured(by="session")["LITE accuracy"].series

    assert [point.evidence for point in weeks] == [3, 7, 4]  # Friday to Sunday, a week, Monday to Thursday
    assert len(single) == 14
