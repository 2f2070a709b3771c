"""A session that carries on: what the same agent's sessions before searched and read counts as its own."""

import pytest

from paragone.memory import Memory
from paragone.memory.store import AccessLine, SearchLine

A_DAY = 86_400.0


class Desk:
    """Each act in a memory, and so a session, of its own, as commands do."""

    def __init__(self, root):
        self.root, self.now = root, 1_767_322_800.0

    def clock(self):
        self.now += 1.0
        return self.now

    def step(self, act, *, resume=True, agent="user"):
        with Memory.open(self.root, resume=resume, agent_id=agent, clock=self.clock) as memory:
            return act(memory)

    def logged(self, kind):
        return self.step(lambda memory: list(memory.components.store.logs.after(kinds={kind})))


@pytest.fixture
def desk(tmp_path):
    (tmp_path / "lamp.py").write_text("def light(level):\n    return level\n")
    (tmp_path / "chair.py").write_text("def sit(height, light):\n    return height\n" + "# more\n" * 400)
    desk = Desk(tmp_path)
    with Memory.create(tmp_path, clock=desk.clock) as memory:
        memory.index(vectors=False)
    return desk


def search(memory):
    return memory.search("light", how="keyword")


def test_a_read_counts_for_the_search_of_a_session_before(desk):
    desk.step(search)
    desk.step(lambda memory: memory.read("lamp.py"))
    (searched,), (access,) = desk.logged(SearchLine), desk.logged(AccessLine)
    assert access.session_id != searched.session_id
    assert access.search_id == searched.id
    standing = {
        path: desk.step(lambda memory, path=path: memory.rating(path).stored) for path in ("lamp.py", "chair.py")
    }
    assert standing == {"lamp.py": 1208.0, "chair.py": 1192.0}  # what was shown and not used pays


def test_the_last_search_that_showed_it_counts(desk):
    desk.step(search)
    desk.step(search)
    desk.step(lambda memory: memory.search("sit", how="keyword"))  # shows the chair alone
    desk.step(lambda memory: memory.read("lamp.py"))
    assert desk.logged(AccessLine)[0].search_id == desk.logged(SearchLine)[1].id


def test_a_search_of_its_own_comes_first(desk):
    desk.step(search)
    desk.step(lambda memory: (search(memory), memory.read("lamp.py")))
    assert desk.logged(AccessLine)[0].search_id == desk.logged(SearchLine)[1].id


def test_a_definition_counts_for_it_too(desk):
    desk.step(search)
    desk.step(lambda memory: memory.expand("@light"))
    assert desk.logged(AccessLine)[0].search_id == desk.logged(SearchLine)[0].id


@pytest.mark.parametrize(
    ("how", "wait"),
    [({"resume": False}, 0.0), ({"agent": "another"}, 0.0), ({}, A_DAY)],
    ids=["unasked", "of another agent", "too long ago"],
)
def test_what_is_no_earlier_search_of_it_does_not_count(desk, how, wait):
    desk.step(search)
    desk.now += wait
    desk.step(lambda memory: memory.read("lamp.py"), **how)
    assert desk.logged(AccessLine)[0].search_id == ""


def test_the_next_page_is_of_the_same_read(desk):
    for start in (1, 201, 401):
        desk.step(lambda memory, start=start: memory.read("chair.py", start=start))
    assert [line.part for line in desk.logged(AccessLine)] == [0, 1, 2]
    assert desk.step(lambda memory: memory.rating("chair.py").uses) == 1
    desk.step(lambda memory: memory.read("chair.py"))
    assert desk.logged(AccessLine)[-1].part == 0  # from the beginning it is another read


def test_a_session_after_its_end_goes_on_from_the_one_that_ended(desk):
    def act(memory):
        search(memory)
        memory.end_session("success")
        memory.read("lamp.py")

    desk.step(act)
    assert desk.logged(AccessLine)[0].search_id == desk.logged(SearchLine)[0].id
